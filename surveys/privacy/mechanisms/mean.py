"""The bounded mean.

REPLACE_ONE and everybody says: n is public, and only the sum is drawn; the mean is ε-private as the sum is. Else
ε/2 is for the number of those who say theirs and ε/2 for Σ(x − middle), and by basic composition both together are
ε-private. For undisguised numbers in [L, U] the sum has sensitivity (U − L)/2 under ADD_OR_REMOVE_ONE, half of what it
would have without the middle taken off, and U − L under REPLACE_ONE. Dividing, adding the middle and limiting the
result to [L, U] read nothing but what was drawn.

References
----------
Li, Lyu, Su & Yang (2016), Differential Privacy: From Theory to Practice.
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


class NoisyMean(NamedTuple):
    """What was drawn, exact on its grids.

    Attributes
    ----------
    total : Fraction
        Σ(x − middle), with noise.
    count : Fraction
        How many it is of: the public n, or with noise.
    """

    total: Fraction
    count: Fraction  # type: ignore[assignment]  # a method of tuples that nobody needs here


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedMean(CentralMechanism[NoisyMean]):
    """The mean of a number, among those who say theirs.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        With REPLACE_ONE the number of responses is public.
    numbers : ReportedNumbers
        What each report counts for.

    Examples
    --------
    >>> from surveys.privacy import BoundedMean, NeighbouringRelation, undisguised_numbers
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = BoundedMean(epsilon=1, relation=relation, numbers=undisguised_numbers([0, 1, 2]))
    >>> output = mechanism.release([30, 50, 20])
    >>> 0 <= mechanism.value(output) <= 2
    True
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    numbers: ReportedNumbers
    parts: SharedSums = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        parts = share_epsilon(self.epsilon, self.relation, self.numbers, self.numbers.deviations)
        object.__setattr__(self, "parts", parts)

    @property
    def loss(self) -> PrivacyLoss:
        """What one mean costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of Σ(x − middle), in the number's unit."""
        return self.parts.sums[0].sensitivity

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> NoisyMean:
        """Draw the sum, and the number it is of unless that is public."""
        return NoisyMean(*self.parts.release(counts, randbelow))

    def probability(self, output: NoisyMean, counts: Sequence[int]) -> float:
        """Return the probability of this sum and this number."""
        return self.parts.probability(output, counts)

    def raw(self, output: NoisyMean) -> Fraction:
        """Return the mean as it was drawn; it may be beyond the limits of the numbers."""
        return output.total / max(Fraction(1), output.count) + self.numbers.middle

    def value(self, output: NoisyMean) -> Fraction:
        """Return the mean, within the limits of the numbers."""
        return min(max(self.raw(output), self.numbers.low), self.numbers.high)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far the noise takes the value, in the number's unit; at best if everybody says theirs."""
        errors = self.parts.errors_of_means(n, confidence_level)
        width = self.numbers.high - self.numbers.low
        at_best = float_not_below(width if errors is None else min(width, errors[0]))
        at_most = at_best if self.numbers.everybody_says else float_not_below(width)
        return ErrorBound(at_most, confidence_level, at_best)
