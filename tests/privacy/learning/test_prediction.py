"""Which predictor goes most with an outcome: its sensitivity by brute force, its choice by probabilities."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.learning.prediction import PredictorChoice
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from tests.privacy.chance import seeded
from tests.privacy.learning.learners import LearnerConformance
from tests.privacy.mechanisms.every_n import even
from tests.privacy.mechanisms.neighbours import DataSet

F = Fraction
COIN = ((F(3, 2), F(-1, 2)), (F(-1, 2), F(3, 2)))
"""What reports of two fair coins count for, for No and for Yes."""


def chooser(n: int = 4, **changes: object) -> PredictorChoice:
    fields: dict[str, object] = {"n": n, "outcome": COIN[1], "predictors": (COIN, COIN), "epsilon": F(1)}
    return PredictorChoice(**fields | changes)  # type: ignore[arg-type]


class TestPredictorChoice(LearnerConformance):
    """Of three responses to an outcome and two predictors."""

    smallest_n = largest_n = 3
    each_n = range(2, 201)
    some_n = (2, 3, 20, 149, 151, 500)

    def length(self, mechanism: PredictorChoice) -> int:
        return 8

    def attained(self, mechanism: PredictorChoice) -> float:
        return 0.4

    def audited(self, mechanism: PredictorChoice) -> float:
        return 0.0

    def mechanisms(self) -> list[PredictorChoice]:
        return [chooser(3), chooser(3, predictors=(COIN, HEAVY), epsilon=F(2))]

    def at(self, mechanism: PredictorChoice, n: int) -> tuple[PredictorChoice, DataSet]:
        return self.of_two(mechanism, n), even(Counted.CODES, 8, n)

    def of_two(self, mechanism: PredictorChoice, n: int) -> PredictorChoice:
        return replace(mechanism, n=n, epsilon=F(1, 8 * n))

    def statistic(self, mechanism: PredictorChoice, data: DataSet) -> list[Fraction]:
        """|n·covariance| of reports of 0 and 1, in which Yes and No are one the other's opposite."""
        people = [
            answers
            for answers, number in zip(product((0, 1), repeat=3), data.counts, strict=True)
            for _ in range(number)
        ]
        means = [F(sum(column), data.n) for column in zip(*people, strict=True)]
        return [
            abs(sum(((row[0] - means[0]) * (row[place] - means[place]) for row in people), F(0))) for place in (1, 2)
        ]

    def outputs(self, mechanism: PredictorChoice) -> range:
        return range(2)

    def error(self, mechanism: PredictorChoice, output: int, data: DataSet) -> Fraction:
        scores = self.statistic(mechanism, data)
        return max(scores) - scores[output]


def tables(n: int, cells: int) -> list[tuple[int, ...]]:
    counters = (Counter(cells_of) for cells_of in combinations_with_replacement(range(cells), n))
    return [tuple(counted[cell] for cell in range(cells)) for counted in counters]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_replaced_response_changes_a_score_by_more_and_some_does_by_nearly_as_much(n: int) -> None:
    learner, cells = chooser(n), 8
    scores = {counts: learner.scores(counts) for counts in tables(n, cells)}
    most = F(0)
    for counts, of_counts in scores.items():
        # Each two neighbours once: their differences are the same both ways.
        for out, into in combinations(range(cells), 2):
            if counts[out]:
                neighbour = list(counts)
                neighbour[out] -= 1
                neighbour[into] += 1
                most = max(most, *(abs(a - b) for a, b in zip(of_counts, scores[tuple(neighbour)], strict=True)))
    # With one response less than all of them at the same place it is attained.
    assert most == learner.sensitivity.value == F(n - 1, n)


def test_scores_are_covariances_of_reports() -> None:
    # Of truths: outcome and first predictor agree, the second is independent; reports as expected of 16 people each.
    reports = dict.fromkeys(product((0, 1), repeat=3), 0)
    for truth, spare in product((0, 1), repeat=2):
        for y, x, z in reports:
            reports[y, x, z] += math.prod(
                3 if report == meant else 1 for report, meant in ((y, truth), (x, truth), (z, spare))
            )
    learner = chooser(sum(reports.values()))
    # A quarter of a quarter of them: each coin has halved it.
    assert learner.scores(list(reports.values())) == (F(256, 16), 0)
    assert learner.largest_expected == F(256, 16)


