"""How an estimate would scatter over repetitions of the survey, beside that of a direct question."""

import math
from dataclasses import dataclass

from surveys.estimation import SamplingDistribution, direct_sampling, sampling_distribution
from surveys.selectors.results.items import ItemResult


@dataclass(frozen=True, slots=True)
class Spread:
    """One way of asking: where its estimates would lie."""

    points: tuple[tuple[float, float], ...]  # estimates and how densely they lie there
    standard_deviation: float
    low: float
    high: float  # the estimates are between these with the confidence level's probability, at least


@dataclass(frozen=True, slots=True)
class Scatter:
    """Both ways of asking the same number of people, if the true share were the one estimated."""

    n: int
    share: float
    asked: Spread
    direct: Spread
    worth: int | None  # so many direct answers would scatter as much; None where they would not scatter at all


def scatter_of(result: ItemResult, code: int, confidence_level: float) -> Scatter | None:
    """Return how the estimate for one answer scatters; None where no estimate is to be trusted."""
    if result.prevalence is None or result.oddities or result.options[code].outside:
        return None
    shares = [min(1.0, float(share)) for share in result.prevalence.constrained]
    asked = sampling_distribution(result.n, shares, result.item.design, code)
    direct = direct_sampling(result.n, shares[code])
    worth = result.n * (direct.standard_deviation / asked.standard_deviation) ** 2 if asked.standard_deviation else None
    return Scatter(
        n=result.n,
        share=shares[code],
        asked=_spread(asked, confidence_level),
        direct=_spread(direct, confidence_level),
        worth=math.floor(worth) if worth else None,
    )


def _spread(distribution: SamplingDistribution, confidence_level: float) -> Spread:
    estimates, densities = distribution.density()
    low, high = distribution.central(confidence_level)
    return Spread(
        tuple(zip(estimates.tolist(), densities.tolist(), strict=True)), distribution.standard_deviation, low, high
    )
