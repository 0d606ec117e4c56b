"""The exact test of two groups by the numbers of their reports [Fisher 1935].

Given how many of these reports there are in both groups together, their number in one of two equally large groups is
hypergeometric if the groups do not differ, whatever the share.

References
----------
Fisher (1935), The logic of inductive inference.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.planning.exact import LARGEST_EXACT_SIZE
from surveys.estimation.planning.normal import smallest_size
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats

_Counts = npt.NDArray[np.int64]

_LEFT_OUT = 1e-13
_LARGEST_COUNT = 2_000
_LOOK_AHEAD = 100


@dataclass(frozen=True, slots=True)
class FisherTest:
    """A test whether a report's probability differs between two groups of n responses each.

    Attributes
    ----------
    first, second : float
        The report's probability in either group, as assumed.
    tail : float
        The probability of a false alarm that each side may have.
    two_sided : bool
        Whether the test has a second side, away from what is assumed.
    """

    first: float
    second: float
    tail: float
    two_sided: bool

    def power(self, n: int) -> float:
        """Return the probability that the two counts lie in the critical region, by adding up that of the rarer."""
        fewer, more = sorted((self.first, self.second))
        if fewer + more > 1:
            # Of reports that nearly all give, those are counted that are another.
            fewer, more = 1 - more, 1 - fewer
        counts = np.arange(_largest(n, fewer) + 1)
        chances = np.diff(at_most(counts, n, fewer), prepend=0.0)
        reject = at_most(n - _least_beyond(counts, n, self.tail), n, 1 - more)
        if self.two_sided:
            reject = reject + at_most(_most_below(counts, n, self.tail), n, more)
        return float(chances @ reject)

    def sample_size(self, target: float) -> int:
        """Return the smallest n that has the power, and that none of the next third (at most 100) falls short of."""
        enough = smallest_size(lambda n: self.power(n) >= target, LARGEST_EXACT_SIZE)
        if enough is None:
            raise ValueError(
                "prevalence is too close to other_prevalence for the exact method, which goes up to "
                f"{LARGEST_EXACT_SIZE} responses"
            )
        short = [n for n in range(enough, enough + min(enough // 3 + 5, _LOOK_AHEAD)) if self.power(n) < target]
        return short[-1] + 1 if short else enough


def _largest(n: int, probability: float) -> int:
    """Return a count that hardly ever is exceeded."""
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        if at_most(np.array(n - middle - 1), n, 1 - probability) <= _LEFT_OUT:
            high = middle
        else:
            low = middle
    if high > _LARGEST_COUNT:
        raise ValueError("null_prevalence must not be nearer to none or to all than both prevalences are")
    return high


def _least_beyond(fewer: _Counts, n: int, tail: float) -> _Counts:
    """Return for each count of the one group the least of the other that is significantly more, n + 1 for none."""
    low, high = fewer.copy(), np.full(fewer.shape, n + 1)
    while (high - low > 1).any():
        middle = (low + high) // 2
        fits = _significant(middle, fewer, n, tail)
        low, high = np.where(fits, low, middle), np.where(fits, middle, high)
    return high


def _most_below(more: _Counts, n: int, tail: float) -> _Counts:
    """Return for each count from 0 of the one group the most of the other that is significantly less, −1 for none."""
    less, greater = np.meshgrid(more, more, indexing="ij")
    fits = (less < greater) & _significant(greater, less, n, tail)
    below: _Counts = fits.sum(axis=0) - 1
    return below


def _significant(more: _Counts, less: _Counts, n: int, tail: float) -> npt.NDArray[np.bool_]:
    # What is exactly as probable as it may be must not depend on rounding.
    return _at_least(more, less, n) <= tail * (1 + 1e-9)


def _at_least(more: _Counts, less: _Counts, n: int) -> Floats:
    """Return Pr(at least `more` of the more + less reports are in the one group)."""
    total = more + less
    if n > LARGEST_EXACT_SIZE:
        # Its limit, which it never exceeds below the middle: the ratio of the two probabilities rises up to there.
        return at_most(less, total, 0.5)
    tail = np.zeros(total.shape)
    log_ways = _log_ways(2 * n, total)
    for count in range(int(less.max(initial=0)) + 1):
        fits = (count <= less) & (total - count <= n)
        tail += np.where(fits, np.exp(_log_ways(n, count) + _log_ways(n, np.minimum(total - count, n)) - log_ways), 0.0)
    return tail


def _log_ways(n: int, chosen: int | _Counts) -> Floats:
    gammaln = scipy.special.gammaln
    ways: Floats = gammaln(n + 1) - gammaln(np.asarray(chosen) + 1) - gammaln(n - np.asarray(chosen) + 1)
    return ways
