"""A test of a normal estimate against its null hypothesis."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

from surveys.estimation.validation import LARGEST_N


@dataclass(frozen=True, slots=True)
class NormalTest:
    """A test of a share, or of the difference between two groups' shares, by their moment estimates.

    Attributes
    ----------
    difference : float
        By how much the assumption departs from the null hypothesis; not negative.
    null_deviation, deviation : float
        √n times the standard error of what is tested, under the null hypothesis and as assumed.
    tail : float
        The probability of a false alarm on each side that the test has.
    two_sided : bool
        Whether it has two sides.
    """

    difference: float
    null_deviation: float
    deviation: float
    tail: float
    two_sided: bool

    def power(self, n: int) -> float:
        """Return Φ((d√n − z·s0)/s1), and for two sides Φ((−d√n − z·s0)/s1) more; it rises with n."""
        distance = self.difference * math.sqrt(n)
        limit = -NormalDist().inv_cdf(self.tail) * self.null_deviation
        if not self.deviation:
            return float(distance > limit)
        reject = NormalDist().cdf((distance - limit) / self.deviation)
        if self.two_sided:
            reject += NormalDist().cdf((-distance - limit) / self.deviation)
        return reject

    def sample_size(self, target: float) -> int:
        """Return the smallest n whose power is at least the target."""
        size = smallest_size(lambda n: self.power(n) >= target, LARGEST_N)
        if size is None:
            raise ValueError(f"prevalence is too close to the null hypothesis: {LARGEST_N} responses do not do")
        return size


def smallest_size(enough: Callable[[int], bool], largest: int) -> int | None:
    """Return the smallest number of responses that is enough, by doubling, up to the largest, and halving, or None.

    Where more can be too few again, it is one that is enough and follows one that is not.
    """
    below, above = 0, 1
    while not enough(above):
        below, above = above, 2 * above
        if above > largest:
            return None
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if enough(middle) else (middle, above)
    return above
