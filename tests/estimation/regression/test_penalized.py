"""Penalized likelihoods: derivatives, closed forms, and an answer wherever the likelihood has no maximum."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy

from surveys.estimation.adherence.logistic import fit_logistic_anchored
from surveys.estimation.list_experiment.regression import fit_list
from surveys.estimation.regression import penalized
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.outcome import LogisticModel, Outcomes
from surveys.estimation.regression.penalized import LinearPredictor, channel
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.estimation.regression.two_groups import fit_logistic_two_groups
from surveys.privacy.designs import crosswise, direct, forced_response, k_ary
from tests.estimation.regression.data import Floats, gradient

RNG = np.random.default_rng(8)
ROWS = np.column_stack([np.ones(12), RNG.normal(size=12), RNG.normal(size=12)])
WEIGHTS = RNG.integers(1, 4, size=12).astype(float)
COINS = forced_response()


def three_reports() -> LinearPredictor:
    no, yes = RNG.dirichlet(np.ones(3), size=12), RNG.dirichlet(np.ones(3), size=12)
    return LinearPredictor(ROWS, WEIGHTS, no, yes)


def test_the_penalty_has_the_derivatives_that_it_says() -> None:
    predictor, place = three_reports(), np.array([-0.6, 0.8, 0.3])
    here = predictor.at(place)
    assert here.score == pytest.approx(gradient(lambda at: predictor.at(at).value, place), rel=1e-6)
    assert here.bend == pytest.approx(-gradient(lambda at: predictor.at(at).score, place), rel=1e-6)


def test_it_is_half_the_log_determinant_of_what_randomized_reports_tell_on_average() -> None:
    low = RNG.uniform(0.1, 0.4, size=12)
    outcomes = Outcomes(low, low + 0.5, WEIGHTS)
    predictor = LinearPredictor(ROWS, WEIGHTS, *channel(outcomes.if_no, outcomes.if_yes))
    for place in (np.zeros(3), np.array([-2.0, 1.0, 0.5])):
        information = LogisticModel(ROWS, np.zeros(12), outcomes).at(place).definite()
        assert predictor.at(place).value == pytest.approx(np.linalg.slogdet(information)[1] / 2)


def test_where_nothing_is_told_any_more_it_is_endless() -> None:
    here = three_reports().at(np.array([0.0, 1e6, 0.0]))
    assert here.value == -np.inf
    assert not here.score.any()


TWO = [[1, 0], [1, 0], [1, 1], [1, 1]]


@pytest.mark.parametrize("counts", [(10, 0, 7, 3), (10, 0, 0, 10), (0, 4, 3, 3), (6, 4, 3, 7)])
def test_of_two_groups_and_direct_answers_it_is_half_a_person_more_for_each_answer(counts: tuple[int, ...]) -> None:
    fit = fit_logistic([0, 1, 0, 1], TWO, direct(), weights=counts, penalized=True)
    a, b, c, d = (count + 0.5 for count in counts)
    assert fit.coefficients == pytest.approx([math.log(b / a), math.log(a * d / b / c)])
    assert fit.standard_errors() == pytest.approx(
        [math.sqrt(1 / a + 1 / b), math.sqrt(sum(1 / n for n in (a, b, c, d)))]
    )

    def profile(slope: float) -> float:
        def fall(low: float) -> float:
            rows = ((low, a, b), (low + slope, c, d))
            return sum(no * np.logaddexp(0, eta) + yes * np.logaddexp(0, -eta) for eta, no, yes in rows)

        return -scipy.optimize.minimize_scalar(fall, bracket=(-1, 1)).fun

    limits, top = fit.profile_interval(1), profile(fit.coefficients[1])
    for limit in (limits.low, limits.high):
        assert 2 * (top - profile(limit)) == pytest.approx(scipy.stats.chi2.ppf(0.95, 1), rel=1e-6)
    assert fit.likelihood_ratio_test(1).statistic == pytest.approx(2 * (top - profile(0)), abs=1e-7)


def separated() -> tuple[Floats, Floats]:
    """Forty reports behind two coins, and X: nobody of the first group seems to have a Yes."""
    group = np.repeat([0.0, 1.0], 20)
    return np.concatenate([[1] * 3, [0] * 17, [1] * 9, [0] * 11]).astype(int), np.column_stack([np.ones(40), group])


def test_no_coding_of_the_predictors_changes_it() -> None:
    y, x = separated()
    change = np.array([[1.0, 3.0], [0.0, -200.0]])
    one, other = (fit_logistic(y, rows, COINS, penalized=True) for rows in (x, x @ change))
    assert change @ other.coefficients == pytest.approx(one.coefficients)
    assert -200 * other.profile_interval(1).high == pytest.approx(one.profile_interval(1).low)
    assert one.likelihood_ratio_test(1).p_value == pytest.approx(other.likelihood_ratio_test(1).p_value)


def test_a_separated_fit_is_not_usable_and_the_penalized_one_is() -> None:
    y, x = separated()
    without, fit = fit_logistic(y, x, COINS), fit_logistic(y, x, COINS, penalized=True)
    assert without.separated
    assert not without.usable
    assert fit.usable
    assert not fit.separated
    assert np.isfinite(fit.standard_errors()).all()
    # The log-likelihood is that of the reports, below what certainties come to.
    assert fit.higher_at_infinity
    assert fit.log_likelihood_bound == pytest.approx(without.log_likelihood_bound)
    assert fit.log_likelihood < fit.log_likelihood_bound


def test_a_maximum_that_is_finite_by_luck_is_not_usable() -> None:
    counts = [7_499, 2_501, 6_000, 4_000]
    fit = fit_logistic([0, 1, 0, 1], TWO, COINS, weights=counts)
    assert fit.converged
    assert fit.coefficients[0] == pytest.approx(math.log(0.0002 / 0.9998))
    assert not fit.usable
    # In whatever unit predictors are measured; a share ten times as large is one.
    assert not fit_logistic([0, 1, 0, 1], np.array(TWO) * [1, 1e6], COINS, weights=counts).usable
    assert fit_logistic([0, 1, 0, 1], TWO, COINS, weights=[7_400, 2_600, 6_000, 4_000]).usable


def test_of_many_people_the_penalty_changes_nothing_to_speak_of() -> None:
    counts = [70_000, 30_000, 60_000, 40_000]
    one, other = (fit_logistic([0, 1, 0, 1], TWO, COINS, weights=counts, penalized=each) for each in (False, True))
    assert other.coefficients == pytest.approx(one.coefficients, abs=1e-3)
    assert other.standard_errors() == pytest.approx(one.standard_errors(), rel=1e-2)
    assert other.standard_errors("sandwich") == pytest.approx(one.standard_errors("sandwich"), rel=1e-2)


def randomized(*, penalized: bool) -> BoundedFit:
    return fit_logistic_randomized_predictors(
        [0, 0, 1, 1], COINS, [[0, 1, 0, 1]], [COINS], weights=[130, 80, 38, 52], penalized=penalized
    )


def known(*, penalized: bool) -> BoundedFit:
    y, x = separated()
    return fit_logistic_randomized_predictors(y, COINS, [], [], x[:, 1:], penalized=penalized)


def anchored(attention: str) -> Callable[..., BoundedFit]:
    design = crosswise("1/4")

    def fit(*, penalized: bool) -> BoundedFit:
        reports, anchor = np.tile([0, 0, 1, 1], 2), np.tile([0, 1, 0, 1], 2)
        x = np.column_stack([np.ones(8), np.repeat([0, 1], 4)])
        weights = [10, 32, 32, 126, 30, 45, 25, 100]
        return fit_logistic_anchored(
            reports, anchor, x, design, design, attention=attention, weights=weights, penalized=penalized
        )

    return fit


def two_groups(counts: list[int]) -> Callable[..., BoundedFit]:
    def fit(*, penalized: bool) -> BoundedFit:
        x = np.column_stack([np.ones(8), np.tile([0, 0, 1, 1], 2)])
        ends = np.repeat([[0.3, 0.7], [0.7, 0.3]], 4, axis=0)
        return fit_logistic_two_groups(
            "unrelated_unknown", np.tile([0, 1], 4), x, ends, weights=counts, penalized=penalized
        )

    return fit


def listed(counts: str, *, by_item: bool) -> Callable[..., BoundedFit]:
    def fit(*, penalized: bool) -> BoundedFit:
        short = [12, 40, 36, 12]
        weights = [*short, *short, *short, 0, 8, 33, 37, 17, 5]
        reports = np.concatenate([np.arange(4), np.arange(4), np.arange(5), np.arange(5)])
        treated = np.repeat([0, 0, 1, 1], [4, 4, 5, 5])
        x = np.column_stack([np.ones(18), np.repeat([0, 1, 0, 1], [4, 4, 5, 5])])
        return fit_list(
            reports, treated, x, items=3, weights=weights, counts=counts, by_item=by_item, penalized=penalized
        )

    return fit


FITS = {
    "randomized predictor": randomized,
    "known predictor": known,
    "anchor, at each question": anchored("at_each_question"),
    "anchor, throughout": anchored("throughout"),
    "two arms": two_groups([170, 30, 122, 78, 110, 90, 98, 102]),
    "two arms, the other share at 1": two_groups([116, 84, 70, 130, 36, 164, 20, 180]),
    "list": listed("beta_binomial", by_item=False),
    "list, binomial": listed("binomial", by_item=False),
}


@pytest.mark.parametrize("name", FITS)
def test_every_model_has_an_answer_where_its_likelihood_has_none(name: str) -> None:
    without, fit = FITS[name](penalized=False), FITS[name](penalized=True)
    assert not without.usable
    assert fit.usable
    assert (np.abs(fit.coefficients) < 8).all()
    assert np.isfinite(fit.standard_errors()).all()
    penalized = fit.penalized
    assert penalized is not None
    here = penalized.model.at(penalized.parameters)
    assert here.score() == pytest.approx(0, abs=1e-5)
    numeric = gradient(lambda place: penalized.model.at(place).log_likelihood, penalized.parameters)
    assert numeric == pytest.approx(0, abs=1e-4)
    assert penalized.to_coefficients @ penalized.summit.parameters == pytest.approx(fit.coefficients)
    # No place at random, and no way from there, leads higher.
    rng = np.random.default_rng(1)
    for start in rng.normal(size=(2, penalized.parameters.size)) * 2:
        found = scipy.optimize.minimize(
            lambda place: min(-penalized.model.at(place).log_likelihood, 1e10), start, method="Nelder-Mead"
        )
        assert -found.fun <= penalized.height + 1e-6


@pytest.mark.parametrize("name", FITS)
def test_a_limit_is_where_the_test_begins_to_reject(name: str) -> None:
    fit = FITS[name](penalized=True)
    test = fit.likelihood_ratio_test(1)
    level = 1 - test.p_value
    # At the level of its own p-value the interval ends at 0.
    limits = fit.penalized_interval(1, level)
    assert limits.method == "penalized_profile"
    assert min(abs(limits.low), abs(limits.high)) == pytest.approx(0, abs=1e-5)
    assert limits.low <= fit.coefficients[1] <= limits.high
    # Beyond the farthest value there is no limit.
    assert fit.penalized_interval(1, level, limits.high / 2).high == np.inf


def test_where_no_fall_is_seen_nothing_is_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = fit_logistic([0, 1, 0, 1], TWO, direct(), weights=[6, 4, 3, 7], penalized=True)
    assert np.isfinite([fit.profile_interval(1).low, fit.profile_interval(1).high]).all()
    monkeypatch.setattr(penalized, "MOST_DOUBLINGS", 1)
    interval = fit.profile_interval(1)
    assert (interval.low, interval.high) == (-np.inf, np.inf)


def test_an_answer_that_nobody_seems_to_have_has_no_effect_to_estimate() -> None:
    three = k_ary(3, "1/2")
    # A third of a half each would be the coins alone for the last answer.
    weights = [300, 150, 90, 62, 58, 17]
    reports, answers = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]
    fit = fit_logistic_randomized_predictors(reports, COINS, [answers], [three], weights=weights, penalized=True)
    assert fit.usable
    assert np.isnan(fit.coefficients[2])
    assert np.isfinite(fit.coefficients[:2]).all()
    assert np.isnan(fit.profile_interval(2).low)
    assert fit.penalized_interval(1) == fit.profile_interval(1)
    with pytest.raises(ValueError, match="penalized"):
        fit_logistic_randomized_predictors(reports, COINS, [answers], [three], weights=weights).penalized_interval(1)
    assert np.isfinite(fit.profile_interval(1).high)
