"""A bound on what many mechanisms of different ε come to, each ε rounded up to a grid.

With every ε_i a whole number s_i of steps, the ln-odds L of all of them are R − 2m steps, R = Σ s_i and m the sum of
those s_i that chance turned round. As Pr(−L) = e^−L·Pr(L),

    δ(ε') = Σ over L > ε' of Pr(L)·(1 − e^(ε' − L)).

Only products and sums of positive numbers are formed, so floats err by a relative share that is known, beside what is
too small for a float; both are added to δ, and the error of ε' − L to ε'.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from surveys.privacy.decimals import not_below

_GRID = 100_000
_WORK = 4 * 10**7
"""So many products at most: a tenth of a second."""

_LOST = 1e-280
"""More than all that is too small for a float in them can come to, one 1e-307 for each product."""

_ROUNDING = 2.0**-50
_MOST_ROUNDING = 1e-3
_HALVINGS = 45


def rounded_epsilon_of(epsilons: Sequence[Fraction], delta: Fraction) -> float:
    """Return an ε' at which all together are (ε', δ)-private, never above the sum.

    Parameters
    ----------
    epsilons : sequence of Fraction
        Of each mechanism, above 0, fixed before any of them is run.
    delta : Fraction
        δ, above 0.
    """
    import numpy as np  # noqa: PLC0415 - few accounts need it

    total = sum(epsilons, Fraction(0))
    unit = total / max(1, min(_GRID, _WORK // len(epsilons)))
    steps = [math.ceil(epsilon / unit) for epsilon in epsilons]
    reach, width = sum(steps), not_below(unit)
    # Of each factor a few roundings and that of its exponent, of each sum one, and of the exponents of what is shown.
    error = _ROUNDING * (8 * len(steps) + 8 * reach * width + reach)
    if not error < _MOST_ROUNDING:
        return not_below(total)
    # m above R/2 means L below 0, and m never falls.
    chances = np.zeros(reach // 2 + 1)
    chances[0] = 1.0
    for size in steps:
        turned = math.exp(-size * width)
        lower = chances[: max(0, len(chances) - size)] * (turned / (1 + turned))
        chances /= 1 + turned
        chances[size:] += lower
    losses = width * (reach - 2 * np.arange(len(chances)))

    def holds(tried: float) -> bool:
        shown = -np.expm1(np.minimum(tried - losses, 0.0))
        return bool(float(chances @ shown) * (1 + error) + _LOST <= float(delta) * (1 - error))

    low, high = 0.0, float(losses[0])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return min(not_below(total), high + error * float(losses[0]))
