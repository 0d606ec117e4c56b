"""Regression on a trait that was randomized. Statistical tests have a fixed seed."""

from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.normal_linear import fit_linear_normal
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.estimation.regression.trait_predictor import TraitFit, fit_on_trait
from surveys.privacy.designs import crosswise, forced_response
from surveys.privacy.designs.plain import direct
from tests.estimation.regression.data import column, gradient, predictors
from tests.estimation.regression.trait_data import ANCHOR, OWN, WARNER, Respondents, log_likelihoods, respondents
from tests.golden import cases

ATTENTION = ("throughout", "at_each_question")
WITHOUT, LASTING, DRAWN = (
    respondents(300, 1),
    respondents(400, 2, design=OWN, lasts=True),
    respondents(400, 3, lasts=False),
)


def fit(people: Respondents, *, normal: bool, attention: str = "", **options: Any) -> TraitFit:
    """What is fitted to these respondents, beside the anchor if attention is asked for."""
    if attention:
        options |= {"anchor_reports": people.anchor, "anchor_design": ANCHOR, "attention": attention}
    outcome = ("normal", people.number) if normal else ("logistic", people.yes)
    return fit_on_trait(outcome[1], people.x, people.reports, people.design, outcome=outcome[0], **options)


def parameters(of: TraitFit) -> np.ndarray:
    """The parameters in the order in which the likelihood is written out."""
    return of.estimates if np.isnan(of.residual_deviation) else np.append(of.estimates, np.log(of.residual_deviation))


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize(("people", "attention"), [(WITHOUT, ""), (LASTING, "throughout"), (DRAWN, "at_each_question")])
def test_no_other_place_is_likelier(people: Respondents, attention: str, normal: bool) -> None:
    ours = fit(people, normal=normal, attention=attention)

    def fall(place: np.ndarray) -> float:
        return -log_likelihoods(people, place, normal=normal, attention=attention).sum()

    at, rng = parameters(ours), np.random.default_rng(4)
    assert ours.converged
    assert not ours.separated
    assert fall(at) == pytest.approx(-ours.log_likelihood, rel=1e-12)
    optima = [scipy.optimize.minimize(fall, start) for start in (at + 0.3 * rng.normal(size=at.size), 0 * at)]
    best = min(optima, key=lambda found: found.fun)
    assert -ours.log_likelihood == pytest.approx(best.fun, abs=1e-5)
    assert at == pytest.approx(best.x, abs=3e-3)


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize(("people", "attention"), [(WITHOUT, ""), (LASTING, "throughout"), (DRAWN, "at_each_question")])
def test_standard_errors_are_those_of_numeric_derivatives(people: Respondents, attention: str, normal: bool) -> None:
    ours = fit(people, normal=normal, attention=attention)

    def rise(place: np.ndarray) -> np.ndarray:
        return log_likelihoods(people, place, normal=normal, attention=attention)

    at, size = parameters(ours), ours.estimates.size
    scores = gradient(rise, at)
    observed = -gradient(lambda place: gradient(rise, place, 1e-3).sum(axis=1), at, 1e-3)
    inverse, outer = np.linalg.inv(observed), scores @ scores.T
    matrices = {"observed": inverse, "opg": np.linalg.inv(outer), "sandwich": inverse @ outer @ inverse}
    for kind, matrix in matrices.items():
        assert ours.covariance(kind) == pytest.approx(matrix[:size, :size], rel=1e-3, abs=1e-6)
    with pytest.raises(ValueError, match=r"^kind must not be expected"):
        ours.standard_errors("expected")


