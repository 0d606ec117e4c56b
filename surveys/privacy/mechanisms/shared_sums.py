"""Several sums of one release, with epsilon split evenly among them and, unless it is public, the number they are of.

With n public and everybody saying his number, sums are divided by n and nothing is spent on it. Else the number of
those who say theirs is one more sum. What is divided is centred, so that one response changes it as little as possible.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.grid import code_counts
from surveys.privacy.mechanisms.mechanism import Randbelow
from surveys.privacy.mechanisms.reported_numbers import ReportedNumbers
from surveys.privacy.mechanisms.total import BoundedTotal


@dataclass(frozen=True, slots=True)
class SharedSums:
    """Sums, and the mechanism of the number of those summed over; None where that is the public n."""

    sums: tuple[BoundedTotal, ...]
    count: BoundedTotal | None

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> tuple[Fraction, ...]:
        """Return the noisy sums, and as the last number that of those they are of."""
        received = code_counts(counts, len(self.sums[0].values))
        drawn = tuple(one.release(received, randbelow) for one in self.sums)
        return (*drawn, Fraction(sum(received)) if self.count is None else self.count.release(received, randbelow))

    def probability(self, output: Sequence[Fraction], counts: Sequence[int]) -> float:
        """Return the probability of these sums: they are drawn independently."""
        received = code_counts(counts, len(self.sums[0].values))
        *sums, number = output
        last = float(number == sum(received)) if self.count is None else self.count.probability(number, received)
        for one, value in zip(self.sums, sums, strict=True):
            last *= one.probability(value, received)
        return last

    def errors_of_means(self, n: int, confidence_level: float) -> tuple[Fraction, ...] | None:
        """Return how far the noise takes each sum over the number of n from that without; None if it can be any.

        All of it holds together with this confidence: each of the independent draws with its root. With sum S,
        |S| ≤ n·R, noise z and w on the number,
        |(S + z)/(n + w) − S/n| = |z − (S/n)·w|/(n + w) ≤ (|z| + R·|w|)/(n − |w|) where that is n − |w| ≥ 1.
        """
        if not 0 < confidence_level < 1:
            raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
        each = confidence_level ** (1 / (len(self.sums) + (self.count is not None)))
        away = Fraction(0) if self.count is None else self.count.error_within(each)
        if not n - away >= 1:
            return None
        return tuple((one.error_within(each) + one.largest * away) / (n - away) for one in self.sums)


def share_epsilon(
    epsilon: Fraction, relation: NeighbouringRelation, numbers: ReportedNumbers, *statistics: tuple[Fraction, ...]
) -> SharedSums:
    """Return the sums of these values and the number of those who say theirs, each with an equal part of epsilon."""
    is_public = relation is NeighbouringRelation.REPLACE_ONE and numbers.everybody_says
    each = epsilon / (len(statistics) + (not is_public))
    sums = tuple(BoundedTotal(epsilon=each, relation=relation, values=values) for values in statistics)
    count = None if is_public else BoundedTotal(epsilon=each, relation=relation, values=numbers.answering)
    return SharedSums(sums, count)
