"""What a released total, mean or variance of a number says about the true numbers.

Intervals cover both kinds of randomness: the respondents' coins (and that they are a sample), and the noise. By
``"exact"`` and ``"chernoff"`` alike they hold for the population that the responses are drawn from; by ``"chernoff"``
also for these very respondents. A number that a band stands for may be anywhere in the band, so limits are wider by
half of the widest one.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.released.sums import chosen_method, mean_limits, require_public
from surveys.estimation.validation import level, responses
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.privacy.mechanisms.reported_numbers import ReportedNumbers
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance, NoisyVariance


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedTotal:
    """The total of a number over n responses; who says none counts for 0.

    Attributes
    ----------
    total : Fraction
        The release.
    n : int
        The number of responses.
    mechanism : BoundedTotal
        What drew it.
    numbers : ReportedNumbers
        What its values were made of.
    """

    total: Fraction
    n: int
    mechanism: BoundedTotal
    numbers: ReportedNumbers

    @property
    def point(self) -> float:
        """The unbiased estimate."""
        return float(self.total)

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return an interval for n times the population's mean; by ``"chernoff"`` also for the respondents' total.

        Parameters
        ----------
        confidence_level : float
            Strictly between 0 and 1; the coverage is never below it.
        method : str, optional
            ``"exact"`` where there are two values, and their default; ``"chernoff"`` always, and more conservative.
        """
        chosen = chosen_method(self.mechanism, method)
        tail = (1 - level(confidence_level)) / 2
        low, high = mean_limits(self.total, self.n, self.mechanism, self.numbers.design, tail=tail, method=chosen)
        spread = float(self.numbers.spread)
        least, most = _limits_of_total(self.numbers)
        return ScalarInterval(
            self.n * max(low - spread, least), self.n * min(high + spread, most), confidence_level, chosen
        )


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedMean:
    """The mean of a number among those who say theirs.

    Attributes
    ----------
    output : NoisyMean
        The release.
    n : int
        The number of responses.
    mechanism : BoundedMean
        What drew it.
    """

    output: NoisyMean
    n: int
    mechanism: BoundedMean

    @property
    def point(self) -> float:
        """The estimate as drawn: unbiased where everybody says; it may leave the limits of the numbers."""
        return float(self.mechanism.raw(self.output))

    @property
    def constrained(self) -> float:
        """The estimate within the limits of the numbers."""
        return float(self.mechanism.value(self.output))

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return an interval for the mean, cut to the limits of the numbers.

        Where not everybody says, the sum and the number of those who do each have an interval at half the risk, and
        the mean's is all their ratios (Bonferroni). The methods are those of `ReleasedTotal.interval`.
        """
        numbers, total = self.mechanism.numbers, self.mechanism.parts.sums[0]
        chosen = chosen_method(total, method)
        [(low, high)] = _ratios(self, (total,), confidence_level, chosen)
        middle, spread = float(numbers.middle), float(numbers.spread)
        least, most = float(numbers.low), float(numbers.high)
        return ScalarInterval(
            min(max(low + middle - spread, least), most),
            max(min(high + middle + spread, most), least),
            confidence_level,
            chosen,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedVariance:
    """The variance of a number among those who say theirs.

    Attributes
    ----------
    output : NoisyVariance
        The release.
    n : int
        The number of responses.
    mechanism : BoundedVariance
        What drew it.
    """

    output: NoisyVariance
    n: int
    mechanism: BoundedVariance

    @property
    def point(self) -> float:
        """The estimate as drawn: it may be negative."""
        return float(self.mechanism.raw(self.output))

    @property
    def constrained(self) -> float:
        """The estimate within what numbers within the limits can have."""
        return float(self.mechanism.value(self.output))

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return an interval for the variance (of all, not of all but one), by ``"chernoff"``.

        The mean of the squared differences q and the mean difference d to the centre each have an interval, and so
        has the number of those who say theirs where it is not n, with equal parts of the risk (Bonferroni). The
        variance q − d² is between the smallest and the largest of all within them. With bands of half width w the
        numbers' standard deviation is within w of that of the bands' middles, by Minkowski's inequality.
        """
        numbers = self.mechanism.numbers
        (low, high), (left, right) = _ratios(self, self.mechanism.parts.sums, confidence_level, "chernoff")
        shift = float(numbers.middle - numbers.centre)
        left, right = left + shift, right + shift
        middle_square, largest = float(self.mechanism.middle_square), float(self.mechanism.largest)
        farthest, nearest = max(abs(left), abs(right)), max(left, -right, 0.0)
        variances = (low + middle_square - farthest**2, high + middle_square - nearest**2)
        deviations = [math.sqrt(min(max(variance, 0.0), largest)) for variance in variances]
        spread = float(numbers.spread)
        return ScalarInterval(
            max(deviations[0] - spread, 0.0) ** 2,
            min((deviations[1] + spread) ** 2, largest),
            confidence_level,
            "chernoff",
        )


