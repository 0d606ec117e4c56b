"""Numbers that a release shows besides those of results; what is promised at most is never rounded down."""

from django import template
from django.utils.translation import gettext as _

from surveys.common import numbers
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.figure import high_of, low_of, value_of
from surveys.selectors.releases.ledger_truth import ForTheTruth

register = template.Library()
for _writer in (high_of, low_of, value_of):
    register.filter(_writer)
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


@register.filter
def beside(row: tuple[str, ...], headings: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the cells of a row, each with the heading of its column: on a phone it stands beside the cell."""
    return list(zip(headings, row, strict=True))
