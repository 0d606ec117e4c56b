"""Logistic regression on randomized predictors against what it must equal, and the likelihood written out."""

import math

import numpy as np
import pytest
import scipy

from surveys.estimation.association.joint import estimate_joint
from surveys.estimation.regression import randomized_predictors
from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.profiles import line_of
from surveys.estimation.regression.randomized_predictors import (
    LatentProfile,
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
    model_of,
)
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, warner
from tests.estimation.regression.data import Floats
from tests.estimation.regression.latent_data import parameters_of, rows_log_likelihood, survey, written_out

KINDS = ("observed", "expected", "opg", "sandwich")
COIN = forced_response("1/2")


def direct(k: int) -> Design:
    return from_matrix([[int(row == column) for column in range(k)] for row in range(k)])


def same(one: RandomizedPredictorsFit, other: RandomizedPredictorsFit) -> None:
    assert one.converged == other.converged
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-9)
    if one.converged:
        assert one.coefficients == pytest.approx(other.coefficients, rel=1e-6, abs=1e-7)
        for kind in KINDS:
            assert one.covariance(kind) == pytest.approx(other.covariance(kind), rel=1e-5, abs=1e-8)


def highest_by_force(fit: RandomizedPredictorsFit, seed: int) -> float:
    """The highest of the written-out likelihood over coefficients and shares, from several starts."""
    rng = np.random.default_rng(seed)
    counts, size = fit.patterns.counts, fit.coefficients.size + fit.patterns.start.size - len(fit.truths)
    optima = [
        scipy.optimize.minimize(
            lambda place: -(counts * rows_log_likelihood(fit, place)).sum(), rng.normal(scale=spread, size=size)
        )
        for spread in (0.1, 1.0, 2.0)
    ]
    return -min(result.fun for result in optima)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("answers", "groups"), [((2,), 1), ((2,), 2), ((3,), 1), ((2, 2), 1)])
def test_no_place_that_is_searched_for_by_force_is_likelier(answers: tuple[int, ...], groups: int, seed: int) -> None:
    fit = survey(seed, 150, answers, groups).fit()
    forced = highest_by_force(fit, seed)
    assert forced <= fit.log_likelihood_bound + 1e-6
    if fit.converged and not fit.higher_at_infinity:
        assert forced == pytest.approx(fit.log_likelihood, abs=1e-3)
        if (fit.truths > 0).all():
            assert written_out(fit, parameters_of(fit)) == pytest.approx(fit.log_likelihood, rel=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_without_randomized_predictors_it_is_the_regression_on_known_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = survey(seed, 250, (2,), 3)
    x = np.column_stack([data.x, rng.normal(size=250)])
    weights = rng.integers(0, 3, size=250)
    fit = fit_logistic_randomized_predictors(data.y, data.design, [], [], x, weights=weights)
    known = fit_logistic(data.y, np.column_stack([np.ones(250), x]), data.design, weights=weights)
    assert known.converged
    assert fit.converged
    assert fit.n == weights.sum()
    assert fit.coefficients == pytest.approx(known.coefficients, rel=1e-8, abs=1e-8)
    assert fit.log_likelihood == pytest.approx(known.log_likelihood, rel=1e-12)
    for kind in KINDS:
        assert fit.covariance(kind) == pytest.approx(known.covariance(kind), rel=1e-7)
    for columns in (1, [0, 2], [3]):
        mine, theirs = fit.likelihood_ratio_test(columns), known.likelihood_ratio_test(columns)
        assert mine.statistic == pytest.approx(theirs.statistic, rel=1e-7, abs=1e-8)
        assert mine.degrees_of_freedom == theirs.degrees_of_freedom
    mine, theirs = fit.profile_interval(1), known.profile_interval(1)
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), rel=1e-6)
    assert set(np.unique(fit.truths)) == {1.0}


@pytest.mark.parametrize("outcome", [direct(2), forced_response("3/4")])
def test_with_certain_predictors_it_is_the_regression_on_them(outcome: Design) -> None:
    data = survey(2, 600, (3, 2), 2)
    y = data.true_y if outcome.slope == 1 else data.y
    fit = fit_logistic_randomized_predictors(y, outcome, data.true_predictors, [direct(3), direct(2)], data.x)
    three, two = data.true_predictors
    columns = [np.ones(600), data.x[:, 0], three == 1, three == 2, two == 1]
    known = fit_logistic(y, np.column_stack(columns), outcome)
    assert fit.coefficients == pytest.approx(known.coefficients, rel=1e-8)
    # The scores' outer products mix those of coefficients and shares by chance, also where the truths are known.
    for kind in ("observed", "expected", "sandwich"):
        assert fit.covariance(kind) == pytest.approx(known.covariance(kind), rel=1e-7)
    group = data.x[:, 0]
    shares = [[[np.mean((three == a) & (two == b) & (group == g)) for b in (0, 1)] for a in range(3)] for g in (0, 1)]
    shares = np.array(shares) / np.array([np.mean(group == 0), np.mean(group == 1)])[:, np.newaxis, np.newaxis]
    assert fit.truths == pytest.approx(shares, abs=1e-12)
    assert fit.strata.tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize("seed", range(3))
