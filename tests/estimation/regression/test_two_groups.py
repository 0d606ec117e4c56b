from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize

from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.two_groups import fit_logistic_two_groups
from surveys.estimation.two_groups.models import (
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)
from tests.estimation.regression.data import Floats, column, fit_unrelated, predictors, sigmoid

P = np.where(column("group") == 1, 0.8, 0.3)
Y = column("y_uqtunk")


def test_no_other_place_is_likelier() -> None:
    x = predictors()

    def value(parameters: Floats) -> float:
        yes = P * sigmoid(x @ parameters[:-1]) + (1 - P) * sigmoid(parameters[-1])
        return -float((Y * np.log(yes) + (1 - Y) * np.log(1 - yes)).sum())

    fit = fit_unrelated(Y, x, P)
    rng = np.random.default_rng(2)
    optima = [scipy.optimize.minimize(value, rng.normal(size=4)) for _ in range(5)]
    best = min(optima, key=lambda result: result.fun)
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert fit.coefficients == pytest.approx(best.x[:-1], abs=1e-3)
    assert fit.second_share == pytest.approx(sigmoid(best.x[-1]), abs=1e-3)
    assert fit.fitted == pytest.approx(sigmoid(x @ fit.coefficients))


def test_without_predictors_it_is_the_estimate_from_two_groups() -> None:
    # With two groups and two parameters the maximum solves the moment equations.
    fit = fit_unrelated(Y, predictors("1"), P)
    shares = [Y[p == P].mean() for p in (0.8, 0.3)]
    truth = (shares[0] * 0.7 - shares[1] * 0.2) / 0.5
    assert fit.fitted == pytest.approx(truth, rel=1e-9)
    assert fit.second_share == pytest.approx((0.3 * shares[0] - 0.8 * shares[1]) / -0.5, rel=1e-9)
    counts = [[int((Y[p == P] == code).sum()) for code in (0, 1)] for p in (0.8, 0.3)]
    moment = estimate_unrelated_unknown(*counts, "4/5", "3/10")
    assert float(moment.point) == pytest.approx(truth)


def test_all_four_standard_errors_exist_and_the_interval_ends_with_the_rate() -> None:
    fit = fit_unrelated(Y, predictors(), P)
    for kind in ("observed", "expected", "opg", "sandwich"):
        errors = fit.standard_errors(kind)
        assert errors.shape == (4,)
        # All estimate the same with 800 rows.
        assert errors == pytest.approx(fit.standard_errors(), rel=0.1)
    interval = fit.interval(0.9, "opg")
    rate_error = fit.standard_errors("opg")[-1]
    assert interval.high[-1] == pytest.approx(fit.second_share + 1.6448536 * rate_error, rel=1e-7)
    assert interval.low[:-1] == pytest.approx(fit.coefficients - 1.6448536 * fit.standard_errors("opg")[:-1], rel=1e-7)
    assert fit.interval().confidence_level == 0.95


def test_rows_of_the_sensitive_question_alone_are_direct() -> None:
    # Where nobody is asked the unrelated question, its rate is told by nothing: the other group tells it alone.
    y = np.append(column("z_true")[:400], column("z_true")[400:])
    p = np.repeat([1.0, 0.0], 400)
    x = predictors("1,x1")
    fit = fit_unrelated(y, x, p)
    direct = fit_logistic(y[:400], x[:400], (1, 0))
    assert fit.coefficients == pytest.approx(direct.coefficients, rel=1e-8)
    assert fit.second_share == pytest.approx(y[400:].mean(), rel=1e-9)
    assert fit.standard_errors()[-1] == pytest.approx(np.sqrt(y[400:].mean() * (1 - y[400:].mean()) / 400), rel=1e-8)


def test_probabilities_may_be_fractions() -> None:
    exact = [Fraction(4, 5) if group == 1 else Fraction(3, 10) for group in column("group")]
    fit = fit_unrelated(Y, predictors("1"), exact)
    assert fit.coefficients == pytest.approx(fit_unrelated(Y, predictors("1"), P).coefficients)


def test_the_prevalence_is_the_mean_over_people_and_has_the_interval_of_its_log_odds() -> None:
    fit, weights = fit_unrelated(Y, predictors(), P), np.tile([0, 1, 2, 1], 200)
    assert fit.prevalence == pytest.approx(fit.fitted.mean())
    heavy = fit_unrelated(Y, predictors(), P, weights=weights)
    assert heavy.prevalence == pytest.approx(np.average(heavy.fitted, weights=weights))
    alone = fit_unrelated(Y, predictors("1"), P)
    interval, limits = alone.prevalence_interval(0.9, "opg"), alone.interval(0.9, "opg")
    assert (interval.low, interval.high) == pytest.approx((sigmoid(limits.low[0]), sigmoid(limits.high[0])))


