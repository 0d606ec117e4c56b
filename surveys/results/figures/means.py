"""Means of numbers, of scales and of numbers in bands, shares at the top of a scale, and quantiles."""

from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation.claims import FigureOptions, NumberEstimate, estimate_number, known_or_none, with_interval
from surveys.estimation.grid_mean import METHODS as GRID_METHODS
from surveys.estimation.grid_mean import GridMeanEstimate, estimate_grid_mean
from surveys.estimation.numbers import (
    MEAN_METHODS,
    DistributionEstimate,
    MeanEstimate,
    estimate_distribution,
    estimate_mean,
)
from surveys.estimation.scales import estimate_scale
from surveys.estimation.stated_distribution import StatedDistributionEstimate, estimate_stated_distribution
from surveys.estimation.stated_mean import StatedMeanEstimate, estimate_stated_mean
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.kinds import LeaveOut, Range

# The mean of a number, from reports of the end it was rounded to at random.


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanResult(NumberEstimate):
    """The mean in the numbers' units, with its interval."""

    range: Range
    among_those_who_say: bool  # “prefer not to say” was an answer, so the mean is that of the others
    observed: float | None  # what the reports would average to if numbers had only been rounded, where they can be ends


def mean_result(item: Item, counts: npt.NDArray[np.int64], wanted: FigureOptions) -> MeanResult:
    """Return the mean of an item that asks for a number; of those who say it, where not saying is an answer."""
    limits = item.range
    if limits is None:
        raise ValueError(f"item {item.key} asks for no number")
    stated = item.leave_out == LeaveOut.PROTECTED
    estimate: MeanEstimate | StatedMeanEstimate | GridMeanEstimate
    if grid := item.grid:
        estimate = estimate_grid_mean(counts, grid)
        interval = estimate.interval(wanted.confidence_level, wanted.one_of(GRID_METHODS))
    elif stated:
        estimate = estimate_stated_mean(counts, item.design, limits.low, limits.high)
        # A share of some has no binomial interval.
        interval = estimate.interval(wanted.confidence_level, wanted.one_of(estimate.share.interval_methods))
    else:
        estimate = estimate_mean(counts, item.design, limits.low, limits.high)
        interval = estimate.interval(wanted.confidence_level, wanted.one_of(estimate.prevalence.interval_methods))
    mean = with_interval(
        estimate.point,
        estimate.constrained,
        estimate.standard_error,
        interval,
        (float(limits.low), float(limits.high)),
    )
    return MeanResult(
        **asdict(mean),
        range=limits,
        among_those_who_say=stated,
        # The mean of values that undo the randomization, or of unprotected numbers, is the estimate itself.
        observed=_observed(limits, counts) if item.protects and not item.grid else None,
    )


def _observed(limits: Range, counts: npt.NDArray[np.int64]) -> float | None:
    numbers = int(counts[0] + counts[1])
    share = int(counts[1]) / numbers if numbers else None
    return None if share is None else float(limits.low) + share * float(limits.high - limits.low)


# A scale: its mean, and the shares at its top.


@dataclass(frozen=True, slots=True)
class TopShare:
    """The share of those at so many points at the top."""

    boxes: int
    share: NumberEstimate


@dataclass(frozen=True, slots=True)
class ScaleResult:
    """What is said of a scale besides its distribution, among those who say where they stand."""

    points: int
    ends: tuple[str, str]  # what the first and the last point are called
    among_those_who_say: bool
    mean: NumberEstimate  # with the points 1, 2, … taken as numbers the same distance apart
    tops: tuple[TopShare, ...]


def scale_result(item: Item, counts: npt.NDArray[np.int64], wanted: FigureOptions) -> ScaleResult:
    """Return the mean of a scale and the shares of its top point and of its top two."""
    points = item.design.k - (item.leave_out == LeaveOut.PROTECTED)
    scale = estimate_scale(counts, item.design, points)
    return ScaleResult(
        points=points,
        ends=(item.labels[0], item.labels[points - 1]),
        among_those_who_say=scale.stated,
        mean=estimate_number(scale.mean, wanted),
        tops=tuple(TopShare(boxes, estimate_number(scale.top(boxes), wanted)) for boxes in (1, 2) if boxes < points),
    )


# A number asked in bands: its mean, its distribution function and its quantiles.


QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class QuantileEstimate:
    """The number that this share of the numbers is below, and the edges that it is between."""

    probability: float
    value: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Below:
    """The share of the numbers below an edge."""

    edge: Fraction
    share: float | None
    low: float
    high: float
    outside: bool


@dataclass(frozen=True, slots=True)
class BandsResult:
    """What is said of a number in bands besides the bands' shares, among those who say it."""

    edges: tuple[Fraction, ...]
    unit: str
    among_those_who_say: bool
    # If each number were in the middle of its band; the interval goes from the lower limit with all at the lower ends
    # of their bands to the upper limit with all at the upper ends.
    mean: NumberEstimate
    mean_bounds: tuple[float, float] | None  # the means that the shares allow, wherever in the bands the numbers are
    quantiles: tuple[QuantileEstimate, ...]
    quantile_method: str
    below: tuple[Below, ...] = ()  # one an inner edge; empty where it was not asked for
    simultaneous: bool = False  # whether the intervals of `below` hold all at once


def bands_result(
    question: AskedQuestion, counts: npt.NDArray[np.int64], wanted: FigureOptions, *, in_full: bool
) -> BandsResult:
    """Return the mean and the quartiles, and in full the share below each inner edge."""
    edges = question.edges
    estimate: DistributionEstimate | StatedDistributionEstimate
    if question.protects_leaving_out:
        estimate = estimate_stated_distribution(counts, question.design, edges)
        method = wanted.one_of(MEAN_METHODS)
    else:
        estimate = estimate_distribution(counts, question.design, edges)
        method = wanted.one_of(estimate.bands.interval_methods)
    mean = estimate.mean_interval(wanted.confidence_level, wanted.one_of(MEAN_METHODS))
    limits = float(edges[0]), float(edges[-1])
    bounds = tuple(map(known_or_none, estimate.mean_bounds))
    return BandsResult(
        edges=edges,
        unit=question.answers.unit,
        among_those_who_say=question.protects_leaving_out,
        mean=with_interval(estimate.mean, estimate.constrained_mean, estimate.mean_standard_error, mean, limits),
        mean_bounds=None if bounds[0] is None or bounds[1] is None else (bounds[0], bounds[1]),
        quantiles=tuple(_quantile(estimate, share, wanted.confidence_level, method) for share in QUARTILES),
        quantile_method=method,
        below=_below(estimate, edges, wanted, method) if in_full else (),
        simultaneous=wanted.simultaneous and len(edges) > 3,
    )


def _quantile(
    estimate: DistributionEstimate | StatedDistributionEstimate, probability: float, level: float, method: str
) -> QuantileEstimate:
    interval = estimate.quantile_interval(probability, level, method)
    return QuantileEstimate(probability, known_or_none(estimate.quantile(probability)), interval.low, interval.high)


def _below(
    estimate: DistributionEstimate | StatedDistributionEstimate,
    edges: tuple[Fraction, ...],
    wanted: FigureOptions,
    method: str,
) -> tuple[Below, ...]:
    intervals = estimate.distribution_interval(wanted.confidence_level, method, wanted.simultaneous)
    return tuple(
        Below(
            edge,
            known_or_none(estimate.distribution_function[place]),
            float(intervals.low[place]),
            float(intervals.high[place]),
            bool(intervals.outside[place]),
        )
        for place, edge in enumerate(edges[1:-1])
    )
