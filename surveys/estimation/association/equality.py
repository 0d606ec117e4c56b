"""Whether an option is as frequent in two arms that asked for it with designs of their own.

The number of an option's reports in an arm is binomial, with λ = a + bπ. The test compares the likelihoods of one
prevalence for both and of one for each, all from 0 to 1. Its χ² distribution is one for prevalences inside; at 0 and
at 1 the statistic is smaller, and in small arms its distribution is not yet that. The exact test takes the largest
probability, over all common prevalences from 0 to 1, of tables that are at least as far from equality.

References
----------
Barnard (1947), Significance tests for 2 × 2 tables.
Mehrotra, Chan & Berger (2003), A cautionary note on exact unconditional inference for a difference between two
independent binomial proportions.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.affine import require_affine_map
from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design

ALTERNATIVES = ("two-sided", "greater", "less")

LARGEST_TABLES = 250_000
"""The exact test looks at every pair of counts: at no more than so many."""

_POINTS = 201
_HALVINGS = 52
_SAME = 1e-9
"""Statistics that differ by less are the same but for rounding."""


@dataclass(frozen=True, slots=True)
class BinomialArm:
    """An arm of n responses, of which an option's reports are Binomial(n, offset + slope·π)."""

    n: int
    offset: float
    slope: float

    def reported(self, prevalence: Floats | float) -> Floats:
        """Return the probability of the option's report."""
        # Rounding can take a certain report just beyond 1.
        return np.clip(self.offset + self.slope * np.asarray(prevalence, dtype=np.float64), 0.0, 1.0)

    def log_likelihood(self, counts: Floats, prevalence: Floats) -> Floats:
        """Return the log-likelihood of so many of the option's reports."""
        reported = self.reported(prevalence)
        heights: Floats = scipy.special.xlogy(counts, reported) + scipy.special.xlog1py(self.n - counts, -reported)
        return heights

    def likeliest(self, counts: Floats) -> Floats:
        """Return the prevalence from 0 to 1 under which so many reports are most likely."""
        return np.clip((counts / self.n - self.offset) / self.slope, 0.0, 1.0)

    def chances(self, prevalences: Floats) -> Floats:
        """Return the probability of every count, one row a prevalence."""
        counts = np.arange(self.n + 1, dtype=np.float64)
        ways = scipy.special.gammaln(self.n + 1) - scipy.special.gammaln([counts + 1, self.n - counts + 1]).sum(axis=0)
        probabilities: Floats = np.exp(ways + self.log_likelihood(counts, np.asarray(prevalences)[:, np.newaxis]))
        return probabilities


Arms: TypeAlias = tuple[BinomialArm, BinomialArm]


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """A test whether two arms have the same prevalence of an option.

    Attributes
    ----------
    alternative : str
        What counts as a departure.
    common : float
        The prevalence, the same in both arms, under which all reports are most likely.
    statistic : float
        The root of the likelihood ratio statistic, with the sign of the difference; about standard normal if the
        arms are equal.
    p_value : float
        By the normal distribution: for two sides that of χ² with one degree of freedom. Where the prevalence is 0 or 1
        the test rejects more rarely than it says.
    exact_p_value : float or None
        Whose test never rejects more often than it says, whatever the prevalence and n; None where the arms have more
        pairs of counts than are looked at, 250,000 if nothing else is said.
    """

    alternative: str
    common: float
    statistic: float
    p_value: float
    exact_p_value: float | None


def arm_of(design: Design, n: int, option: int) -> BinomialArm:
    """Return how an option's reports depend on its prevalence, or refuse a design that ties none to it."""
    line = require_affine_map(design)
    return BinomialArm(n, float(line.offset[option]), line.slope)


def test_equality(counts: tuple[int, int], arms: Arms, alternative: str, largest_tables: int) -> EqualityTest:
    """Test whether two arms with so many of an option's reports have the same prevalence of it."""
    require_alternative(alternative)
    received = tuple(np.array([float(count)]) for count in counts)
    common, root = _common_and_root((received[0], received[1]), arms)
    statistic = float(root[0])
    exact = None
    if (arms[0].n + 1) * (arms[1].n + 1) <= largest_tables:
        roots = signed_roots(arms)
        exact = largest_chance(arms, departures(roots, alternative) >= departures(root, alternative)[0] - _SAME)
    p_value = float(scipy.special.ndtr(-departures(root, alternative)[0]))
    two_sided = alternative == "two-sided"
    return EqualityTest(alternative, float(common[0]), statistic, p_value * (2 if two_sided else 1), exact)


