"""Approximate bounds: between which of a row of public bins the numbers lie, from noisy counts of the bins.

The noisy counts are the release. The bounds are the first and the last bin whose noisy count is above a threshold
that no empty bin exceeds, with a stated probability s. One change moves the histogram by 2 in L1 under REPLACE_ONE
and by 1 under ADD_OR_REMOVE_ONE, so independent discrete Laplace noise of that scale over ε is ε-private; thresholds,
and lower ones where no bin passes, read nothing but the noisy counts and cost nothing.

The threshold
-------------
Only an upward error makes an empty bin pass, so one tail counts. Where the reports are the true answers, the noise of
at most b empty bins is independent, and each stays below its quantile at s^(1/b): none passes with probability s. (Two
signs of b/2 magnitudes each are b bins: the exponent is 1/b for all of them together, and never b.) Where reports are
randomized, an empty bin r is reported by others: its count is at most Binomial(n, q) in distribution, with q = max over
r' ≠ r of P[r, r'], and the counts of several bins are not independent. Then each may exceed its threshold with
probability (1 − s)/b: by the union bound none does with probability s, whatever the true answers are.

References
----------
Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson (2020), Differentially private SQL with bounded user
contribution.
"""

import math
import secrets
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from surveys.privacy.adjacency import NeighbouringRelation, histogram_sensitivity, require_member
from surveys.privacy.designs.design import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.grid import code_counts
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.rationals import exact, positive, whole_number

RELAXED = tuple(Fraction(percent, 100) for percent in (99, 95, 90, 80, 65, 50))
"""With which probabilities no empty bin passes, tried one after the other until a bin passes."""

_SUREST = Fraction(999_999, 1_000_000)


