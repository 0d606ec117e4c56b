"""Numbers that a release shows besides those of results."""

import math

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.selectors.release_terms import rounded_up as rounded_up_to
from surveys.selectors.releases import Estimate
from surveys.templatetags.figures import percent

register = template.Library()


@register.filter
def number(value: float) -> str:
    """Write four significant digits upwards: a small ε is not rounded to nothing, and none to less than it is."""
    if value == math.inf:
        return "∞"
    return f"{rounded_up_to(value, 4):.4g}".replace(".", str(get_format("DECIMAL_SEPARATOR")))


@register.filter
def at_most(value: float, digits: int = 1) -> str:
    """Write a bound with so many decimals, upwards."""
    scale = 10**digits
    return number_format(math.ceil(round(scale * value, 6)) / scale, digits, force_grouping=True)


@register.filter
def rounded_up(factor: float) -> str:
    """Write two decimals, upwards: a page must not promise more than is kept."""
    return number_format(math.ceil(100 * factor) / 100, 2)


@register.filter
def relation_words(relation: NeighbouringRelation) -> str:
    """Say which sets of reports are neighbours."""
    return {
        NeighbouringRelation.REPLACE_ONE: _("replace one response"),
        NeighbouringRelation.ADD_OR_REMOVE_ONE: _("add or remove one response"),
    }[relation]


@register.simple_tag
def estimate_says(estimate: Estimate) -> str:
    """Describe a row of a release's chart in words."""
    return _("%(answer)s: estimate %(share)s, 95%% interval %(low)s to %(high)s") % {
        "answer": estimate.label,
        "share": percent(estimate.share, 1),
        "low": percent(estimate.low, 1),
        "high": percent(estimate.high, 1),
    }
