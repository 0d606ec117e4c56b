"""The mean of an unprotected scale is predicted by a protected answer."""

import math
from collections import Counter

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.regression.linear import LinearFit, fit_linear
from surveys.estimation.regression.trait_predictor import fit_on_trait
from surveys.models import Survey
from surveys.privacy.designs import forced_response, warner
from surveys.results.figures.regression.terms import Block, Regression, Term
from surveys.results.sections.regression import mean_sentence
from tests.factories import fill, make_open, one_of, plain, scale, yes_no
from tests.pages import holds, rows_under, words_of
from tests.results.drawn import numbers_in
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
PAGE = "survey-results-regression"
AFRAID = {"design": "plain", "parameters": {}, "leave_out": "no", "points": 3}
COINS = forced_response()


def _reports(effect: float = 1.2, n: int = 1200) -> np.ndarray:
    """Draw points from 1 to 3, a report of coins, the year and the group, a row a person."""
    rng = np.random.default_rng(9)
    trait, year, group = rng.random(n) < 0.4, rng.integers(2, size=n), rng.integers(2, size=n)
    points = (rng.random((2, n)) < 0.25 + effect * 0.25 * trait + 0.1 * year).sum(axis=0)
    tells = np.where(rng.random(n) < 0.75, trait, ~trait).astype(int)
    return np.column_stack([points, tells, year, group])


def _survey(rows: np.ndarray, *more: object) -> Survey:
    survey = make_open(scale(**AFRAID), yes_no(leave_out="no"), plain(("First", "Later"), leave_out="no"), *more)  # type: ignore[arg-type]
    for code, name in enumerate(("North", "South")):
        people = Counter("".join(map(str, row)) for row in rows[rows[:, 3] == code][:, :3].tolist())
        fill(survey, people, group=add_group(survey=survey, name=name))
    return close_survey(survey=survey)


def _fit(rows: np.ndarray) -> LinearFit:
    x = np.column_stack([np.ones(len(rows)), rows[:, 3], rows[:, 2]]).astype(float)
    return fit_linear(rows[:, 0] + 1.0, x, [rows[:, 1]], [COINS])


def test_coefficients_errors_and_limits_are_those_of_corrected_scores() -> None:
    rows = _reports()
    query = "?outcome=1&option=mean&predictor=2&predictor=3&groups=1"
    page, context = page_and_context(PAGE, _survey(rows), query)
    fit = _fit(rows)
    errors, limits = fit.standard_errors(), fit.interval(0.95)
    shown = [row for row in rows_under(page, "Coefficients") if len(row) > 1]
    assert [row[0] for row in shown] == ["Intercept", "South", "Later", "Yes"]
    for place, row in enumerate(shown):
        assert len(row) == 5
        assert holds(row[1], fit.coefficients[place])
        assert holds(row[2], errors[place])
        assert float(row[3].replace("−", "-")) == pytest.approx(limits.low[place], abs=1e-3)
        assert float(row[4].replace("−", "-")) == pytest.approx(limits.high[place], abs=1e-3)
    found = context["found"]
    assert (found.of_mean, found.n) == (True, 1200)
    assert found.blocks[2].test.p_value == pytest.approx(fit.p_values()[3])
    assert found.concludes(found.blocks[2], found.blocks[2].terms[0])
    assert says(page, mean_sentence(found, found.blocks[2], found.blocks[2].terms[0]))
    assert [row.point for row in context["chart"].rows] == pytest.approx(fit.coefficients[1:].tolist())
    assert "Odds ratio" not in words_of(page)
    assert not context["supposed"]["can_be_asked"]


def test_several_answers_are_tested_together_by_their_covariance() -> None:
    rng = np.random.default_rng(3)
    codes, points = rng.integers(3, size=900), rng.integers(3, size=900)
    survey = make_open(scale(**AFRAID), one_of(leave_out="no"))
    fill(survey, Counter(f"{point}{code}" for point, code in zip(points, codes, strict=True)))
    found = context_of(PAGE, close_survey(survey=survey), "?outcome=1&option=mean&predictor=2")["found"]
    fit = fit_linear(points + 1.0, np.ones((900, 1)), [codes], [found.blocks[0].item.design])
    moved, covariance = fit.coefficients[1:], fit.covariance()[1:, 1:]
    test = found.blocks[0].test
    assert test.statistic == pytest.approx(moved @ np.linalg.inv(covariance) @ moved / 2)
    assert (test.degrees_of_freedom, found.overall) == ((2, 897), test)
    assert not found.concludes(found.blocks[0], found.blocks[0].terms[0])


