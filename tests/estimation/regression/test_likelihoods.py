"""The derivatives that every ascent and every standard error rests on, against differences and enumeration."""

import itertools

import numpy as np
import pytest

from surveys.estimation.regression.mixture import Mixture, MixtureGround, ground, maximization
from surveys.estimation.regression.outcome import LogisticModel, Outcomes
from surveys.estimation.regression.two_shares import TwoShares
from tests.estimation.regression.data import Floats, gradient, sigmoid

RNG = np.random.default_rng(11)
ROWS = np.column_stack([np.ones(12), RNG.normal(size=12)])
SHIFT = RNG.normal(size=12)
WEIGHTS = RNG.integers(1, 4, size=12).astype(float)
SIDES = np.tile([1.0, -1.0, 1.0], 4)


def logistic(reports: Floats) -> LogisticModel:
    slope, offset = np.repeat([0.5, 1.0, -0.6, 0.7], 3), np.repeat([0.25, 0.0, 0.8, 0.3], 3)
    yes = reports == 1
    if_no, if_yes = np.where(yes, offset, 1 - offset), np.where(yes, offset + slope, 1 - offset - slope)
    return LogisticModel(ROWS, SHIFT, Outcomes(if_no, if_yes, WEIGHTS))


def two_shares(yes: Floats, reports: Floats) -> TwoShares:
    """By tables of the chance of Yes under truth and other, for rows in turn."""
    each = np.tile(yes, (12 // len(yes), 1, 1))
    return TwoShares(ROWS, np.where(reports[:, np.newaxis, np.newaxis] == 1, each, 1 - each), WEIGHTS)


def two_questions(reports: Floats) -> TwoShares:
    return two_shares(np.array([[[0, 1 - p], [p, 1]] for p in (0.8, 0.3, 1.0, 0.0)]), reports)


def lie_detector(reports: Floats) -> TwoShares:
    return two_shares(np.array([[[p, p], [0, 1]] for p in (0.8, 0.3, 1.0)]), reports)


MODELS = {
    "logistic": (logistic, np.array([-0.4, 0.9])),
    "two questions": (two_questions, np.array([-0.4, 0.9, 0.3])),
    "lie detector": (lie_detector, np.array([-0.4, 0.9, 0.3])),
}


def mixture() -> tuple[Mixture, Floats]:
    rng = np.random.default_rng(12)
    reported = np.array([[0.75, 0.25, 0.1], [0.25, 0.75, 0.2], [0.0, 0.0, 0.7]])[rng.integers(0, 3, size=12)]
    effects = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    at = np.array([0.3, -0.2, 0.8, -1.1, -0.4, 0.5, -0.7])
    return Mixture(rng.normal(size=12), ROWS, effects, reported), at


@pytest.mark.parametrize("name", MODELS)
def test_score_and_observed_information_are_the_derivatives(name: str) -> None:
    build, at = MODELS[name]
    model = build(SIDES)
    here = model.at(at)
    assert here.score() == pytest.approx(gradient(lambda place: model.at(place).log_likelihood, at), rel=1e-6)
    assert here.observed() == pytest.approx(-gradient(lambda place: model.at(place).score(), at), rel=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_the_expected_information_is_the_mean_over_all_reports(name: str) -> None:
    build, at = MODELS[name]
    yes, no = build(np.ones(12)).at(at), build(np.zeros(12)).at(at)
    # Rows are independent, so each report of a row is weighted by its own probability.
    expected = np.zeros((at.size, at.size))
    for outcome in (yes, no):
        for row in range(12):
            one = build(np.ones(12) if outcome is yes else np.zeros(12)).of(np.array([row])).at(at)
            expected += outcome.likelihood[row] * one.observed()
    assert yes.likelihood + no.likelihood == pytest.approx(1)
    assert yes.definite() == pytest.approx(expected, rel=1e-9)
    assert no.definite() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_the_outer_products_are_those_of_the_rows_scores(name: str) -> None:
    build, at = MODELS[name]
    model = build(SIDES)
    outer = np.zeros((at.size, at.size))
    for row in range(12):
        score = model.of(np.array([row])).at(at).score() / WEIGHTS[row]
        outer += WEIGHTS[row] * np.outer(score, score)
    assert model.at(at).opg() == pytest.approx(outer, rel=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_movement_is_the_largest_change_of_a_linear_predictor(name: str) -> None:
    build, at = MODELS[name]
    model = build(SIDES)
    assert model.n == 12
    assert model.movement(at) == pytest.approx(np.abs(ROWS @ at[:2]).max())
    assert two_questions(SIDES).movement(np.array([0.0, 0.1, -50.0])) == 50


def test_a_direct_answer_that_is_ruled_out_leaves_the_likelihood_finite() -> None:
    contradicted = LogisticModel(np.ones((1, 1)), np.zeros(1), Outcomes(np.zeros(1), np.ones(1), np.ones(1)))
    here = contradicted.at(np.array([-2000.0]))
    assert here.log_likelihood == pytest.approx(-690.8, abs=0.1)
    assert np.isfinite([*here.score(), *here.observed()[0], *here.definite()[0], *here.opg()[0]]).all()
    assert contradicted.at(np.array([-600.0])).log_likelihood == pytest.approx(-600)


def test_the_mixtures_likelihood_is_the_sum_over_truths() -> None:
    data, at = mixture()
    beta, gamma, sigma, logs = at[:2], at[2:4], np.exp(at[4]), np.append(0, at[5:])
    prevalence = np.exp(logs) / np.exp(logs).sum()
    total = 0.0
    for row, truths in itertools.groupby(itertools.product(range(12), range(3)), key=lambda pair: pair[0]):
        chances = [
            prevalence[truth]
            * data.reported[row, truth]
            * np.exp(-((data.y[row] - ROWS[row] @ beta - data.effects[truth] @ gamma) ** 2) / (2 * sigma**2))
            / np.sqrt(2 * np.pi * sigma**2)
            for _, truth in truths
        ]
        total += np.log(sum(chances))
    assert data.at(at).log_likelihood == pytest.approx(total, rel=1e-12)


def test_the_mixtures_score_and_observed_information_are_the_derivatives() -> None:
    data, at = mixture()
    here = data.at(at)
    assert here.score() == pytest.approx(gradient(lambda place: data.at(place).log_likelihood, at), rel=1e-6, abs=1e-8)
    assert here.observed() == pytest.approx(-gradient(lambda place: data.at(place).score(), at), rel=1e-6, abs=1e-7)
    assert here.observed() == pytest.approx(here.observed().T, rel=1e-12)


def test_the_mixtures_outer_products_are_those_of_the_rows_scores() -> None:
    data, at = mixture()
    scores = [
        Mixture(data.y[[row]], ROWS[[row]], data.effects, data.reported[[row]]).at(at).score() for row in range(12)
    ]
    assert data.at(at).opg() == pytest.approx(sum(np.outer(score, score) for score in scores), rel=1e-9)


def test_the_mixtures_stand_in_is_the_complete_datas_information() -> None:
    data, at = mixture()
    here = data.at(at)
    stand_in = here.definite()
    assert np.linalg.eigvalsh(stand_in).min() > 0
    predictors = [np.hstack([ROWS, np.tile(effect, (12, 1))]) for effect in data.effects]
    normal = (
        sum((x * weight[:, np.newaxis]).T @ x for x, weight in zip(predictors, here.posterior.T, strict=True))
        / here.sigma**2
    )
    assert stand_in[:4, :4] == pytest.approx(normal, rel=1e-9)
    assert stand_in[4] == pytest.approx([0, 0, 0, 0, 24, 0, 0])
    assert stand_in == pytest.approx(stand_in.T)
    theta = here.prevalence[1:]
    assert stand_in[5:, 5:] == pytest.approx(12 * (np.diag(theta) - np.outer(theta, theta)), rel=1e-9)


def test_the_mixtures_movement_counts_means_and_logarithms() -> None:
    data, _ = mixture()
    reach = np.abs(ROWS @ [0.5, 2.0]).max() + 3.0
    assert data.movement(np.array([0.5, 2.0, 1.0, -3.0, 0.1, 0.2, -0.3])) == pytest.approx(reach)
    assert data.movement(np.array([0, 0, 0, 0, 0.1, 0.2, -70.0])) == 70


def test_a_row_far_from_every_truth_still_has_a_likelihood() -> None:
    data, _ = mixture()
    far = ground(data, np.array([1e4, 0.0]), np.array([0.0, 2.0]), 1.0, np.full(3, 1 / 3))
    assert far.log_likelihood == pytest.approx(-12 * 1e8 / 2, rel=1e-2)
    assert far.posterior.sum(axis=1) == pytest.approx(1)


def test_a_deviation_that_sinks_without_end_stays_above_zero() -> None:
    data, at = mixture()
    sunk = data.at(np.where(np.arange(7) == 4, -1e4, at))
    assert sunk.sigma == pytest.approx(np.exp(-100))
    assert sunk.log_likelihood < data.at(at).log_likelihood


def test_every_em_step_raises_the_likelihood() -> None:
    data, at = mixture()
    place: MixtureGround = data.at(at)
    for _ in range(30):
        following = maximization(data, place.posterior)
        assert following.log_likelihood >= place.log_likelihood - 1e-10
        place = following
    # The steps shrink to nothing at a place where the score is 0.
    for _ in range(3000):
        place = maximization(data, place.posterior)
    assert place.score() == pytest.approx(0, abs=1e-6)


def test_the_sigmoid_of_the_tests_is_the_models() -> None:
    here = logistic(SIDES).at(np.array([0.2, 0.4]))
    assert here.yes == pytest.approx(sigmoid(SHIFT + ROWS @ [0.2, 0.4]), rel=1e-12)
    assert here.no == pytest.approx(1 - here.yes, rel=1e-12)
