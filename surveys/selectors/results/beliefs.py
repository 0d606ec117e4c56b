"""What the reports make of somebody's belief about a share, or about a mean."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation import BetaDistribution, PrevalencePosterior, item_counts, posterior_prevalence
from surveys.estimation.intervals import ScalarInterval
from surveys.models.definition import Item
from surveys.privacy.designs import against_rest
from surveys.selectors.results.snapshot import Snapshot

# Of a curve; beyond these parts of the posterior nothing is to be seen.
_POINTS = 161
_TAIL = 1e-4
_WIDE = 0.4  # a posterior that needs more than this of the axis is drawn from 0 to 1


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """Prior and posterior of the share with one true answer; of a number, of how far up its range the mean lies."""

    item: Item
    option: int
    n: int
    posterior: PrevalencePosterior
    interval: ScalarInterval
    beyond: float  # the share that it may exceed

    @property
    def of_mean(self) -> bool:
        """Whether the share is how far up the range of the numbers their mean lies."""
        return is_mean(self.item, self.option)

    @property
    def prior(self) -> BetaDistribution:
        """What was believed before."""
        return self.posterior.prior_distribution

    @property
    def probability(self) -> float:
        """That the share is larger than `beyond`, now."""
        return min(1.0, max(0.0, 1 - self.posterior.cdf(self.beyond)))

    @property
    def prior_probability(self) -> float:
        """That the share is larger than `beyond`, before."""
        return 1 - self.prior.cdf(self.beyond)

    @property
    def prior_limits(self) -> tuple[float, float]:
        """What was believed before, with the same probability beyond either limit."""
        tail = (1 - self.interval.confidence_level) / 2
        return self.prior.quantile(tail), self.prior.quantile(1 - tail)

    @property
    def window(self) -> tuple[float, float]:
        """The shares worth drawing: all, unless so many reports leave only a few possible."""
        low, high = self.posterior.quantile(_TAIL), self.posterior.quantile(1 - _TAIL)
        spare = (high - low) / 5
        low, high = max(0.0, low - spare), min(1.0, high + spare)
        return (0.0, 1.0) if high - low > _WIDE else (low, high)

    def densities(self, shares: Sequence[float]) -> list[tuple[float, float, float]]:
        """Return shares with the densities before and after."""
        after = self.posterior.density(shares)
        return list(zip(shares, self.prior.density(shares).tolist(), after.tolist(), strict=True))

    def curve(self) -> list[tuple[float, float, float]]:
        """Return shares over the window with both densities; just beside its ends, where a density may be infinite."""
        low, high = self.window
        beside = (high - low) / 1000
        return self.densities(np.linspace(low + beside, high - beside, _POINTS).tolist())


def options_of(item: Item) -> tuple[int, ...]:
    """Return the codes of the answers whose share means something: of two No and Yes are one; of a number's ends none.

    The first is what the item is about.
    """
    if item.range:
        return (2,) if item.design.k == 3 else (1,)
    if item.design.k == 2:
        return (1,)
    # Of No, Yes and not saying, Yes is what is asked for.
    return (1, 0, 2) if item.traits.yes_or_no else tuple(range(item.design.k))


def is_mean(item: Item, option: int) -> bool:
    """Whether the share is how far up the range of the numbers their mean lies."""
    return item.range is not None and option == 1


def counts_of(item: Item, snapshot: Snapshot) -> npt.NDArray[np.int64]:
    """Return how often each report of an item came; visibly missing answers are none."""
    reports = snapshot.on(item.number)
    return item_counts(reports.patterns, reports.counts, 0, item.design.m)[0]


def belief_of(
    item: Item,
    counts: npt.NDArray[np.int64],
    option: int,
    *,
    prior: tuple[float, float],
    confidence_level: float,
    beyond: float,
) -> Belief | None:
    """Return the posterior of the share with this answer; None where its report depends on the other answers too."""
    try:
        design = against_rest(item.design, option)
    except ValueError:
        return None
    n, own = int(counts.sum()), int(counts[option])
    posterior = posterior_prevalence([n - own, own], design, prior)
    return Belief(item, option, n, posterior, posterior.interval(confidence_level), beyond)
