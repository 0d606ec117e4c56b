"""How often intervals of a distribution and of figures by group hold, by simulation: 2,000 releases of each setting.

``python -m tests.estimation.released.release_coverage`` prints the tables of docs/coverage.md, which
test_release_coverage.py, run by ``make studies``, finds again.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from surveys.estimation.intervals.interval import each_level
from surveys.estimation.learning.by_group import estimate_released_groups
from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.released.distribution import estimate_released_distribution
from surveys.estimation.released.noise import CountNoise, likely_noise
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, direct, forced_response, k_ary
from surveys.privacy.learning.domain import CodedItem, PatternDomain
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.privacy.mechanisms.tree import TreeCounts, best_branching

RELEASES = 2_000
SEED = 20_261_201
MILLIONTH = Fraction(1, 10**6)

Held = tuple[float, ...]


@dataclass(frozen=True)
class OfDistribution:
    """A scale whose true answers are mostly in the middle, with its design and what its release costs."""

    length: int
    design: Design
    n: int
    epsilon: Fraction
    delta: Fraction
    name: str

    @property
    def truth(self) -> np.ndarray:
        weights = np.exp(-(((np.arange(self.length) - self.length / 2.5) / (self.length / 5)) ** 2) / 2)
        return weights / weights.sum()


FIVE, NINE = k_ary(5, "1/2"), k_ary(9, "1/2")
DISTRIBUTIONS = (
    OfDistribution(5, FIVE, 100, Fraction(1), Fraction(0), "5 answers, coins ½"),
    OfDistribution(5, FIVE, 1000, Fraction(1), Fraction(0), "5 answers, coins ½"),
    OfDistribution(9, NINE, 300, Fraction(1, 2), MILLIONTH, "9 answers, coins ½"),
    OfDistribution(9, NINE, 1000, Fraction(1), MILLIONTH, "9 answers, coins ½"),
    OfDistribution(9, direct(9), 300, Fraction(1, 2), Fraction(0), "9 answers, unprotected"),
)


@dataclass(frozen=True)
class OfGroups:
    """Yes or No in groups of unequal size, both questions with their designs, and what the release costs."""

    designs: tuple[Design, Design]
    n: int
    epsilon: Fraction
    name: str

    @property
    def truth(self) -> np.ndarray:
        sizes = np.array([0.5, 0.3, 0.2])
        yes = np.array([0.05, 0.3, 0.6])
        return np.array([sizes * (1 - yes), sizes * yes])


GROUPS = (
    OfGroups((forced_response(), direct(3)), 300, Fraction(1), "coins ½; groups unprotected"),
    OfGroups((forced_response(), direct(3)), 2000, Fraction(1), "coins ½; groups unprotected"),
    OfGroups((forced_response(), k_ary(3, "2/3")), 1000, Fraction(1), "coins ½; groups with coins ⅔"),
    OfGroups((forced_response(), k_ary(3, "2/3")), 4000, Fraction(1, 2), "coins ½; groups with coins ⅔"),
    OfGroups((direct(2), direct(3)), 300, Fraction(1, 2), "both unprotected"),
)


def noise_of(noise: CountNoise, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return noise with the distribution of the mechanism's, drawn many at once."""
    values, probabilities = likely_noise(noise)
    return generator.choice(values, size=shape, p=probabilities)


