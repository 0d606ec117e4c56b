"""Likelihood-ratio tests and the intervals they invert to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.validation import Floats

FARTHEST = 2.0**12
"""A limit farther than this many standard errors from the estimate is infinite."""


@dataclass(frozen=True, slots=True)
class LikelihoodRatioTest:
    """Twice the gain in log-likelihood that some coefficients bring, against chi-squared.

    Attributes
    ----------
    statistic : float
        Twice the difference of the log-likelihoods.
    degrees_of_freedom : int
        How many coefficients are tested.
    p_value : float
        Pr(chi-squared ≥ statistic), right for large samples.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float


def likelihood_ratio(full: float, nested: float, degrees_of_freedom: int) -> LikelihoodRatioTest:
    """Compare the log-likelihoods of a model and of one nested in it."""
    statistic = max(0.0, 2 * (full - nested))
    return LikelihoodRatioTest(statistic, degrees_of_freedom, chi_square_p_value(statistic, degrees_of_freedom))


def column_numbers(columns: int | Sequence[int], p: int) -> list[int]:
    """Return one or several different columns of p as a list."""
    numbers = [columns] if isinstance(columns, int) else list(columns)
    if not numbers or len(set(numbers)) != len(numbers) or not all(column in range(p) for column in numbers):
        raise ValueError(f"columns must be different numbers from 0 to {p - 1}, got {columns!r}")
    return numbers


def profile_limit(drop: Callable[[float], float], point: float, stride: float, allowed: float) -> float:
    """Return where, walking from the estimate, the profile log-likelihood has dropped by what is allowed.

    Parameters
    ----------
    drop : callable
        How far the highest log-likelihood under a value of the coefficient is below the maximum.
    point : float
        The estimate.
    stride : float
        A standard error, with the sign of the side.
    allowed : float
        The drop at the limit; infinity is returned if it is never reached.
    """
    reach = 1.0
    while drop(point + reach * stride) < allowed:
        reach *= 2
        if reach > FARTHEST:
            return float(np.copysign(np.inf, stride))
    root = scipy.optimize.brentq(lambda at: drop(point + at * stride) - allowed, 0.0, reach)
    return point + float(root) * stride


def split(x: Floats, columns: list[int]) -> tuple[Floats, Floats]:
    """Return the other columns of X, and these."""
    return np.delete(x, columns, axis=1), x[:, columns]
