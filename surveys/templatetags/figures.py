"""How numbers of results and plans are written: percentages with a true minus, points, ε, designs."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from surveys.models.definition import AskedQuestion, Range
from surveys.models.kinds import DesignName, with_unit

register = template.Library()


@register.filter
def percent(share: float | Fraction | None, digits: int = 0) -> str:
    """31% for 0.31, −4% for −0.04; None, which stands for a number that does not exist, as a dash."""
    return "–" if share is None else _("%(number)s%%") % {"number": decimal(100 * share, digits)}


def decimal(value: float | Fraction, digits: int) -> str:
    """Write a number with so many decimals and a true minus, as people write it in the language in force."""
    written = f"{float(value):.{digits}f}"
    # −0 is 0.
    written = written.lstrip("-") if not float(written) else written
    return written.replace("-", "−").replace(".", str(get_format("DECIMAL_SEPARATOR")))


@register.filter
def points(half_width: float) -> str:
    """35 for 0.354, 6.2 for 0.062: percentage points, with a decimal below ten."""
    value = 100 * half_width
    if value >= 100:
        return _("100 or more")
    return decimal(value, 0 if round(value, 1) >= 10 else 1)


@register.filter
def nats(epsilon: float) -> str:
    """1.10 for ln 3, rounded up so as not to promise more than is kept; ∞ where a report can prove an answer."""
    if epsilon == math.inf:
        return "∞"
    return decimal(float(Decimal(epsilon).quantize(Decimal("0.01"), ROUND_CEILING)), 2)


@register.filter
def times(factor: Fraction) -> str:
    """3 for 3, 2.33 for 7/3: a factor of odds, rounded up so as not to promise more than is kept."""
    hundredths = math.ceil(factor * 100)
    if hundredths % 100 == 0:
        return number_format(hundredths // 100, force_grouping=True)
    digits = 1 if hundredths % 10 == 0 else 2
    return number_format(hundredths / 100, digits, force_grouping=True)


@register.filter
def epsilon_words(question: AskedQuestion) -> str:
    """Say what answering a question costs: of several options each one and all together."""
    if question.epsilon == math.inf:
        return _("ε is infinite: a report can prove the answer")
    if len(question.items) > 1:
        return _("ε = %(each)s for each option, %(all)s in all") % {
            "each": nats(question.first.design.epsilon),
            "all": nats(question.epsilon),
        }
    return _("ε = %(epsilon)s") % {"epsilon": nats(question.epsilon)}


@register.filter
def level_words(level: float) -> str:
    """95% for .95, 99.9% for .999: a confidence level."""
    return percent(level, 0 if round(100 * level, 1).is_integer() else 1)


@register.filter
def design_words(name: str) -> str:
    """Return a design's stored name as people read it."""
    return str(DesignName(name).label)


def outwards(value: float, digits: int, rounding: Callable[[float], int]) -> str:
    """Write a limit with so many decimals, rounded up or down, so that nothing is claimed that it does not hold."""
    scale = 10**digits
    # Rounding before going outwards: 9.000000001 is 9.
    return decimal(rounding(round(value * scale, 6)) / scale, digits)


def percent_limits(low: float, high: float, digits: int = 1) -> tuple[str, str]:
    """Write both limits of a share for a table, rounded outwards: 12.3% and 45.7%."""
    limits = outwards(100 * low, digits, math.floor), outwards(100 * high, digits, math.ceil)
    return _("%(number)s%%") % {"number": limits[0]}, _("%(number)s%%") % {"number": limits[1]}


def without_zero(number: str) -> str:
    """3 for 3.0: a whole number of 100 needs no decimal."""
    return number.removesuffix(f"{get_format('DECIMAL_SEPARATOR')}0")


@register.filter
def in_range(limits: Range, part: float) -> str:
    """Write a part of the range of a number in its units, with about two digits: 4.3 hours."""
    value = float(limits.high - limits.low) * part
    digits = max(0, 1 - math.floor(math.log10(value)))
    written = decimal(value, digits)
    separator = str(get_format("DECIMAL_SEPARATOR"))
    return with_unit(written.rstrip("0").rstrip(separator) if digits else written, limits.unit)
