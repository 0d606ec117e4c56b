import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from surveys.learn.learners.hypotheses import HypothesisChoice, HypothesisLearner, loss_table, parameter_grid
from surveys.learn.learners.losses import LogisticLoss, SquaredLoss
from surveys.privacy.learning.joint import NoisyJointTable
from tests.golden import values
from tests.learn.learners.risks import risk_of
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit, seeded
from tests.privacy.learning.learners import CONSTANT, TWO, LearnerConformance, domain_of
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.planted import Lying, Planted

GOLDEN = values("learning")["exponential"]


class TestHypothesisLearner(LearnerConformance):
    def attained(self, mechanism: HypothesisLearner) -> float:
        return 0.6

    def audited(self, mechanism: HypothesisLearner) -> float:
        return 0.0

    def mechanisms(self) -> list[HypothesisLearner]:
        rows = ((0, 2), (2, 0), ("3/2", "3/2"))
        learner = HypothesisLearner(domain=CONSTANT, n=10, losses=rows, epsilon=Fraction(1))
        return [learner, replace(learner, losses=((0, "1/3"), ("1/2", 0)), epsilon=Fraction(1, 2))]

    def of_two(self, mechanism: HypothesisLearner, n: int) -> HypothesisLearner:
        losses = tuple((*row, *reversed(row)) for row in mechanism.losses)
        return replace(mechanism, domain=TWO, n=n, losses=losses, epsilon=Fraction(1, 8 * n))

    def statistic(self, mechanism: HypothesisLearner, data: DataSet) -> list[Fraction]:
        return [-sum(count * loss for count, loss in zip(data.counts, row, strict=True)) for row in mechanism.losses]

    def outputs(self, mechanism: HypothesisLearner) -> range:
        return range(len(mechanism.losses))

    def error(self, mechanism: HypothesisLearner, output: int, data: DataSet) -> Fraction:
        totals = self.statistic(mechanism, data)
        return max(totals) - totals[output]

    def planted(self, mechanism: HypothesisLearner) -> list[Planted]:
        double = self.rescaled(mechanism, 2)
        slide = Lying(mechanism, draws_as=double.release, probability_of=double.probability)
        return [*super().planted(mechanism), Planted("η = ε/(L·diameter)", slide, "check_neighbours")]


def test_probabilities_are_those_of_the_reference() -> None:
    # Model selection: so many of 100 are classified rightly by each model, each response by at most 1.
    rows = ((0, -1), *((0, -Fraction(hits, 80)) for hits in GOLDEN["utilities"][1:]))
    learner = HypothesisLearner(domain=CONSTANT, n=100, losses=rows, epsilon=GOLDEN["epsilon"])
    assert learner.largest_change == GOLDEN["sensitivity"]
    assert learner.scores((20, 80)) == tuple(GOLDEN["utilities"])
    assert learner.probabilities((20, 80)) == pytest.approx(GOLDEN["probabilities"], abs=5e-7)
    choice = HypothesisChoice(**{name: GOLDEN[name] for name in ("utilities", "epsilon", "sensitivity")})
    assert choice.probabilities == pytest.approx(GOLDEN["probabilities"], abs=5e-7)
    bound = learner.error_bound(100, 0.95).at_most
    assert bound == pytest.approx(2 * math.log(3 / 0.05))


def test_choices_follow_their_probabilities() -> None:
    learner = HypothesisLearner(domain=CONSTANT, n=10, losses=((0, -1), (0, "-1/2"), (0, 0)), epsilon=1)
    randbelow, counts = seeded(20_313), (6, 4)
    drawn = [learner.release(counts, randbelow) for _ in range(1500)]
    assert p_value_of_fit(drawn, lambda place: learner.probability(place, counts)) > FALSE_ALARM_RATE
    # The twin: without the factor 2.
    other = replace(learner, epsilon=Fraction(2)).probabilities(counts)
    assert p_value_of_fit(drawn, lambda place: other[place]) < FALSE_ALARM_RATE


