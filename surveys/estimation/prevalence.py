"""The prevalences of the true answers, estimated from the counts of the reports.

References
----------
Chaudhuri & Mukerjee (1988), Randomized Response: Theory and Techniques.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import require_affine_map
from surveys.estimation.diagnostics import Misfit, misfit_of
from surveys.estimation.intervals import Interval, binomial_limits, cut_interval
from surveys.estimation.likelihood import most_likely
from surveys.estimation.validation import Counts, Floats, read_only, report_counts
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class PrevalenceEstimate:
    """Estimated prevalences of the k true answers of one question.

    Attributes
    ----------
    counts : array of m integers
        What was observed.
    design : Design
        The design it was observed through.
    point : array of k floats
        The moment estimate: unbiased, sums to 1, and may leave [0, 1].
    covariance : array of k × k floats
        Its estimated covariance, NaN for a single response.
    constrained : array of k floats
        The maximum likelihood estimate among distributions.
    """

    counts: npt.NDArray[np.int64]
    design: Design
    point: Floats
    covariance: Floats
    constrained: Floats

    @property
    def n(self) -> int:
        """The number of responses."""
        return int(self.counts.sum())

    @property
    def observed(self) -> Floats:
        """The observed proportions of the reports, chance included."""
        return self.counts / self.n

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the moment estimate."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def misfit(self) -> Misfit:
        """The test whether any prevalences at all could have led to these counts."""
        return misfit_of(self.counts, self.design)

    def interval(self, confidence_level: float = 0.95, method: str = "wilson") -> Interval:
        """Return a confidence interval for each option's prevalence, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float
            Of each option's interval by itself.
        method : str
            ``"wilson"``, ``"clopper_pearson"`` or ``"wald"``.

        Raises
        ------
        ValueError
            If the design does not tie each report's probability to one prevalence.
        """
        line = require_affine_map(self.design)
        limits = binomial_limits(self.counts, self.n, confidence_level, method)
        return cut_interval(*line.to_prevalence(*limits), confidence_level, method)


def estimate_prevalence(counts: Counts, design: Design) -> PrevalenceEstimate:
    """Estimate how frequent each true answer is.

    With λ̂ the observed proportions, the moment estimate is π̂ = P⁻¹λ̂ and its covariance
    P⁻¹(diag λ̂ − λ̂λ̂ᵀ)P⁻ᵀ/(n−1), which is unbiased.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        The design, the same for all of these reports.

    Raises
    ------
    ValueError
        If the counts are not m integers of at least 0 with a positive sum, or the design matrix has no inverse.
    """
    observed = report_counts(counts, design.m)
    n = int(observed.sum())
    shares = observed / n
    inverse = np.array(design.inverse, dtype=np.float64)
    point = inverse @ shares
    covariance = moment_covariance(inverse, shares, n)
    constrained = most_likely(shares, design, point)
    return PrevalenceEstimate(observed, design, read_only(point), read_only(covariance), read_only(constrained))


def moment_covariance(inverse: Floats, shares: Floats, n: int) -> Floats:
    """Return the unbiased estimate of the covariance of the moment estimate; NaN for a single response."""
    if n == 1:
        return np.full(inverse.shape, np.nan)
    multinomial = np.diag(shares) - np.outer(shares, shares)
    covariance: Floats = inverse @ multinomial @ inverse.T / (n - 1)
    return covariance