@cache
def held_by_distribution(case: OfDistribution, releases: int = RELEASES) -> Held:
    """Return how often one share, a range, all shares, and all quartiles hold; and half the band's mean width."""
    generator = np.random.default_rng(SEED)
    mechanism = TreeCounts(
        epsilon=case.epsilon,
        delta=case.delta,
        relation=NeighbouringRelation.REPLACE_ONE,
        length=case.length,
        branching=best_branching(case.length, gaussian=case.delta > 0),
    )
    matrix, truth = np.array(case.design.matrix, dtype=float), case.truth
    shares = np.cumsum(truth)[:-1]
    quartiles = [int(np.searchsorted(shares, part)) for part in (0.25, 0.5, 0.75)]
    first, last = case.length // 3, 2 * case.length // 3
    counts = generator.multinomial(case.n, matrix @ truth, size=releases)
    noise = noise_of(mechanism.noise, generator, (releases, len(mechanism.nodes)))
    held, width = np.zeros(4), 0.0
    for reported, added in zip(counts, noise, strict=True):
        noisy = np.array(mechanism.node_counts(reported.tolist())) + added
        found = estimate_released_distribution(noisy, case.n, case.design, mechanism)
        band, between = found.band(), found.between(first, last)
        one = found.between(0, case.length // 2)
        told = found.quantiles("1/4", "1/2", "3/4")
        held += [
            one.low <= shares[case.length // 2] <= one.high,
            between.low <= truth[first : last + 1].sum() <= between.high,
            bool(((band.low <= shares) & (shares <= band.high)).all()),
            all(each.low <= code <= each.high for each, code in zip(told, quartiles, strict=True)),
        ]
        width += float((band.high - band.low).mean()) / 2
    return (*(held / releases).tolist(), width / releases)


@cache
def held_by_groups(case: OfGroups, releases: int = RELEASES) -> Held:
    """Return how often two groups' shares, a size, and all at once hold; and half the mean width."""
    generator = np.random.default_rng(SEED)
    one, other = (np.array(design.matrix, dtype=float) for design in case.designs)
    truth = case.truth
    domain = PatternDomain(outcome=CodedItem(name="0", codes=2), predictors=(CodedItem(name="1", codes=3),))
    noise = NoisyJointTable(epsilon=case.epsilon, domain=domain, n=case.n).noise
    counts = generator.multinomial(case.n, (one @ truth @ other.T).ravel(), size=releases)
    added = noise_of(noise, generator, counts.shape)
    shares, sizes = truth[1] / truth.sum(axis=0), truth.sum(axis=0)
    held, width = np.zeros(4), 0.0
    for noisy in counts + added:
        found = estimate_released_groups(ReleasedTable(noisy.reshape(2, 3), case.n, case.designs, noise))
        limits, of_size = found.interval(), found.size_interval()
        inside = (limits.low[1] <= shares) & (shares <= limits.high[1])
        level = each_level(0.95, 6)
        all_limits, all_sizes = found.interval(level), found.size_interval(level)
        together = (all_limits.low[1] <= shares) & (shares <= all_limits.high[1])
        together &= (all_sizes.low <= sizes) & (sizes <= all_sizes.high)
        held += [inside[0], inside[2], of_size.low[2] <= sizes[2] <= of_size.high[2], together.all()]
        width += float((limits.high[1] - limits.low[1]).mean()) / 2
    return (*(held / releases).tolist(), width / releases)


def _table(heads: str, rows: list[str]) -> str:
    return "\n".join([heads, "|---" * heads.count(" | ") + "|---|", *rows])


def table_of_distributions(held: Callable[[OfDistribution], Held] = held_by_distribution) -> str:
    """Return the first table of docs/coverage.md."""
    rows = []
    for case in DISTRIBUTIONS:
        cells = " | ".join(f"{share:.3f}" for share in held(case))
        delta = "10⁻⁶" if case.delta else "0"
        rows.append(f"| {case.name} | {case.n} | {case.epsilon} | {delta} | {cells} |")
    return _table(
        "| setting | n | ε | δ | one share | a range | all shares | all quartiles | half the band's width |", rows
    )


def table_of_groups(held: Callable[[OfGroups], Held] = held_by_groups) -> str:
    """Return the second table of docs/coverage.md."""
    rows = []
    for case in GROUPS:
        cells = " | ".join(f"{share:.3f}" for share in held(case))
        rows.append(f"| {case.name} | {case.n} | {case.epsilon} | {cells} |")
    return _table(
        "| setting | n | ε | share, largest | share, smallest | size, smallest | all at once | half width |", rows
    )


if __name__ == "__main__":
    sys.stdout.write(f"{table_of_distributions()}\n\n{table_of_groups()}\n")
