import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from surveys.learn.learners.gradient import GradientPerturbation, NoisyGradients
from surveys.learn.learners.losses import SquaredLoss
from surveys.learn.learners.reference import projected_descent
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.mechanism import Norm, Sensitivity
from tests.golden import values
from tests.learn.learners.risks import mean_loss, risk_of
from tests.privacy.chance import seeded
from tests.privacy.learning.learners import CONSTANT, REPLACE, TWO, LearnerConformance, domain_of
from tests.privacy.mechanisms.distinguishing import hockey_stick
from tests.privacy.mechanisms.every_n import shared
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.planted import Lying, Planted

GOLDEN = values("learning")["gradient"]
MILLIONTH = Fraction(1, 10**6)


class TestGradientPerturbation(LearnerConformance):
    """Of one step and one parameter, whose gradients of logistic loss at 0 are as long as the clip."""

    outside = 1e-6
    draws = 1_000
    each_n = range(20, 201, 4)
    some_n = (20, 151)

    def attained(self, mechanism: GradientPerturbation) -> float:
        return 0.75

    def audited(self, mechanism: GradientPerturbation) -> float:
        return 0.05

    def mechanisms(self) -> list[GradientPerturbation]:
        analytic = GradientPerturbation(
            steps=1,
            sensitivity=1,
            epsilon=Fraction(2),
            delta=Fraction(1, 1000),
            risk=risk_of(CONSTANT, 10),
            unit=Fraction(1, 8),
        )
        return [analytic, replace(analytic, accounting="concentrated")]

    def of_two(self, mechanism: GradientPerturbation, n: int) -> GradientPerturbation:
        # Its slopes are exact, which takes less time.
        risk = risk_of(TWO, n, loss=SquaredLoss())
        return replace(mechanism, steps=2, epsilon=Fraction(20), delta=Fraction(1, 10), risk=risk)

    def numbers(self, mechanism: GradientPerturbation, output: NoisyGradients, data: DataSet) -> list[int]:
        """What was added in each step: later sums depend on the noise of earlier ones."""
        if mechanism.steps == 1:
            return list(output.sums[0])
        exact = [np.array(mechanism.integers(theta)).T @ np.array(data.counts) for theta in mechanism.path(output.sums)]
        return (np.array(output.sums) - np.array(exact)).ravel().tolist()

    @pytest.mark.uncounted
    @pytest.mark.parametrize(
        "key", [lambda place: place % 2, lambda place: place // 2], ids=["for all steps", "for all coefficients"]
    )
    def test_one_noise_for_all_steps_or_for_all_coefficients_is_caught(self, key: Callable[[int], int]) -> None:
        assert self.is_caught(self.check_n, self.some_n[0], lambda honest, data: shared(honest, data, key))

    def statistic(self, mechanism: GradientPerturbation, data: DataSet) -> list[Fraction]:
        no, yes = data.counts
        return [Fraction(no - yes, 2)]

    def outputs(self, mechanism: GradientPerturbation) -> list[NoisyGradients]:
        return [NoisyGradients(((number,),), (Fraction(0),)) for number in range(-120, 121)]

    def error(self, mechanism: GradientPerturbation, output: NoisyGradients, data: DataSet) -> Fraction:
        return abs(output.sums[0][0] * mechanism.unit - self.statistic(mechanism, data)[0])

    def naively(
        self, mechanism: GradientPerturbation, written: Callable[[float], float | Fraction]
    ) -> Callable[..., NoisyGradients]:
        added = super().naively(mechanism, written)

        def release(counts: Sequence[int], randbelow: Callable[[int], int]) -> NoisyGradients:
            return NoisyGradients((added(counts, randbelow),), (Fraction(0),))

        return release

    def planted(self, mechanism: GradientPerturbation) -> list[Planted]:
        of_slide = DiscreteGaussian(mechanism.noise.variance_parameter / 4)

        def probability(output: NoisyGradients, counts: Sequence[int]) -> float:
            return of_slide.probability(output.sums[0][0] - 4 * (counts[0] - counts[1]))

        slide = Lying(mechanism, probability_of=probability)
        return [*super().planted(mechanism), Planted("Δ = L, not 2L", slide, "check_neighbours")]


def terms(**other: object) -> GradientPerturbation:
    given = {name: GOLDEN[name] for name in ("steps", "sensitivity", "epsilon")}
    return GradientPerturbation(**{**given, "delta": MILLIONTH, **other})


def test_sigma_is_that_of_the_reference() -> None:
    assert terms().sigma == pytest.approx(GOLDEN["sigma_analytic"], abs=5e-3)
    assert terms(accounting="concentrated").sigma == pytest.approx(GOLDEN["sigma_zcdp"], abs=5e-3)


@pytest.mark.parametrize("accounting", ["analytic", "concentrated"])
def test_what_is_drawn_is_hardly_more_than_sigma_says(accounting: str) -> None:
    learner = terms(accounting=accounting)
    drawn = learner.noise.sigma * float(learner.unit)
    assert learner.sigma * (1 - 1e-9) <= drawn <= learner.sigma * 1.001


def test_concentrated_losses_of_steps_add_up() -> None:
    assert float(terms(accounting="concentrated").concentrated.rho) == pytest.approx(GOLDEN["rho"], abs=5e-7)
    one, many = terms(steps=1), terms()
    assert float(many.noise.variance_parameter / one.noise.variance_parameter) == pytest.approx(100)


def test_several_steps_together_are_as_private_as_they_say() -> None:
    # Two steps of one parameter: all pairs of sums, from two neighbours that are farthest apart in both.
    learner = GradientPerturbation(
        steps=2,
        sensitivity=1,
        epsilon=Fraction(3),
        delta=Fraction(1, 100),
        risk=risk_of(CONSTANT, 10),
        unit=Fraction(1, 2),
    )

    def chances(learner: GradientPerturbation, variance: Fraction, counts: tuple[int, int]) -> np.ndarray:
        z = np.arange(-40, 41)

        def noisy(theta: tuple[Fraction, ...]) -> np.ndarray:
            [exact] = np.array(learner.integers(theta)).T @ counts
            p = np.exp(-((z - exact) ** 2) / (2 * float(variance)))
            return p / np.exp(-(z**2) / (2 * float(variance))).sum()

        first = noisy((Fraction(0),))
        second = [noisy(list(learner.path([(int(one),), (0,)]))[1]) for one in z]
        return (first[:, None] * np.array(second)).ravel()

    variance = learner.noise.variance_parameter
    for given, most in ((variance, 1), (variance / 4, 0)):
        delta = hockey_stick(*(chances(learner, given, counts) for counts in ((5, 5), (4, 6))), 3.0)
        assert (delta <= learner.delta) == bool(most)


def learner_of(**other: object) -> GradientPerturbation:
    return GradientPerturbation(
        **{
            "steps": 20,
            "sensitivity": 2,
            "epsilon": Fraction(1),
            "delta": MILLIONTH,
            "risk": risk_of(domain_of(2), 2000, 0),
            **other,
        }
    )


COUNTS = [200, 700, 800, 300]


@pytest.mark.parametrize("sensitivity", [2, "1/3", Sensitivity(Fraction(2), Norm.L2_SQUARED, REPLACE)], ids=str)
@pytest.mark.parametrize("theta", [(0, 0), (Fraction(7, 3), -4), (-3, Fraction(1, 7))], ids=str)
def test_no_integer_gradient_is_longer_than_half_the_sensitivity(sensitivity: object, theta: tuple) -> None:
    learner = learner_of(sensitivity=sensitivity, risk=risk_of(domain_of(2), 2000, 0, SquaredLoss()))
    longest = max(sum(number * number for number in vector) for vector in learner.integers(theta))
    assert longest <= learner.sensitivity.value / 4 / learner.unit**2
    if learner.certificate(NoisyGradients(((0, 0),) * 20, learner.parameters([(0, 0)] * 20))).clipped:
        assert longest >= learner.sensitivity.value / 4 / learner.unit**2 * Fraction(999, 1000)


def test_gradients_not_clipped_are_those_of_the_loss_rounded_towards_0() -> None:
    learner, theta = learner_of(), (Fraction(1, 3), Fraction(-2))
    x, y = (np.array(column, dtype=np.float64) for column in zip(*learner.risk.rows, strict=True))
    exact = learner.risk.training_loss.gradients(np.array(theta, dtype=np.float64), x, y) / float(learner.unit)
    off = exact - np.array(learner.integers(theta))
    assert (np.abs(off) < 1 + 1e-6).all()
    assert (off * exact >= -1e-6).all()


def test_with_little_noise_it_is_projected_descent() -> None:
    risk = risk_of(domain_of(2), 2000, "1/10")
    learner = learner_of(epsilon=Fraction(100), delta=Fraction(1, 2), risk=risk, steps=60, radius=2, rate=1)
    path = list(learner.path(learner.release(COUNTS, seeded(20_315)).sums))
    assert np.array(path[-1], dtype=np.float64) == pytest.approx(projected_descent(risk, COUNTS, radius=2), abs=0.02)


def test_parameters_stay_in_their_ball_and_are_the_mean_of_the_path() -> None:
    learner = learner_of(radius=Fraction(1, 2), epsilon=Fraction(1, 100))
    released = learner.release(COUNTS, seeded(20_316))
    path = list(learner.path(released.sums))
    lengths = [sum(number * number for number in theta) for theta in path]
    assert Fraction(1, 5) < max(lengths) <= Fraction(1, 4)
    assert released.parameters == tuple(sum(column) / 20 for column in zip(*path, strict=True))


def test_the_mean_excess_risk_is_no_more_than_the_utility_says() -> None:
    learner, randbelow = learner_of(radius=2, steps=10), seeded(20_317)
    best = mean_loss(learner.risk, COUNTS, projected_descent(learner.risk, COUNTS, radius=2))
    excess = [
        mean_loss(learner.risk, COUNTS, np.array(learner.release(COUNTS, randbelow).parameters, dtype=np.float64))
        - best
        for _ in range(20)
    ]
    assert 0 < np.mean(excess) <= learner.utility < math.inf


def test_the_step_of_the_theorem_is_the_best_one() -> None:
    best = learner_of()
    for factor in (Fraction(1, 2), 2):
        assert replace(best, rate=best.step_length * factor).utility > best.utility


def test_nobody_knows_the_utility_of_clipped_gradients() -> None:
    assert learner_of(sensitivity=1).utility == math.inf
    assert learner_of(risk=risk_of(domain_of(2), 2000, 0, SquaredLoss())).utility == math.inf
    # Its gradients are at most 2 long in a ball of radius 1, and may be longer in one of radius 2.
    bounded = risk_of(domain_of(2), 2000, 0, SquaredLoss(bounded_by=1))
    assert learner_of(risk=bounded, sensitivity=4, radius=1).utility < math.inf
    assert learner_of(risk=bounded, sensitivity=4, radius=2).utility == math.inf


def test_a_certificate_says_which_share_of_all_patterns_was_clipped() -> None:
    none, all_ = (learner_of(sensitivity=s, steps=2) for s in (2, Fraction(1, 1000)))
    assert none.certificate(none.release(COUNTS, seeded(1))).clipped == 0
    assert all_.certificate(all_.release(COUNTS, seeded(1))).clipped == 1
    assert float(none.certificate(none.release(COUNTS, seeded(1))).rounding / none.unit) == pytest.approx(math.sqrt(2))


def test_parameters_that_do_not_follow_from_the_sums_have_neither_probability_nor_certificate() -> None:
    learner = learner_of(steps=2)
    released = learner.release(COUNTS, seeded(1))
    assert learner.probability(released, COUNTS) > 0
    for wrong in (released._replace(parameters=(Fraction(1), Fraction(1))), released._replace(sums=released.sums[:1])):
        assert learner.probability(wrong, COUNTS) == 0
        with pytest.raises(ValueError, match=r"^output"):
            learner.certificate(wrong)


@pytest.mark.parametrize(
    ("changed", "pattern"),
    [
        ({"steps": 0}, "^steps"),
        ({"sensitivity": 0}, "^sensitivity"),
        ({"sensitivity": Sensitivity(Fraction(2), Norm.L1, REPLACE)}, "^sensitivity .*0.*L2"),
        (
            {"sensitivity": Sensitivity(Fraction(2), Norm.L2_SQUARED, NeighbouringRelation.ADD_OR_REMOVE_ONE)},
            "^sensitivity .*L2 .*REPLACE_ONE",
        ),
        ({"sensitivity": Sensitivity(Fraction(0), Norm.L2_SQUARED, REPLACE)}, "^sensitivity"),
        ({"delta": 0}, "^delta .*0.*1"),
        ({"accounting": "classic"}, "^accounting .*got 'classic'"),
        ({"radius": 0}, "^radius"),
        ({"rate": 0}, "^rate"),
        ({"unit": 0}, "^unit .*0"),
        ({"unit": 2}, "^unit"),
        (
            {"sensitivity": Sensitivity(Fraction(2, 2**90), Norm.L2_SQUARED, REPLACE)},
            "^sensitivity .*2.*-39",
        ),
    ],
)
def test_terms_that_are_none_are_refused_by_name(changed: dict[str, object], pattern: str) -> None:
    with pytest.raises(ValueError, match=pattern):
        terms(**changed)


def test_an_error_bound_is_of_all_numbers_of_all_steps() -> None:
    learner = learner_of()
    bound = learner.error_bound(2000, 0.95)
    assert bound.at_most == pytest.approx(float(learner.noise.error_bound(0.95, 40) * learner.unit))


def test_terms_need_no_risk_but_a_release_does() -> None:
    with pytest.raises(ValueError, match=r"^risk"):
        terms().release([500, 500])
