"""What the maximum likelihood fits of this package have in common."""

import numpy as np

from surveys.estimation.regression.covariance import (
    Information,
    Limits,
    covariance_of,
    standard_errors_of,
    wald_interval,
)
from surveys.estimation.regression.testing import Heights
from surveys.estimation.validation import Floats


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


class BoundedFit(WaldFit):
    """A fit whose likelihood may be higher at infinity than at its highest finite maximum."""

    __slots__ = ()

    log_likelihood: float
    log_likelihood_bound: float
    converged: bool

    @property
    def higher_at_infinity(self) -> bool:
        """Whether a fit that takes truths for certainties is likelier than the coefficients."""
        return self.log_likelihood_bound > self.log_likelihood

    @property
    def heights(self) -> Heights:
        """What a likelihood-ratio test compares."""
        return Heights(self.log_likelihood if self.converged else np.nan, self.log_likelihood_bound)
