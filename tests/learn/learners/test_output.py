import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from surveys.learn.learners.losses import LogisticLoss, SquaredLoss, hinge_loss
from surveys.learn.learners.output import OutputPerturbation
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.mechanisms.mechanism import Norm
from tests.golden import values
from tests.learn.learners.risks import mean_loss, risk_of
from tests.privacy.chance import seeded
from tests.privacy.learning.learners import CONSTANT, TWO, LearnerConformance, domain_of
from tests.privacy.mechanisms.neighbours import DataSet

GOLDEN = values("learning")["output"]


class TestOutputPerturbation(LearnerConformance):
    """Of one parameter, on a grid so coarse that all outputs can be gone through."""

    outside = 1e-6
    draws = 1_000
    sensitivity_is_attained = False

    def attained(self, mechanism: OutputPerturbation) -> float:
        return 0.7 if mechanism.delta else 0.8

    def audited(self, mechanism: OutputPerturbation) -> float:
        return 0.05 if mechanism.delta else 0.3

    def mechanisms(self) -> list[OutputPerturbation]:
        # Where a minimum is between two corners, it moves as far as the theorem says.
        risk = risk_of(CONSTANT, 10, 1, hinge_loss("1/1000"))
        pure = replace(OutputPerturbation.of(risk, Fraction(1)), step=Fraction(1, 20))
        return [pure, replace(pure, delta=Fraction(1, 1000), epsilon=Fraction(2))]

    def of_two(self, mechanism: OutputPerturbation, n: int) -> OutputPerturbation:
        risk = risk_of(TWO, n, 1, hinge_loss("1/1000"))
        learner = OutputPerturbation.of(risk, Fraction(3), mechanism.delta)
        return replace(learner, step=learner.shift)

    def statistic(self, mechanism: OutputPerturbation, data: DataSet) -> list[int]:
        return [round(_minimum(mechanism.risk, data.counts) / mechanism.step)]

    def outputs(self, mechanism: OutputPerturbation) -> list[tuple[Fraction]]:
        return [(number * mechanism.step,) for number in range(-90, 91)]

    def error(self, mechanism: OutputPerturbation, output: tuple[Fraction], data: DataSet) -> Fraction:
        return abs(output[0] - _minimum(mechanism.risk, data.counts))

    def naively(
        self, mechanism: OutputPerturbation, written: Callable[[float], float | Fraction]
    ) -> Callable[..., tuple[float | Fraction, ...]]:
        steps = super().naively(mechanism, written)

        def release(counts: Sequence[int], randbelow: Callable[[int], int]) -> tuple[float | Fraction, ...]:
            return tuple(number * written(float(mechanism.step)) for number in steps(counts, randbelow))

        return release


@cache
def _minimum(risk: EmpiricalRisk, counts: tuple[int, ...]) -> Fraction:
    [theta], _ = risk.minimum(counts, Fraction(1, 10**9))
    return theta


def textbook(**other: object) -> OutputPerturbation:
    given = {name: GOLDEN[name] for name in ("n", "dimension", "epsilon", "lipschitz")}
    return OutputPerturbation(**{**given, "ridge": Fraction("0.01"), **other})


def test_the_textbook_mechanism_is_that_of_the_reference() -> None:
    assert textbook().mean_norm == pytest.approx(GOLDEN["mean_norm"])
    assert textbook().norm_quantile(0.95) == pytest.approx(GOLDEN["norm_quantile_95"], abs=5e-5)
    assert float(textbook().shift / textbook().epsilon) == pytest.approx(GOLDEN["gamma_scale"])


def test_quantiles_are_those_of_a_gamma_distribution() -> None:
    for probability in (0.1, 0.5, 0.999):
        expected = stats.gamma(5, scale=GOLDEN["gamma_scale"]).ppf(probability)
        assert textbook().norm_quantile(probability) == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"^probability"):
        textbook().norm_quantile(1)


def test_the_slides_inverted_scale_is_no_epsilon() -> None:
    # Densities ∝ exp(−‖b‖/scale) of points that are a shift apart differ by up to exp(shift/scale).
    for n in (10, 1000):
        mechanism = textbook(n=n, dimension=1)
        assert mechanism.shift / Fraction(mechanism.mean_norm) == pytest.approx(1)
        inverted = 1 / mechanism.mean_norm
        assert not 0.5 < mechanism.shift / Fraction(inverted) < 2


def test_neighbours_differ_by_no_more_than_the_theorem_says_and_by_as_much_where_it_is_tight() -> None:
    risk = risk_of(CONSTANT, 10, "1/10")
    learner = OutputPerturbation.of(risk, Fraction(1))
    points = [risk.minimum((k, 10 - k), Fraction(1, 10**9))[0][0] for k in range(11)]
    moved = [abs(b - a) for a, b in pairwise(points)]
    assert max(moved) <= learner.shift
    # Not half of it, which is what one response more or less moves.
    linear = risk_of(CONSTANT, 10, 1, hinge_loss("1/1000"))
    ends = [linear.minimum(counts, Fraction(1, 10**9))[0][0] for counts in ((5, 5), (4, 6))]
    assert abs(ends[1] - ends[0]) == pytest.approx(float(OutputPerturbation.of(linear, Fraction(1)).shift))


@pytest.mark.parametrize("ridge", [Fraction(1), Fraction(1, 3), Fraction(2)])
def test_a_corner_moves_the_minimum_no_further(ridge: Fraction) -> None:
    # Of hinge loss and one parameter: the mean slope k − (n − k) up to the corners at −1 and 1, where it stays.
    n = 10
    minima = [max(Fraction(-1), min(Fraction(1), Fraction(n - 2 * k, n) / ridge)) for k in range(n + 1)]
    loss = hinge_loss()
    for k, theta in enumerate(minima):

        def risk(at: Fraction, k: int = k) -> Fraction:
            return (k * loss.value(at, Fraction(-1)) + (n - k) * loss.value(at, Fraction(1))) / n + ridge / 2 * at**2

        assert all(risk(theta) <= risk(theta + step) for step in (Fraction(-1, 100), Fraction(1, 100)))
    shift = OutputPerturbation(n=n, ridge=ridge, dimension=1, epsilon=Fraction(1)).shift
    assert max(one - other for one, other in pairwise(minima)) == shift


