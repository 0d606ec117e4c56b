"""The formulas that a class sees, with this survey's numbers put in as decimals: nested fractions are too small."""

from django.utils.safestring import SafeString

from surveys.selectors.presenting import Reveal, Row, Step
from surveys.templatetags.results.formulas import mean_formulas
from surveys.templatetags.results.mathml import equation, fraction, hat, result, row

_LAMBDA, _PI = hat("λ"), hat("π")


def formula(reveal: Reveal, step: Step) -> SafeString:
    """Write a step's formula, of the first of several answers; empty where a step has none."""
    if step == Step.CHANCE:
        return _difference(reveal.rows[0])
    if step == Step.STRETCH:
        return _stretched(reveal.rows[0])
    if step == Step.NUMBER and (mean := reveal.mean_of):
        return mean_formulas(mean)
    return SafeString("")


def _difference(shown: Row) -> SafeString:
    return equation("rest", row(_LAMBDA, "−", "d"), row(shown.observed, "−", float(shown.floor)), result(shown.rest))


def _stretched(shown: Row) -> SafeString:
    return equation(
        "moment",
        _PI,
        fraction(row(_LAMBDA, "−", "d"), "c"),
        fraction(shown.rest, float(shown.reach)),
        result(shown.stretched),
    )
