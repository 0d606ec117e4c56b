"""Four estimates of the covariance of maximum likelihood estimates, by name; packages differ in which they print.

And limits from variances, whatever the estimates are.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.regression.scoring import clearly_positive
from surveys.estimation.validation import Floats, read_only

KINDS = ("observed", "expected", "opg", "sandwich")


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """What the data tell about the parameters at the maximum.

    Attributes
    ----------
    observed, expected, opg : array of q × q floats
        The negative second derivatives, their expectation (None where it has no closed form or is too long a sum), and
        the sum of the outer products of the scores.
    to_coefficients : array of p × q floats
        The derivatives of the coefficients by the q parameters that these three are about.
    middle : array of q × q floats, optional
        The sandwich's, where it is not `opg`: the efficient scores' outer products if others were profiled out.
    """

    observed: Floats
    expected: Floats | None
    opg: Floats
    to_coefficients: Floats
    middle: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """Lower and upper limits, one entry a number; NaN where there is no standard error.

    Attributes
    ----------
    low, high : arrays of floats
        The limits.
    confidence_level : float
        Of each interval by itself.
    method : str
        What found them.
    """

    low: Floats
    high: Floats
    confidence_level: float
    method: str

    @property
    def undetermined(self) -> npt.NDArray[np.bool_]:
        """Which are the whole line: nothing is known of these numbers."""
        return read_only(np.isneginf(self.low) & np.isposinf(self.high))


def no_information(p: int) -> Information:
    """Return what is known where there is no maximum."""
    nothing = read_only(np.full((p, p), np.nan))
    return Information(nothing, nothing, nothing, nothing)


def covariance_of(information: Information, kind: str) -> Floats:
    """Return the estimated covariance of the coefficients; NaN where the information has no inverse."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if kind == "expected":
        if information.expected is None:
            raise ValueError(
                "kind must not be expected: this model's expected information has no closed form, or is too long a sum"
            )
        inner = inverse_or_nan(information.expected)
    elif kind == "opg":
        inner = inverse_or_nan(information.opg)
    else:
        inner = inverse_or_nan(information.observed)
    if kind == "sandwich":
        inner = inner @ (information.opg if information.middle is None else information.middle) @ inner
    return read_only(information.to_coefficients @ inner @ information.to_coefficients.T)


def standard_errors_of(covariance: Floats) -> Floats:
    """Return the square roots of the diagonal."""
    return read_only(np.sqrt(np.diagonal(covariance)))


def wald_interval(point: Floats, covariance: Floats, confidence_level: float) -> Limits:
    """Return point ± z standard errors."""
    half = normal_quantile(confidence_level) * standard_errors_of(covariance)
    return Limits(read_only(point - half), read_only(point + half), confidence_level, "wald")


def score_interval(
    point: Floats, variances: Floats, slope_covariances: Floats, slope_variances: Floats, confidence_level: float
) -> Limits:
    """Return all values that a score does not reject, of which the estimate itself is a ratio (Fieller).

    The score of a value c is point − c on average, and has the variance v − 2·s·(c − point) + w·(c − point)². So the
    values are those where a quadratic is at most 0; from minus infinity to infinity where they have no bound, and where
    there is no estimate.

    Parameters
    ----------
    point : array of floats
        The estimates, at which the scores are 0.
    variances, slope_covariances, slope_variances : arrays of floats
        v, s and w: of the score there, of it with its slope in the unit in which that is −1 on average, and of the
        slope.
    confidence_level : float
        Between 0 and 1.
    """
    z2 = normal_quantile(confidence_level) ** 2
    bends = 1 - z2 * slope_variances
    bounded = bends > 0
    middle = -z2 * slope_covariances
    half = np.sqrt(np.where(bounded, middle**2 + bends * z2 * variances, 0.0))
    low, high = (
        np.divide(middle + side * half, bends, out=np.full(bends.shape, side * np.inf), where=bounded)
        for side in (-1, 1)
    )
    centre = np.where(bounded, point, 0.0)
    return Limits(read_only(centre + low), read_only(centre + high), confidence_level, "score")


def inverse_or_nan(matrix: Floats) -> Floats:
    """Return the inverse of a positive definite matrix, NaN of any other."""
    if np.isfinite(matrix).all():
        eigenvalues, axes = np.linalg.eigh(matrix)
        if clearly_positive(eigenvalues).all():
            return np.asarray((axes / eigenvalues) @ axes.T)
    return np.full(matrix.shape, np.nan)