@pytest.mark.parametrize("wrong", [{"losses": [(0.5, 0)]}, {"epsilon": 0}, {"epsilon": math.nan}])
def test_a_choice_without_losses_or_epsilon_is_refused_by_name(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must"):
        HypothesisLearner(**{"domain": CONSTANT, "n": 10, "losses": ((0, 1),), "epsilon": 1, **wrong})


def learner_of(loss: object, radius: int, step: str, n: int = 100, epsilon: int = 1) -> HypothesisLearner:
    return HypothesisLearner.of_parameters(risk_of(CONSTANT, n, 0, loss), parameter_grid(1, radius, step), epsilon)


@pytest.mark.parametrize("radius", [1, 3])
def test_losses_beyond_those_at_the_centre_have_a_range_of_no_more_than_lipschitz_times_the_diameter(
    radius: int,
) -> None:
    learner = learner_of(LogisticLoss(), radius, "1/4")
    # Those of the two outcomes differ by exactly the score, at the edge by the radius: half the bound.
    assert float(learner.sensitivity.value) == pytest.approx(radius, rel=1e-12)
    assert learner.sensitivity.value <= LogisticLoss().lipschitz * 2 * radius


def test_the_slides_eta_spends_more_than_it_says() -> None:
    # Everybody but one has the one outcome: a replaced response moves the ends of the set against each other.
    def spent(epsilon: Fraction) -> float:
        learner = learner_of(LogisticLoss(), 4, "1/4", epsilon=epsilon)
        one, other = (learner.probabilities(counts) for counts in ((100, 0), (99, 1)))
        return max(abs(math.log(p / q)) for p, q in zip(one, other, strict=True))

    assert spent(Fraction(1)) <= 1 < spent(Fraction(2))


def test_least_squares_have_the_precision_of_the_data_and_not_their_covariance() -> None:
    learner = learner_of(SquaredLoss(), 4, "1/100", n=1000, epsilon=20)
    theta = np.arange(-400, 401) / 100
    p = np.array(learner.probabilities((300, 700)))
    variance = p @ (theta - p @ theta) ** 2
    precision = float(learner.epsilon / (2 * learner.sensitivity.value)) * 1000
    assert variance == pytest.approx(1 / precision, rel=1e-3)
    assert not 0.5 < variance / precision < 2


def test_the_mean_shortfall_is_no_more_than_the_utility_says() -> None:
    for counts in ((50, 50), (20, 80), (0, 100)):
        learner = learner_of(LogisticLoss(), 4, "1/4")
        losses = -np.array(learner.scores(counts), dtype=np.float64) / 100
        assert losses @ learner.probabilities(counts) - losses.min() <= learner.utility


def test_a_loss_table_holds_what_each_parameter_adds_to_the_loss_at_0_and_the_ridge() -> None:
    risk = risk_of(CONSTANT, 100, "1/5", SquaredLoss())
    assert loss_table(risk, [[0], [2]]) == ((0, 0), (Fraction(9, 2) - Fraction(1, 2) + Fraction(2, 5), Fraction(2, 5)))
    with pytest.raises(ValueError, match=r"^parameters .*1.*got 2"):
        loss_table(risk, [[1, 2]])


def test_a_grid_holds_all_points_of_a_ball() -> None:
    assert parameter_grid(1, 1, "1/2") == ((-1,), (Fraction(-1, 2),), (0,), (Fraction(1, 2),), (1,))
    assert set(parameter_grid(2, 1, 1)) == {(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)}
    with pytest.raises(ValueError, match=r"^step .*100000.*got 160801"):
        parameter_grid(2, 2, "1/100")


@pytest.mark.parametrize("losses", [(), ((0, 1, 2),), ((0, 1), (0,))], ids=str)
def test_losses_are_a_row_a_hypothesis_and_one_a_pattern(losses: tuple) -> None:
    with pytest.raises(ValueError, match=r"^losses .*1.*100000.*2"):
        HypothesisLearner(domain=CONSTANT, n=10, losses=losses, epsilon=1)


def test_losses_that_say_nothing_of_the_data_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^losses"):
        HypothesisLearner(domain=CONSTANT, n=10, losses=((1, 1), (2, 2)), epsilon=1)


def test_what_is_no_hypothesis_has_neither_probability_nor_certificate() -> None:
    learner = HypothesisLearner(domain=CONSTANT, n=10, losses=((0, 1), (1, 0)), epsilon=1)
    assert learner.probability(2, (5, 5)) == learner.probability(-1, (5, 5)) == 0
    with pytest.raises(ValueError, match=r"^output .*0.*1"):
        learner.certificate(2)


def test_a_choice_is_a_quarter_as_concentrated_as_any_output_of_its_epsilon() -> None:
    assert HypothesisLearner(domain=domain_of(2), n=20, losses=((0, 1, 0, 1),), epsilon=2).concentrated.rho == Fraction(
        1, 2
    )


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"utilities": []}, "utilities"), ({"epsilon": 0}, "epsilon"), ({"sensitivity": 0}, "sensitivity")],
)
def test_a_choice_that_cannot_be_is_refused_by_name(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        HypothesisChoice(**{"utilities": [1, 2], "epsilon": 1, "sensitivity": 1, **wrong})  # type: ignore[arg-type]


def test_what_is_chosen_from_a_noisy_table_is_as_good_as_its_utility_says() -> None:
    # The mean over draws of the excess mean loss of the best parameters of a grid, for losses from 0 to 1.
    domain = domain_of(2)
    learner, risk = NoisyJointTable(domain=domain, n=40, epsilon=Fraction(1)), risk_of(domain, 40, 0, LogisticLoss())
    losses = np.array(loss_table(risk, parameter_grid(2, 3, "1/2")), dtype=np.float64)
    losses = (losses - losses.min()) / (losses.max() - losses.min())
    counts, randbelow = np.array([14, 6, 8, 12]), seeded(20_312)
    exact = losses @ counts / 40
    drawn = [np.argmin(losses @ learner.release(counts, randbelow)) for _ in range(200)]
    assert 0 < np.mean(exact[drawn]) - exact.min() <= learner.utility
