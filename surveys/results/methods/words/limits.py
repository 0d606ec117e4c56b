"""The limits of a binomial proportion by each method, with a survey's numbers put in."""

import math
from collections.abc import Callable

from django.utils.safestring import SafeString

from surveys.results.methods.figures import WorkedExample
from surveys.results.methods.words.mathml import (
    brackets,
    call,
    chain,
    equation,
    fraction,
    hat,
    number,
    power,
    result,
    root,
    row,
)

_LAMBDA = hat("λ")


def _wilson(worked: WorkedExample, low: float, high: float) -> list[SafeString]:
    z2, n, share = worked.z**2, worked.n, worked.observed
    below = 1 + z2 / n
    middle = (share + z2 / (2 * n)) / below
    spread = share * (1 - share) / n + z2 / (4 * n * n)
    half = worked.z * math.sqrt(spread) / below
    square = power("z", 2)
    return [
        equation("z", "z", result(worked.z)),
        equation(
            "wilson_middle",
            "m",
            fraction(row(_LAMBDA, "+", fraction(square, row(2, "n"))), row(1, "+", fraction(square, "n"))),
            fraction(row(share, "+", fraction(z2, 2 * n)), row(1, "+", fraction(z2, n))),
            result(middle),
        ),
        equation(
            "wilson_spread",
            "v",
            chain(
                fraction(row(_LAMBDA, brackets(1, "−", _LAMBDA)), "n"),
                row("+", fraction(square, row(4, power("n", 2)))),
            ),
            chain(fraction(row(share, "·", brackets(1, "−", share)), n), row("+", fraction(z2, 4 * n * n))),
            result(spread),
        ),
        equation(
            "wilson_half",
            "h",
            fraction(row("z", root("v")), row(1, "+", fraction(square, "n"))),
            fraction(row(worked.z, "·", root(spread)), row(1, "+", fraction(z2, n))),
            result(half),
        ),
        equation("limit_low", "L", row("m", "−", "h"), row(middle, "−", half), result(low)),
        equation("limit_high", "U", row("m", "+", "h"), row(middle, "+", half), result(high)),
    ]


def _clopper_pearson(worked: WorkedExample, low: float, high: float) -> list[SafeString]:
    x, n, tail = worked.count, worked.n, (1 - worked.level) / 2
    return [
        _quantile("L", low, tail, x, n - x + 1, exact=x == 0),
        _quantile("U", high, 1 - tail, x + 1, n - x, exact=x == n),
    ]


def _quantile(name: str, limit: float, probability: float, a: int, b: int, *, exact: bool) -> SafeString:
    side = "limit_low" if name == "L" else "limit_high"
    if exact:
        # None, or all, of n: the limit is the end.
        return equation(side, name, result(limit))
    return equation(side, name, call("Beta", result(probability), number(a), number(b)), result(limit))


LIMITS: dict[str, Callable[[WorkedExample, float, float], list[SafeString]]] = {
    "wilson": _wilson,
    "clopper_pearson": _clopper_pearson,
}