@pytest.mark.parametrize(("turned", "words"), [(False, "higher"), (True, "lower")])
def test_a_sentence_has_the_size_of_a_difference_and_its_direction(turned: bool, words: str) -> None:
    rows = _reports(2.4)
    if turned:
        rows[:, 0] = 2 - rows[:, 0]
    found = context_of(PAGE, _survey(rows), "?outcome=1&option=mean&predictor=2")["found"]
    term = found.blocks[0].terms[0]
    sentence = mean_sentence(found, found.blocks[0], term)
    assert words in sentence
    low, high = sorted((abs(term.low), abs(term.high)))
    shown = [float(number) for number in numbers_in(sentence)[1:]]
    assert shown == pytest.approx([abs(term.coefficient), low, high], abs=0.01)


@pytest.mark.parametrize(
    ("term", "numbers"),
    [
        (Term("Yes", 0.5, 0.4, -0.284, 1.284), ["1", "−0.29", "1.29"]),
        (Term("Yes", 0.5, 9.0, -math.inf, math.inf), ["1"]),
        (Term("Yes", None, None, None, None, "unknown"), ["1"]),
        (Term("Yes", None, None, None, None, "few"), ["1"]),
    ],
)
def test_without_a_conclusion_there_are_limits_at_most(term: Term, numbers: list[str]) -> None:
    item = definition_of(make_open(yes_no(leave_out="no"))).items[0]
    block = Block(item, "No", (term,), None)
    assert numbers_in(mean_sentence(Regression(100, 0, blocks=(block,), of_mean=True), block, term)) == numbers


def test_only_a_scale_that_is_sent_as_it_is_has_a_mean_to_predict() -> None:
    survey = _survey(_reports())
    for outcome, offered in {"1": True, "2": False, "3": False}.items():
        context = context_of(PAGE, survey, f"?outcome={outcome}")
        assert (None in [option.code for option in context["query"].options]) is offered
        assert context["query"].option is not None


@pytest.mark.parametrize(
    ("query", "problem"),
    [("predictor=3&groups=1", "all_plain"), ("groups=1", "all_plain"), ("", "all_plain")],
)
def test_without_a_protected_predictor_there_is_nothing_to_correct(query: str, problem: str) -> None:
    assert context_of(PAGE, _survey(_reports()), f"?outcome=1&option=mean&{query}")["found"].problem == problem


def test_points_that_follow_from_what_is_sent_as_it_is_have_no_estimate() -> None:
    rows = _reports()
    rows[:, 0] = 2 * rows[:, 2]
    assert (
        context_of(PAGE, _survey(rows), "?outcome=1&option=mean&predictor=2&predictor=3")["found"].problem == "unsteady"
    )


def test_predictors_that_follow_from_each_other_are_named_as_the_reason() -> None:
    rows = _reports()[:, [0, 1, 2, 2]]
    survey = make_open(scale(**AFRAID), yes_no(leave_out="no"), *(plain(("First", "Later"), leave_out="no"),) * 2)
    fill(survey, Counter("".join(map(str, row)) for row in rows.tolist()))
    query = "?outcome=1&option=mean&predictor=2&predictor=3&predictor=4"
    assert context_of(PAGE, close_survey(survey=survey), query)["found"].problem == "collinear"


def test_weights_are_refused_in_words() -> None:
    page, context = page_and_context(
        PAGE, _survey(_reports()), "?outcome=1&option=mean&predictor=2&q3-0=60&q3-1=40&weights=1"
    )
    assert context["found"].weights is None
    assert any("weighted" in notice for notice in context["notices"])
    assert all(says(page, notice) for notice in context["notices"])


def test_a_normal_distribution_of_points_would_take_heaps_of_answers_for_the_trait() -> None:
    """Most answers are at both ends, and nobody's depends on the trait: corrected scores see that, heaps do not."""
    rng = np.random.default_rng(5)
    trait = rng.random(1500) < 0.3
    points = rng.choice([1, 2, 3, 4, 5], 1500, p=[0.35, 0.15, 0.05, 0.15, 0.3])
    reports = np.where(rng.random(1500) < 0.7, trait, ~trait).astype(int)
    design, ones = warner("7/10"), np.ones((1500, 1))
    limits = fit_linear(points.astype(float), ones, [reports], [design]).interval(0.999999)
    assert limits.low[1] < 0 < limits.high[1]
    assert fit_on_trait(points, ones, reports, design, outcome="normal").misfit.suspicious
