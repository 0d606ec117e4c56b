"""What discrete Gaussian noise on counts costs, and how much of it a wanted (ε, δ) needs.

Let Y have independent entries Pr(y) ∝ exp(−y²/(2σ²)), and let d counts change by 1 or −1 each, v in all. An output y
is exp((d − 2y·v)/(2σ²)) times as likely from the one data set as from its neighbour, so it is more than e^ε times as
likely exactly if −y·v > a = εσ² − d/2. By symmetry −Y·v is distributed as T = Y₁ + … + Y_d, and from the neighbour as
T − d. So the smallest δ is

    δ(ε) = Pr(T > a) − e^ε·Pr(T > a + d) = Σ_{t > a} Pr(T = t)·(1 − exp(ε − (2t + d)/(2σ²))),

as Pr(T = t + d)/Pr(T = t) = exp(−(2t + d)/(2σ²)). No term is negative, so nothing cancels. For d = 1 it is the formula
of one count, with T = Y. Fewer changes cost no more: ignore counts that do not change, and two outputs get no
easier to tell apart. How δ is computed stands in `gaussian_sums`: exactly, to many digits, where d ≤ 2 or σ² ≥ 16 and
dσ² ≤ 10,000,000; beyond that as a bound on the δ of continuous noise and one term more, which is too large by a
thousandth or so where √d/σ ≤ 1/4, by a hundredth at 0.8, and by two thirds at 10 (δ = 1e-6). Where d ≥ 3 and σ² < 16,
by a factor of about 1 + 2d·exp(−π²σ²) above the exact δ, and never above what zero-concentrated privacy says, ρ =
d/(2σ²).

**The classic σ = √(2d·ln(1.25/δ))/ε is a trap**: it is proved for ε ≤ 1 only, and is too large by a quarter there
(5.30 at ε = 1, δ = 10⁻⁶, where 4.2247 does).

References
----------
Canonne, Kamath & Steinke (2020), The Discrete Gaussian for Differential Privacy, Theorem 7.
Balle & Wang (2018), Improving the Gaussian Mechanism for Differential Privacy, Theorem 8.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from surveys.privacy.accounting.concentrated import (
    concentrated_delta,
    concentrated_from_gaussian,
)
from surveys.privacy.accounting.gaussian_sums import delta_of_few, delta_of_normal
from surveys.privacy.decimals import HUGE, SMALLEST
from surveys.privacy.rationals import positive, whole_number

_SMOOTH = 16
"""From this σ² on T is normal, but for less than d·1e-68."""

_STEPS = 1024
"""How many variances the grid has between one power of 2 and the next."""


def gaussian_delta(epsilon: object, variance: object, changed: int = 1) -> float:
    """Return a δ at which discrete Gaussian noise on every count is (ε, δ)-private, rounded up.

    Parameters
    ----------
    epsilon : exact number
        Above 0, in nats.
    variance : exact number
        σ², the noise's parameter.
    changed : int
        d, how many counts one response changes at most, each by 1: the squared L2 sensitivity.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import gaussian_delta
    >>> gaussian_delta(1, 18) < 1e-6
    True
    """
    wanted, spread = positive(epsilon, "epsilon"), positive(variance, "variance")
    squared, computed = whole_number(changed, "changed", 1), min(wanted, Fraction(HUGE))
    if squared <= 2 and spread < _SMOOTH:
        return delta_of_few(computed, spread, squared)
    concentrated = concentrated_delta(concentrated_from_gaussian(squared, spread), wanted)
    return min(concentrated, delta_of_normal(computed, spread, squared))


def gaussian_variance(epsilon: object, delta: object, changed: int = 1) -> Fraction:
    """Return the smallest σ² on a grid that `gaussian_delta` shows to be (ε, δ)-private.

    The grid is public and coarse, so that σ² reveals nothing but what was asked for: 1,024 steps from each power of 2
    to the next. The δ of the σ² returned is certainly not above the one wanted; the step below is too small where δ is
    exact, and elsewhere cannot be shown to suffice.

    Parameters
    ----------
    epsilon : exact number
        Above 0, in nats.
    delta : exact number
        Between 0 and 1, both excluded.
    changed : int
        As in `gaussian_delta`.

    Returns
    -------
    Fraction
        σ².

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import gaussian_variance
    >>> round(float(gaussian_variance(1, "1/1000000")) ** 0.5, 3)
    4.232
    """
    return _solved_variance(positive(epsilon, "epsilon"), _inside(delta), whole_number(changed, "changed", 1))


@lru_cache(maxsize=256)
def _solved_variance(wanted: Fraction, allowed: Fraction, squared: int) -> Fraction:
    guess = analytic_gaussian_sigma(
        float(min(wanted, Fraction(HUGE))), float(max(allowed, Fraction(SMALLEST))), squared
    )
    step = _boundary(lambda step: gaussian_delta(wanted, _on_grid(step), squared) <= allowed, _step_below(guess**2))
    return _on_grid(step)


def analytic_gaussian_sigma(epsilon: float, delta: float, squared_sensitivity: float = 1) -> float:
    """Return the smallest σ of *continuous* Gaussian noise that is (ε, δ)-private, for plans and comparisons only.

    It solves Φ(Δ/(2σ) − εσ/Δ) − e^ε·Φ(−Δ/(2σ) − εσ/Δ) = δ, in floats.

    Parameters
    ----------
    epsilon : float
        At least 0, in nats.
    delta : float
        Between 0 and 1, both excluded.
    squared_sensitivity : float
        Δ², above 0.

    Returns
    -------
    float
        σ.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import analytic_gaussian_sigma
    >>> round(analytic_gaussian_sigma(1, 1e-6), 4)
    4.2247
    """
    if not 0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be at least 0 and finite, got {epsilon!r}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, both excluded, got {delta!r}")
    if not 0 < squared_sensitivity < math.inf:
        raise ValueError(f"squared_sensitivity must be above 0, got {squared_sensitivity!r}")
    low, high = -200.0, 400.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _continuous_delta(epsilon, math.exp(middle)) > delta else (low, middle)
    return math.exp(high) * math.sqrt(squared_sensitivity)


def _continuous_delta(epsilon: float, sigma: float) -> float:
    second = _normal_below(-1 / (2 * sigma) - epsilon * sigma)
    subtracted = math.exp(min(epsilon + math.log(second), 0.0)) if second else 0.0
    return _normal_below(1 / (2 * sigma) - epsilon * sigma) - subtracted


def _normal_below(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _boundary(holds: Callable[[int], bool], start: int) -> int:
    """Return an integer that holds although the one below does not: go in strides from a start, then halve."""
    stride, enough, too_small = 1, start, start
    if holds(start):
        while holds(too_small := enough - stride):
            enough, stride = too_small, 2 * stride
    else:
        while not holds(enough := too_small + stride):
            too_small, stride = enough, 2 * stride
    while enough - too_small > 1:
        middle = (enough + too_small) // 2
        enough, too_small = (middle, too_small) if holds(middle) else (enough, middle)
    return enough


def _on_grid(step: int) -> Fraction:
    octave, place = divmod(step, _STEPS)
    return Fraction(_STEPS + place, _STEPS) * Fraction(2) ** octave


def _step_below(value: float) -> int:
    mantissa, exponent = math.frexp(value)
    return (exponent - 1) * _STEPS + math.floor((2 * mantissa - 1) * _STEPS)


def _inside(delta: object) -> Fraction:
    allowed = positive(delta, "delta")
    if not allowed < 1:
        raise ValueError("delta must be between 0 and 1, both excluded")
    return allowed