def test_of_two_yes_no_questions_it_is_the_odds_ratio_of_their_joint_distribution(seed: int) -> None:
    data = survey(seed, 800)
    fit, reports = data.fit(), data.predictors[0]
    table = np.histogram2d(reports, data.y, bins=2)[0].astype(int)
    joint = estimate_joint(table, data.designs[0], data.design)
    assert joint.point.min() > 0
    assert np.exp(fit.coefficients[1]) == pytest.approx(joint.odds_ratio.point, rel=1e-8)
    assert fit.standard_errors()[1] == pytest.approx(joint.odds_ratio.log_standard_error * np.sqrt(799 / 800), rel=1e-7)
    assert fit.truths == pytest.approx(joint.point.sum(axis=1)[np.newaxis, :], rel=1e-8)
    assert fit.fitted == pytest.approx((joint.point[:, 1] / joint.point.sum(axis=1))[np.newaxis, :], rel=1e-8)
    # The model is saturated: it reproduces the table of reports.
    assert fit.log_likelihood == pytest.approx((table * np.log(table / 800)).sum(), rel=1e-10)
    limits = joint.odds_ratio.interval()
    profile = fit.profile_interval(1)
    assert np.exp([profile.low, profile.high]) == pytest.approx([limits.low, limits.high], rel=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_repeated_rows_in_any_order(seed: int) -> None:
    data, rng = survey(seed, 300, (2, 2), 2), np.random.default_rng(seed)
    weights = rng.integers(0, 4, size=300)
    rows = rng.permutation(np.repeat(np.arange(300), weights))
    repeated = fit_logistic_randomized_predictors(
        data.y[rows], data.design, [report[rows] for report in data.predictors], data.designs, data.x[rows]
    )
    weighted = data.fit(weights=weights)
    same(weighted, repeated)
    assert weighted.n == repeated.n == weights.sum()


def test_the_unit_of_the_weights_only_rescales_the_standard_errors() -> None:
    data = survey(1, 500, (2,), 2)
    plain, heavy = data.fit(), data.fit(weights=np.full(500, 1e6))
    assert heavy.coefficients == pytest.approx(plain.coefficients, rel=1e-8)
    assert heavy.standard_errors() * 1e3 == pytest.approx(plain.standard_errors(), rel=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_answers_are_called_only_turns_signs(seed: int) -> None:
    data = survey(seed, 700, (2, 3), 2)
    fit, other = data.fit(), data.fit(option=0)
    assert other.coefficients == pytest.approx(-fit.coefficients, rel=1e-7)
    assert other.standard_errors() == pytest.approx(fit.standard_errors(), rel=1e-7)
    # A forced response with a fair second coin is the same for Yes and No.
    turned = fit_logistic_randomized_predictors(
        data.y, data.design, [1 - data.predictors[0], data.predictors[1]], data.designs, data.x
    )
    intercept, group, yes, *rest = fit.coefficients
    assert turned.coefficients == pytest.approx([intercept + yes, group, -yes, *rest], rel=1e-6)
    assert turned.log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-12)
    # And so is a spinner for all its answers.
    first, second = data.predictors
    cycled = fit_logistic_randomized_predictors(data.y, data.design, [first, (second + 1) % 3], data.designs, data.x)
    b = np.append(0, fit.coefficients[3:])[[2, 0, 1]]
    assert cycled.coefficients[3:] == pytest.approx(b[1:] - b[0], rel=1e-6)


def test_one_option_of_many_is_modelled_by_whether_it_was_reported() -> None:
    rng = np.random.default_rng(4)
    data, design = survey(4, 500, (2,), 2), k_ary(4, "3/4")
    y = rng.integers(0, 4, size=500)
    fit = fit_logistic_randomized_predictors(y, design, data.predictors, data.designs, data.x, option=2)
    line = from_matrix([["15/16", "3/16"], ["1/16", "13/16"]])
    as_two = fit_logistic_randomized_predictors(y == 2, line, data.predictors, data.designs, data.x)
    same(fit, as_two)


def test_a_yes_no_question_with_many_reports_uses_all_of_them() -> None:
    rng = np.random.default_rng(6)
    data, design = survey(6, 900, (2,), 1), kuk("3/4", "1/4", 3)
    fit = fit_logistic_randomized_predictors(rng.integers(0, 4, size=900), design, data.predictors, data.designs)
    assert fit.converged
    assert forced_by_hand(fit, design)


def forced_by_hand(fit: RandomizedPredictorsFit, design: Design) -> bool:
    """Whether the fit's likelihood reads each report's own column pair."""
    matrix = np.array(design.matrix, dtype=float)
    pairs = set(zip(fit.patterns.reports.if_no, fit.patterns.reports.if_yes, strict=True))
    return pairs == {tuple(row) for row in matrix}


def test_whole_blocks_of_coefficients_are_tested_together() -> None:
    fit = survey(7, 800, (2, 3), 2).fit()
    one, block = fit.likelihood_ratio_test(2), fit.likelihood_ratio_test([2, 3, 4])
    assert (one.degrees_of_freedom, block.degrees_of_freedom) == (1, 3)
    assert one.p_value < 0.01
    assert block.statistic > one.statistic


def test_a_profile_interval_ends_where_the_likelihood_ratio_test_rejects() -> None:
    fit = survey(7, 800, (2,), 2).fit()
    test = fit.likelihood_ratio_test(2)
    profile = fit.profile_interval(2, 1 - test.p_value)
    assert profile.low == pytest.approx(0, abs=1e-4)
    assert profile.high > fit.coefficients[2]


def test_a_limit_beyond_the_farthest_wanted_is_infinite() -> None:
    fit = survey(7, 800, (2,), 2).fit()
    interval = fit.profile_interval(2)
    assert fit.profile_interval(2, farthest=interval.high + 0.1).high == pytest.approx(interval.high, abs=1e-4)
    assert fit.profile_interval(2, farthest=float(fit.coefficients[2]) + 0.01).high == math.inf


class Misled(LatentProfile):
    """A profile with a hill at 0 and a lower and wider one at 6, which is not known before a limit is explored."""

    def true_height(self, value: float) -> float:
        return max(-(value**2) / 2, -1 - (value - 6) ** 2 / 20)

    def look_past(self) -> None:
        for value in range(-16, 18, 2):
            self.keep(float(value), np.empty(0), -(value**2) / 2, np.nan)

    def height(self, value: float) -> float:
        return self.true_height(value) if 6.0 in self.highest and self.highest[6.0][1] == -1 else -(value**2) / 2

    def explore(self, values: list[float]) -> None:
        for value in values:
            self.keep(value, np.empty(0), self.true_height(value), np.nan)

    def sweep(self, values: list[float]) -> None:
        for value in [*values, *self.highest]:
            self.keep(value, np.empty(0), self.true_height(value), np.nan)


@pytest.mark.parametrize(("walks", "limits"), [(4, (-2.0, 6 + math.sqrt(20))), (1, (-math.inf, math.inf))])
def test_limits_below_another_maximum_are_sought_again_and_infinite_if_none_is_ever_confirmed(
    walks: int, limits: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(randomized_predictors, "MOST_WALKS", walks)
    fit = survey(7, 100).fit()
    model, _ = model_of(fit.patterns, fit.patterns.rows, fit.patterns.known)
    profile = Misled(model, line_of(fit.patterns.rows, np.ones(2), 1))
    profile.look_past()
    assert profile.limits(-2.0) == pytest.approx(limits, rel=1e-6)


def covered(low: Floats, high: Floats, truth: float) -> int:
    return int(((low <= truth) & (truth <= high)).sum())


def least_covered(samples: int, coverage: float, false_alarm: float = 1e-6) -> int:
    """The number of samples that intervals with this coverage fall short of with this probability at most."""
    chances = scipy.special.bdtr(np.arange(samples + 1), samples, coverage)
    return int(np.argmax(chances > false_alarm))


@pytest.mark.uncounted
@pytest.mark.slow
def test_intervals_cover_the_true_effect_and_those_of_the_reports_as_if_they_were_truths_do_not() -> None:
    mine, naive = [], []
    for seed in range(60):
        data = survey(1000 + seed, 3000, (2,), 2, truthful="1/2")
        fit = data.fit()
        assert fit.converged
        mine.append(fit.interval())
        columns = np.column_stack([np.ones(3000), data.x, data.predictors[0]])
        naive.append(fit_logistic(data.y, columns, data.design).interval())
    least = least_covered(60, 0.93)
    for number, truth in enumerate([-0.5, 0.3, 1.0]):
        low, high = (np.array([getattr(limits, side)[number] for limits in mine]) for side in ("low", "high"))
        assert covered(low, high, truth) >= least
    low, high = (np.array([getattr(limits, side)[2] for limits in naive]) for side in ("low", "high"))
    assert covered(low, high, 1.0) < least


def test_groups_may_differ_in_their_true_predictors() -> None:
    rng = np.random.default_rng(8)
    group = np.repeat([0, 1], 4000)
    truth = (rng.random(8000) < np.where(group == 1, 0.9, 0.2)).astype(int)
    y = (rng.random(8000) < 1 / (1 + np.exp(1.0 - 2.0 * truth))).astype(int)
    flip = rng.random((2, 8000)) < 0.2
    design = warner("4/5")
    fit = fit_logistic_randomized_predictors(
        np.where(flip[0], 1 - y, y), design, [np.where(flip[1], 1 - truth, truth)], [design], group[:, np.newaxis]
    )
    # The groups have the same odds given the truth; a Yes is commoner in one of them for its truths alone.
    assert np.abs(fit.coefficients - [-1.0, 0.0, 2.0]).max() < 4 * fit.standard_errors().max()
    assert fit.truths[:, 1] == pytest.approx([0.2, 0.9], abs=0.06)
    assert (fit.fitted[:, 1] > fit.fitted[:, 0]).all()
