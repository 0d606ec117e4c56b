"""Numbers that a release shows besides those of results; what is promised at most is never rounded down."""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from django import template
from django.utils.formats import get_format
from django.utils.translation import gettext as _

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.releases.figure import at_most, count, exactly, high_of, low_of, value_of

register = template.Library()
for writer in (at_most, count, exactly, high_of, low_of, value_of):
    register.filter(writer.__name__, writer)

_FOUR_DIGITS = Context(prec=4, rounding=ROUND_CEILING)


@register.filter
def number(value: float | Fraction) -> str:
    """Write four significant digits upwards: a small ε is not rounded to nothing, and none to less than it is."""
    if value == math.inf:
        return "∞"
    if isinstance(value, Fraction):
        written = _FOUR_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    else:
        # The shortest decimal that is this float: 0.1 is 0.1, and not the next above it.
        written = _FOUR_DIGITS.plus(Decimal(repr(float(value))))
    text = f"{written:e}" if written and written.adjusted() < -12 else f"{written:f}"
    mantissa, _e, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    short = mantissa + (f"e{int(exponent)}" if exponent else "")
    return short.replace("-", "−").replace(".", str(get_format("DECIMAL_SEPARATOR")))


@register.filter
def rounded_up(factor: float) -> str:
    """Write two decimals, upwards: a page must not promise more than is kept."""
    return at_most(factor, 2)


@register.filter
def of_hundred(share: float) -> str:
    """Write a share as people of 100."""
    return str(round(100 * share))


@register.filter
def of_hundred_at_least(share: float) -> str:
    """Write a lower limit as people of 100, downwards, so that rounding never narrows an interval."""
    return str(math.floor(100 * Fraction(repr(float(share)))))


@register.filter
def of_hundred_at_most(share: float) -> str:
    """Write an upper limit as people of 100, upwards."""
    return str(math.ceil(100 * Fraction(repr(float(share)))))


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
