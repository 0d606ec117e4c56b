"""How much discrete Gaussian noise vectors of integers need that are released one after the other.

Each step releases d integers whose vector differs between neighbours by at most Δ in length, and may be chosen after
seeing the results so far. The two ways to account for T steps are both proved for discrete noise of parameter σ²:

*Concentrated.* Each step is ρ-zero-concentrated with ρ = Δ²/(2σ²), and ρ adds up exactly.

*Analytic.* T steps of continuous noise of variance s² are, to any adversary, one normal variable moved by √T·Δ (Dong,
Roth & Su 2022), for which δ(ε) is known exactly (Balle & Wang 2018). Discrete noise is as good as that but for 4 in σ².
Take X normal around an integer μ with variance s² = σ² − r², and from it an integer Z, Pr(Z = z | X = x) ∝
exp(−(z − x)²/(2r²)). The sum of that over all integers z is √(2π)·r·(1 ± e) for every x, by Poisson summation, with
e < 2.1·exp(−2π²r²). So Pr(Z = z) is the density at z of a normal variable of variance σ² around μ, within a factor of
1 ± 2e; that of discrete noise is, within 1 ± e. As Z is made from X without looking at the data, T steps of d integers
are (ε + 2η, e^η·δ)-private wherever continuous noise of variance s² is (ε, δ)-private, with η = 4e·T·d. At r² = 4,
e < 2e-34: η is below 1e-24 for all T·d up to 10⁹, and a billionth of ε and of δ is kept for it. The δ of continuous
noise is taken from above (`accounting.gaussian`): at δ = 1e-6 by a thousandth at ε = 1, a fifth at 30, two thirds at
100; what that adds to σ is .0003, .004 and .007 of it, and 4 to σ².

References
----------
Dong, Roth & Su (2022), Gaussian differential privacy.
Balle & Wang (2018), Improving the Gaussian mechanism for differential privacy, Theorem 8.
Micciancio & Regev (2007), Worst-case to average-case reductions based on Gaussian measures.
Bun & Steinke (2016), Concentrated differential privacy.
"""

import math
from fractions import Fraction
from functools import lru_cache

from surveys.privacy.accounting.concentrated import concentrated_delta
from surveys.privacy.accounting.gaussian import gaussian_variance
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.rationals import positive, whole_number

MOST_STEPS = 10**6
MOST_DIMENSIONS = 1000
LARGEST_EPSILON = 100
_SMALLEST_EPSILON = Fraction(1, 10**9)

_SMOOTHING = 4
"""r²."""

_KEPT = 1 - Fraction(1, 10**9)

_FINE = 10**6
"""So many counts that all change are, together, noise on so fine a grid that its δ is that of continuous noise."""

_HALVINGS = 40

_UNIT = Fraction(1, 1024)
"""What σ² is rounded up to, so that a draw needs no longer integers than it must."""


def analytic_variance(epsilon: Fraction, delta: Fraction, squared_sensitivity: Fraction, steps: int = 1) -> Fraction:
    """Return a σ² with which so many steps together are (ε, δ)-private.

    Parameters
    ----------
    epsilon : Fraction
        From 1e-9 to 100, in nats.
    delta : Fraction
        Between 0 and 1, both excluded.
    squared_sensitivity : Fraction
        Δ² of the integers of every step, at most 1,000 of them.
    steps : int
        T, at most a million.
    """
    require_accountable(epsilon, steps)
    # δ of d counts of noise d·v that all change is that of continuous noise of variance v on one, from above.
    once = gaussian_variance(epsilon * _KEPT, delta * _KEPT, _FINE) / _FINE
    return _rounded_up(_SMOOTHING + steps * positive(squared_sensitivity, "squared_sensitivity") * once)


def concentrated_variance(
    epsilon: Fraction, delta: Fraction, squared_sensitivity: Fraction, steps: int = 1
) -> Fraction:
    """Return the σ² at which so many steps together have the ρ of `concentrated_allowance`; as `analytic_variance`."""
    require_accountable(epsilon, steps)
    rho = concentrated_allowance(epsilon, delta).rho
    return _rounded_up(steps * positive(squared_sensitivity, "squared_sensitivity") / (2 * rho))


@lru_cache(maxsize=256)
def concentrated_allowance(epsilon: Fraction, delta: Fraction) -> ConcentratedLoss:
    """Return the largest ρ on a fine grid below ε that is (ε, δ)-private.

    Parameters
    ----------
    epsilon : Fraction
        From 1e-9 to 100, in nats.
    delta : Fraction
        Between 0 and 1, both excluded.
    """
    unit = epsilon * min(epsilon, Fraction(1)) / 2**_HALVINGS
    enough, too_much = 0, math.ceil(epsilon / unit)
    while too_much - enough > 1:
        middle = (enough + too_much) // 2
        holds = concentrated_delta(ConcentratedLoss(middle * unit), epsilon) <= delta
        enough, too_much = (middle, too_much) if holds else (enough, middle)
    return ConcentratedLoss(enough * unit)


def _rounded_up(variance: Fraction) -> Fraction:
    return _UNIT * math.ceil(variance / _UNIT)


def require_accountable(epsilon: Fraction, steps: object = 1, dimension: object = 1) -> None:
    """Refuse an epsilon, steps or dimensions beyond those that the proof is for."""
    if not _SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        raise ValueError(f"epsilon must be from 1e-9 to {LARGEST_EPSILON} for Gaussian noise, got {epsilon}")
    whole_number(steps, "steps", 1, MOST_STEPS)
    whole_number(dimension, "dimension", 1, MOST_DIMENSIONS)