class FoundBounds(NamedTuple):
    """What was drawn, and what it says.

    Attributes
    ----------
    noisy_counts : tuple of int
        One a report; they may be negative.
    low, high : int or None
        The first and the last bin that passed, None where none did.
    confidence : Fraction or None
        The probability with which no empty bin passes the threshold that was used.
    """

    noisy_counts: tuple[int, ...]
    low: int | None
    high: int | None
    confidence: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateBounds(CentralMechanism[FoundBounds]):
    """Between which bins the numbers lie.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        With REPLACE_ONE the number of responses is public.
    bins : int
        How many there are, in order: codes 0 to bins − 1.
    confidence : Fraction
        With which no empty bin is to pass, from 1/2 to 0.999999; where no bin passes, smaller ones are tried.
    design : Design, optional
        In which each bin's own report is likeliest for it; true answers beyond the bins are “prefer not to say”. By
        default, the reports are the true answers.

    Examples
    --------
    >>> from surveys.privacy import ApproximateBounds, NeighbouringRelation
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = ApproximateBounds(epsilon=1, relation=relation, bins=4)
    >>> found = mechanism.release([0, 500, 400, 0])
    >>> found.low <= 1 and found.high >= 2
    True
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    bins: int
    confidence: Fraction = RELAXED[0]
    design: Design | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        require_member(NeighbouringRelation, self.relation, "relation")
        object.__setattr__(self, "confidence", exact(self.confidence, "confidence"))
        if not Fraction(1, 2) <= self.confidence <= _SUREST:
            raise ValueError(f"confidence must be from 1/2 to {float(_SUREST)}, got {self.confidence}")
        whole_number(self.bins, "bins", 2, None if self.design is None else self.design.m)
        if self.design is not None and not (
            self.design.m == self.design.k
            and all(self.design.matrix[code][code] > _from_others(self.design, code) for code in range(self.bins))
        ):
            raise ValueError("design must have each bin's own report as the one that is likeliest for it")

    @property
    def loss(self) -> PrivacyLoss:
        """What the noisy counts cost."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the histogram of the reports."""
        return Sensitivity(Fraction(histogram_sensitivity(self.relation)), Norm.L1, self.relation)

    @property
    def noise(self) -> DiscreteLaplace:
        """Of each count."""
        return DiscreteLaplace(self.epsilon, self.sensitivity.value)

    @property
    def length(self) -> int:
        """How many counts there are."""
        return self.bins if self.design is None else self.design.m

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> FoundBounds:
        """Draw the noisy counts, and read the bounds from them.

        What thresholds read is public under REPLACE_ONE: those of all levels are computed, and before the draw, so
        that how long it takes does not tell which level was reached.
        """
        received = code_counts(counts, self.length)
        n = sum(received)
        if self.relation is not NeighbouringRelation.REPLACE_ONE:
            return self.bounds(self.noise.add_noise(received, randbelow), n)
        limits = [(level, self.thresholds((), n, level)) for level in self.levels]
        return _first_passed(self.noise.add_noise(received, randbelow), limits)

    def probability(self, output: FoundBounds, counts: Sequence[int]) -> float:
        """Return the probability of these noisy counts; 0 if they do not lead to these bounds."""
        received = code_counts(counts, self.length)
        noisy_counts, noise = output[0], self.noise
        if output != self.bounds(noisy_counts, sum(received)):
            return 0.0
        return math.prod(noise.probability(noisy - count) for noisy, count in zip(noisy_counts, received, strict=True))

    def bounds(self, noisy_counts: Sequence[int], n: int) -> FoundBounds:
        """Return the bounds, at the largest level at which a bin passes.

        Thresholds rise with the level, so an empty bin that passes at level s or a higher one passes at s: that the
        bounds hold an empty bin and state s or more has a probability of at most 1 − s, for every s.

        Parameters
        ----------
        noisy_counts : sequence of int
            One a report.
        n : int
            The number of responses, which is not read where it is not public.
        """
        drawn = tuple(noisy_counts)
        return _first_passed(drawn, ((level, self.thresholds(drawn, n, level)) for level in self.levels))

    @property
    def levels(self) -> tuple[Fraction, ...]:
        """With which probabilities no empty bin passes: as wanted, then less, until a bin passes."""
        return (self.confidence, *(relaxed for relaxed in RELAXED if relaxed < self.confidence))

    def thresholds(self, noisy_counts: Sequence[int], n: int, level: Fraction) -> tuple[int, ...]:
        """Return what each bin's noisy count must be above, for no empty one to pass with this probability.

        The noisy counts are read where n is not public and the reports are randomized, and nowhere else.
        """
        from surveys.privacy.mechanisms.thresholds import threshold  # noqa: PLC0415 - draws need no numpy

        noise = self.noise
        if self.design is None:
            exceeded = -math.expm1(math.log(level) / self.bins)
            return (threshold(0, Fraction(0), noise, exceeded),) * self.bins
        failing = 1 - level
        if self.relation is not NeighbouringRelation.REPLACE_ONE:
            # Half of what may fail is for a number that n does not exceed: no count's noise is below −t.
            failing /= 2
            most_removed = threshold(0, Fraction(0), noise, float(failing / self.length))
            n = max(0, sum(noisy_counts) + self.length * most_removed)
        each = float(failing / self.bins)
        return tuple(threshold(n, _from_others(self.design, code), noise, each) for code in range(self.bins))

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far the noise takes any of the counts, in responses: the same for every n."""
        return ErrorBound(self.noise.error_bound(confidence_level, self.length), confidence_level)


def _first_passed(drawn: tuple[int, ...], limits: Iterable[tuple[Fraction, Sequence[int]]]) -> FoundBounds:
    """Return the bounds at the first of these levels at which a bin's noisy count is above its threshold."""
    for level, of_bins in limits:
        passed = [code for code, limit in enumerate(of_bins) if drawn[code] > limit]
        if passed:
            return FoundBounds(drawn, passed[0], passed[-1], level)
    return FoundBounds(drawn, None, None, None)


def _from_others(design: Design, code: int) -> Fraction:
    """Return the largest probability of this report for a true answer other than its own."""
    row = design.matrix[code]
    return max(row[:code] + row[code + 1 :])


def signed_log_bins(smallest: int, largest: int) -> tuple[Fraction, ...]:
    """Return the edges of bins for numbers of unknown size: −2^largest, …, −2^smallest, 0, 2^smallest, …, 2^largest.

    Bin i is from edge i up to, but not including, edge i + 1; the bins on either side of 0 are for numbers below
    2^smallest. There are 2(largest − smallest + 1) of them, and they depend on no data.

    Parameters
    ----------
    smallest, largest : int
        The exponents of 2, smallest below largest.

    Returns
    -------
    tuple of Fraction
        Increasing.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import signed_log_bins
    >>> [str(edge) for edge in signed_log_bins(0, 2)]
    ['-4', '-2', '-1', '0', '1', '2', '4']
    """
    if not whole_number(largest, "largest", -1000, 1000) > whole_number(smallest, "smallest", -1000, 1000):
        raise ValueError(f"largest must be above smallest, got {largest} and {smallest}")
    powers = [Fraction(2) ** exponent for exponent in range(smallest, largest + 1)]
    return (*(-power for power in reversed(powers)), Fraction(0), *powers)


def bin_of(value: object, edges: Sequence[Fraction]) -> int:
    """Return the bin of a number; those beyond the edges are in the outermost bins."""
    return min(max(bisect_right(edges, exact(value, "value")), 1), len(edges) - 1) - 1
