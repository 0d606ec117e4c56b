"""The odds ratio of the true answers of two two-answer questions.

References
----------
Agresti (2013), Categorical Data Analysis, section 2.2.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.limits import limit_towards
from surveys.estimation.moments import delta_error
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.segment import along, best_position, log_likelihood
from surveys.estimation.validation import Floats

FAR = 30.0
"""An odds ratio whose logarithm is this far from 0 is called 0, or infinite."""

_LARGEST_EXPONENT = 700.0
_STEP = 1.5
_POSITIONS = np.arange(-1.5 * FAR, 1.5 * FAR + _STEP, _STEP)


@dataclass(frozen=True, slots=True, eq=False)
class OddsRatio:
    """The odds of a Yes to B among those whose truth is Yes to A, divided by the odds among the others.

    Attributes
    ----------
    cells : PrevalenceEstimate
        The joint distribution in the order No/No, No/Yes, Yes/No, Yes/Yes.
    point : float
        From the maximum likelihood estimate; 0 or infinite where that leaves one diagonal empty, NaN where it leaves an
        answer to nobody, so that there is nothing to compare.
    log_standard_error : float
        Of its logarithm, by the delta method; NaN where a moment estimate is not above 0.
    """

    cells: PrevalenceEstimate
    point: float
    log_standard_error: float

    def interval(self, confidence_level: float = 0.95, method: str = "likelihood_ratio") -> ScalarInterval:
        """Return a confidence interval, whose limits may be 0 and infinite.

        Parameters
        ----------
        confidence_level : float, optional
            Of the interval.
        method : str, optional
            ``"likelihood_ratio"``: the odds ratios that a likelihood-ratio test does not reject; ``"wald"``: symmetric
            on the logarithmic scale, NaN where the standard error is.
        """
        if method == "likelihood_ratio":
            low, high = odds_ratio_limits(self.cells, self.point, confidence_level)
        elif method == "wald":
            half = normal_quantile(confidence_level) * self.log_standard_error
            factor = math.exp(min(half, _LARGEST_EXPONENT))
            low, high = self.point / factor, self.point * factor
        else:
            raise ValueError(f"method must be likelihood_ratio or wald, got {method!r}")
        return ScalarInterval(low, high, confidence_level, method)


def estimate_odds_ratio(cells: PrevalenceEstimate) -> OddsRatio:
    """Estimate the odds ratio from the joint distribution of two two-answer questions."""
    neither, only_b, only_a, both = cells.constrained.tolist()
    agreeing, differing = neither * both, only_b * only_a
    point = math.nan
    if max(agreeing, differing) > 0:
        point = agreeing / differing if differing > 0 else math.inf
    error = math.nan
    if cells.point.min() > 0:
        error = delta_error(np.array([1.0, -1.0, -1.0, 1.0]) / cells.point, cells.covariance)
    return OddsRatio(cells, point, error)


def odds_ratio_limits(cells: PrevalenceEstimate, point: float, confidence_level: float) -> tuple[float, float]:
    """Return the smallest and the largest odds ratio that a likelihood-ratio test does not reject.

    The joint distributions whose likelihood is high enough are a convex set, on which the odds ratio takes all values
    of an interval: between the two limits none is rejected.
    """
    if math.isnan(point):
        return 0.0, math.inf  # with an answer of nobody every odds ratio is as likely
    counts, columns = cells.counts.tolist(), np.array(cells.design.matrix, dtype=np.float64).T
    enough = log_likelihood(counts, (cells.constrained @ columns).tolist()) - normal_quantile(confidence_level) ** 2 / 2
    estimate = math.log(min(max(point, math.exp(-FAR)), math.exp(FAR)))

    def spare(log_ratio: float) -> float:
        return profile(counts, columns, log_ratio) - enough

    low, high = limit_towards(-FAR, estimate, spare), limit_towards(FAR, estimate, spare)
    return math.exp(low) if low > -FAR else 0.0, math.exp(high) if high < FAR else math.inf


def profile(counts: list[int], columns: Floats, log_ratio: float) -> float:
    """Return the largest log-likelihood of all joint distributions with this odds ratio.

    The logits of Pr(B | A) and Pr(B | not A) then lie log_ratio apart. Where their middle is given, the share of A is
    best along a straight line; the best middle is searched on a coarse grid, then exactly.
    """

    def lacking(middle: float) -> float:
        start, end = (
            scipy.special.expit(-logit) * columns[2 * a] + scipy.special.expit(logit) * columns[2 * a + 1]
            for a, logit in enumerate((middle - log_ratio / 2, middle + log_ratio / 2))
        )
        ends = start.tolist(), end.tolist()
        return -log_likelihood(counts, along(*ends, best_position(counts, *ends)))

    values = [lacking(middle) for middle in _POSITIONS]
    best = int(np.argmin(values))
    around = _POSITIONS[best] - _STEP, _POSITIONS[best] + _STEP
    return -min(values[best], float(scipy.optimize.minimize_scalar(lacking, bounds=around).fun))
