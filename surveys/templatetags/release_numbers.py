"""Numbers as a release shows them: the same digits on every machine, whatever its locale."""

from django import template

register = template.Library()


@register.filter
def percent(share: float) -> str:
    """31.4% for 0.3142, with a true minus sign."""
    return f"{100 * share:.1f}%".replace("-0.0%", "0.0%").replace("-", "−")


@register.filter
def number(value: float) -> str:
    """Four significant digits."""
    return f"{value:.4g}"