@pytest.mark.parametrize("case", cases("trait_predictor", "rrreg"), ids=lambda case: case["id"])
def test_rr_comes_near_the_maximum_and_the_standard_errors_there(case: dict[str, Any]) -> None:
    expected = case["outputs"]
    if "rows" in case["inputs"]:
        y, female, reports, counts = np.array(case["inputs"]["rows"]).T
        x, design, weights = np.column_stack([np.ones(8), female]), forced_response("2/3"), counts
    else:
        y, x, reports, design, weights = column("o"), predictors(), column("y_forced"), forced_response("3/4"), None
    ours = fit_on_trait(y, x, reports, design, weights=weights)
    theirs = np.array([*expected["est_t"], *expected["est_b"]])
    # Its steps ignore the outcomes of respondents who were forced to answer, so that it stops
    # beside the maximum, by up to 0.08 and 0.22 of a standard error.
    assert 0.05 < np.abs((ours.estimates - theirs) / ours.standard_errors()).max() < 0.25
    if "log_likelihood" in expected:
        assert 0 < ours.log_likelihood - expected["log_likelihood"] < 0.01
    by_optim = np.array([*expected["se_t_optim"], *expected["se_b_optim"]])
    assert ours.standard_errors() == pytest.approx(by_optim, rel=0.01)
    # Those that it prints by default are others.
    assert expected["se_t_default"][-1] > 2.5 * ours.standard_errors("opg")[x.shape[1]]


def fit_number(taken: float) -> TraitFit:
    """What cWise fits to the synthetic class, beside a made-up anchor."""
    x, anchor = predictors("1,x2"), (37 * column("id") % 100 < 75).astype(int)
    options: dict[str, Any] = {"attention": "throughout", "attention_X": x}
    options |= {"anchor_reports": anchor, "anchor_design": crosswise("1/10")}
    number = column("v") - taken
    return fit_on_trait(number, x, column("y_cross"), crosswise("1/5"), outcome="normal", **options)


def test_cwise_agrees_where_it_finds_the_maximum() -> None:
    (case,) = cases("trait_predictor", "cmreg_p_centred")
    expected, ours = case["outputs"], fit_number(case["inputs"]["taken"])
    theirs = np.array([*expected["coef"], *expected["trait"], *expected["attention"]])
    # It prints four decimals.
    assert np.abs((ours.estimates - theirs) / ours.standard_errors()).max() < 0.01
    assert ours.standard_errors() == pytest.approx(np.array(expected["se"]), rel=0.005)


def test_cwise_may_end_where_nobody_has_the_trait() -> None:
    (case,) = cases("trait_predictor", "cmreg_p_as_it_is")
    ours, centred = fit_number(0.0), fit_number(1.3)
    assert ours.log_likelihood == pytest.approx(centred.log_likelihood, rel=1e-10)
    assert ours.coefficients[1:] == pytest.approx(centred.coefficients[1:], rel=1e-5)
    theirs = case["outputs"]
    x, y = predictors("1,x2"), column("v")
    assert (1 / (1 + np.exp(-x @ theirs["trait"]))).max() < 1e-4
    # Then the number is left to x, and trait and attention say all the same of the reports.
    rest = y - x @ theirs["coef"][:2]
    least_squares = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    assert rest.std() == pytest.approx(least_squares.std(), rel=1e-4)
    follows = 1 / (1 + np.exp(-x @ theirs["attention"]))
    anchor = np.where(37 * column("id") % 100 < 75, 0.9, 0.1)
    report = np.where(column("y_cross") == 1, 0.8, 0.2)
    reports = np.log(follows * report * anchor + (1 - follows) / 4).sum()
    height = reports + scipy.stats.norm.logpdf(rest, 0, rest.std()).sum()
    assert ours.log_likelihood > height + 10


def test_the_trait_saturated_in_two_strata_is_the_free_distribution() -> None:
    people = respondents(600, 5)
    x = np.column_stack([np.ones(600), people.x[:, 1] > 0]).astype(float)
    ours = fit_on_trait(people.yes, x, people.reports, WARNER)
    free = fit_logistic_randomized_predictors(people.yes, direct(), [people.reports], [WARNER], x[:, 1:])
    assert ours.coefficients == pytest.approx(free.coefficients, rel=1e-6)
    assert ours.standard_errors()[:3] == pytest.approx(free.standard_errors(), rel=1e-6)
    assert np.unique(ours.trait.round(9)) == pytest.approx(np.sort(free.truths[:, 1]), rel=1e-6)
    by_strata = free.likelihood_ratio_test([1, 2]).statistic
    assert ours.likelihood_ratio_test([1, 2]).statistic == pytest.approx(by_strata, rel=1e-6)


