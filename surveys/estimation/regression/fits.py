"""What the maximum likelihood fits of this package have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.moments import delta_error
from surveys.estimation.regression.covariance import (
    Information,
    Limits,
    covariance_of,
    standard_errors_of,
    wald_interval,
)
from surveys.estimation.regression.testing import Heights, LikelihoodRatioTest, column_numbers, likelihood_ratio
from surveys.estimation.validation import Floats

LEAST = 1e-300
"""No share is nearer to 0 or 1 where something is divided by its distance."""


class WaldFit:
    """A fit with standard errors from the information at its maximum."""

    __slots__ = ()

    coefficients: Floats
    information: Information

    @property
    def estimates(self) -> Floats:
        """What the covariance is about, one row each: the coefficients, unless a fit says otherwise."""
        return self.coefficients

    def covariance(self, kind: str = "observed") -> Floats:
        """Return the estimates' estimated covariance; NaN where it does not exist.

        Parameters
        ----------
        kind : str
            Which information is inverted: ``"observed"``, ``"expected"`` or ``"opg"`` (the outer products of the
            scores); or ``"sandwich"``: observed⁻¹·opg·observed⁻¹, which stays right under a wrong model (HC0).
        """
        return covariance_of(self.information, kind)

    def standard_errors(self, kind: str = "observed") -> Floats:
        """Return the estimates' standard errors by the covariance of this kind."""
        return standard_errors_of(self.covariance(kind))

    def interval(self, confidence_level: float = 0.95, kind: str = "observed") -> Limits:
        """Return Wald's intervals, estimate ± z standard errors of this kind."""
        return wald_interval(self.estimates, self.covariance(kind), confidence_level)


class BoundedFit(WaldFit, ABC):
    """A fit whose likelihood may be higher at infinity than at its highest finite maximum."""

    __slots__ = ()

    log_likelihood: float
    log_likelihood_bound: float
    converged: bool
    separated: bool

    @property
    def higher_at_infinity(self) -> bool:
        """Whether a fit that takes true answers for certainties is likelier than the coefficients."""
        return self.log_likelihood_bound > self.log_likelihood

    @property
    def heights(self) -> Heights:
        """What a likelihood-ratio test compares."""
        return Heights(self.log_likelihood if self.converged else np.nan, self.log_likelihood_bound)

    def likelihood_ratio_test(self, columns: SupportsIndex | Sequence[SupportsIndex]) -> LikelihoodRatioTest:
        """Test whether the coefficients of one or several columns of X are all 0, by fitting without them.

        Finite maxima are compared, or the least upper bounds if one of the two fits has no finite maximum.
        """
        numbers = column_numbers(columns, self.coefficients.size)
        return likelihood_ratio(self.heights, self._heights_without(numbers), len(numbers))

    @abstractmethod
    def _heights_without(self, columns: list[int]) -> Heights:
        """Return how high the log-likelihood is without these columns."""


class StandardizedFit(BoundedFit):
    """A fit whose coefficients give a prevalence among people with known predictors, too."""

    __slots__ = ()

    @property
    @abstractmethod
    def people(self) -> tuple[Floats, Floats]:
        """The rows that count: their predictors, and how often each counts."""

    @property
    def prevalence(self) -> float:
        """The mean probability over all rows that count."""
        rates, shares = self._rates()
        return float(shares @ rates)

    def prevalence_error(self, kind: str = "observed") -> float:
        """Return the standard error of the prevalence among people with these predictors (delta method)."""
        rates, shares = self._rates()
        gradient = (shares * rates * (1 - rates)) @ self.people[0]
        p = gradient.size
        return delta_error(gradient, self.covariance(kind)[:p, :p])

    def prevalence_interval(self, confidence_level: float = 0.95, kind: str = "observed") -> ScalarInterval:
        """Return Wald's interval for the prevalence's log odds, as shares; NaN where there is no standard error."""
        share = self.prevalence
        half = normal_quantile(confidence_level) * self.prevalence_error(kind) / max(share * (1 - share), LEAST)
        middle = float(scipy.special.logit(share))
        low, high = (float(scipy.special.expit(middle + side * half)) for side in (-1, 1))
        return ScalarInterval(low, high, confidence_level, "wald")

    def _rates(self) -> tuple[Floats, Floats]:
        """Return each row's probability, and the part of the people that it is."""
        x, weights = self.people
        return scipy.special.expit(x @ self.coefficients), weights / weights.sum()
