"""What a regression says of one term, and its sentences and cells where the mean of a scale is predicted."""

import math
from collections.abc import Callable

from django.utils.translation import gettext as _

from surveys.numbers.words import decimal, decimal_outwards
from surveys.results.figures.regression.terms import Block, Regression, Term

_MOST_DIGITS = 6


def term_name(block: Block, term: Term) -> str:
    """Name a term by its question and its answer, or as a group."""
    if block.item is None:
        return term.label
    title = f"{block.item.key}. {block.item.option or block.item.text}"
    return f"{title}: {term.label}"


def fixed_words(regression: Regression, block: Block) -> str:
    """Say what is held fixed, which is whatever else the model has."""
    if len(regression.blocks) < 2:
        return ""
    groups = any(other.item is None for other in regression.blocks)
    if len(regression.blocks) == 2 and groups and block.item is not None:
        return _("Holding the group fixed: ")
    if len(regression.blocks) == 2:
        return _("Holding the answer to the other question fixed: ")
    return _("Holding all other predictors fixed: ")


def who_words(block: Block, term: Term) -> str:
    if block.item is None:
        return _("the group “%(label)s”") % {"label": term.label}
    return _("people whose true answer to question %(key)s is “%(label)s”") % {
        "key": block.item.key,
        "label": term.label,
    }


def signed_decimal(value: float | None) -> str:
    """−0.43: a coefficient, or a standard error; a dash where there is none."""
    return "–" if value is None else decimal(value, 3)


def signed_low(value: float | None) -> str:
    """Write a coefficient's lower limit, rounded down."""
    return _signed_limit(value, math.floor)


def signed_high(value: float | None) -> str:
    """Write a coefficient's upper limit, rounded up."""
    return _signed_limit(value, math.ceil)


def _signed_limit(value: float | None, rounding: Callable[[float], int]) -> str:
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return outwards(value, 3, rounding, 0)


def outwards(value: float, digits: int, rounding: Callable[[float], int], border: int) -> str:
    """Write a limit rounded outwards; close to no association with as many decimals as show its side."""
    while (
        digits < _MOST_DIGITS
        and value != border
        and decimal_outwards(value, digits, rounding) == decimal(border, digits)
    ):
        digits += 1
    return decimal_outwards(value, digits, rounding)


# The mean of a scale.


def mean_sentence(regression: Regression, block: Block, term: Term) -> str:
    """Say by how much the mean differs from that of the reference, or that this gives no conclusion."""
    values = {"fixed": fixed_words(regression, block), "who": who_words(block, term), "reference": block.reference}
    if term.why == "few":
        return _("%(who)s: too few people for an estimate.") % values
    known = None if term.coefficient is None or term.low is None or term.high is None else (term.low, term.high)
    if known is None or math.isinf(known[0]) or math.isinf(known[1]):
        return _("%(who)s: no conclusion, because the reports do not determine the difference in means.") % values
    low, high = known
    if not regression.concludes(block, term):
        words = _(
            "%(fixed)s%(who)s: no conclusion. Compared with “%(reference)s”, their mean could differ by %(low)s to "
            "%(high)s."
        )
        return words % (values | {"low": _limit(low, math.floor), "high": _limit(high, math.ceil)})
    words = (
        _("%(fixed)s%(who)s: their mean is %(size)s higher than with “%(reference)s” (%(low)s to %(high)s).")
        if low > 0
        else _("%(fixed)s%(who)s: their mean is %(size)s lower than with “%(reference)s” (%(low)s to %(high)s).")
    )
    low, high = sorted((abs(low), abs(high)))
    size = decimal(abs(term.coefficient or 0.0), 2)
    return words % (values | {"size": size, "low": _limit(low, math.floor), "high": _limit(high, math.ceil)})


def _limit(value: float, rounding: Callable[[float], int]) -> str:
    return outwards(value, 2, rounding, 0)


def mean_cells(term: Term) -> tuple[str, str, str]:
    """Write a difference in means and its limits."""
    low, high = term.low or 0.0, term.high or 0.0
    return decimal(term.coefficient or 0.0, 2), _limit(low, math.floor), _limit(high, math.ceil)
