"""What a released tree of counts says about the distribution of true answers that have an order.

The consistent number of reports up to a code is Y = X + E: X is binomial with the probability λ of such a report, n is
public, and E is a weighted sum of the noise. As P = b·I + a·1ᵀ, λ is a straight line in the share F of people whose
true answer is that one or one below it. Limits are those of one noisy count (`counts`), with Chernoff's bound on the
tails of E: their coverage is never below the confidence level, at any n.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.interval import Interval, ScalarInterval, cut_interval, each_level
from surveys.estimation.released.counts import rate_limits
from surveys.estimation.released.sums import require_public
from surveys.estimation.validation import Counts, Floats, level, read_only, require_design, responses, whole_numbers
from surveys.privacy.designs.design import Design
from surveys.privacy.mechanisms.tree import TreeCounts, Weights
from surveys.privacy.mechanisms.weighted import WeightedNoise
from surveys.privacy.rationals import exact, whole_number

METHOD = "chernoff"


@dataclass(frozen=True, slots=True)
class ReleasedQuantile:
    """An answer at or below which a share of people is, and between which answers it is.

    Attributes
    ----------
    share : Fraction
        The share of people.
    code : int
        The first answer at which the estimated share of people up to it is as large.
    low, high : int
        Between which answers, both included, it truly is.
    """

    share: Fraction
    code: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedDistribution:
    """Shares of people up to each true answer but the last, as far as one release shows.

    Attributes
    ----------
    noisy_counts : array of integers
        The release: one count for each node of the tree.
    n : int
        The public number of responses.
    design : Design
        The design of the reports.
    mechanism : TreeCounts
        What drew them.
    point : array of k − 1 floats
        The estimates from consistent counts: unbiased; they may leave [0, 1], and fall from one answer to the next.
    constrained : array of k − 1 floats
        The rising shares in [0, 1] nearest to them: so no answer has a negative share. Going there never increases the
        squared error.
    standard_error : array of k − 1 floats
        Of `point`, for sampling, randomization and noise together.
    """

    noisy_counts: npt.NDArray[np.int64]
    n: int
    design: Design
    mechanism: TreeCounts
    point: Floats
    constrained: Floats
    standard_error: Floats

    @property
    def shares(self) -> Floats:
        """The share of each of the k answers: what `constrained` rises by, at least 0; they sum to 1."""
        return np.diff(self.constrained, prepend=0.0, append=1.0)

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return a confidence interval for each of the k − 1 shares by itself, cut to [0, 1].

        Raises
        ------
        ValueError
            If the confidence level is not strictly between 0 and 1.
        """
        limits = np.array(
            [self._limits(0, code, level(confidence_level)) for code in range(self.design.k - 1)], dtype=np.float64
        )
        return cut_interval(limits[:, 0], limits[:, 1], confidence_level, METHOD)

    def band(self, confidence_level: float = 0.95) -> Interval:
        """Return intervals for all of the k − 1 shares that hold at once with this confidence.

        Each is an interval at the level that Bonferroni's inequality needs. As true shares never fall from one answer
        to the next, neither do the limits: a higher lower limit of an answer before, or a smaller upper limit of one
        after, takes their place.
        """
        each = self.interval(each_level(confidence_level, self.design.k - 1))
        low = np.maximum.accumulate(each.low)
        high = np.minimum.accumulate(each.high[::-1])[::-1]
        return cut_interval(low, np.maximum(low, high), confidence_level, METHOD, simultaneous=True)

    def between(self, first: int, last: int, confidence_level: float = 0.95) -> ScalarInterval:
        """Return an interval for the share of people whose true answer is from one code to another, both included.

        It is for one range that was chosen before the release was seen; all differences of `band` hold at once.

        Raises
        ------
        ValueError
            If they are no codes, or the second is below the first.
        """
        low_code = whole_number(first, "first", 0, self.design.k - 1)
        high_code = whole_number(last, "last", low_code, self.design.k - 1)
        low, high = self._limits(low_code, high_code, level(confidence_level))
        outside = high < 0 or low > 1
        return ScalarInterval(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0), confidence_level, METHOD, outside)

    def quantiles(self, *shares: object, confidence_level: float = 0.95) -> tuple[ReleasedQuantile, ...]:
        """Return for each share the first answer up to which so many people are at least, and what it is between.

        The limits follow from `band`, so those of any number of quantiles hold at once with this confidence.

        Parameters
        ----------
        shares : exact numbers
            Strictly between 0 and 1; 1/2 for the median.
        confidence_level : float
            Strictly between 0 and 1.

        Raises
        ------
        ValueError
            If a share is not between 0 and 1.
        """
        wanted = [exact(share, "shares") for share in shares]
        if not all(0 < share < 1 for share in wanted):
            raise ValueError(f"shares must be between 0 and 1, both excluded, got {', '.join(map(str, wanted))}")
        band = self.band(confidence_level)
        return tuple(
            ReleasedQuantile(
                share, *(int(np.searchsorted(told, float(share))) for told in (self.constrained, band.high, band.low))
            )
            for share in wanted
        )

    def _limits(self, first: int, last: int, confidence_level: float) -> tuple[float, float]:
        """Return limits for the share from one code to another, which may leave [0, 1]."""
        k = self.design.k
        if (first, last) == (0, k - 1):
            return 1.0, 1.0
        weights = _difference(_up_to(self.mechanism, last), _up_to(self.mechanism, first - 1))
        count = sum(
            (weight * int(one) for weight, one in zip(weights, (self.n, *self.noisy_counts), strict=True)), Fraction(0)
        )
        rows = self.design.matrix[first : last + 1]
        possible = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
        tail = (1 - confidence_level) / 2
        noise = WeightedNoise(self.mechanism.noise, weights[1:])
        limits = rate_limits(float(count), self.n, noise, tail, possible)
        line = require_affine_map(self.design)
        merged = AffineMap(np.array([line.offset[first : last + 1].sum()]), line.slope)
        low, high = merged.to_prevalence(*(np.array([limit]) for limit in limits))
        return float(low[0]), float(high[0])