def test_a_trait_that_does_not_depend_on_x_is_what_the_normal_regression_takes() -> None:
    people = respondents(300, 6)
    ours = fit(people, normal=True, trait_X=np.ones((300, 1)))
    other = fit_linear_normal(people.number, people.x, [people.reports], [WARNER])
    assert ours.coefficients == pytest.approx(other.coefficients, rel=1e-6)
    assert ours.standard_errors()[:3] == pytest.approx(other.standard_errors(), rel=1e-6)
    assert ours.residual_deviation == pytest.approx(other.residual_deviation, rel=1e-6)
    assert ours.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-10)
    assert ours.misfit.effects == pytest.approx(other.misfit.effects, rel=1e-4)
    assert ours.misfit.skewness == pytest.approx(other.misfit.skewness, rel=1e-4)


def test_a_trait_that_is_seen_is_a_predictor_like_others() -> None:
    people = respondents(300, 7)
    known = np.column_stack([people.x, people.trait])
    ours = fit_on_trait(people.yes, people.x, people.trait, direct())
    assert ours.coefficients == pytest.approx(fit_logistic(people.yes, known, direct()).coefficients, rel=1e-8)
    assert ours.trait_coefficients == pytest.approx(
        fit_logistic(people.trait, people.x, direct()).coefficients, rel=1e-8
    )
    measured = fit_on_trait(people.number, people.x, people.trait, direct(), outcome="normal")
    least_squares = np.linalg.lstsq(known, people.number, rcond=None)[0]
    assert measured.coefficients == pytest.approx(least_squares, rel=1e-8)
    rest = people.number - known @ least_squares
    assert measured.residual_deviation == pytest.approx(np.sqrt(np.mean(rest**2)), rel=1e-8)
    assert measured.fitted[:, 1] - measured.fitted[:, 0] == pytest.approx(measured.coefficients[2])


@pytest.mark.parametrize("normal", [False, True])
def test_weights_are_how_often_a_row_came(normal: bool) -> None:
    people, rng = WITHOUT, np.random.default_rng(8)
    weights = rng.integers(0, 4, 300)
    rows = np.repeat(np.arange(300), weights)
    outcome = people.number if normal else people.yes
    kind = "normal" if normal else "logistic"
    one = fit_on_trait(outcome, people.x, people.reports, WARNER, outcome=kind, weights=weights)
    other = fit_on_trait(outcome[rows], people.x[rows], people.reports[rows], (0.6, 0.2), outcome=kind)
    assert one.estimates == pytest.approx(other.estimates, rel=1e-6)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-10)
    for errors in ("observed", "sandwich"):
        assert one.standard_errors(errors) == pytest.approx(other.standard_errors(errors), rel=1e-6)
    assert one.fitted.shape == (300, 2)
    assert one.misfit.skewness == pytest.approx(other.misfit.skewness, rel=1e-4, nan_ok=True)
    # Corrected scores know neither weights nor lines.
    assert np.isnan([one.misfit.effects, other.misfit.effects]).all()
    test, same = one.likelihood_ratio_test(2), other.likelihood_ratio_test(2)
    assert test.statistic == pytest.approx(same.statistic, rel=1e-6)


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize("columns", [[1], [2], [0, 2]])
def test_a_test_compares_with_the_maximum_without_the_columns(columns: list[int], normal: bool) -> None:
    ours = fit(WITHOUT, normal=normal)
    free = [number for number in range(parameters(ours).size) if number not in columns]

    def fall(place: np.ndarray) -> float:
        whole = np.zeros(parameters(ours).size)
        whole[free] = place
        return -log_likelihoods(WITHOUT, whole, normal=normal).sum()

    without = scipy.optimize.minimize(fall, parameters(ours)[free])
    test = ours.likelihood_ratio_test(columns)
    assert test.degrees_of_freedom == len(columns)
    assert test.statistic == pytest.approx(2 * (ours.log_likelihood + without.fun), abs=1e-4)


