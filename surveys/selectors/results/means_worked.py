"""The numbers that a mean is made of: each true answer's value and its estimated share."""

from dataclasses import dataclass
from itertools import pairwise

from surveys.estimation import (
    PrevalenceEstimate,
    estimate_distribution,
    estimate_mean,
    estimate_scale,
    estimate_stated_distribution,
    estimate_stated_mean,
)
from surveys.models.definition import AskedQuestion, Item
from surveys.models.kinds import LeaveOut
from surveys.selectors.results.estimated import known_or_none


@dataclass(frozen=True, slots=True)
class MeanWorked:
    """Σ value·share, divided by Σ share where “prefer not to say” is one more answer."""

    values: tuple[float, ...]
    shares: tuple[float, ...]  # moment estimates, in the same order
    stated: bool  # of those who say
    point: float | None  # None: no more than nobody would say
    standard_error: float | None


def mean_worked(question: AskedQuestion, item: Item, estimate: PrevalenceEstimate) -> MeanWorked | None:
    """Return what a mean is made of; None for a question that has none."""
    counts, design, stated = estimate.counts, item.design, item.leave_out == LeaveOut.PROTECTED
    if item.range is not None:
        ends = float(item.range.low), float(item.range.high)
        number = (estimate_stated_mean if stated else estimate_mean)(counts, design, *ends)
        return _worked(ends, estimate, stated=stated, point=number.point, error=number.standard_error)
    if question.edges:
        edges = [float(edge) for edge in question.edges]
        bands = (estimate_stated_distribution if stated else estimate_distribution)(counts, design, edges)
        middles = tuple((low + high) / 2 for low, high in pairwise(edges))
        return _worked(middles, estimate, stated=stated, point=bands.mean, error=bands.mean_standard_error)
    if question.values:
        points = design.k - stated
        mean = estimate_scale(counts, design, points).mean
        values = tuple(float(point) for point in range(1, points + 1))
        return _worked(values, estimate, stated=stated, point=mean.point, error=mean.standard_error)
    return None


def _worked(
    values: tuple[float, ...], estimate: PrevalenceEstimate, *, stated: bool, point: float, error: float
) -> MeanWorked:
    shares = tuple(estimate.point[: len(values)].tolist())
    return MeanWorked(values, shares, stated, known_or_none(point), known_or_none(error))
