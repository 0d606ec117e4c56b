"""The mean of a number among those who would say it, where “prefer not to say” is one more protected answer."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.association.within import MeanWithin, share_within
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.numbers import require_ordered
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import Counts, require_design
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class StatedMeanEstimate:
    """The mean among those who would say their number; nobody knows who they are.

    Attributes
    ----------
    prevalence : PrevalenceEstimate
        Of the three true answers: code 0 is a number rounded at random to the lower value, code 1 to the higher one,
        code 2 prefers not to say.
    share : MeanWithin
        Of code 1 among the codes 0 and 1.
    low, high : float
        The two values; the numbers are between them.
    """

    prevalence: PrevalenceEstimate
    share: MeanWithin
    low: float
    high: float

    @property
    def point(self) -> float:
        """From the moment estimate: it may leave the range, and is NaN where no more than nobody would say."""
        return self._value(self.share.point)

    @property
    def constrained(self) -> float:
        """From the maximum likelihood estimate, within the range; NaN where nobody would say."""
        return self._value(self.share.constrained)

    @property
    def standard_error(self) -> float:
        """Of `point`, by the delta method; NaN for a single response, and where there is no point."""
        return (self.high - self.low) * self.share.standard_error

    def interval(self, confidence_level: float = 0.95, method: str = "likelihood_ratio") -> ScalarInterval:
        """Return the interval for the mean: that for the share of the higher value, on the numbers' scale.

        Parameters
        ----------
        confidence_level : float, optional
            Of this interval by itself.
        method : str, optional
            ``"likelihood_ratio"``: the means that a likelihood-ratio test does not reject, all of the range where
            nobody would say; ``"confidence_sequence"``, which holds at every look at once; ``"wald"`` for
            comparison, whose limits are NaN where there is no standard error.
        """
        interval = self.share.interval(confidence_level, method)
        return ScalarInterval(
            self._value(interval.low), self._value(interval.high), confidence_level, interval.method, interval.outside
        )

    def _value(self, share: float) -> float:
        return float((1 - share) * self.low + share * self.high)


def estimate_stated_mean(
    counts: Counts, design: Design, low: float | Fraction, high: float | Fraction
) -> StatedMeanEstimate:
    """Estimate the mean of a number among those who would say it, from one randomized code a respondent.

    People who would say the number x round it to `high` with probability (x − low)/(high − low), else to `low`; the
    others' truth is a third code. With π the prevalences of the codes, the mean is low + (high − low)·π₁/(π₀ + π₁):
    a ratio, whose likelihood-ratio interval holds the values that no test rejects, as in Fieller's argument.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        A design for three answers: the lower value, the higher one, and not saying.
    low, high : float
        The smallest and the largest number possible, from −1e100 to 1e100.

    Returns
    -------
    StatedMeanEstimate
        With `point`, `standard_error` and `interval`, in the numbers' units.

    Raises
    ------
    ValueError
        If low and high are not such numbers and in order, the design is not for three answers, or the counts are wrong.

    References
    ----------
    Ding, Kulkarni & Yekhanin (2017), Collecting telemetry data privately.
    Fieller (1954), Some problems in interval estimation.

    Examples
    --------
    >>> from surveys.estimation import estimate_stated_mean
    >>> from surveys.privacy import k_ary
    >>> round(estimate_stated_mean([80, 70, 50], k_ary(3), 0, 24).point, 2)
    10.56
    """
    least, most = require_ordered(low, high)
    _require_three(design)
    prevalence = estimate_prevalence(counts, design)
    return StatedMeanEstimate(prevalence, share_within(prevalence, 1, (0, 1)), least, most)


def stated_mean_deviation(design: Design, *, mean: float = 0.5, unsaid: float = 0.1) -> float:
    """Return the standard deviation of one response's contribution to the share that the mean is made of.

    By the delta method the estimate of r = π₁/(π₀ + π₁) varies as that of Σ_i g_i·π_i, g = (−r, 1 − r, 0)/(π₀ + π₁).
    At the truth that is 0, so the deviation is √(Σ_j λ_j(gL)_j²), with λ the probabilities of the reports and L the
    design's left inverse.

    Parameters
    ----------
    design : Design
        A design for three answers: the lower value, the higher one, and not saying.
    mean : float
        Where the mean lies between the two values, from 0 to 1.
    unsaid : float
        The share of those who prefer not to say, from 0 to below 1.
    """
    _require_three(design)
    if not (0 <= mean <= 1 and 0 <= unsaid < 1):
        raise ValueError(f"mean must be from 0 to 1 and unsaid from 0 to below 1, got {mean!r} and {unsaid!r}")
    stated = 1 - unsaid
    reports = np.array(design.matrix, dtype=np.float64) @ [stated * (1 - mean), stated * mean, unsaid]
    gradient = np.array([-mean, 1 - mean, 0.0]) / stated
    contributions = gradient @ np.array(design.left_inverse, dtype=np.float64)
    return math.sqrt(float(reports @ contributions**2))


def _require_three(design: Design) -> None:
    if require_design(design).k != 3:
        raise ValueError(f"design must be for three answers, two values and not saying, it is for {design.k}")
