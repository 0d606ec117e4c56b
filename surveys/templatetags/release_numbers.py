"""Numbers that a release shows besides those of results."""

import math

from django import template

from surveys.selectors.release_terms import rounded_up as rounded_up_to
from surveys.selectors.releases import Estimate
from surveys.templatetags.figures import percent

register = template.Library()


@register.filter
def number(value: float) -> str:
    """Write four significant digits upwards: a small ε is not rounded to nothing, and none to less than it is."""
    return f"{rounded_up_to(value, 4):.4g}"


@register.filter
def at_most(value: float, digits: int = 1) -> str:
    """Write a bound with so many decimals, upwards."""
    scale = 10**digits
    return f"{math.ceil(round(scale * value, 6)) / scale:,.{digits}f}"


@register.filter
def rounded_up(factor: float) -> str:
    """Write two decimals, upwards: a page must not promise more than is kept."""
    return f"{math.ceil(100 * factor) / 100:.2f}"


@register.simple_tag
def estimate_says(estimate: Estimate) -> str:
    """Describe a row of a release's chart in words."""
    low, high = percent(estimate.low, 1), percent(estimate.high, 1)
    return f"{estimate.label}: estimate {percent(estimate.share, 1)}, 95% interval {low} to {high}"
