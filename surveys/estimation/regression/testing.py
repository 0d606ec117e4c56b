"""Likelihood-ratio tests and the intervals they invert to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np

from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.validation import Floats
from surveys.privacy.rationals import whole_number

ROUNDING = 1e-9
"""A statistic below 0 by a smaller share of the log-likelihood is 0 but for rounding."""


@dataclass(frozen=True, slots=True)
class LikelihoodRatioTest:
    """Twice the gain in log-likelihood that some parameters bring, against chi-squared.

    Attributes
    ----------
    statistic : float
        Twice the difference of the log-likelihoods.
    degrees_of_freedom : int
        How many parameters are tested.
    p_value : float
        Pr(chi-squared ≥ statistic), right for large samples, unless what tests says otherwise.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float


@dataclass(frozen=True, slots=True)
class Heights:
    """How high a log-likelihood is: its highest finite maximum, NaN if there is none, and its least upper bound."""

    maximum: float
    bound: float


def likelihood_ratio(full: Heights, nested: Heights, degrees_of_freedom: int) -> LikelihoodRatioTest:
    """Compare the log-likelihoods of a model and of one nested in it.

    A finite maximum is compared with a finite maximum. Where one of them is missing, or the way up from the nested one
    leads to infinity and not to the other, the least upper bounds are compared.
    """
    statistic = 2 * (full.maximum - nested.maximum)
    if not statistic >= -ROUNDING * abs(full.maximum):
        statistic = 2 * (full.bound - nested.bound)
    return ratio_test(statistic, degrees_of_freedom)


def ratio_test(statistic: float, degrees_of_freedom: int) -> LikelihoodRatioTest:
    """Return the test by twice a difference of log-likelihoods, which is below 0 by rounding only."""
    statistic = max(0.0, statistic)
    return LikelihoodRatioTest(statistic, degrees_of_freedom, chi_square_p_value(statistic, degrees_of_freedom))


def column_numbers(columns: SupportsIndex | Sequence[SupportsIndex], p: int) -> list[int]:
    """Return one or several different columns of p as a list."""
    given = np.atleast_1d(np.asarray(columns, dtype=object))
    numbers = [whole_number(column, "columns", largest=p - 1) for column in given]
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(f"columns must be different integers from 0 to {p - 1}, got {columns!r}")
    return numbers


def split(x: Floats, columns: list[int]) -> tuple[Floats, Floats]:
    """Return the other columns of X, and these."""
    return np.delete(x, columns, axis=1), x[:, columns]