def test_it_is_chosen_with_the_probability_stated_and_costs_what_it_says() -> None:
    learner = chooser(256, epsilon=F(1, 4))
    counts = [60, 30, 20, 20, 20, 30, 30, 46]
    chances = learner.probabilities(counts)
    assert [learner.probability(place, counts) for place in (0, 1, 2)] == [*chances, 0.0]
    randbelow, draws = seeded(20_351), 800
    drawn = Counter(learner.release(counts, randbelow) for _ in range(draws))
    # Five standard errors: 6e-7 on both sides together; the twin has the chances of twice the ε.
    for expected, is_right in ((chances, True), (chooser(256, epsilon=F(1, 2)).probabilities(counts), False)):
        away = abs(drawn[0] / draws - expected[0])
        assert (away < 5 * math.sqrt(expected[0] * expected[1] / draws)) == is_right
    assert learner.loss.epsilon == F(1, 4)
    assert learner.concentrated.rho == F(1, 128)
    assert learner.error_bound(256, 0.95).at_most == pytest.approx(
        2 * float(learner.sensitivity.value) * 4 * math.log(2 / 0.05)
    )
    assert learner.utility == pytest.approx(2 * float(learner.sensitivity.value) * 4 / 256 * (math.log(2) + 1))
    assert learner.certificate(1).gap == 0


def test_a_quarter_of_the_sensitivity_would_cost_more_than_it_says() -> None:
    def spent(learner: PredictorChoice) -> float:
        """The most of all outputs and all neighbours, of which each is some other's neighbour too."""
        logs = {counts: [math.log(p) for p in learner.probabilities(counts)] for counts in tables(4, 8)}
        return max(
            one - other
            for counts, of_counts in logs.items()
            for neighbour in _neighbours(counts)
            for one, other in zip(of_counts, logs[neighbour], strict=True)
        )

    # Where only one of two scores moves, half of ε is spent.
    assert 0.49 < spent(chooser(4, epsilon=F(1))) <= 1
    assert 1 < spent(chooser(4, epsilon=F(4))) <= 4


def _neighbours(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    neighbours = []
    for out, into in product(range(len(counts)), repeat=2):
        if counts[out] and out != into:
            moved = list(counts)
            moved[out] -= 1
            moved[into] += 1
            neighbours.append(tuple(moved))
    return neighbours


HEAVY = ((F(5, 2), F(-3, 2)), (F(-3, 2), F(5, 2)))
"""What reports count for where one phone in four asks, and the others draw."""


def test_the_same_reports_are_the_same_evidence_whatever_the_coins() -> None:
    learner = chooser(40, predictors=(COIN, HEAVY))
    assert learner.differs_in_coins
    assert not chooser(40).differs_in_coins
    # Whoever exchanges the two predictors' reports has the same table.
    one, other = learner.scores([12, 4, 4, 1, 1, 5, 5, 8])
    assert one == other > 0
    assert learner.sensitivity.value == F(39, 40)
    assert learner.largest_expected == F(40, 4) / 4


@pytest.mark.uncounted
def test_noisier_coins_do_not_make_a_predictor_likelier_where_nothing_goes_with_anything() -> None:
    rng, learner = np.random.default_rng(1), chooser(200, predictors=(COIN, HEAVY), epsilon=F(2))
    fair, planted = [], []
    for _ in range(300):
        scores = learner.scores(rng.multinomial(200, np.full(8, 1 / 8)).tolist())
        fair.append(_chance_of_the_second(scores, learner.largest_change))
        # Of truths: as much larger as what the reports count for is wider, and the largest change with them.
        wide = (scores[0] * 4, scores[1] * 8)
        planted.append(_chance_of_the_second(wide, 8 * learner.largest_change))
    # A probability has a standard deviation of half at most: 4.9 standard errors are left once in a million.
    assert abs(np.mean(fair) - 0.5) < 4.9 * 0.5 / math.sqrt(300)
    assert np.mean(planted) - 0.5 > 4.9 * 0.5 / math.sqrt(300)


def _chance_of_the_second(scores: tuple[Fraction, ...], largest_change: Fraction) -> float:
    return ExponentialMechanism(F(2), largest_change).probabilities(scores)[1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n": 1}, "^n "),
        ({"epsilon": F(0)}, "^epsilon"),
        ({"epsilon": math.nan}, "^epsilon"),
        ({"predictors": ()}, "^predictors"),
        ({"predictors": ((),)}, "^predictors"),
        ({"predictors": (((F(1), F(0)), (F(1),)),)}, "number a report"),
        ({"outcome": (F(1), F(1))}, "different numbers"),
        ({"outcome": ("x",)}, "outcome must"),
        ({"relation": NeighbouringRelation.ADD_OR_REMOVE_ONE}, "^relation .*REPLACE_ONE"),
    ],
)
def test_what_it_cannot_be_told_is_refused_by_name(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        chooser(**changes)  # type: ignore[arg-type]


def test_counts_of_another_size_or_sum_and_outputs_that_are_none_are_refused() -> None:
    learner = chooser(4)
    with pytest.raises(ValueError, match=r"^counts .*4"):
        learner.scores([1, 0, 0, 0, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="counts"):
        learner.scores([4])
    with pytest.raises(ValueError, match="output"):
        learner.certificate(2)
