"""Logistic regression beside an anchor question. Statistical tests have a fixed seed."""

import numpy as np
import pytest
import scipy

from surveys.estimation.adherence.anchor import estimate_anchored
from surveys.estimation.adherence.logistic import AnchoredFit, fit_logistic_anchored
from surveys.estimation.regression.logistic import fit_logistic
from surveys.privacy.designs import crosswise
from surveys.privacy.designs.plain import direct
from tests.estimation.regression.data import sigmoid
from tests.golden import cases

OWN, ANCHOR = crosswise("1/10"), crosswise("3/20")
BETA, THETA = np.array([-1.0, 0.8]), np.array([0.9, 0.5])


def simulate(rng: np.random.Generator, n: int, *, lasting: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X of an intercept and one yes/no predictor, and both reports of n respondents."""
    x = np.column_stack([np.ones(n), rng.integers(0, 2, n)])
    attention = sigmoid(x @ THETA)
    first = rng.random(n) < attention
    second = first if lasting else rng.random(n) < attention
    yes = rng.random(n) < sigmoid(x @ BETA)
    reports = np.where(first, rng.random(n) < np.where(yes, 0.1, 0.9), rng.random(n) < 0.5)
    anchors = np.where(second, rng.random(n) < 0.85, rng.random(n) < 0.5)
    return x, reports.astype(int), anchors.astype(int)


X, Y, A = simulate(np.random.default_rng(11), 1_000)


def log_likelihood(parameters: np.ndarray, attention: str) -> float:
    """What `fit_logistic_anchored` maximizes, written as the model is told."""
    yes, attentive = sigmoid(X @ parameters[:2]), sigmoid(X @ parameters[2:])
    same = 0.1 * yes + 0.9 * (1 - yes)
    report, anchor = np.where(Y == 1, same, 1 - same), np.where(A == 1, 0.85, 0.15)
    if attention == "throughout":
        return float(np.log(attentive * report * anchor + (1 - attentive) / 4).sum())
    pair = (attentive * report + (1 - attentive) / 2) * (attentive * anchor + (1 - attentive) / 2)
    return float(np.log(pair).sum())


@pytest.mark.parametrize("attention", ["throughout", "at_each_question"])
def test_no_other_place_is_likelier(attention: str) -> None:
    fit = fit_logistic_anchored(Y, A, X, OWN, ANCHOR, attention_X=X, attention=attention)
    rng = np.random.default_rng(3)
    optima = [
        scipy.optimize.minimize(lambda place: -log_likelihood(place, attention), rng.normal(size=4), tol=1e-10)
        for _ in range(4)
    ]
    best = min(optima, key=lambda result: result.fun)
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-7)
    assert fit.estimates == pytest.approx(best.x, abs=1e-3)
    assert fit.fitted == pytest.approx(sigmoid(X @ fit.coefficients))
    assert fit.attentive == pytest.approx(sigmoid(X @ fit.attention_coefficients))


def test_the_coefficients_and_their_standard_errors_are_those_that_cwise_prints() -> None:
    (case,) = cases("anchored_regression", "cmreg")
    y, anchor, female, age, counts = np.array(case["inputs"]["rows"]).T
    x = np.column_stack([np.ones(len(y)), female, age])
    fit = fit_logistic_anchored(y, anchor, x, OWN, ANCHOR, attention_X=x, weights=counts)
    theirs = case["outputs"]
    # The package's climb stops before the top, most where it is flat: by up to .008 of a standard error.
    off = fit.estimates - np.append(theirs["coefficients"], theirs["attention"])
    errors = np.append(theirs["se"], theirs["attention_se"])
    assert np.abs(off / errors).max() < 0.01
    assert fit.standard_errors() == pytest.approx(errors, rel=4e-3)
    # The twin: taken for attentive throughout, the same reports have other coefficients.
    lasting = fit_logistic_anchored(y, anchor, x, OWN, ANCHOR, attention_X=x, attention="throughout", weights=counts)
    assert np.abs((lasting.estimates[:3] - theirs["coefficients"]) / theirs["se"]).max() > 0.04


@pytest.mark.parametrize("attention", ["throughout", "at_each_question"])
def test_standard_errors_are_those_of_second_differences(attention: str) -> None:
    fit = fit_logistic_anchored(Y, A, X, OWN, ANCHOR, attention_X=X, attention=attention)
    step, place = 1e-3, fit.estimates
    units = step * np.eye(4)
    bends = [
        [
            sum(
                s * t * log_likelihood(place + s * units[i] + t * units[j], attention) for s in (-1, 1) for t in (-1, 1)
            )
            / (4 * step**2)
            for j in range(4)
        ]
        for i in range(4)
    ]
    assert fit.covariance() == pytest.approx(np.linalg.inv(-np.array(bends)), rel=1e-3, abs=1e-6)


def test_the_sandwich_adds_up_a_respondents_two_scores() -> None:
    fit = fit_logistic_anchored(Y, A, X, OWN, ANCHOR, attention_X=X, attention="at_each_question")
    step, place = 1e-5, fit.estimates

    def each(parameters: np.ndarray) -> np.ndarray:
        yes, attentive = sigmoid(X @ parameters[:2]), sigmoid(X @ parameters[2:])
        same = 0.1 * yes + 0.9 * (1 - yes)
        report, anchor = np.where(Y == 1, same, 1 - same), np.where(A == 1, 0.85, 0.15)
        return np.log((attentive * report + (1 - attentive) / 2) * (attentive * anchor + (1 - attentive) / 2))

    scores = np.column_stack([(each(place + row) - each(place - row)) / (2 * step) for row in step * np.eye(4)])
    middle, inverse = scores.T @ scores, fit.covariance()
    assert fit.covariance("sandwich") == pytest.approx(inverse @ middle @ inverse, rel=1e-4, abs=1e-8)
    with pytest.raises(ValueError, match=r"^kind"):
        fit.covariance("expected")


def test_without_predictors_attention_at_each_question_gives_the_moment_estimate() -> None:
    table = [[int(((y == Y) & (anchor == A)).sum()) for anchor in (0, 1)] for y in (0, 1)]
    moment = estimate_anchored(table, OWN, ANCHOR)
    fit = fit_logistic_anchored(Y, A, X[:, :1], OWN, ANCHOR, attention="at_each_question")
    assert fit.fitted[0] == pytest.approx(moment.prevalence.point)
    assert fit.attentive[0] == pytest.approx(moment.attentive.point)
    # The sandwich needs no more than the moment estimate does.
    error = fit.standard_errors("sandwich")[0] * fit.fitted[0] * (1 - fit.fitted[0])
    assert error == pytest.approx(moment.prevalence.standard_error, rel=1e-3)


def test_where_all_attend_to_the_anchor_the_question_is_fitted_alone() -> None:
    # A direct anchor that everybody answers No to, which nobody does by chance half of the time.
    fit = fit_logistic_anchored(Y, np.zeros(1_000), X, OWN, direct(), attention="at_each_question")
    assert fit.separated
    assert fit.attentive == pytest.approx(np.ones(1_000), abs=1e-6)
    assert fit.coefficients == pytest.approx(fit_logistic(Y, X, OWN).coefficients, abs=1e-4)
    assert np.isnan(fit.standard_errors()).all()
    assert fit.standard_errors().shape == (3,)


def test_weights_count_rows() -> None:
    weights = np.tile([0, 1, 2, 1], 250)
    rows = np.repeat(np.arange(1_000), weights)
    for attention in ("throughout", "at_each_question"):
        one = fit_logistic_anchored(Y, A, X, OWN, ANCHOR, attention=attention, weights=weights)
        other = fit_logistic_anchored(Y[rows], A[rows], X[rows], OWN, ANCHOR, attention=attention)
        assert one.estimates == pytest.approx(other.estimates, rel=1e-7)
        assert one.covariance("sandwich") == pytest.approx(other.covariance("sandwich"), rel=1e-6)


def test_with_many_rows_the_starts_are_judged_on_some() -> None:
    x, y, anchor = simulate(np.random.default_rng(12), 1_100)
    fit = fit_logistic_anchored(y, anchor, x, OWN, ANCHOR, attention_X=x, attention="at_each_question")
    assert fit.converged
    off = (fit.estimates - np.append(BETA, THETA)) / fit.standard_errors("sandwich")
    # Five standard errors: one run in a million misses.
    assert np.abs(off).max() < 5


def test_a_predictor_is_tested_by_leaving_it_out() -> None:
    fit = fit_logistic_anchored(Y, A, X, OWN, ANCHOR)
    nested = fit_logistic_anchored(Y, A, X[:, :1], OWN, ANCHOR)
    test = fit.likelihood_ratio_test(1)
    assert test.statistic == pytest.approx(2 * (fit.log_likelihood - nested.log_likelihood))
    assert test.degrees_of_freedom == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"attention": "often"}, "^attention"),
        ({"anchor_reports": A[1:]}, "^anchor_reports .*1000"),
        ({"attention_X": X[1:]}, "^attention_X .*1000"),
        ({"anchor_prevalence": "1/2"}, "^anchor_prevalence"),
    ],
)
def test_what_does_not_go_together_is_refused(changed: dict, message: str) -> None:
    given = {"reports": Y, "anchor_reports": A, "X": X, "design_or_slope_offset": OWN, "anchor_design": ANCHOR}
    with pytest.raises(ValueError, match=message):
        fit_logistic_anchored(**(given | changed))


# 2,000 studies of 1,500. At a true coverage of .95 one run in 20,000 leaves .93 to .97 for one coefficient.


def studies(*, lasting: bool, attention: str) -> list[AnchoredFit]:
    """Fits to the eight kinds of respondents that there are, each with its number as weight."""
    rng, fits = np.random.default_rng(475), []
    for _ in range(2_000):
        x, y, anchor = simulate(rng, 1_500, lasting=lasting)
        kinds, counts = np.unique(np.column_stack([x, y, anchor]), axis=0, return_counts=True)
        fits.append(
            fit_logistic_anchored(
                kinds[:, 2],
                kinds[:, 3],
                kinds[:, :2],
                OWN,
                ANCHOR,
                attention_X=kinds[:, :2],
                attention=attention,
                weights=counts,
            )
        )
    return fits


def coverage(fits: list[AnchoredFit], kind: str) -> np.ndarray:
    truth = np.append(BETA, THETA)
    intervals = [fit.interval(kind=kind) for fit in fits if fit.converged]
    assert len(intervals) > 0.99 * len(fits)
    return np.mean([(one.low <= truth) & (truth <= one.high) for one in intervals], axis=0)


@pytest.mark.studies
def test_intervals_hold_the_coefficients_as_often_as_they_say() -> None:
    fits = studies(lasting=True, attention="throughout")
    for kind in ("observed", "sandwich"):
        covered = coverage(fits, kind)
        assert (covered[:2] > 0.93).all()
        assert (covered[:2] < 0.97).all()


@pytest.mark.studies
def test_the_composite_likelihood_works_for_either_attention_and_the_other_for_its_own_alone() -> None:
    for lasting in (True, False):
        covered = coverage(studies(lasting=lasting, attention="at_each_question"), "sandwich")
        assert (covered[:2] > 0.93).all()
        assert (covered[:2] < 0.97).all()

    wrong = coverage(studies(lasting=False, attention="throughout"), "sandwich")
    assert wrong[0] < 0.92


@pytest.mark.studies
def test_without_the_anchor_the_coverage_falls() -> None:
    # The same data in a regression that takes everybody for attentive.
    rng, held, truth = np.random.default_rng(475), [], BETA
    for _ in range(200):
        x, y, _ = simulate(rng, 1_500)
        interval = fit_logistic(y, x, OWN).interval()
        held.append((interval.low <= truth) & (truth <= interval.high))
    assert np.mean(held, axis=0).min() < 0.5
