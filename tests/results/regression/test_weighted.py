"""A regression with the weights that the page of weights has set up."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.patterns import MISSING
from surveys.estimation.weighting.raking import Margin, rake
from surveys.estimation.weighting.regression import WeightedRegression, fit_logistic_randomized_predictors_weighted
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from surveys.results.pages.weights import weights_words
from tests.factories import crosswise, fill, make_open, plain, yes_no
from tests.pages import holds, page_of, rows_under
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
PAGE = "survey-results-regression"
FATHER = {"innocuous": "Was your father born in spring?", "innocuous_source": "Births by month: 1 of 4."}
COINS = forced_response()
SHARES = np.array([0.3, 0.7])
WEIGHTS = "q3-0=30&q3-1=70&weights=1"
BOTH = f"?outcome=1&option=1&predictor=2&predictor=3&{WEIGHTS}"


def _rows(n: int = 1000) -> np.ndarray:
    """Draw two reports of coins, the year, and one of four groups, a row a person; some skip the first question."""
    rng = np.random.default_rng(11)
    year, group = (rng.random(n) < 0.4).astype(int), rng.integers(4, size=n)
    trait = rng.random(n) < 0.35
    yes = rng.random(n) < 0.25 + 0.4 * trait + 0.1 * year + 0.02 * group
    reports = [np.where(rng.random(n) < 0.75, truth, ~truth).astype(int) for truth in (yes, trait)]
    reports[0] = np.where(rng.random(n) < 0.05, MISSING, reports[0])
    return np.column_stack([*reports, year, group])


def _survey(rows: np.ndarray) -> Survey:
    survey = make_open(yes_no(), yes_no(), plain(("First", "Later"), leave_out="no"))
    for code in range(4):
        people = Counter(
            "".join("-" if each == MISSING else str(each) for each in row) for row in rows[rows[:, 3] == code][:, :3]
        )
        fill(survey, people, group=add_group(survey=survey, name=f"Class {code}"))
    return close_survey(survey=survey)


def _fit(rows: np.ndarray, x: np.ndarray | None = None, **chosen: Any) -> WeightedRegression:
    counts = np.ones(len(rows), dtype=int)
    margins = [Margin("year", rows[:, 2], len(rows) * SHARES)]
    return fit_logistic_randomized_predictors_weighted(
        rows[:, 0],
        COINS,
        [rows[:, 1], rows[:, 2]],
        [COINS, direct()],
        x,
        counts=counts,
        weights=rake(counts, margins).weights,
        margins=margins,
        **chosen,
    )


def test_coefficients_errors_limits_and_tests_are_the_cores() -> None:
    rows = _rows()
    survey = _survey(rows)
    page, context = page_and_context(PAGE, survey, BOTH)
    fit, found = _fit(rows), context["found"]
    errors, limits = fit.standard_errors(), fit.interval(0.95)
    shown = [row for row in rows_under(page, "Coefficients") if len(row) > 1]
    assert [row[0] for row in shown] == ["Intercept", "Yes", "Later"]
    for place, row in enumerate(shown):
        assert holds(row[1], fit.coefficients[place])
        assert holds(row[2], errors[place])
        assert float(row[3].replace("−", "-")) == pytest.approx(limits.low[place], abs=1e-3)
        assert float(row[4].replace("−", "-")) == pytest.approx(limits.high[place], abs=1e-3)
    for place, block in enumerate(found.blocks, start=1):
        assert block.test.p_value == pytest.approx(fit.wald_test(place).p_value)
    assert found.overall.statistic == pytest.approx(fit.wald_test([1, 2]).statistic)
    assert (found.n, found.dropped, found.profiled) == (
        (rows[:, 0] != MISSING).sum(),
        (rows[:, 0] == MISSING).sum(),
        False,
    )
    assert says(page, weights_words(found.weights, context["plan"], (), 10))
    assert not context["supposed"]["can_be_asked"]


@pytest.mark.parametrize("role", ["clusters", "strata"])
def test_groups_are_clusters_or_strata(role: str) -> None:
    rows = _rows()
    found = context_of(PAGE, _survey(rows), f"{BOTH}&role={role}")["found"]
    fit = _fit(rows, **{role: rows[:, 3]})
    for place, term in enumerate(found.terms, start=1):
        assert term.standard_error == pytest.approx(fit.standard_errors()[place], rel=1e-6)
        assert term.low == pytest.approx(fit.interval(0.95).low[place], rel=1e-6)


def test_groups_can_be_predictors_too() -> None:
    rows = _rows(2000)
    page, context = page_and_context(PAGE, _survey(rows), f"{BOTH}&groups=1")
    fit = _fit(rows, (rows[:, 3][:, np.newaxis] == [1, 2, 3]).astype(float))
    found = context["found"]
    assert [block.item.key if block.item else None for block in found.blocks] == [None, "2", "3"]
    assert [term.coefficient for term in found.terms] == pytest.approx(fit.coefficients[1:].tolist(), rel=1e-5)
    assert says(page, str(context["query"].outcome.title))


def test_the_page_of_weights_leads_there_and_the_form_keeps_the_weights() -> None:
    survey = _survey(_rows())
    page = page_of("survey-results-weights", survey, "?q3-0=30&q3-1=70&largest=3")
    address = f"{reverse(PAGE, args=[survey.code])}?q3-0=30&amp;q3-1=70&amp;largest=3&amp;weights=1"
    assert f'href="{address}"' in page
    _page, context = page_and_context(PAGE, survey, "?q3-0=30&q3-1=70&largest=3&weights=1")
    assert context["weights"].kept == [("q3-0", "30"), ("q3-1", "70"), ("role", "none"), ("largest", "3")]
    assert context["plan"].largest == 3.0


def test_weights_that_nobody_set_up_are_not_offered_and_those_not_ticked_not_used() -> None:
    survey = _survey(_rows())
    assert context_of(PAGE, survey, "?outcome=1&predictor=2&weights=1")["weights"] is None
    context = context_of(PAGE, survey, "?outcome=1&predictor=2&q3-0=30&q3-1=70")
    assert (context["weights"].asks, context["plan"], context["found"].weights) == (True, None, None)


def test_why_there_are_no_weights_is_said_as_on_their_page() -> None:
    survey = make_open(
        yes_no(leave_out="no"), yes_no(leave_out="no"), plain(("First", "Later", "Never"), leave_out="no")
    )
    fill(survey, {f"{first}{second}{year}": 40 for first in (0, 1) for second in (0, 1) for year in (0, 1)})
    query = "?outcome=1&predictor=2&q3-0=30&q3-1=60&q3-2=10&weights=1"
    page, context = page_and_context(PAGE, close_survey(survey=survey), query)
    found = context["found"]
    assert (found.problem, found.weights.problem, found.weights.culprit[1]) == ("no_weights", "nobody", "Never")
    assert says(page, weights_words(found.weights, context["plan"], (), 10))


def test_several_answers_together_are_not_weighted_and_the_page_says_so() -> None:
    survey = _survey(_rows())
    [battery] = context_of(PAGE, survey)["query"].batteries
    page, context = page_and_context(PAGE, survey, f"?outcome={battery.key}&predictor=3&{WEIGHTS}")
    assert context["found"].weights is None
    [notice] = [notice for notice in context["notices"] if "eights" in notice]
    assert says(page, notice)


def test_an_anchor_is_not_used_with_weights_and_the_page_says_so() -> None:
    survey = make_open(
        crosswise(leave_out="no"),
        crosswise("Have you been to the moon?", leave_out="no", details=FATHER),
        plain(("First", "Later"), leave_out="no"),
    )
    people = np.random.default_rng(2).integers(2, size=(600, 3)).tolist()
    fill(survey, Counter("".join(map(str, row)) for row in people))
    query = "?outcome=1&predictor=3&anchor=2&known=2&q3-0=50&q3-1=50"
    survey = close_survey(survey=survey)
    weighted, alone = context_of(PAGE, survey, f"{query}&weights=1"), context_of(PAGE, survey, query)
    assert (weighted["anchors"].key, weighted["found"].followers) == (alone["anchors"].key, None)
    assert len(weighted["notices"]) == len(alone["notices"]) + 1


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("?outcome=1", "nothing"),
        ("?outcome=1&predictor=2&predictor=3&groups=1&role=strata", ""),
    ],
)
def test_why_there_is_no_weighted_regression(query: str, problem: str) -> None:
    assert context_of(PAGE, _survey(_rows(2000)), f"{query}&{WEIGHTS}")["found"].problem == problem


def test_a_combination_of_few_people_is_refused_as_weights_could_single_it_out() -> None:
    rows = _rows(400)
    few = (rows[:, 3] == 0) & (rows[:, 2] == 1)
    # In one class of one year twelve answered each question, and six of them both.
    people = np.flatnonzero(few)
    rows[people[:12], 0] = 1
    rows[people[12:], 0] = rows[people[6:12], 1] = rows[people[18:], 1] = MISSING
    survey = _survey(rows)
    assert context_of(PAGE, survey, f"?outcome=1&predictor=2&groups=1&{WEIGHTS}")["found"].problem == "small"
    assert context_of(PAGE, survey, f"?outcome=1&predictor=2&{WEIGHTS}")["found"].problem == ""


def test_an_answer_that_follows_from_another_has_no_odds_ratio() -> None:
    year = plain(("First", "Later"), leave_out="no")
    survey = make_open(year, year, year, yes_no(leave_out="no"))
    fill(survey, {f"{code}{code}{other}{coin}": 40 for code in (0, 1) for other in (0, 1) for coin in (0, 1)})
    found = context_of(PAGE, close_survey(survey=survey), f"?outcome=1&predictor=2&{WEIGHTS}")["found"]
    assert (found.problem, found.weights.problem) == ("separated", "")


def test_while_a_survey_is_open_there_are_no_weights() -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no(leave_out="no"))
    fill(survey, {"00": 40, "01": 30, "10": 30, "11": 40}, group=add_group(survey=survey, name="One"))
    assert context_of(PAGE, survey, "?outcome=1&predictor=2&role=clusters&weights=1")["weights"] is None