def test_the_noise_is_for_the_shift_the_gap_and_the_rounding() -> None:
    learner = textbook(step=Fraction(1, 1000))
    length = (Fraction(1, 5) + 2 * learner.tolerance) * 1000 + Fraction(math.sqrt(5))
    assert learner.sensitivity.norm is Norm.L1
    assert learner.sensitivity.value == math.floor(length * Fraction(math.sqrt(5)))
    gaussian = replace(learner, delta=Fraction(1, 10**6))
    assert gaussian.sensitivity.norm is Norm.L2_SQUARED
    assert gaussian.sensitivity.value == math.floor(length**2)
    assert gaussian.concentrated.rho == gaussian.sensitivity.value / (2 * gaussian.noise.variance_parameter)
    assert learner.concentrated is None


def test_rounding_costs_a_thousandth_unless_a_step_is_given() -> None:
    for n in (10, 1000, 10**6):
        learner = textbook(n=n)
        steps = float(learner.shift / learner.step)
        assert 1024 * math.sqrt(5) * 0.999 <= steps <= 2050 * math.sqrt(5)
        assert math.sqrt(replace(learner, delta=Fraction(1, 10**6)).sensitivity.value) <= steps * 1.001 + 0.1


@pytest.mark.parametrize("delta", [0, Fraction(1, 10**6)])
@pytest.mark.parametrize("loss", [LogisticLoss(), SquaredLoss(Fraction(4))], ids=["logistic", "squared"])
def test_the_mean_excess_risk_is_no_more_than_the_utility_says(loss: object, delta: object) -> None:
    risk, counts = risk_of(domain_of(2), 200, "1/10", loss), [20, 70, 80, 30]
    learner, randbelow = OutputPerturbation.of(risk, Fraction(1), delta), seeded(20_314)
    best = mean_loss(risk, counts, np.array(risk.minimum(counts, learner.tolerance)[0], dtype=np.float64))
    excess = [
        mean_loss(risk, counts, np.array(learner.release(counts, randbelow), dtype=np.float64)) - best
        for _ in range(100)
    ]
    assert 0.1 * learner.utility < np.mean(excess) <= learner.utility


def test_a_certificate_says_how_near_the_minimum_and_the_grid_are() -> None:
    learner = OutputPerturbation.of(risk_of(domain_of(2), 20), Fraction(1))
    certificate = learner.certificate(learner.release([5] * 4, seeded(1)))
    assert certificate.gap == learner.step / 64
    assert float(certificate.rounding / learner.step) == pytest.approx(math.sqrt(2) / 2, rel=1e-5)
    for output in ((learner.step / 2, 0), (0,)):
        with pytest.raises(ValueError, match=r"^output .*2"):
            learner.certificate(output)


def test_an_error_bound_is_of_noise_rounding_and_gap() -> None:
    learner = textbook(step=Fraction(1, 1000))
    steps = learner.noise.error_bound(0.95, 5) + Fraction(1, 2) + Fraction(1, 64)
    assert learner.error_bound(1000, 0.95).at_most == pytest.approx(float(steps / 1000))
    with pytest.raises(ValueError, match="n must be"):
        learner.error_bound(-1, 0.95)


def test_parameters_off_the_grid_have_no_probability() -> None:
    learner = OutputPerturbation.of(risk_of(CONSTANT, 10), Fraction(1))
    assert learner.probability((learner.step / 2,), (5, 5)) == 0


@pytest.mark.parametrize(
    ("changed", "pattern"),
    [
        ({"n": 21}, "^risk"),
        ({"ridge": Fraction(1, 5)}, "^risk"),
        ({"dimension": 3}, "^risk"),
        ({"lipschitz": Fraction(1, 2)}, "^lipschitz .*1.*got 1/2"),
        ({"ridge": 0}, "^ridge"),
        ({"dimension": 0}, "^dimension"),
        ({"n": 0}, "^n "),
        ({"step": 0}, "^step"),
        ({"step": Fraction(1, 10**22)}, "^step .*64e-24"),
        ({"delta": Fraction(1, 10), "epsilon": Fraction(101)}, "^epsilon .*1e-9.*100"),
    ],
)
def test_what_does_not_agree_with_the_risk_is_refused_by_name(changed: dict[str, object], pattern: str) -> None:
    learner = OutputPerturbation.of(risk_of(domain_of(2), 20), Fraction(1))
    with pytest.raises(ValueError, match=pattern):
        replace(learner, **changed)


def test_a_loss_without_constants_is_refused_and_it_says_which() -> None:
    for loss, constant in ((SquaredLoss(), "Lipschitz"), (hinge_loss(), "smooth")):
        with pytest.raises(ValueError, match=rf"^training_loss .*{constant} "):
            OutputPerturbation.of(risk_of(domain_of(2), 20, loss=loss), Fraction(1))


def test_a_bound_on_parameters_must_hold_for_every_minimum() -> None:
    with pytest.raises(ValueError, match=r"^training_loss .*got 3"):
        OutputPerturbation.of(risk_of(domain_of(2), 20, loss=SquaredLoss(3)), Fraction(1))


def test_terms_need_no_risk_but_a_release_does() -> None:
    with pytest.raises(ValueError, match=r"^risk"):
        textbook().release([500, 500])