def test_weights_count_rows() -> None:
    weights = np.tile([0, 1, 2, 1], 200)
    weighted = fit_unrelated(Y, predictors(), P, weights=weights)
    rows = np.repeat(np.arange(800), weights)
    duplicated = fit_unrelated(Y[rows], predictors()[rows], P[rows])
    assert weighted.coefficients == pytest.approx(duplicated.coefficients, rel=1e-8)
    for kind in ("observed", "expected", "opg"):
        assert weighted.standard_errors(kind) == pytest.approx(duplicated.standard_errors(kind), rel=1e-8)
    assert weighted.fitted.shape == (800,)


def test_all_yes_is_a_certainty() -> None:
    fit = fit_unrelated(np.ones(800), predictors(), P)
    assert fit.separated
    assert not fit.converged
    assert np.isnan(fit.standard_errors()).all()
    assert fit.standard_errors().shape == (4,)
    assert fit.second_share == pytest.approx(1, abs=1e-6)


def test_with_many_rows_the_starts_are_judged_on_some() -> None:
    rng = np.random.default_rng(8)
    x = np.column_stack([np.ones(6000), rng.normal(size=6000)])
    p = np.repeat([0.8, 0.3], 3000)
    y = rng.random(6000) < p * sigmoid(x @ [-0.5, 0.8]) + (1 - p) * 0.35
    fit = fit_unrelated(y, x, p)
    assert fit.converged
    off = (np.append(fit.coefficients, fit.second_share) - [-0.5, 0.8, 0.35]) / fit.standard_errors()
    # Five standard errors: one run in a million misses.
    assert np.abs(off).max() < 5


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (np.full(800, 0.8), "^ends"),
        (np.append(P[1:], 1.1), "^ends .*800"),
        (np.append(P[1:], -0.1), "^ends .*800"),
        (np.append(P[1:], np.nan), "^ends .*800"),
        (P[1:], "^ends .*800"),
    ],
)
def test_groups_differ_in_a_probability(p: Floats, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_unrelated(Y, predictors(), p)


def test_a_second_group_without_weight_is_none() -> None:
    with pytest.raises(ValueError, match=r"^ends"):
        fit_unrelated(Y, predictors(), P, weights=column("group") == 1)


def test_what_is_not_zeros_and_ones_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^reports .*0.*1"):
        fit_unrelated(Y + 1, predictors(), P)
    with pytest.raises(ValueError, match=r"^X .*800"):
        fit_unrelated(Y, predictors()[1:], P)
    with pytest.raises(ValueError, match=r"^ends"):
        fit_logistic_two_groups("lie_detector", Y, predictors(), "a")
    with pytest.raises(ValueError, match=r"^ends .*800.*1"):
        fit_logistic_two_groups("cheating_detection", Y, predictors(), np.tile([[0.5, 0.6], [0.2, 0.3]], (400, 1)))
    with pytest.raises(ValueError, match=r"^model .*lie_detector"):
        fit_logistic_two_groups("kuk", Y, predictors(), np.column_stack([1 - P, P]))


# Cheating detection and the lie detector: two arms of 600 of whom σ(−1 + 1.2z) have it.

TRUTH = np.array([-1.0, 1.2])
FIRST, SECOND = np.array([0.5, 0.05]), np.array([0.5, 0.45])  # the truth, and a forced Yes
TOLD = np.array([0.8, 0.2]), np.array([0.2, 0.8])  # to say Yes, and to tell the truth
OTHERS = {
    "cheating_detection": (np.repeat([FIRST, SECOND], 600, axis=0), 0.3),
    "lie_detector": (np.repeat(TOLD, 600, axis=0), 0.8),
}
Z = np.tile([0.0, 1.0], 600)


def says_yes(model: str, has: Floats, share: float, ends: Floats) -> Floats:
    """How probably each says Yes, as the models are told."""
    first, second = ends.T
    if model == "cheating_detection":
        return has * first + (1 - share) * second
    return has * share + (1 - has) * first


def drawn(model: str, generator: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Rows of report, z and both weights that differ, and how often each comes."""
    ends, share = OTHERS[model]
    yes = says_yes(model, sigmoid(TRUTH[0] + TRUTH[1] * Z), share, ends)
    rows, weights = np.unique(np.column_stack([generator.random(1200) < yes, Z, ends]), axis=0, return_counts=True)
    return rows[:, 0], np.column_stack([np.ones(len(rows)), rows[:, 1]]), rows[:, 2:], weights


@pytest.mark.parametrize("model", OTHERS)
def test_no_other_place_is_likelier_with_either_model(model: str) -> None:
    y, x, ends, weights = drawn(model, np.random.default_rng(4))

    def value(parameters: Floats) -> float:
        yes = says_yes(model, sigmoid(x @ parameters[:2]), float(sigmoid(parameters[2])), ends)
        return -float(weights @ np.log(np.where(y == 1, yes, 1 - yes)))

    fit = fit_logistic_two_groups(model, y, x, ends, weights=weights)
    rng = np.random.default_rng(2)
    best = min((scipy.optimize.minimize(value, rng.normal(size=3)) for _ in range(5)), key=lambda result: result.fun)
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert fit.estimates == pytest.approx([*best.x[:2], sigmoid(best.x[2])], abs=1e-3)
    # The fault that must be caught: everybody does as told, so each arm is an ordinary design.
    first, second = ends.T
    lines = (first, second) if model == "cheating_detection" else (second, first)
    obedient = fit_logistic(y, x, lines, weights=weights)
    assert obedient.log_likelihood < fit.log_likelihood - 2


def test_without_predictors_they_are_the_estimates_from_two_groups() -> None:
    counts = [380, 220], [250, 350]
    y, ends = np.array([0, 1, 0, 1]), np.repeat([FIRST, SECOND], 2, axis=0)
    weights = np.concatenate(counts)
    fit = fit_logistic_two_groups("cheating_detection", y, np.ones((4, 1)), ends, weights=weights)
    both = estimate_cheating_detection(*counts, "1/20", "9/20", no1="9/20", no2="1/20")
    assert fit.fitted[0] == pytest.approx(float(both.point))
    assert fit.second_share == pytest.approx(float(both.always_no.point))
    ends, counts = np.repeat(TOLD, 2, axis=0), ([210, 390], [330, 270])
    fit = fit_logistic_two_groups("lie_detector", y, np.ones((4, 1)), ends, weights=np.concatenate(counts))
    lying = estimate_lie_detector(*counts, "1/5", "4/5")
    assert fit.fitted[0] == pytest.approx(float(lying.point))
    assert fit.second_share == pytest.approx(float(lying.truthful_share.point))


@pytest.mark.studies
@pytest.mark.parametrize("model", OTHERS)
def test_coefficients_and_the_other_share_are_covered_and_with_all_taken_to_do_as_told_they_are_not(model: str) -> None:
    """As below."""
    generator, held, obedient = np.random.default_rng(63), np.zeros(3), np.zeros(2)
    truth = [*TRUTH, OTHERS[model][1]]
    for _ in range(2_000):
        y, x, ends, weights = drawn(model, generator)
        limits = fit_logistic_two_groups(model, y, x, ends, weights=weights).interval()
        held += (limits.low <= truth) & (truth <= limits.high)
        first, second = ends.T
        lines = (first, second) if model == "cheating_detection" else (second, first)
        wrong = fit_logistic(y, x, lines, weights=weights).interval()
        obedient += (wrong.low <= TRUTH) & (wrong.high >= TRUTH)
    assert ((held / 2_000 >= 0.93) & (held / 2_000 <= 0.97)).all(), held / 2_000
    assert (obedient / 2_000 < 0.9).any(), obedient / 2_000


@pytest.mark.studies
def test_coefficients_and_rate_are_covered_and_with_a_rate_wrongly_taken_as_known_they_are_not() -> None:
    """2,000 studies of 1,200, seed fixed: with a coverage of .95 a share outside .93 to .97 is one in 25,000."""
    generator, truth, rate = np.random.default_rng(62), np.array([-1.0, 1.2]), 0.4
    z, asked = np.tile([0.0, 1.0], 600), np.repeat([0.8, 0.3], 600)
    x = np.column_stack([np.ones(1200), z])
    held, guessed = np.zeros(4), np.zeros(2)
    for _ in range(2_000):
        y = generator.random(1200) < asked * sigmoid(x @ truth) + (1 - asked) * rate
        rows, weights = np.unique(np.column_stack([y, z, asked]), axis=0, return_counts=True)
        mine, known = np.column_stack([np.ones(len(rows)), rows[:, 1]]), rows[:, 2]
        fit = fit_unrelated(rows[:, 0], mine, known, weights=weights)
        limits, share = fit.interval(), fit.prevalence_interval()
        held[:3] += (limits.low <= [*truth, rate]) & ([*truth, rate] <= limits.high)
        held[3] += share.low <= np.average(sigmoid(mine @ truth), weights=weights) <= share.high
        # The fault: 60 of 100 are said to answer Yes to the unrelated question.
        wrong = fit_logistic(rows[:, 0], mine, (known, (1 - known) * 0.6), weights=weights).interval()
        guessed += (wrong.low <= truth) & (truth <= wrong.high)
    assert ((held / 2_000 >= 0.93) & (held / 2_000 <= 0.97)).all(), held / 2_000
    assert (guessed / 2_000 < 0.9).any(), guessed / 2_000