test_equality.__test__ = False  # type: ignore[attr-defined]  # pytest collects by name, wherever it is imported


def require_alternative(alternative: str) -> None:
    """Refuse what is no alternative."""
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative must be one of {', '.join(ALTERNATIVES)}, got {alternative!r}")


def departures(roots: Floats, alternative: str) -> Floats:
    """Return how far each signed root is from equality in the direction of the alternative."""
    return np.abs(roots) if alternative == "two-sided" else roots if alternative == "greater" else -roots


def signed_roots(arms: Arms) -> Floats:
    """Return the signed root of the statistic for every pair of counts, one row a count of the first arm."""
    first, second = (np.arange(arm.n + 1, dtype=np.float64) for arm in arms)
    return _common_and_root((first[:, np.newaxis], second), arms)[1]


def _common_and_root(counts: tuple[Floats, Floats], arms: Arms) -> tuple[Floats, Floats]:
    """Return the most likely common prevalence and the signed root of the statistic, for counts that broadcast."""
    separate = tuple(arm.likeliest(count) for arm, count in zip(arms, counts, strict=True))
    shape = np.broadcast_shapes(counts[0].shape, counts[1].shape)
    # The log-likelihood is concave, and its maximum between those of the arms: halve where its slope changes sign.
    low, high = (np.broadcast_to(end(*separate), shape).copy() for end in (np.minimum, np.maximum))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rising = sum(_slope(arm, count, middle) for arm, count in zip(arms, counts, strict=True)) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    common = (low + high) / 2
    lost = sum(
        arm.log_likelihood(count, best) - arm.log_likelihood(count, common)
        for arm, count, best in zip(arms, counts, separate, strict=True)
    )
    # Where the arms agree, what is left of the difference is rounding.
    statistic = np.where(separate[0] == separate[1], 0.0, np.maximum(2 * lost, 0.0))
    return common, np.sign(separate[0] - separate[1]) * np.sqrt(statistic)


def _slope(arm: BinomialArm, count: Floats, prevalence: Floats) -> Floats:
    """Return how fast an arm's log-likelihood rises with the prevalence; 0 where its reports are certain."""
    reported = arm.reported(prevalence)
    with np.errstate(divide="ignore", invalid="ignore"):
        derivative: Floats = arm.slope * (count - arm.n * reported) / (reported * (1 - reported))
    return np.nan_to_num(derivative, nan=0.0)


def largest_chance(arms: Arms, tables: npt.NDArray[np.bool_]) -> float:
    """Return the largest probability of these pairs of counts over all common prevalences.

    It is looked for at 201 prevalences, as dense towards 0 and 1 as binomial distributions need, and around the best.
    """
    angles = np.linspace(0, math.pi / 2, _POINTS)

    def chance(some: Floats) -> Floats:
        first, second = (arm.chances(np.sin(some) ** 2) for arm in arms)
        chances: Floats = ((first @ tables) * second).sum(axis=1)
        return chances

    chances = chance(angles)
    best = int(chances.argmax())
    around = np.linspace(angles[max(best - 1, 0)], angles[min(best + 1, _POINTS - 1)], _POINTS)
    return float(min(1.0, max(chances[best], chance(around).max())))


def rejection_region(arms: Arms, alternative: str, significance: float) -> npt.NDArray[np.bool_]:
    """Return the pairs of counts whose exact p-value is at most the significance."""
    away = departures(signed_roots(arms), alternative)
    order = np.argsort(-away, axis=None)
    farthest = away.ravel()[order]
    kept = farthest.size
    for row in np.sin(np.linspace(0, math.pi / 2, _POINTS)) ** 2:
        first, second = (arm.chances(np.array([row]))[0] for arm in arms)
        chances = np.cumsum(np.outer(first, second).ravel()[order[:kept]])
        kept = int(np.searchsorted(chances, significance, side="right"))
    # Of tables that are equally far, all are in or none.
    last = farthest[kept] if kept < farthest.size else -math.inf
    return away > last + _SAME
