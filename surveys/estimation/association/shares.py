"""The share of one pair of truths among several pairs, such as a cell's share of its row or column."""

import math
from dataclasses import dataclass

import numpy as np

from surveys.estimation.association.delta import delta_error
from surveys.estimation.intervals import ScalarInterval, normal_quantile
from surveys.estimation.intervals.profile import Profile
from surveys.estimation.limits import limit_towards
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.validation import Floats

_NOBODY = 1e-12
"""A share of so few is one of nobody, but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class ShareEstimate:
    """The share of one cell among some cells of a joint distribution.

    Attributes
    ----------
    cells : PrevalenceEstimate
        All cells.
    cell : int
        The one whose share is wanted.
    among : tuple of int
        Those it is a share of, itself among them; the other cells have no part in it.
    point : float
        From the moment estimate; it may leave [0, 1], and is NaN where it would be a share of nobody or of fewer.
    standard_error : float
        By the delta method, which is exact for a share of all cells; NaN for a single response.
    constrained : float
        From the maximum likelihood estimate of all cells; NaN where it is a share of nobody.
    """

    cells: PrevalenceEstimate
    cell: int
    among: tuple[int, ...]
    point: float
    standard_error: float
    constrained: float

    def interval(self, confidence_level: float = 0.95, method: str = "likelihood_ratio") -> ScalarInterval:
        """Return a confidence interval for the share, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of this interval by itself.
        method : str, optional
            ``"likelihood_ratio"``: the shares that a likelihood-ratio test does not reject; ``"wald"`` for comparison.
        """
        if method == "likelihood_ratio":
            return ScalarInterval(*likelihood_limits(self, confidence_level), confidence_level, method)
        if method != "wald":
            raise ValueError(f"method must be likelihood_ratio or wald, got {method!r}")
        half = normal_quantile(confidence_level) * self.standard_error
        low, high = self.point - half, self.point + half
        outside = high < 0 or low > 1
        low, high = np.clip([low, high], 0.0, 1.0).tolist()
        return ScalarInterval(low, high, confidence_level, method, outside)


def share_within(cells: PrevalenceEstimate, cell: int, among: tuple[int, ...]) -> ShareEstimate:
    """Estimate the share of one cell among some."""
    part, whole = indicators(cells, cell, among)
    total = float(whole @ cells.point)
    point = error = math.nan
    if total > _NOBODY:
        point = float(cells.point[cell]) / total
        gradient = (part - point * whole) / total
        error = delta_error(gradient, cells.covariance)
    likely = float(whole @ cells.constrained)
    constrained = float(cells.constrained[cell]) / likely if likely > _NOBODY else math.nan
    return ShareEstimate(cells, cell, among, point, error, constrained)


def likelihood_limits(estimate: ShareEstimate, confidence_level: float) -> tuple[float, float]:
    """Return the smallest and the largest share that a likelihood-ratio test does not reject.

    The distributions whose likelihood is high enough are a convex set, on which a share takes all values of an
    interval: between the two limits none is rejected.
    """
    cells = estimate.cells
    seen = cells.counts > 0
    reported = np.array(cells.design.matrix, dtype=np.float64) @ cells.constrained
    drop = normal_quantile(confidence_level) ** 2 / (2 * cells.n)
    enough = float(cells.observed[seen] @ np.log(reported[seen])) - drop
    if math.isnan(estimate.constrained):
        return 0.0, 1.0  # a share of nobody can be anything

    def spare(share: float) -> float:
        return cells.n * (profile(estimate, share) - enough)

    return limit_towards(0.0, estimate.constrained, spare), limit_towards(1.0, estimate.constrained, spare)


def profile(estimate: ShareEstimate, share: float) -> float:
    """Return the largest mean log-likelihood of all distributions in which the cell has this share.

    π_cell = share·Σπ_among is a straight line's zero: π_cell − share·Σπ_among = 0.
    """
    cells = estimate.cells
    part, whole = indicators(cells, estimate.cell, estimate.among)
    matrix = np.array(cells.design.matrix, dtype=np.float64)
    return Profile(cells.observed, cells.n, matrix, part - share * whole).at(0.0)[0]


def indicators(cells: PrevalenceEstimate, cell: int, among: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return two arrays that are 1 at the cell, and at those it is a share of, and 0 elsewhere."""
    part, whole = np.zeros(cells.design.k), np.zeros(cells.design.k)
    part[cell], whole[list(among)] = 1.0, 1.0
    return part, whole
