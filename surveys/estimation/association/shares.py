"""The share of one pair of true answers among several pairs, such as a cell's share of its row or column."""

from dataclasses import dataclass

from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.prevalence import PrevalenceEstimate


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
        if method not in ("likelihood_ratio", "wald"):
            raise ValueError(f"method must be likelihood_ratio or wald, got {method!r}")
        return _as_mean(self.cells, self.cell, self.among).interval(confidence_level, method)


def share_within(cells: PrevalenceEstimate, cell: int, among: tuple[int, ...]) -> ShareEstimate:
    """Estimate the share of one cell among some."""
    mean = _as_mean(cells, cell, among)
    return ShareEstimate(cells, cell, among, mean.point, mean.standard_error, mean.constrained)


def _as_mean(cells: PrevalenceEstimate, cell: int, among: tuple[int, ...]) -> MeanWithin:
    return mean_within(cells, [float(other == cell) for other in among], among)
