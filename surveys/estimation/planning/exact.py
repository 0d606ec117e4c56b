"""The exact binomial test of one share by the number of its option's reports.

Its false alarms are at most as many as allowed and mostly fewer, because counts are whole numbers; as n grows its power
therefore does not rise steadily but like the teeth of a saw. A sample size is the n from which on it never again falls
below the target.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats

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
        if not n <= LARGEST_EXACT_SIZE:
            raise ValueError(f"n must be at most {LARGEST_EXACT_SIZE} for the exact method, got {n!r}")
        size = np.array([n], dtype=np.int64)
        return float(_least_powers(size, size, self)[0])

    def sample_size(self, target: float) -> int:
        """Return the smallest n from which on the power is at least the target."""
        difference = abs(self.reported - self.null)
        last = _certainly_enough(difference, self.tail, target) if difference else LARGEST_EXACT_SIZE + 1
        if last > LARGEST_EXACT_SIZE:
            raise ValueError(
                "prevalence is too close to the null hypothesis for the exact method, which goes up to "
                f"{LARGEST_EXACT_SIZE} responses"
            )
        return _last_below(self, target, last) + 1


def _certainly_enough(difference: float, tail: float, target: float) -> int:
    """Return an n from which on the power is certainly at least the target.

    By Hoeffding's inequality the test rejects whenever the count exceeds nλ0 + √(n·ln(1/tail)/2) + 1, and it falls
    below nλ1 − √(n·ln(1/(1 − target))/2) with probability 1 − target at most.
    """
    margins = math.sqrt(-math.log(tail) / 2) + math.sqrt(-math.log1p(-target) / 2)
    # The positive root of d·n − margins·√n − 1 = 0 in √n.
    return math.ceil(((margins + math.sqrt(margins**2 + 4 * difference)) / (2 * difference)) ** 2) + 1


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
