"""The profile likelihood's derivatives, and the informations that standard errors come from."""

import numpy as np
import pytest

from surveys.estimation.regression.latent import LatentModel, joint_likelihoods
from surveys.estimation.regression.randomized_predictors import RandomizedPredictorsFit
from tests.estimation.regression.data import Floats, gradient
from tests.estimation.regression.latent_data import parameters_of, rows_log_likelihood, survey


def model_of(fit: RandomizedPredictorsFit, shift: float = 0.0) -> LatentModel:
    patterns = fit.patterns
    return LatentModel(
        patterns.counts,
        patterns.reports,
        patterns.every,
        patterns.rows,
        np.full(len(patterns.rows), shift),
        patterns.unit,
        patterns.start,
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("answers", "groups", "n"), [((2,), 1, 200), ((2, 3), 2, 900), ((4,), 3, 90), ((), 2, 60)])
def test_score_and_observed_information_are_the_derivatives_of_the_profile_likelihood(
    answers: tuple[int, ...], groups: int, n: int, seed: int
) -> None:
    model = model_of(survey(seed, n, answers, groups).fit(), shift=0.2)
    at = np.random.default_rng(seed).normal(scale=0.5, size=model.rows.shape[1])
    here = model.at(at)
    assert here.score() == pytest.approx(gradient(lambda place: model.at(place).log_likelihood, at), rel=1e-5, abs=1e-5)
    differences = -gradient(lambda place: model.at(place).score(), at)
    assert here.observed() == pytest.approx(differences, rel=1e-5, abs=1e-4)


def test_shares_of_zero_are_among_the_places_tried() -> None:
    fits = [survey(seed, 90, (4,), 3).fit() for seed in range(4)]
    assert any((fit.truths == 0).any() for fit in fits)


def whole_informations(fit: RandomizedPredictorsFit) -> dict[str, Floats]:
    """The covariances of coefficients and shares together, from numerical derivatives of the likelihood."""
    at = parameters_of(fit)
    counts = fit.patterns.counts

    def score(place: Floats) -> Floats:
        scores = gradient(lambda there: rows_log_likelihood(fit, there), place, 1e-4)
        return (scores * counts).sum(axis=(1, 2))

    scores = gradient(lambda there: rows_log_likelihood(fit, there), at)
    probabilities = counts.sum(axis=1, keepdims=True) * np.exp(rows_log_likelihood(fit, at))
    observed = np.linalg.inv(-gradient(score, at, 1e-4))
    opg = np.einsum("asr,sr,bsr->ab", scores, counts, scores)
    return {
        "observed": observed,
        "expected": np.linalg.inv(np.einsum("asr,sr,bsr->ab", scores, probabilities, scores)),
        "opg": np.linalg.inv(opg),
        "sandwich": observed @ opg @ observed,
    }


@pytest.mark.parametrize(("answers", "groups"), [((2,), 1), ((2,), 2), ((3,), 2)])
def test_each_covariance_is_the_coefficients_part_of_the_whole_one(answers: tuple[int, ...], groups: int) -> None:
    fit = survey(3, 3000, answers, groups).fit()
    assert fit.converged
    assert (fit.truths > 0).all()
    # The expected information is a sum over all reports, which have all come.
    assert fit.patterns.counts.min() > 0
    p = fit.coefficients.size
    for kind, information in whole_informations(fit).items():
        assert fit.covariance(kind) == pytest.approx(information[:p, :p], rel=2e-4, abs=1e-7), kind


def test_where_all_reports_are_too_many_to_sum_over_fisher_scoring_goes_without_them() -> None:
    fit = survey(5, 500, (2, 2), 2).fit()
    model = model_of(fit)
    few = LatentModel(model.counts, model.reports, None, model.rows, model.shift, model.unit, model.start)
    here = few.at(np.zeros(4))
    assert here.expected() is None
    assert here.definite() == pytest.approx(here.opg())
    assert model.at(np.zeros(4)).definite() == pytest.approx(model.at(np.zeros(4)).expected())


def test_the_probabilities_of_all_reports_sum_to_one() -> None:
    model = model_of(survey(5, 500, (2, 3), 2).fit())
    here = model.at(np.array([0.3, -0.4, 0.5, -1.0, 2.0]))
    joint = joint_likelihoods(model.every, here.yes, here.no)
    assert np.einsum("srt,st->s", joint, here.shares) == pytest.approx(1)


def test_movement_is_the_largest_change_of_a_linear_predictor() -> None:
    model = model_of(survey(5, 500, (2, 2), 2).fit())
    assert model.movement(np.array([1.0, -2.0, 0.5, 0.25])) == 1.75
