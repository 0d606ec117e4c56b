"""Limits for the mean of what responses count for, from one noisy sum of it: at least as sure as stated at every n.

The sum is Σ_i v(report i) + Z over n independent responses, Z the noise. Every mean of the reports' values belongs to
shares of the true answers, and to none else: limits are for the mean x̄ = Σ_r π_r·x_r, x_r = Σ_j P[j, r]·v_j.

Two values
----------
In steps of the grid they are 0 and 1, so the sum is one binomial count with noise: its exact tails are inverted.

More values
-----------
For h > 0 and by Chernoff's argument, Pr(sum ≥ s) ≤ e^(−hs)·Π_i E e^(h·v_i)·E e^(hZ). With m_r = Σ_j P[j, r]·e^(h·v_j)
the product is at most (Σ_r π_r·m_r)^n, π the average shares, as the logarithm is concave: that holds for responses
drawn from a population and for these very respondents alike. A mean θ is refused where the largest Σ π_r·m_r that any
shares with a mean of at most θ lead to makes the bound smaller than the tail, for any h. Largest means: a linear
programme with two constraints, so at most two true answers have a share. (With two extreme true answers that are
reported as they are this is Hoeffding's two-point distribution.) Turned round, the smallest mean whose Σ π_r·m_r is at
least b = (tail·e^(hs)/E e^(hZ))^(1/n) is a programme of the same kind, so each h gives its limit at once; of all, the
largest is the limit. As every h is valid, a grid of them loses some width and no confidence. The upper limit is that of
−v.

References
----------
Hoeffding (1963), Probability inequalities for sums of bounded random variables, Theorem 1.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.released.counts import rate_limits
from surveys.estimation.validation import Floats
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs.design import Design
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.total import BoundedTotal

METHODS = ("exact", "chernoff")
_STEEPEST = 500.0
_POINTS = 160


def methods_for(mechanism: BoundedTotal) -> tuple[str, ...]:
    """Return which methods there are for this sum, the default first."""
    return METHODS if set(mechanism.grid.steps) == {0, 1} else METHODS[1:]


def chosen_method(mechanism: BoundedTotal, method: str | None) -> str:
    """Return the method asked for, or the default; ValueError for one that this sum has not."""
    methods = methods_for(mechanism)
    if method is not None and method not in methods:
        raise ValueError(f"method must be one of {', '.join(methods)} for these values, got {method!r}")
    return method or methods[0]


def require_public(n: int, relation: NeighbouringRelation) -> int:
    """Return n, or refuse a release that kept it private."""
    if relation is not NeighbouringRelation.REPLACE_ONE:
        raise ValueError("an interval needs the number of responses, which is public under REPLACE_ONE only")
    return n


def mean_limits(
    total: Fraction, n: int, mechanism: BoundedTotal, design: Design | None, *, tail: float, method: str
) -> tuple[float, float]:
    """Return the limits for the mean of what a response counts for, each wrong with probability `tail` at most.

    Parameters
    ----------
    total : Fraction
        The noisy sum, on the mechanism's grid.
    n : int
        The public number of responses.
    mechanism : BoundedTotal
        What drew it, under REPLACE_ONE.
    design : Design, optional
        Of the reports; by default the true answers.
    tail : float
        For each of the two limits.
    method : str
        ``"exact"``, for responses from a population and where there are two values; or ``"chernoff"``.
    """
    grid = mechanism.grid
    steps = grid.steps_of(total, n)
    if steps is None:
        raise ValueError(f"the noisy total {total} is not on the grid of its mechanism")
    matrix = _identity(len(grid.steps)) if design is None else design.matrix
    expected = [
        sum((entry * step for entry, step in zip(column, grid.steps, strict=True)), Fraction(0))
        for column in zip(*matrix, strict=True)
    ]
    # As for a count: what no mean can lead to is read as the nearest that one can.
    steps = min(max(steps, math.floor(n * min(expected))), math.ceil(n * max(expected)))
    if method == "exact":
        low, high = rate_limits(steps, n, mechanism.noise, tail, expected)
        low, high = (min(max(limit, float(min(expected))), float(max(expected))) for limit in (low, high))
        scale = Fraction(1)
    else:
        # In units of the sensitivity the values are between 0 and 1, and h is below ε.
        scale = Fraction(max(grid.steps))
        values = np.array([float(step / scale) for step in grid.steps])
        reports, observed = np.array(matrix, dtype=np.float64), float(steps / scale)
        chance = _chance(n, mechanism.noise, float(scale))
        low = _lower_limit(values, reports, observed, tail, chance)
        high = -_lower_limit(-values, reports, -observed, tail, chance)
    unit, base = float(grid.unit * scale), float(grid.base)
    return base + unit * low, base + unit * max(low, high)


@dataclass(frozen=True, slots=True, eq=False)
class _Chance:
    """So many responses, and the exponents of a grid with what the noise adds at each."""

    n: int
    exponents: Floats
    log_mgf: Floats


def _chance(n: int, noise: DiscreteLaplace, scale: float) -> _Chance:
    """Return exponents below ε, closer where the best is if noise is all, and from where sampling is all.

    Noise and values are in units of `scale`.
    """
    largest = noise.rate * scale
    steepest = min(largest * (1 - 1e-9), _STEEPEST)
    flattest = min(0.1 / (math.sqrt(n) + 1 / largest), steepest / 10)
    near = steepest * np.linspace(0.2, 0.99, _POINTS // 4)
    exponents = np.concatenate([np.geomspace(flattest, steepest, _POINTS), near])
    return _Chance(n, exponents, noise.log_mgf(exponents / scale))


def _lower_limit(values: Floats, reports: Floats, observed: float, tail: float, chance: _Chance) -> float:
    """Return the largest of the limits that the exponents h of a grid lead to."""
    h = chance.exponents
    # Both less 1, which keeps their digits where n is large and h small. Values are at most 1: nothing overflows.
    truths = np.expm1(np.outer(h, values)) @ reports
    bound = np.expm1((math.log(tail) + h * observed - chance.log_mgf) / chance.n)
    return float(_smallest_means(values @ reports, truths, bound).max())


def _smallest_means(x: Floats, m: Floats, bound: Floats) -> Floats:
    """Return for each row of m and its bound the smallest Σ π_r·x_r with Σ π_r·m_r ≥ bound; max x if there is none.

    At least one true answer r is at or above the bound; the other of at most two, s, is below it.
    """
    b = bound[:, None, None]
    above, below = m[:, :, None], m[:, None, :]
    share = np.clip((b - below) / np.where(above > below, above - below, 1.0), 0.0, 1.0)
    mixed = x[None, None, :] + share * (x[None, :, None] - x[None, None, :])
    means = np.where((above >= b) & (below < b), mixed, np.inf).min(axis=(1, 2))
    alone = np.where(m >= bound[:, None], x, np.inf).min(axis=1)
    limits: Floats = np.minimum(np.minimum(means, alone), x.max())
    return limits


def _identity(size: int) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(row == column) for column in range(size)) for row in range(size))
