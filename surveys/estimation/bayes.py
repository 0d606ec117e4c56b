"""What a survey of a yes/no question makes of a prior belief about the share of Yes.

References
----------
Winkler & Franklin (1979), Warner's randomized response model: a Bayesian approach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.beta import LARGEST, SMALLEST, BetaDistribution
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.quadrature import Integrand, Panels, panels_of
from surveys.estimation.segment import best_position
from surveys.estimation.validation import (
    Counts,
    Floats,
    as_float,
    as_list,
    level,
    report_counts,
    require_design,
    share_inside,
)
from surveys.estimation.validation import share as a_share
from surveys.privacy.designs.design import Design

_LARGEST_N = 10**14  # beyond it, floats are too coarse for a narrow peak beside an end


@dataclass(frozen=True, slots=True, eq=False)
class PrevalencePosterior:
    """The distribution of the share whose true answer is Yes, given the reports and a Beta prior.

    Attributes
    ----------
    counts : array of m integers
        What was observed.
    design : Design
        The design it was observed through.
    prior : tuple of 2 floats
        The parameters of the Beta prior; 1 and 1 is the uniform one.
    panels : Panels
        The density, cut into pieces on which it is easy to integrate.
    mean, standard_deviation : float
        Of the posterior distribution.
    """

    counts: npt.NDArray[np.int64]
    design: Design
    prior: tuple[float, float]
    panels: Panels
    mean: float
    standard_deviation: float

    @property
    def prior_distribution(self) -> BetaDistribution:
        """What was believed before."""
        return BetaDistribution(*self.prior)

    @property
    def median(self) -> float:
        """The share that the true one is as probably below as above."""
        return self.quantile(0.5)

    def density(self, grid: Sequence[float] | Floats) -> Floats:
        """Return the density at shares from 0 to 1; it may be infinite at an end, as the prior's is."""
        shares = np.array([a_share(value, "grid") for value in np.ravel(grid)]).reshape(np.shape(grid))
        return self.panels.curve.values(shares - self.panels.curve.mode) / self.panels.total

    def cdf(self, share: float) -> float:
        """Return the probability that the share of Yes is at most this one."""
        return self.panels.below(a_share(share, "share") - self.panels.curve.mode) / self.panels.total

    def quantile(self, probability: float) -> float:
        """Return the share that is not exceeded with this probability, strictly between 0 and 1."""
        return self.panels.curve.mode + self.panels.quantile(share_inside(probability, "probability"))

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the credible interval with the same probability beyond either limit."""
        tail = (1 - level(confidence_level)) / 2
        return ScalarInterval(self.quantile(tail), self.quantile(1 - tail), confidence_level, "credible")


def posterior_prevalence(counts: Counts, design: Design, prior: tuple[float, float] = (1, 1)) -> PrevalencePosterior:
    """Return the posterior distribution of the share of Yes, ∝ π^(a−1)·(1−π)^(b−1)·Π_j λ_j(π)^n_j.

    λ_j(π) = P[j,0] + (P[j,1] − P[j,0])π is the probability of report j. Under a uniform prior and two reports, the
    probability of a Yes report has a Beta distribution cut to what the design allows.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        A design for two true answers, with any number of reports.
    prior : pair of floats, optional
        a and b of the Beta prior, each from 0.01 to 1e9; Jeffreys' prior for a direct question is (0.5, 0.5).

    Returns
    -------
    PrevalencePosterior
        With `mean`, `median`, `density` and the credible `interval`.

    Raises
    ------
    ValueError
        If the design is not for two true answers, the counts are not m integers of at least 0 with a positive sum of
        at most 10^14, or the prior is out of range.

    Examples
    --------
    >>> from surveys.estimation import posterior_prevalence
    >>> from surveys.privacy import crosswise
    >>> posterior = posterior_prevalence([112, 198], crosswise("1/4"))
    >>> round(posterior.mean, 3)
    0.224
    >>> interval = posterior.interval()
    >>> [round(interval.low, 3), round(interval.high, 3)]
    [0.12, 0.332]
    """
    if require_design(design).k != 2:
        raise ValueError(f"design must be for two true answers, {design.name} is for {design.k}")
    observed = report_counts(counts, design.m)
    if observed.sum() > _LARGEST_N:
        raise ValueError(f"counts must sum to at most {_LARGEST_N}, got {counts!r}")
    parameters = _parameters(prior)
    panels = panels_of(_curve(observed, design, parameters))
    away = panels.moment(lambda t: t) / panels.total
    variance = panels.moment(lambda t: (t - away) ** 2) / panels.total
    return PrevalencePosterior(observed, design, parameters, panels, panels.curve.mode + away, float(np.sqrt(variance)))


def _curve(observed: npt.NDArray[np.int64], design: Design, prior: tuple[float, float]) -> Integrand:
    """Return the posterior density, its mode apart from what the prior adds at the ends."""
    # Whole powers of π and 1 − π are like so many more reports that prove an answer.
    powers = [max(0, round(parameter - 1)) for parameter in prior]
    counts = [*observed.tolist(), *powers]
    if_no = [*(float(row[0]) for row in design.matrix), 0.0, 1.0]
    if_yes = [*(float(row[1]) for row in design.matrix), 1.0, 0.0]
    seen = [(n, no, yes) for n, no, yes in zip(counts, if_no, if_yes, strict=True) if n]
    mode = best_position(counts, if_no, if_yes)
    return Integrand(
        mode=mode,
        powers=np.array([n for n, _, _ in seen], dtype=np.float64),
        slopes=np.array([(yes - no) / ((1 - mode) * no + mode * yes) for _, no, yes in seen]),
        at_0=prior[0] - 1 - powers[0],
        at_1=prior[1] - 1 - powers[1],
    )


def _parameters(prior: object) -> tuple[float, float]:
    """Return the two parameters of a Beta prior as floats."""
    parameters = [as_float(parameter) for parameter in as_list(prior) or ()]
    if len(parameters) != 2 or not all(SMALLEST <= parameter <= LARGEST for parameter in parameters):
        raise ValueError(f"prior must be two numbers from {SMALLEST} to {LARGEST:g}, got {prior!r}")
    return parameters[0], parameters[1]
