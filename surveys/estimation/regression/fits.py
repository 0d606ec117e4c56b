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
from surveys.estimation.regression.penalized import Penalized
from surveys.estimation.regression.scoring import Ground
from surveys.estimation.regression.testing import Heights, LikelihoodRatioTest, column_numbers, likelihood_ratio
from surveys.estimation.validation import Floats
from surveys.privacy.rationals import whole_number

LEAST = 1e-300
"""No share is nearer to 0 or 1 where something is divided by its distance."""
LARGEST_ERROR = float(np.log(1000))
"""A maximum with a larger standard error of linear predictors is useless: odds may be a thousand times as large."""


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
    penalized: Penalized[Ground] | None = None  # of what has no penalized fit

    @property
    def usable(self) -> bool:
        """Whether the coefficients are a maximum that can be used; if not, fit with ``penalized=True``.

        A maximum can be finite by luck only: where some direction's standard error, in linear predictors with a mean
        square of 1, is above log 1000, the likelihood all but levels off towards infinity.
        """
        if not self.converged or self.penalized is not None:
            return self.converged
        return bool(np.linalg.eigvalsh(self.information.observed)[0] * LARGEST_ERROR**2 > 1)

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

        Finite maxima are compared, or the least upper bounds if one of the two fits has no finite maximum. Penalized
        likelihoods are compared under the same penalty.
        """
        numbers = column_numbers(columns, self.coefficients.size)
        if self.penalized is not None:
            return self.penalized.likelihood_ratio_test(numbers)
        return likelihood_ratio(self.heights, self._heights_without(numbers), len(numbers))

    def penalized_interval(
        self, column: SupportsIndex, confidence_level: float = 0.95, farthest: float = np.inf
    ) -> ScalarInterval:
        """Return the outermost values of one coefficient that the test of the penalized likelihood does not reject.

        A limit is infinite where it lies beyond `farthest`. Both are NaN if this coefficient cannot be estimated.
        """
        number = whole_number(column, "column", largest=self.coefficients.size - 1)
        if self.penalized is None:
            raise ValueError("the fit must be penalized: fit with penalized=True")
        if np.isnan(self.coefficients[number]):
            return ScalarInterval(np.nan, np.nan, confidence_level, "penalized_profile")
        return self.penalized.interval(number, confidence_level, farthest)

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
