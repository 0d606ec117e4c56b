"""What several purely private mechanisms of different ε come to together, beside their sum.

Whatever an ε-private mechanism says about a respondent can be made from one randomized response with odds e^ε, so the
worst that mechanisms with ε₁, …, ε_k can do is what k such responses do. The ln-odds of all of them are a sum L of
±ε_i, +ε_i with probability p_i = e^ε_i/(1 + e^ε_i), and from the other truth −L has the same distribution. Hence

    δ(ε') = Σ over sums L > ε' of Pr(L) − e^ε'·Pr(−L),

which is exact where the ε_i are fixed beforehand. E L = Σ ε_i·tanh(ε_i/2), and each term lies in an interval of length
2ε_i, so by Hoeffding L exceeds E L + √(2 ln(1/δ')·Σ ε_i²) with a probability of at most δ': advanced composition.

Mechanisms that are (ε_i, δ_i)-private say the same but for events of probability δ_i: the bounds hold for them as well
at a δ that is larger by Σ δ_i.

References
----------
Kairouz, Oh & Viswanath (2015), The composition theorem for differential privacy, Theorems 3.3 and 3.5.
Murtagh & Vadhan (2016), The complexity of computing the optimal composition of differential privacy.
"""

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.accounting.optimal import digits_below_1
from surveys.privacy.decimals import HUGE, cancelled_digits, decimal, expm1, float_not_below, many_digits, share, upper
from surveys.privacy.rationals import positive, probability

_GUARD = 40
_WORK = 100_000


def advanced_epsilon(epsilons: Sequence[object], slack: object) -> float:
    """Return the ε' of advanced composition at δ', rounded up and never above the sum.

    Parameters
    ----------
    epsilons : sequence of exact numbers
        Of each mechanism, above 0, fixed before any of them is run.
    slack : exact probability
        δ', above 0.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import advanced_epsilon
    >>> round(advanced_epsilon(["1/10"] * 100, "1/100000"), 3)
    5.298
    """
    each, allowed = [positive(epsilon, "epsilons") for epsilon in epsilons], probability(slack, "slack")
    if not allowed > 0:
        raise ValueError(f"slack must be above 0, got {allowed}")
    total = sum(each, Fraction(0))
    if not 0 < total <= HUGE:
        return float_not_below(total)
    with many_digits():
        # tanh(ε/2) = (1 − e^−ε)/(1 + e^−ε).
        mean = sum(decimal(e) * -expm1(decimal(-e)) / (1 + decimal(-e).exp()) for e in each) + Decimal(0)
        deviation = (-2 * decimal(allowed).ln() * decimal(sum(e * e for e in each))).sqrt()
        return min(float_not_below(total), upper(mean + deviation))


def optimal_epsilon_of(epsilons: Sequence[object], delta: object) -> float:
    """Return the smallest ε' at which all together are (ε', δ)-private, rounded up and never above the sum.

    Where too many different sums would have to be distinguished, every ε is first rounded up to a fine grid, which
    gives a larger ε' that holds as well; advanced composition is returned where it is tighter.

    Parameters
    ----------
    epsilons : sequence of exact numbers
        Of each mechanism, above 0, fixed before any of them is run.
    delta : exact probability
        δ.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import optimal_epsilon_of
    >>> round(optimal_epsilon_of(["1/2", "1/4", "1/4"], "1/100000"), 3)
    1.0
    """
    each, allowed = [positive(epsilon, "epsilons") for epsilon in epsilons], probability(delta, "delta")
    total = sum(each, Fraction(0))
    if not 0 < total <= HUGE:
        return float_not_below(total)
    unit = Fraction(math.gcd(*(e.numerator for e in each)), math.lcm(*(e.denominator for e in each)))
    steps = [int(e / unit) for e in each]
    if _work(steps) > _WORK:
        return (
            min(advanced_epsilon(each, allowed), rounded_epsilon_of(each, allowed))
            if allowed
            else float_not_below(total)
        )
    with many_digits(_GUARD + cancelled_digits(decimal(unit)) + digits_below_1(allowed)):
        bound = _where_delta_is(share(allowed, "delta"), unit, _sums(steps, unit))
    return min(float_not_below(total), bound)


def _work(steps: Sequence[int]) -> int:
    """Return how many products forming the distribution takes at most."""
    work, sums, reach = 0, 1, 0
    for size, count in Counter(steps).items():
        work += sums * (count + 1)
        reach += size * count
        # Sums have all the same parity, so of 2·reach + 1 integers only every other one occurs.
        sums = min(sums * (count + 1), reach + 1)
    return work


def _sums(steps: Sequence[int], unit: Fraction) -> dict[int, Decimal]:
    """Return Pr(L) by L in units."""
    sums = {0: Decimal(1)}
    for size, count in Counter(steps).items():
        odds = decimal(size * unit).exp()
        for_one, for_other = odds / (1 + odds), 1 / (1 + odds)
        joined: dict[int, Decimal] = {}
        for against in range(count + 1):
            weight = math.comb(count, against) * for_one ** (count - against) * for_other**against
            shift = (count - 2 * against) * size
            for loss, chance in sums.items():
                joined[loss + shift] = joined.get(loss + shift, Decimal(0)) + weight * chance
        sums = joined
    return sums


def _where_delta_is(allowed: Decimal, unit: Fraction, sums: dict[int, Decimal]) -> float:
    """Return the ε' of this δ: between two neighbouring sums δ is a straight line in e^ε'."""
    losses = sorted((loss for loss in sums if loss > 0), reverse=True)
    for_one, for_other = Decimal(0), Decimal(0)
    for loss, below in pairwise([*losses, 0]):
        for_one, for_other = for_one + sums[loss], for_other + sums[-loss]
        if for_one - decimal(below * unit).exp() * for_other >= allowed:
            return max(0.0, upper(((for_one - allowed) / for_other).ln()))
    return 0.0


# A bound on what many mechanisms of different ε come to, each ε rounded up to a grid.
#
# With every ε_i a whole number s_i of steps, the ln-odds L of all of them are R − 2m steps, R = Σ s_i and m the sum
# of those s_i that were reversed at random. As Pr(−L) = e^−L·Pr(L),
#
# δ(ε') = Σ over L > ε' of Pr(L)·(1 − e^(ε' − L)).
#
# Only products and sums of positive numbers are formed, so floats err by a relative share that is known, beside what
# is too small for a float; both are added to δ, and the error of ε' − L to ε'.


_GRID = 100_000
_ROUNDED_WORK = 4 * 10**7
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
    unit = total / max(1, min(_GRID, _ROUNDED_WORK // len(epsilons)))
    steps = [math.ceil(epsilon / unit) for epsilon in epsilons]
    reach, width = sum(steps), float_not_below(unit)
    # Of each factor a few roundings and that of its exponent, of each sum one, and of the exponents of what is shown.
    error = _ROUNDING * (8 * len(steps) + 8 * reach * width + reach)
    if not error < _MOST_ROUNDING:
        return float_not_below(total)
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
    return min(float_not_below(total), high + error * float(losses[0]))