def test_attention_may_have_predictors() -> None:
    people = LASTING
    ours = fit(people, normal=True, attention="throughout", attention_X=people.x)
    plain = fit(people, normal=True, attention="throughout")
    assert ours.attention_coefficients.shape == (2,)
    assert 0 <= ours.log_likelihood - plain.log_likelihood < 8
    assert ours.attentive == pytest.approx(1 / (1 + np.exp(-people.x @ ours.attention_coefficients)))
    assert np.ptp(plain.attentive) < 1e-12
    assert fit(people, normal=True).attentive.tolist() == [1.0] * 400


def test_the_planted_effect_is_found_beside_the_anchor_and_missed_without_it() -> None:
    people = respondents(20_000, 9, design=OWN, lasts=True)
    with_anchor = fit(people, normal=True, attention="throughout")
    planted = np.array([-0.4, 0.5, 1.0, -0.5, 1.0, np.log(4)])
    # Five standard errors: one run in a million misses.
    assert np.abs((with_anchor.estimates - planted) / with_anchor.standard_errors()).max() < 5
    assert with_anchor.residual_deviation == pytest.approx(1.0, abs=0.05)
    without = fit(people, normal=True)
    assert abs(without.coefficients[2] - 1) > 5 * without.standard_errors()[2]


def test_an_outcome_without_exception_is_separated_and_can_still_be_tested() -> None:
    trait = np.tile([0, 1], 20)
    y = np.where(trait == 1, 1, np.tile([0, 0, 1, 0], 10))
    ours = fit_on_trait(y, np.ones((40, 1)), trait, direct())
    assert ours.separated
    assert not ours.converged
    assert np.isnan(ours.standard_errors()).all()
    without = fit_logistic(y, np.ones((40, 1)), direct()).log_likelihood
    certain = fit_logistic(np.tile([0, 0, 1, 0], 10)[trait == 0], np.ones((20, 1)), direct())
    test = ours.likelihood_ratio_test(1)
    assert test.statistic == pytest.approx(2 * (certain.log_likelihood - without), abs=1e-5)


def test_a_trait_by_steps_of_x_is_seen_to_be_likelier_at_infinity() -> None:
    x = np.column_stack([np.ones(24), np.repeat(np.arange(6.0), 4)])
    reports = np.array([0, 0, 0, 1] * 3 + [1, 1, 1, 0] * 3)
    y = np.array([0, 1, 0, 1] * 6)
    ours = fit_on_trait(y, x, reports, WARNER)
    alone = fit_logistic(reports, x, WARNER)
    assert ours.log_likelihood_bound >= alone.log_likelihood_bound + 24 * np.log(0.5) - 1e-6
    assert ours.separated or ours.higher_at_infinity


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_no_unit_and_no_origin_of_a_number_matters(unit: float) -> None:
    plain = fit(WITHOUT, normal=True)
    moved = fit_on_trait(unit * (WITHOUT.number + 1e4), WITHOUT.x, WITHOUT.reports, WARNER, outcome="normal")
    assert moved.coefficients / unit - [1e4, 0, 0] == pytest.approx(plain.coefficients, abs=1e-6)
    assert moved.standard_errors()[:3] / unit == pytest.approx(plain.standard_errors()[:3], rel=1e-6)
    assert moved.log_likelihood == pytest.approx(plain.log_likelihood - 300 * np.log(unit), rel=1e-9)
    for column_number in range(1, 3):
        one, other = (each.likelihood_ratio_test(column_number).statistic for each in (moved, plain))
        assert one == pytest.approx(other, rel=1e-5)


