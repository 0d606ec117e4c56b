"""Numbers that a release shows besides those of results; what is promised at most is never rounded down."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from surveys.models.kinds import with_unit
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.selectors.releases.found import Median
from surveys.selectors.releases.found.figure import Figure, Scale
from surveys.templatetags.results.mean_words import Units

register = template.Library()

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
def at_most(value: float, digits: int = 1) -> str:
    """Write a bound with so many decimals, upwards."""
    if value == math.inf:
        return "∞"
    scale = 10**digits
    return number_format(math.ceil(Fraction(repr(float(value))) * scale) / scale, digits, force_grouping=True)


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
def count(value: int) -> str:
    """Write a whole number as people do, with a true minus."""
    return number_format(value, 0, force_grouping=True).replace("-", "−")


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
    if value is None:
        return "–"
    digits = Units(scale.low, scale.high, scale.unit).digits
    # Nine decimals first: 8.9999999999 is 9 whichever way it is rounded.
    exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits - 9)).quantize(Decimal(1).scaleb(-digits), rounding)
    text = number_format(exact or abs(exact), digits, force_grouping=True).replace("-", "−")
    return with_unit(text, scale.unit)


@register.filter
def exactly(value: Fraction) -> str:
    """Write an exact number whose decimals end, to the last of them; one whose decimals do not end, as a quotient."""
    digits = next((digits for digits in range(19) if (value * 10**digits).denominator == 1), None)
    if digits is None:
        return str(value).replace("-", "−")
    whole, rest = divmod(abs(value.numerator) * (10**digits // value.denominator), 10**digits)
    text = f"{whole}{get_format('DECIMAL_SEPARATOR')}{rest:0{digits}}" if digits else str(whole)
    return f"−{text}" if value < 0 else text


@register.filter
def relation_words(relation: NeighbouringRelation) -> str:
    """Say which sets of reports are neighbours."""
    return {
        NeighbouringRelation.REPLACE_ONE: _("replace one response"),
        NeighbouringRelation.ADD_OR_REMOVE_ONE: _("add or remove one response"),
    }[relation]
