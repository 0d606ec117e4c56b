"""Numbers that a release shows besides those of results."""

import math

from django import template

register = template.Library()


@register.filter
def number(value: float) -> str:
    """Write four significant digits, so that a small ε is not rounded to nothing."""
    return f"{value:.4g}"


@register.filter
def rounded_up(factor: float) -> str:
    """Write two decimals, upwards: a page must not promise more than is kept."""
    return f"{math.ceil(100 * factor) / 100:.2f}"