def estimate_released_distribution(
    noisy_counts: Counts, n: int, design: Design, mechanism: TreeCounts
) -> ReleasedDistribution:
    """Estimate how true answers with an order are distributed, from a noisy tree of counts of the reports.

    Parameters
    ----------
    noisy_counts : sequence of integers
        The release, one for each node of the tree.
    n : int
        The number of responses, without noise: at least 1, at most 10^15.
    design : Design
        The design of the reports, k of them for k true answers.
    mechanism : TreeCounts
        What drew them, under REPLACE_ONE.

    Returns
    -------
    ReleasedDistribution
        With shares up to each answer, their intervals, and the quantiles and ranges that are read off them.

    Raises
    ------
    ValueError
        If the counts are not one integer a node, n is not an integer in that range or was not public, or the design
        does not tie each report's probability to one prevalence, or has another number of reports.

    Examples
    --------
    >>> from surveys.estimation import estimate_released_distribution
    >>> from surveys.privacy import NeighbouringRelation, TreeCounts, direct
    >>> tree = TreeCounts(epsilon=1, relation=NeighbouringRelation.REPLACE_ONE, length=4, branching=4)
    >>> told = estimate_released_distribution([118, 206, 384, 292], 1000, direct(4), tree)
    >>> told.point.round(3).tolist()
    [0.118, 0.324, 0.708]
    >>> told.quantiles("1/2")
    (ReleasedQuantile(share=Fraction(1, 2), code=2, low=2, high=2),)
    """
    line = require_affine_map(require_design(design))
    require_public(responses(n), mechanism.relation)
    if mechanism.length != design.k:
        raise ValueError(f"mechanism must have as many codes as the design has reports, {design.k}")
    released = whole_numbers(noisy_counts, len(mechanism.nodes), "noisy_counts")
    n = responses(n)
    merged = line.of_merged()
    reported = np.array([float(count / n) for count in mechanism.cumulated(released.tolist(), n)])
    point = (reported - merged.offset) / merged.slope
    constrained = scipy.optimize.isotonic_regression(point).x.clip(0.0, 1.0)
    rates = merged.offset + merged.slope * constrained
    squares = np.array([float(sum((w * w for w in cut[1:]), Fraction(0))) for cut in mechanism.weights])
    variance = rates * (1 - rates) / n + squares * mechanism.noise.variance / n**2
    return ReleasedDistribution(
        released,
        n,
        design,
        mechanism,
        read_only(point),
        read_only(constrained),
        read_only(np.sqrt(np.maximum(variance, 0.0)) / abs(merged.slope)),
    )


def _up_to(mechanism: TreeCounts, code: int) -> Weights:
    """Return the weights of the responses up to a code: of none before the first, of n at the last."""
    nothing = (Fraction(0),) * (1 + len(mechanism.nodes))
    if code < 0:
        return nothing
    if code == mechanism.length - 1:
        return (Fraction(1), *nothing[1:])
    return mechanism.weights[code]


def _difference(one: Weights, other: Weights) -> Weights:
    return tuple(a - b for a, b in zip(one, other, strict=True))
