"""Numbers that a release shows besides those of results; what is promised at most is never rounded down."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN

from django import template
from django.utils.translation import gettext as _

from surveys.common import numbers
from surveys.common.numbers import Units
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.selectors.releases.found import Median
from surveys.selectors.releases.found.figure import Figure, Scale
from surveys.selectors.releases.ledger_truth import ForTheTruth

register = template.Library()

register.filter("number", numbers.four_digits)
register.filter("at_most", numbers.at_most)
register.filter("amount", numbers.charge)
register.filter("count", numbers.whole)
register.filter("exactly", numbers.exactly)
register.filter("of_hundred", numbers.people_of_100)
register.filter("of_hundred_at_least", numbers.people_of_100_at_least)
register.filter("of_hundred_at_most", numbers.people_of_100_at_most)


@register.filter
def rounded_up(factor: float) -> str:
    """Write two decimals, upwards: a page must not promise more than is kept."""
    return numbers.at_most(factor, 2)


@register.filter
def value_of(figure: Figure) -> str:
    """Write a released number, as far as its range lets it be told apart, with its unit."""
    return measured(figure.value, figure.scale)


@register.filter
def raw_of(figure: Figure) -> str:
    """Write a released number as it was drawn, with its unit."""
    return measured(figure.raw, figure.scale)


@register.filter
def low_of(figure: Figure | Median) -> str:
    """Write the lower limit, downwards, with its unit."""
    return measured(figure.low, figure.scale, ROUND_FLOOR)


@register.filter
def high_of(figure: Figure | Median) -> str:
    """Write the upper limit, upwards, with its unit."""
    return measured(figure.high, figure.scale, ROUND_CEILING)


def measured(value: float | None, scale: Scale, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a number of a range with as many decimals as tell a two-hundredth of it apart; a dash for none."""
    return Units(scale.low, scale.high, scale.unit).write_grouped(value, rounding)


@register.filter
def loss(value: PrivacyLoss | ForTheTruth) -> str:
    """Write a privacy loss: exactly where a ledger charges it, upwards where it was computed."""
    return numbers.loss_words(value.epsilon, value.delta)


@register.filter
def relation_words(relation: NeighbouringRelation) -> str:
    """Say which sets of reports are neighbours."""
    return {
        NeighbouringRelation.REPLACE_ONE: _("replace one response"),
        NeighbouringRelation.ADD_OR_REMOVE_ONE: _("add or remove one response"),
    }[relation]
