"""The difference of two arms' means of what their reports say, and Welch's interval.

References
----------
Welch (1947), The generalization of 'Student's' problem when several different population variances are involved.
Satterthwaite (1946), An approximate distribution of estimates of variance components.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.moments import moment_covariance
from surveys.estimation.validation import Floats, level


@dataclass(frozen=True, slots=True)
class WelchEstimate:
    """A sum of independent means with the unbiased variances of their own.

    Attributes
    ----------
    point : float
        The sum.
    standard_error : float
        The root of the sum of the variances; NaN where a sample has a single member.
    degrees_of_freedom : float
        (ΣV)²/Σ(V²/(n−1)); infinite where no sample varies.
    """

    point: float
    standard_error: float
    degrees_of_freedom: float

    def limits(self, confidence_level: float) -> tuple[float, float]:
        """Return point ± t standard errors, cut nowhere."""
        tail = (1 - level(confidence_level)) / 2
        half = -float(scipy.special.stdtrit(self.degrees_of_freedom, tail)) * self.standard_error
        return self.point - half, self.point + half

    def interval(self, confidence_level: float, least: float, most: float) -> ScalarInterval:
        """Return Welch's interval, cut to what is possible."""
        low, high = self.limits(confidence_level)
        outside = high < least or low > most
        low, high = np.clip([low, high], least, most).tolist()
        return ScalarInterval(low, high, confidence_level, "welch", outside)

    def p_value(self, value: float) -> float:
        """Return Welch's two-sided test of a value; NaN where nothing varies, or there is no standard error."""
        if not self.standard_error > 0:
            return math.nan
        distance = abs(self.point - value) / self.standard_error
        return 2 * float(scipy.special.stdtr(self.degrees_of_freedom, -distance))


def welch_sum(samples: Sequence[tuple[npt.NDArray[np.int64], Floats]]) -> WelchEstimate:
    """Return the sum of several samples' means.

    Parameters
    ----------
    samples : sequence of pairs of arrays of m integers and m floats
        How often each report came, and what it counts as.
    """
    point = total = squares = 0.0
    for counts, scores in samples:
        n = int(counts.sum())
        shares = counts / n
        variance = float(moment_covariance(scores[np.newaxis, :], shares, n)[0, 0])
        point += float(scores @ shares)
        total += variance
        squares += variance**2 / max(n - 1, 1)
    # Rounding can take the variance of what does not vary just below 0.
    total = max(total, 0.0) if not math.isnan(total) else total
    return WelchEstimate(point, math.sqrt(total), total**2 / squares if squares else math.inf)
