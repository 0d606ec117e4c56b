"""The correlation φ of the true answers of two two-answer questions.

References
----------
Agresti (2013), Categorical Data Analysis, chapters 2 and 16.
"""

import math
from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.moments import delta_error
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.validation import Floats

_NOBODY = 1e-12
"""A variance so small is that of an answer which nobody gives, but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationEstimate:
    """The correlation φ of two two-answer questions' true answers.

    Attributes
    ----------
    point : float
        From the maximum likelihood estimate; NaN where one answer is nobody's.
    standard_error : float
        By the delta method; NaN where the moment estimate is no distribution, or one that leaves an answer to nobody,
        and for a single response.
    """

    point: float
    standard_error: float

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the interval that is symmetric for artanh φ (Fisher's z); NaN where the standard error is."""
        z, low, high = normal_quantile(confidence_level), math.nan, math.nan
        if abs(self.point) < 1:
            middle, half = math.atanh(self.point), z * self.standard_error / (1 - self.point**2)
            low, high = math.tanh(middle - half), math.tanh(middle + half)
        return ScalarInterval(low, high, confidence_level, "fisher")


def estimate_correlation(cells: PrevalenceEstimate) -> CorrelationEstimate:
    """Estimate the correlation from the joint distribution of two two-answer questions."""
    error = math.nan
    if cells.point.min() >= 0 and not math.isnan(correlation(cells.point)):
        error = delta_error(correlation_gradient(cells.point), cells.covariance)
    return CorrelationEstimate(correlation(cells.constrained), error)


def correlation(cells: Floats) -> float:
    """Return the correlation φ of two two-answer questions' true answers, NaN where one answer is nobody's.

    Parameters
    ----------
    cells : array of 4 floats
        The joint distribution in the order No/No, No/Yes, Yes/No, Yes/Yes.
    """
    a, b = cells[2] + cells[3], cells[1] + cells[3]
    variances = a * (1 - a), b * (1 - b)
    if not min(variances) > _NOBODY:
        return math.nan
    return float((cells[3] - a * b) / math.sqrt(variances[0] * variances[1]))


def correlation_gradient(cells: Floats) -> Floats:
    """Return the derivatives of φ by the four cells, where it is defined.

    With a and b the shares of Yes, c = π₁₁ − ab and s = √(a(1−a)b(1−b)) the derivative of φ = c/s by a is
    −b/s − φ(1−2a)/(2a(1−a)), and by b alike.
    """
    a, b = float(cells[2] + cells[3]), float(cells[1] + cells[3])
    scale, phi = math.sqrt(a * (1 - a) * b * (1 - b)), correlation(cells)
    by_a = -b / scale - phi * (1 - 2 * a) / (2 * a * (1 - a))
    by_b = -a / scale - phi * (1 - 2 * b) / (2 * b * (1 - b))
    return np.array([0.0, by_b, by_a, by_a + by_b + 1 / scale])