def test_skewed_errors_are_a_misfit_and_normal_ones_are_none() -> None:
    assert not fit(respondents(400, 11), normal=True).misfit.suspicious
    people, rng = respondents(400, 12, effect=0.0), np.random.default_rng(0)
    number = people.x[:, 1] + rng.exponential(size=400)
    skewed = fit_on_trait(number, people.x, people.reports, WARNER, outcome="normal")
    assert skewed.misfit.suspicious
    assert skewed.misfit.skewness < 1e-3
    assert np.isnan(fit(people, normal=False).misfit.p_value)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), normal=st.booleans())
def test_what_answers_are_called_does_not_matter(seed: int, normal: bool) -> None:
    people = respondents(120, seed)
    outcome, kind = (people.number, "normal") if normal else (people.yes, "logistic")
    one = fit_on_trait(outcome, people.x, people.reports, (0.6, 0.2), outcome=kind)
    turned = fit_on_trait(outcome, people.x, 1 - people.reports, (-0.6, 0.8), outcome=kind)
    opposite = fit_on_trait(-outcome if normal else 1 - outcome, people.x, people.reports, (0.6, 0.2), outcome=kind)
    for other in (turned, opposite):
        assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-7)
        assert other.converged == one.converged
    if one.converged:
        assert turned.estimates == pytest.approx(one.estimates, abs=1e-4)
        assert -opposite.coefficients == pytest.approx(one.coefficients, abs=1e-4)


def test_results_cannot_be_changed() -> None:
    ours = fit(LASTING, normal=True, attention="throughout")
    for array in (ours.coefficients, ours.trait_coefficients, ours.attention_coefficients, ours.fitted, ours.trait):
        assert not array.flags.writeable


GIVEN: dict[str, Any] = {
    "y": WITHOUT.yes,
    "X": WITHOUT.x,
    "reports": WITHOUT.reports,
    "design_or_slope_offset": WARNER,
}
ANCHORED = {"anchor_reports": WITHOUT.anchor, "anchor_design": ANCHOR}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"outcome": "probit"}, r"^outcome must be one of logistic, normal"),
        ({"y": WITHOUT.yes + 1}, r"^y must be integer codes from 0 to 1"),
        ({"y": WITHOUT.yes[1:]}, r"^y must be 300 finite numbers"),
        ({"y": np.full(300, np.nan), "outcome": "normal"}, r"^y must be 300 finite numbers"),
        ({"y": WITHOUT.x[:, 1], "outcome": "normal"}, r"^y is a linear function of X"),
        ({"y": WITHOUT.reports * 1.0, "design_or_slope_offset": direct(), "outcome": "normal"}, r"^y is fitted by the"),
        ({"reports": WITHOUT.reports + 1}, r"^reports must be integer codes"),
        ({"X": WITHOUT.x[1:]}, r"^X must have 300 rows"),
        ({"trait_X": WITHOUT.x[1:]}, r"^trait_X must have 300 rows"),
        ({"design_or_slope_offset": (0.0, 0.5)}, r"^slope must not be 0"),
        ({"weights": -np.ones(300)}, r"^weights must be 300 finite numbers"),
        ({"anchor_design": ANCHOR}, r"^anchor_reports must be given"),
        ({"attention_X": WITHOUT.x}, r"^anchor_reports must be given"),
        ({"anchor_reports": WITHOUT.anchor}, r"^anchor_design must be given"),
        (ANCHORED | {"attention": "never"}, r"^attention must be one of"),
        (ANCHORED | {"anchor_reports": WITHOUT.anchor[1:]}, r"^anchor_reports must be 300 codes"),
        (ANCHORED | {"anchor_prevalence": "1/2"}, r"^anchor_prevalence must be such"),
        (ANCHORED | {"attention_X": WITHOUT.x[1:]}, r"^attention_X must have 300 rows"),
    ],
)
def test_bad_input_is_refused_by_name(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_on_trait(**(GIVEN | changed))
