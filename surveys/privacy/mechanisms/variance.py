"""The bounded variance: (mean of the squared differences to a centre) − (mean difference to it)².

ε is split evenly over Σ(x − middle), over Σ((x − centre)² − their own middle) and, where it is not public, over the
number of those who say theirs: halves or thirds; by basic composition all together are ε-private. For undisguised
numbers in [L, U] the squares are in [0, R²] with R = (U − L)/2, so their centred sum has sensitivity R²/2 under
ADD_OR_REMOVE_ONE and R² under REPLACE_ONE. The result is limited to [0, R²], the variances that numbers in [L, U] can
have: all of it reads nothing but what was drawn. For randomized reports the values' exact ranges take their place.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Randbelow, Sensitivity
from surveys.privacy.mechanisms.reported_numbers import ReportedNumbers
from surveys.privacy.mechanisms.shared_sums import SharedSums, share_epsilon
from surveys.privacy.rationals import positive


class NoisyVariance(NamedTuple):
    """What was drawn, exact on its grids.

    Attributes
    ----------
    squares : Fraction
        Σ((x − centre)² − their middle), with noise.
    total : Fraction
        Σ(x − middle), with noise.
    count : Fraction
        How many they are of: the public n, or with noise.
    """

    squares: Fraction
    total: Fraction
    count: Fraction  # type: ignore[assignment]  # a method of tuples that nobody needs here


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedVariance(CentralMechanism[NoisyVariance]):
    """The variance of a number, among those who say theirs.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        With REPLACE_ONE the number of responses is public.
    numbers : ReportedNumbers
        What each report counts for; three different numbers at least.

    Examples
    --------
    >>> from surveys.privacy import BoundedVariance, NeighbouringRelation, undisguised_numbers
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = BoundedVariance(epsilon=1, relation=relation, numbers=undisguised_numbers([0, 1, 2]))
    >>> output = mechanism.release([30, 50, 20])
    >>> 0 <= mechanism.value(output) <= 1
    True
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    numbers: ReportedNumbers
    parts: SharedSums = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        if not len(self.numbers.different) >= 3:
            raise ValueError(
                "numbers must be three different ones at least: reports of one bit tell the mean of a number, "
                "and not its variance"
            )
        squares = tuple(
            square - self.middle_square * answers
            for square, answers in zip(self.numbers.squares, self.numbers.answering, strict=True)
        )
        parts = share_epsilon(self.epsilon, self.relation, self.numbers, squares, self.numbers.deviations)
        object.__setattr__(self, "parts", parts)

    @property
    def middle_square(self) -> Fraction:
        """What is taken from every square before summing, for the same reason as from every number."""
        squares = self.numbers.squares
        return (min(squares) + max(squares)) / 2 if self.numbers.everybody_says else self.largest / 2

    @property
    def largest(self) -> Fraction:
        """The largest variance that numbers within the limits can have: half of them at either limit."""
        return ((self.numbers.high - self.numbers.low) / 2) ** 2

    @property
    def loss(self) -> PrivacyLoss:
        """What one variance costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the sum of the centred squares, in the number's squared unit."""
        return self.parts.sums[0].sensitivity

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> NoisyVariance:
        """Draw both sums, and the number they are of unless that is public."""
        return NoisyVariance(*self.parts.release(counts, randbelow))

    def probability(self, output: NoisyVariance, counts: Sequence[int]) -> float:
        """Return the probability of these sums and this number."""
        return self.parts.probability(output, counts)

    def raw(self, output: NoisyVariance) -> Fraction:
        """Return the variance as it was drawn; it may be negative."""
        count = max(Fraction(1), output.count)
        # The mean may be taken from another middle than the squares were.
        from_centre = output.total / count + self.numbers.middle - self.numbers.centre
        return output.squares / count + self.middle_square - from_centre**2

    def value(self, output: NoisyVariance) -> Fraction:
        """Return the variance, within what numbers within the limits can have."""
        return min(max(self.raw(output), Fraction(0)), self.largest)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far the noise takes the value, in the number's squared unit; at best if everybody says theirs.

        With the mean of the squares off by a and the mean d from the centre off by b, it is a + b·(2|d| + b) at most.
        """
        errors = self.parts.errors_of_means(n, confidence_level)
        at_best = self.largest
        if errors is not None:
            squares, mean = errors
            farthest = self.parts.sums[1].largest + abs(self.numbers.middle - self.numbers.centre)
            at_best = min(at_best, squares + mean * (2 * farthest + mean))
        at_most = at_best if self.numbers.everybody_says else self.largest
        return ErrorBound(float_not_below(at_most), confidence_level, float_not_below(at_best))
