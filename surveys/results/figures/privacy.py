"""What reports reveal: the posterior of a share or a mean, what one report says of its sender, and the best guess."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation.bayes import PrevalencePosterior, posterior_prevalence
from surveys.estimation.beta import BetaDistribution
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.privacy.accounting.error_region import ErrorRegion, error_region
from surveys.privacy.accounting.hypothesis_testing import best_advantage, posterior_bound
from surveys.privacy.designs import Design, against_rest
from surveys.questionnaire.asked_question import Item

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
    return (1, 0, 2) if item.answers.yes_or_no else tuple(range(item.design.k))


def is_mean(item: Item, option: int) -> bool:
    """Whether the share is how far up the range of the numbers their mean lies."""
    return item.range is not None and option == 1


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
    n, reported = int(counts.sum()), int(counts[option])
    posterior = posterior_prevalence([n - reported, reported], design, prior)
    return Belief(item, option, n, posterior, posterior.interval(confidence_level), beyond)


# What one report says about the person who sent it, to somebody who believed something before.


_SHARES = tuple(Fraction(at, 50) for at in range(51))
_FINE = 10**4  # to this the proportions of the other answers are rounded: exact sums stay short


@dataclass(frozen=True, slots=True)
class OneReport:
    """One item's reports as evidence for one true answer.

    With more than two answers it matters how common each of the others is: they are taken in the proportions
    estimated. The report of the answer itself says the same in a k-ary design whatever these are.
    """

    item: Item
    option: int
    if_true: tuple[Fraction, ...]  # the probability of each report where this answer is true
    if_other: tuple[Fraction, ...]  # and where another is

    @property
    def design(self) -> Design:
        return self.item.design

    def posterior(self, share: Fraction) -> tuple[Fraction | None, ...]:
        """Return for each report the share who have the answer among those who sent it; None: nobody sends it.

        `share` is that of the people who have the answer.
        """
        sent = [
            (share * true, share * true + (1 - share) * other)
            for true, other in zip(self.if_true, self.if_other, strict=True)
        ]
        return tuple(have / all_who if all_who else None for have, all_who in sent)

    def curves(self) -> tuple[list[tuple[float, float]], ...]:
        """Return for every report prior and posterior along the axis; where it cannot come there is no point."""
        table = [(share, self.posterior(share)) for share in _SHARES]
        return tuple(
            [(float(share), float(after)) for share, row in table if (after := row[report]) is not None]
            for report in range(self.design.m)
        )

    def band(self) -> list[tuple[float, float, float]]:
        """Return prior, and the least and the most that any report of a design with this ε can make of it."""
        epsilon = self.design.epsilon
        return [
            (float(share), 1 - posterior_bound(1 - share, epsilon), posterior_bound(share, epsilon))
            for share in _SHARES
        ]

    def proof(self, report: int) -> bool | None:
        """Return whether a report proves that this is the answer (True), or that it is not (False); else None."""
        row = self.design.matrix[report]
        if not row[self.option]:
            return False
        return True if not any(row[: self.option] + row[self.option + 1 :]) else None


def one_report(item: Item, option: int, shares: Sequence[float]) -> OneReport:
    """Return what an item's reports say about an answer, with the others as frequent as these estimates of all say."""
    weights = [max(0, round(_FINE * share)) for code, share in enumerate(shares) if code != option]
    if not any(weights):
        weights = [1] * len(weights)
    parts = [Fraction(weight, sum(weights)) for weight in weights]
    if_true, if_other = [], []
    for row in item.design.matrix:
        others = row[:option] + row[option + 1 :]
        if_true.append(row[option])
        if_other.append(sum((part * entry for part, entry in zip(parts, others, strict=True)), Fraction(0)))
    return OneReport(item, option, tuple(if_true), tuple(if_other))


# The best that anybody can do who guesses a true answer from reports.


@dataclass(frozen=True, slots=True)
class Guesser:
    """Tests whether the true answer is `option` when it may as well be `other`.

    Of all the other answers it is the one that the reports tell apart best.
    """

    item: Item
    option: int
    other: int
    region: ErrorRegion
    total_epsilon: float  # of all reports of one response

    @property
    def right(self) -> Fraction:
        """How often the best test of this report is right, if half the people have either answer."""
        return (1 + self.region.best_advantage) / 2

    @property
    def right_at_most(self) -> float:
        """How often any test of any report with this ε is."""
        return (1 + best_advantage(self.item.design.epsilon)) / 2

    @property
    def right_at_most_in_all(self) -> float:
        """How often any test of all reports of one response is, whichever two sets of answers it is to tell apart."""
        return (1 + best_advantage(self.total_epsilon)) / 2


def guesser(item: Item, option: int, total_epsilon: float) -> Guesser:
    """Return the tests whether the true answer is this one or the one that is easiest to tell from it."""
    regions = {other: error_region(item.design, option, other) for other in range(item.design.k) if other != option}
    other = max(regions, key=lambda code: regions[code].best_advantage)
    return Guesser(item, option, other, regions[other], total_epsilon)


def region_of(right: float) -> tuple[tuple[float, float], ...]:
    """Return the corners of all (FPR, FNR) at least as good as guessing blindly that a bound allows.

    The bound says how often a test can be right; under ε that is e^ε/(1 + e^ε).
    """
    corner = 1 - right
    return (0.0, 1.0), (corner, corner), (1.0, 0.0)
