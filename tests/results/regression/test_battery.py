"""Regressions of several answers of each person: every number is the core's, and nothing is told of too few people."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.regression.mixed import (
    MixedFit,
    fit_logistic_mixed,
    intraclass_correlation,
    median_odds_ratio,
)
from surveys.models import Survey
from surveys.questionnaire.asked_question import items_of
from surveys.results.figures.regression import battery as figures
from surveys.results.figures.regression.terms import FittedNumber, Heterogeneity, Regression
from surveys.results.sections.battery import battery_lines, battery_model
from tests.factories import crosswise, fill, make_open, mangat, one_by_option, plain, several_of, yes_no
from tests.pages import holds, rows_under
from tests.results.regression.test_regression import outwards_odds
from tests.results.seen import page_and_context, says

SUBJECT = plain(("Arts", "Science"), "What do you study?", leave_out="no")
COIN: dict[str, Any] = {"parameters": {"truth": [4, 5], "yes": [1, 2]}, "leave_out": "no"}
ITEMS = tuple(yes_no(f"Have you ever cheated in exam {number}?", **COIN) for number in (1, 2, 3))
INTERCEPTS = np.array([-0.5, 0.0, 0.5])
N = 600


def _rows(*, sigma: float, slope: float = 0.8, seed: int = 3, n: int = N) -> np.ndarray:
    """Draw subjects, and reports to three items by people with something in common."""
    generator = np.random.default_rng(seed)
    subject = np.arange(n) % 2
    eta = INTERCEPTS + (slope * subject + sigma * generator.normal(size=n))[:, np.newaxis]
    truths = generator.random(eta.shape) < 1 / (1 + np.exp(-eta))
    return np.column_stack([subject, generator.random(eta.shape) < np.where(truths, 0.9, 0.1)]).astype(int)


def _answered(rows: np.ndarray, *questions: Any, form: str = "{}{}{}{}", **fields: Any) -> Survey:
    survey = make_open(*(questions or (SUBJECT, *ITEMS)), **fields)
    fill(survey, Counter(form.format(*row) for row in rows.tolist()))
    return close_survey(survey=survey)


def _core(rows: np.ndarray, *, subject: bool = True) -> MixedFit:
    """Fit the rows as they came, one for each report."""
    n = len(rows)
    x = np.column_stack([np.tile(np.eye(3), (n, 1)), *([np.repeat(rows[:, 0], 3)] if subject else [])])
    return fit_logistic_mixed(rows[:, 1:].ravel(), x, (0.8, 0.1), np.repeat(np.arange(n), 3))


def _seen(survey: Survey, query: str = "") -> tuple[str, Any]:
    return page_and_context("survey-results-regression", survey, f"?outcome=together{query}")


def _same_as_the_core(page: str, fit: MixedFit, level: float = 0.95, kind: str = "observed") -> None:
    rows = [row for row in rows_under(page, "Coefficients, with") if len(row) == 8]
    limits, errors = fit.interval(level, kind), fit.standard_errors(kind)
    assert len(rows) == fit.coefficients.size
    for place, row in enumerate(rows):
        assert holds(row[1], fit.coefficients[place])
        assert holds(row[2], errors[place])
        if place < 3:
            assert row[5:] == ["–"] * 3
            continue
        assert outwards_odds(row[6], float(limits.low[place]), up=False)
        assert outwards_odds(row[7], float(limits.high[place]), up=True)


@pytest.mark.django_db
def test_every_number_is_the_cores_and_people_differ() -> None:
    rows = _rows(sigma=1.5)
    page, context = _seen(_answered(rows), "&predictor=1")
    fit, found = _core(rows), context["found"]
    _same_as_the_core(page, fit)
    test, limits = fit.likelihood_ratio_test(3), fit.sigma_interval()
    assert found.blocks[0].test.statistic == pytest.approx(test.statistic, rel=1e-6)
    assert found.overall == found.blocks[0].test
    assert (found.spread.sigma.low, found.spread.sigma.high) == pytest.approx((limits.low, limits.high), rel=1e-5)
    assert found.spread.sigma.value == pytest.approx(fit.sigma, rel=1e-6)
    assert found.spread.intraclass_correlation.value == pytest.approx(fit.intraclass_correlation, rel=1e-6)
    assert found.spread.median_odds_ratio.value == pytest.approx(fit.median_odds_ratio, rel=1e-6)
    assert found.spread.p_value == pytest.approx(fit.sigma_test().p_value, rel=1e-4)
    assert limits.low > 0
    assert context["chart"]
    for line in (*battery_lines(found, context["battery"]), battery_model(found.spread)):
        assert says(page, line)


@pytest.mark.django_db
def test_without_predictors_it_says_how_much_people_differ() -> None:
    rows = _rows(sigma=1.5, slope=0.0)
    page, context = _seen(_answered(rows))
    found = context["found"]
    _same_as_the_core(page, _core(rows, subject=False))
    assert (found.blocks, found.overall, context["chart"]) == ((), None, None)
    assert 'data-table="tests"' not in page
    assert len(battery_lines(found, context["battery"])) == 1


@pytest.mark.django_db
def test_the_options_of_one_question_are_items_and_groups_predict() -> None:
    survey = make_open(several_of(**COIN))
    for seed, name in enumerate(("Monday", "Tuesday")):
        rows = _rows(sigma=1.0, slope=0.0, seed=seed, n=300)
        fill(
            survey,
            Counter("{1}{2}{3}".format(*row) for row in rows.tolist()),
            group=add_group(survey=survey, name=name),
        )
    close_survey(survey=survey)
    page, context = page_and_context("survey-results-regression", survey, "?outcome=together1&groups=1")
    found = context["found"]
    assert [battery.key for battery in context["query"].batteries] == ["together1"]
    assert [term.label[:3] for term in found.intercepts] == ["1a.", "1b.", "1c."]
    assert (found.blocks[0].reference, found.blocks[0].terms[0].label) == ("Monday", "Tuesday")
    assert found.n == 600
    assert says(page, "all options together")


@pytest.mark.django_db
def test_items_can_be_chosen_two_at_least() -> None:
    rows = _rows(sigma=1.5)
    survey = _answered(rows)
    _page, context = _seen(survey, "&of=together&item=2&item=4")
    assert [item.key for item in context["battery"].items] == ["2", "4"]
    assert len(context["found"].intercepts) == 2
    assert context["notices"] == []
    for one in ("&item=2", "", "&item=9&item=3"):
        _page, context = _seen(survey, f"&of=together{one}")
        assert len(context["battery"].items) == 3
        assert len(context["notices"]) == 1
    # Another question was chosen before: nobody could tick any of these.
    assert _seen(survey, "&of=2")[1]["notices"] == []


@pytest.mark.django_db
def test_no_more_items_than_can_be_fitted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _answered(_rows(sigma=1.5))
    monkeypatch.setattr(figures, "MOST_ITEMS", 2)
    _page, context = _seen(survey, "&of=together&item=2&item=3&item=4")
    assert [item.key for item in context["battery"].items] == ["2", "3"]
    assert len(context["notices"]) == 1


@pytest.mark.django_db
def test_protected_questions_and_items_do_not_predict() -> None:
    survey = _answered(_rows(sigma=1.5))
    _page, context = _seen(survey, "&predictor=2&predictor=1")
    assert [item.key for item in context["query"].predictors] == ["1"]
    assert len(context["notices"]) == 1


@pytest.mark.django_db
def test_only_protected_questions_of_two_reports_that_everybody_is_asked_are_items() -> None:
    asked = [
        yes_no("A?"),
        crosswise("B?"),
        yes_no("C?", design="k_ary", parameters={"truth": [1, 2]}, leave_out="protected"),
        yes_no("D?", design="plain", parameters={}),
        one_by_option(),
        SUBJECT,
    ]
    survey = make_open(*asked)
    definition = definition_of(survey)
    (battery,) = figures.batteries_of(definition, definition.items)
    assert [item.key for item in battery.items] == ["1", "2"]
    arms = [{"name": "One", "weight": 1}, {"name": "Two", "weight": 1}]
    parted = make_open(mangat("A?", arms=[1]), mangat("B?", arms=[2]), yes_no("C?"), arms=arms)
    assert figures.batteries_of(definition_of(parted), definition_of(parted).items) == ()


@pytest.mark.django_db
def test_nothing_is_told_of_too_few_people() -> None:
    skipping = make_open(*(yes_no(f"Have you ever cheated in exam {number}?") for number in (1, 2)))
    fill(skipping, {"0-": 12, "-1": 12, "00": 4, "11": 4})
    found = _seen(close_survey(survey=skipping))[1]["found"]
    assert (found.problem, found.n, found.spread) == ("too_few", 8, None)
    # Nobody truly answers Yes to the third.
    rows = _rows(sigma=1.0)
    rows[:, 3] = np.random.default_rng(1).random(N) < 0.1
    found = _seen(_answered(rows), "&predictor=1")[1]["found"]
    assert (found.problem, found.culprit.key) == ("rare", "4")
    assert found.spread is None
    # More say Yes than any true answers can explain.
    rows[:, 3] = 1
    assert _seen(_answered(rows), "&predictor=1")[1]["found"].problem == "odd"


@pytest.mark.django_db
def test_predictors_that_follow_from_each_other_and_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _rows(sigma=1.0)
    twice = _answered(
        rows, SUBJECT, plain(("Old", "New"), "Which building?", leave_out="no"), *ITEMS, form="{0}{0}{1}{2}{3}"
    )
    page, context = _seen(twice, "&predictor=1&predictor=2")
    assert context["found"].problem == "collinear"
    assert says(page, "Remove one predictor.")
    monkeypatch.setattr(figures, "MOST_ENTRIES", 10)
    assert _seen(twice, "&predictor=1")[1]["found"].problem == "too_many"


@pytest.mark.django_db
def test_items_that_agree_too_well_have_no_odds_ratios() -> None:
    rows = _rows(sigma=1.0)
    rows[:, 1:] = rows[:, [1]]
    found = _seen(_answered(rows), "&predictor=1")[1]["found"]
    assert found.problem == "separated"
    assert found.overall is not None


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.5, 2.0, "about 2.6 times as high for one as for the other (1.6 to 6.8)"),
        (0.5, math.inf, "(1.6 to no limit)"),
        (0.0, 2.0, "could make the odds up to 6.8 times"),
        (0.0, math.inf, "or how much"),
    ],
)
def test_how_much_people_differ_is_said_as_far_as_it_is_known(low: float, high: float, words: str) -> None:
    sigma = FittedNumber(1.0, low, high)
    spread = Heterogeneity(sigma, sigma.mapped(intraclass_correlation), sigma.mapped(median_odds_ratio), 0.03)
    items = tuple(item for question in ITEMS for item in items_of(question))
    (line,) = battery_lines(Regression(100, 0, spread=spread), figures.BatteryOutcome(items, items))
    assert words in line
    assert "0.23" in battery_model(spread)