def estimate_released_total(
    total: Fraction, n: int, mechanism: BoundedTotal, numbers: ReportedNumbers
) -> ReleasedTotal:
    """Return what a noisy total says; ValueError where n was private, or the numbers are not those of the mechanism.

    Parameters
    ----------
    total : Fraction
        The release.
    n : int
        The number of responses: at least 1, at most 10^15.
    mechanism : BoundedTotal
        What drew it.
    numbers : ReportedNumbers
        What its values were made of.

    Returns
    -------
    ReleasedTotal
        With `point` and `interval`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import estimate_released_total
    >>> from surveys.privacy import BoundedTotal, NeighbouringRelation, undisguised_numbers
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> numbers = undisguised_numbers([0, 1, 2])
    >>> mechanism = BoundedTotal(epsilon=1, relation=relation, values=numbers.values)
    >>> round(float(estimate_released_total(mechanism.grid.value(90, 100), 100, mechanism, numbers).point), 1)
    90.0
    """
    if mechanism.values != numbers.values:
        raise ValueError("numbers must be those whose values the mechanism summed")
    return ReleasedTotal(total, require_public(responses(n), mechanism.relation), mechanism, numbers)


def estimate_released_mean(output: NoisyMean, n: int, mechanism: BoundedMean) -> ReleasedMean:
    """Return what a noisy mean says; ValueError where n was private.

    Parameters
    ----------
    output : NoisyMean
        The release.
    n : int
        The number of responses: at least 1, at most 10^15.
    mechanism : BoundedMean
        What drew it.

    Returns
    -------
    ReleasedMean
        With `point`, `constrained` and `interval`.

    Raises
    ------
    ValueError
        If n was private, or is no integer in that range.

    Examples
    --------
    >>> from surveys.estimation import estimate_released_mean
    >>> from surveys.privacy import BoundedMean, NeighbouringRelation, undisguised_numbers
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = BoundedMean(epsilon=1, relation=relation, numbers=undisguised_numbers([0, 1, 2]))
    >>> estimate = estimate_released_mean(mechanism.release([30, 50, 20]), 100, mechanism)
    >>> 0 <= estimate.constrained <= 2
    True
    """
    return ReleasedMean(output, require_public(responses(n), mechanism.relation), mechanism)


def estimate_released_variance(output: NoisyVariance, n: int, mechanism: BoundedVariance) -> ReleasedVariance:
    """Return what a noisy variance says; ValueError where n was private.

    Parameters
    ----------
    output : NoisyVariance
        The release.
    n : int
        The number of responses: at least 1, at most 10^15.
    mechanism : BoundedVariance
        What drew it.

    Returns
    -------
    ReleasedVariance
        With `point`, `constrained` and `interval`.

    Raises
    ------
    ValueError
        If n was private, or is no integer in that range.

    Examples
    --------
    >>> from surveys.estimation import estimate_released_variance
    >>> from surveys.privacy import BoundedVariance, NeighbouringRelation, undisguised_numbers
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = BoundedVariance(epsilon=1, relation=relation, numbers=undisguised_numbers([0, 1, 2]))
    >>> estimate = estimate_released_variance(mechanism.release([30, 50, 20]), 100, mechanism)
    >>> 0 <= estimate.constrained <= 1
    True
    """
    return ReleasedVariance(output, require_public(responses(n), mechanism.relation), mechanism)


def _limits_of_total(numbers: ReportedNumbers) -> tuple[float, float]:
    """Return between which numbers what a respondent counts for is: 0 as well where he may say none."""
    ends = (numbers.low, numbers.high, *(() if numbers.everybody_says else (Fraction(0),)))
    return float(min(ends)), float(max(ends))


def _ratios(
    released: ReleasedMean | ReleasedVariance, sums: tuple[BoundedTotal, ...], confidence_level: float, method: str
) -> list[tuple[float, float]]:
    """Return limits for each sum over the number of those who say, all holding at once with this confidence."""
    n, design, number = released.n, released.mechanism.numbers.design, released.mechanism.parts.count
    *drawn, count = released.output
    tail = (1 - level(confidence_level)) / 2 / (len(sums) + (number is not None))
    limits = [
        mean_limits(total, n, one, design, tail=tail, method=method) for one, total in zip(sums, drawn, strict=True)
    ]
    if number is None:
        return limits
    fewest, most = mean_limits(count, n, number, design, tail=tail, method="chernoff")
    return [_quotient(low, high, fewest, most) for low, high in limits]


def _quotient(low: float, high: float, fewest: float, most: float) -> tuple[float, float]:
    """Return the smallest and the largest quotient; anything where the divisor may be 0."""
    if not fewest > 0:
        return -math.inf, math.inf
    return min(low / fewest, low / most), max(high / fewest, high / most)
