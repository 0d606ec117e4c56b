"""The exact binomial test of one share by the number of its option's reports.

Its false alarms are at most as many as allowed and mostly fewer, because counts are whole numbers; as n grows its power
therefore does not rise steadily but like the teeth of a saw. A sample size is the n from which on it never again falls
below the target.
"""

import math
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.tails import at_most
from surveys.estimation.validation import LARGEST_N, Floats

LARGEST_EXACT_SIZE = 100_000


@dataclass(frozen=True, slots=True)
class ExactTest:
    """A test whether a report's probability is another than the null hypothesis says.

    Attributes
    ----------
    null, reported : float
        The report's probability under the null hypothesis and as assumed.
    tail : float
        The probability of a false alarm that each side may have.
    two_sided : bool
        Whether the test has a second side, away from what is assumed.
    """

    null: float
    reported: float
    tail: float
    two_sided: bool

    def power(self, n: int) -> float:
        """Return the probability that the count of reports lies in the critical region."""
        size = np.array([n], dtype=np.int64)
        return float(_least_powers(size, size, self)[0])

    def sample_size(self, target: float) -> int:
        """Return the smallest n from which on the power is at least the target."""
        if self.null in (0, 1):
            last, limit = _until_one_is_other(abs(self.reported - self.null), target), LARGEST_N
        else:
            last, limit = _certainly_enough(self.null, self.reported, self.tail, target), LARGEST_EXACT_SIZE
        if last > limit:
            raise ValueError(
                "prevalence is too close to the null hypothesis for the exact method, "
                f"which goes up to {limit} responses"
            )
        return _last_below(self, target, last) + 1


def _certainly_enough(null: float, reported: float, tail: float, target: float) -> int:
    """Return an n from which on the power is certainly at least the target.

    By Chernoff's inequality a share of reports beyond x has a probability of at most exp(−n·D(x, λ0)) under the null
    hypothesis, and one short of x of at most exp(−n·D(x, λ1)) as assumed, D being the relative entropy: x between the
    two is chosen so that both suffice at the same n.
    """
    alarm, miss = -math.log(tail), -math.log1p(-target)
    if reported in (0, 1):
        return math.ceil(alarm / _entropy(reported, null))
    near, far = null, reported
    for _ in range(60):
        middle = (near + far) / 2
        if miss * _entropy(middle, null) >= alarm * _entropy(middle, reported):
            far = middle
        else:
            near = middle
    return math.ceil(max(alarm / _entropy(far, null), miss / _entropy(far, reported)))


def _entropy(x: float, y: float) -> float:
    """Return a little less than the relative entropy of x to y, both probabilities; above 0."""
    exact = float(scipy.special.rel_entr(x, y) + scipy.special.rel_entr(1 - x, 1 - y))
    # Where they are so close that rounding eats the digits, Pinsker's inequality has some.
    return max(exact, 2 * (x - y) ** 2, sys.float_info.min)


def _until_one_is_other(chance: float, target: float) -> int:
    """Return how many responses certainly hold one report that the null hypothesis rules out: 1 − (1 − p)ⁿ of them do.

    A single one disproves it.
    """
    if chance == 1:
        return 1
    return math.ceil(math.log1p(-target) / math.log1p(-chance)) + 1 if chance else LARGEST_N + 1


def _last_below(test: ExactTest, target: float, last: int) -> int:
    """Return the last of the sizes up to this one whose power is below the target, 0 where none is.

    Ranges of sizes are halved, but for those that certainly have the power and those before a size that has not: what
    is looked at one by one are the few sizes around the target.
    """
    starts = np.array([1], dtype=np.int64)
    width = 1 << last.bit_length()
    while True:
        starts = starts[_least_powers(starts, np.minimum(starts + width - 1, last), test) < target]
        if width == 1:
            return int(starts[-1]) if starts.size else 0
        width //= 2
        starts = np.stack([starts, starts + width], axis=1).reshape(-1)
        starts = starts[starts <= last]
        too_few = np.flatnonzero(_least_powers(starts, starts, test) < target)
        starts = starts[too_few[-1] if too_few.size else 0 :]


def _least_powers(first: npt.NDArray[np.int64], last: npt.NDArray[np.int64], test: ExactTest) -> Floats:
    """Return for each range of sizes a power that none of them falls below; of a range of one, its power.

    With every response the critical count stays or rises, and so do the counts themselves: the least that can be is the
    critical region of the first size at the last.
    """
    # Too many reports at p are too few of all others at 1 − p.
    null, reported = (1 - test.null, 1 - test.reported) if test.reported > test.null else (test.null, test.reported)
    power = at_most(_critical(first, null, test.tail), last, reported)
    if test.two_sided:
        power = power + at_most(_critical(first, 1 - null, test.tail), last, 1 - reported)
    return power


def _critical(sizes: npt.NDArray[np.int64], null: float, tail: float) -> npt.NDArray[np.int64]:
    """Return for each n the largest count x with Pr(X ≤ x) at most the tail, −1 where even 0 is too likely."""
    low, high = np.full(sizes.shape, -1), sizes.copy()
    while (high - low > 1).any():
        middle = (low + high) // 2
        fits = at_most(middle, sizes, null) <= tail
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low
