"""A number asked in bands: its mean, its distribution function and its quantiles."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation import (
    DistributionEstimate,
    StatedDistributionEstimate,
    estimate_distribution,
    estimate_stated_distribution,
)
from surveys.models.definition import AskedQuestion
from surveys.selectors.results.estimated import Estimated, known_or_none, with_interval
from surveys.selectors.results.intervals import Wanted, without_width

QUARTILES = (0.25, 0.5, 0.75)
_MEAN_METHODS = ("likelihood_ratio", "wald")


@dataclass(frozen=True, slots=True)
class Quantile:
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
    mean: Estimated
    mean_bounds: tuple[float, float] | None  # the means that the shares allow, wherever in the bands the numbers are
    quantiles: tuple[Quantile, ...]
    quantile_method: str
    below: tuple[Below, ...] = ()  # one an inner edge; empty where it was not asked for
    simultaneous: bool = False  # whether the intervals of `below` hold all at once


def bands_result(
    question: AskedQuestion, counts: npt.NDArray[np.int64], wanted: Wanted, *, in_full: bool
) -> BandsResult:
    """Return the mean and the quartiles, and in full the share below each inner edge."""
    edges = tuple(Fraction(*edge) for edge in question.details["edges"])
    estimate: DistributionEstimate | StatedDistributionEstimate
    if question.protects_leaving_out:
        estimate = estimate_stated_distribution(counts, question.design, edges)
        method = wanted.one_of(_MEAN_METHODS)
    else:
        estimate = estimate_distribution(counts, question.design, edges)
        # The share below an edge has no simulated interval.
        method = wanted.one_of([name for name in estimate.bands.interval_methods if name != "bootstrap"])
    mean = estimate.mean_interval(wanted.confidence_level, wanted.one_of(_MEAN_METHODS))
    limits = float(edges[0]), float(edges[-1])
    bounds = tuple(map(known_or_none, estimate.mean_bounds))
    return BandsResult(
        edges=edges,
        unit=question.details["unit"],
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
) -> Quantile:
    found = estimate.quantile_interval(probability, level, method)
    return Quantile(probability, known_or_none(estimate.quantile(probability)), found.low, found.high)


def _below(
    estimate: DistributionEstimate | StatedDistributionEstimate,
    edges: tuple[Fraction, ...],
    wanted: Wanted,
    method: str,
) -> tuple[Below, ...]:
    found = estimate.distribution_interval(wanted.confidence_level, method, wanted.simultaneous)
    # Where Wald's has no standard error to go by, or none but 0, nothing is excluded.
    widths = zip(found.low.tolist(), found.high.tolist(), found.outside.tolist(), strict=True)
    flat = [without_width(found.method, low, high, None, outside=outside) for low, high, outside in widths]
    unknown = np.isnan(found.low) | np.isnan(found.high) | np.array(flat)
    low, high = np.where(unknown, 0.0, found.low), np.where(unknown, 1.0, found.high)
    return tuple(
        Below(
            edge,
            None if unknown[place] else known_or_none(estimate.distribution_function[place]),
            float(low[place]),
            float(high[place]),
            bool(found.outside[place]),
        )
        for place, edge in enumerate(edges[1:-1])
    )
