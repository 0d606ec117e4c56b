"""How often 95% intervals of weighted contrasts and regressions hold, by simulation: clusters in strata, with weights.

``python -m tests.estimation.coverage_tables`` writes the table into docs/coverage.md; test_contrast_coverage.py, run by
``make studies``, finds it again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
from scipy import special

from surveys.estimation.weighting.contrasts import anchor_terms, estimate_weighted_contrast, list_terms, share_term
from surveys.estimation.weighting.regression import fit_logistic_weighted
from surveys.privacy.designs import crosswise, direct, forced_response

SAMPLES = 2_000
COINS, CARDS = forced_response(), crosswise("4/5")
CLUSTERS = ((10, 10), (24, 16))
"""How many are drawn in each of two strata, of 20 people each."""
PEOPLE, HEAVY = 20, 0.3
STRATUM_WEIGHTS, LEVELS = np.array([2.0, 1.0]), np.array([0.25, 5 / 12])
ATTENTIVE, ADMITTED = 0.8, 0.6
"""How many follow the instructions of cards, and how many who have it say so directly."""
COEFFICIENTS = np.array([-0.7, 0.8])
ALIKE = 0.1
"""The correlation within clusters of what decides a true answer."""


class Drawn(TypedDict):
    """How respondents were drawn."""

    strata: np.ndarray
    clusters: np.ndarray


@dataclass(frozen=True)
class People:
    """A sample; who has a large weight has it more often, and the level of each cluster is its own."""

    clusters: tuple[int, int]
    generator: np.random.Generator
    weights: np.ndarray = field(init=False)
    chances: np.ndarray = field(init=False)
    truths: np.ndarray = field(init=False)
    drawn: Drawn = field(init=False)

    def __post_init__(self) -> None:
        stratum = np.repeat([0, 1], self.clusters)
        levels = self.generator.beta(np.array([3.0, 5.0])[stratum], np.array([9.0, 7.0])[stratum])
        row = np.repeat(np.arange(stratum.size), PEOPLE)
        heavy = self.generator.random(row.size) < HEAVY
        chances = levels[row] * np.where(heavy, 1.0, 0.7)
        object.__setattr__(self, "weights", np.where(heavy, 2.5, 1.0) * STRATUM_WEIGHTS[stratum[row]])
        object.__setattr__(self, "chances", chances)
        object.__setattr__(self, "truths", self.have(chances))
        object.__setattr__(self, "drawn", Drawn(strata=stratum[row], clusters=row))

    def have(self, chances: np.ndarray | float) -> np.ndarray:
        """Return 1 with these probabilities, else 0."""
        return (self.generator.random(len(self.weights)) < chances).astype(np.int64)

    @property
    def share(self) -> float:
        """The weighted share of the population that has it."""
        numbers = np.array(self.clusters) * STRATUM_WEIGHTS
        mean = HEAVY * 2.5 + (1 - HEAVY)
        return float(numbers @ LEVELS / numbers.sum() * (HEAVY * 2.5 + (1 - HEAVY) * 0.7) / mean)


def difference(people: People) -> tuple[bool, bool]:
    """Whether the interval of a difference between arms holds it: coins, and a direct question that some deny."""
    arm = people.have(0.5)
    coins = people.have(0.25 + 0.5 * people.truths)
    said = people.truths * people.have(ADMITTED)
    terms = share_term(np.where(arm == 0, coins, 255), COINS), share_term(np.where(arm == 1, said, 255), direct())
    return _held(terms, people, people.share * (1 - ADMITTED), (-1, 1))


def both_lists(people: People) -> tuple[bool, bool]:
    """Whether the interval of a list experiment holds the share."""
    arm = people.have(0.5)
    counts = people.generator.binomial(3, 0.3 + 0.4 * people.chances) + arm * people.truths
    terms = list_terms(np.where(arm == 0, counts, 255), np.where(arm == 1, counts, 255), (direct(4), direct(5)))
    return _held(terms, people, people.share, (0, 1))


def corrected(people: People) -> tuple[bool, bool]:
    """Whether the interval of a share that an anchor corrects holds it."""
    attentive = people.have(ATTENTIVE)
    cards = np.where(attentive, people.have(0.2 + 0.6 * people.truths), people.have(0.5))
    anchor = np.where(attentive, people.have(0.2), people.have(0.5))
    return _held(anchor_terms(cards, anchor, CARDS, CARDS)[:1], people, people.share, (0, 1))


def _held(terms: tuple, people: People, truth: float, between: tuple[float, float]) -> tuple[bool, bool]:
    given = (terms, (1, -1)[: len(terms)], np.ones(len(people.weights), dtype=int), people.weights)
    found = [estimate_weighted_contrast(*given, **drawn, between=between).interval() for drawn in (people.drawn, {})]
    return tuple(interval.low <= truth <= interval.high for interval in found)


def slope(people: People) -> tuple[bool, bool]:
    """Whether the interval of a coefficient holds it; who has not is drawn half as often, and weighs twice as much."""
    generator, strata, clusters = people.generator, people.drawn["strata"], people.drawn["clusters"]
    shared = generator.normal(size=(2, clusters.max() + 1))[:, clusters]
    own = generator.normal(size=(2, clusters.size))
    # In half of the candidates' variance a cluster's predictors are alike.
    predictor = (shared[0] + own[0]) / np.sqrt(2)
    decided = special.ndtr(np.sqrt(ALIKE) * shared[1] + np.sqrt(1 - ALIKE) * own[1])
    truths = (decided < special.expit(COEFFICIENTS[0] + COEFFICIENTS[1] * predictor)).astype(np.int64)
    kept = people.have(np.where(truths == 1, 1.0, 0.5)) == 1
    reports = people.have(0.25 + 0.5 * truths)[kept]
    weights = (np.where(truths == 1, 1.0, 2.0) * STRATUM_WEIGHTS[strata])[kept]
    x, counts = np.column_stack([np.ones(reports.size), predictor[kept]]), np.ones(reports.size, dtype=int)
    drawn = {"strata": strata[kept], "clusters": clusters[kept]}
    limits = fit_logistic_weighted(reports, x, COINS, counts=counts, weights=weights, **drawn).interval()
    alone = fit_logistic_weighted(reports, x, COINS, counts=counts, weights=weights).interval()
    return tuple(bool(one.low[1] <= COEFFICIENTS[1] <= one.high[1]) for one in (limits, alone))


STUDIES: dict[str, Callable[[People], tuple[bool, bool]]] = {
    "difference of arms, two fair coins and direct": difference,
    "list experiment, direct counts": both_lists,
    "share corrected by an anchor, crosswise": corrected,
    "coefficient of a regression, two fair coins": slope,
}


def coverage(name: str, clusters: tuple[int, int], samples: int = SAMPLES) -> tuple[float, float]:
    """Return how often intervals hold, by the sample's design and as if respondents had been drawn one by one."""
    generator = np.random.default_rng([93, list(STUDIES).index(name), *clusters])
    held = [STUDIES[name](People(clusters, generator)) for _ in range(samples)]
    by_design, alone = np.mean(held, axis=0).tolist()
    return by_design, alone


def table() -> str:
    """Return the table of docs/coverage.md."""
    head = "| estimate | clusters in each stratum | with strata and clusters | as if drawn one by one |"
    rows = [
        f"| {name} | {first} + {second} | {by_design:.3f} | {alone:.3f} |"
        for name in STUDIES
        for first, second in CLUSTERS
        for by_design, alone in [coverage(name, (first, second))]
    ]
    return "\n".join([head, "|---|---|---|---|", *rows])
