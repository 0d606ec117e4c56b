"""A protected answer predicts an unprotected one: corrected by an anchor, and beside many combinations of answers."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.regression.trait_predictor import fit_on_trait
from surveys.models import Survey
from surveys.privacy.designs import crosswise as crosswise_design
from surveys.results.figures.regression import answers
from tests.factories import crosswise, fill, make_open, plain, yes_no
from tests.pages import holds, page_of, rows_under, words_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
QUARTER = crosswise_design("1/4")
FATHER = {"innocuous": "Was your father born in spring?", "innocuous_source": "Births by month: 1 of 4."}
# Of each outcome and year so many reports to the question and to the anchor: 00, 01, 10, 11.
COUNTS = {"00": (20, 50, 30, 80), "01": (30, 60, 20, 60), "10": (20, 70, 20, 30), "11": (30, 90, 30, 50)}


def _survey() -> Survey:
    """Did you pass? asked as it is; a crosswise question, its anchor, the year, and a question with coins."""
    survey = make_open(
        plain(("Failed", "Passed")),
        crosswise(leave_out="no"),
        crosswise("Have you been to the moon?", leave_out="no", details=FATHER),
        plain(("First year", "Later", "Left long ago")),
        yes_no(leave_out="no"),
    )
    for group in (add_group(survey=survey, name=name) for name in ("North", "South")):
        of_both = {
            f"{key[0]}{pair}{key[1]}{coin}": size
            for key, sizes in COUNTS.items()
            for pair, size in zip(("00", "01", "10", "11"), sizes, strict=True)
            for coin in (0, 1)
        }
        fill(survey, of_both, group=group)
    return close_survey(survey=survey)


@pytest.mark.parametrize("option", [1, 0])
def test_with_an_anchor_coefficients_errors_limits_and_tests_are_the_cores(option: int) -> None:
    query = f"?outcome=1&predictor=2&predictor=4&groups=1&anchor=3&known=2&option={option}"
    page, context = page_and_context("survey-results-regression", _survey(), query)
    rows = [
        (int(key[0]) == option, int(pair[0]), int(pair[1]), float(key[1]), south, 2 * size)
        for south in (0.0, 1.0)
        for key, sizes in COUNTS.items()
        for pair, size in zip(("00", "01", "10", "11"), sizes, strict=True)
    ]
    y, reports, anchor, later, south, weights = (np.array(column) for column in zip(*rows, strict=True))
    fit = fit_on_trait(
        y.astype(int),
        np.column_stack([np.ones(len(rows)), south, later]),
        reports,
        QUARTER,
        anchor_reports=anchor,
        anchor_design=QUARTER,
        anchor_prevalence="1/50",
        weights=weights,
    )
    errors, limits = fit.standard_errors("sandwich"), fit.interval(0.95, "sandwich")
    shown = [row for row in rows_under(page, "Coefficients") if len(row) > 1]
    # Nobody left long ago: that answer has no coefficient.
    assert [row[0] for row in shown] == ["Intercept", "South", "Later", "Left long ago", "Yes"]
    assert shown.pop(3)[1] == "too few people"
    for row, place in zip(shown, range(4), strict=True):
        assert holds(row[1], fit.coefficients[place])
        assert holds(row[2], errors[place])
        assert float(row[3].replace("−", "-")) == pytest.approx(limits.low[place], abs=1e-3)
        assert float(row[4].replace("−", "-")) == pytest.approx(limits.high[place], abs=1e-3)
    found = context["found"]
    assert found.blocks[2].test.statistic == pytest.approx(fit.likelihood_ratio_test(3).statistic)
    assert found.blocks[1].test is None
    assert found.followers.share == pytest.approx(fit.attentive[0])
    assert (found.trait.key, found.by_answers) == ("2", True)
    assert says(page, context["followers"])
    assert "sandwich (robust, HC0)" in words_of(page)


def test_an_anchor_is_offered_for_the_protected_predictor_of_an_unprotected_outcome() -> None:
    survey = _survey()
    for query, offered in {"predictor=2": True, "predictor=4": False, "predictor=5": False}.items():
        page = page_of("survey-results-regression", survey, f"?outcome=1&{query}")
        assert ('name="anchor"' in page) is offered


def test_without_an_anchor_the_distribution_of_true_answers_stays_free() -> None:
    found = context_of("survey-results-regression", _survey(), "?outcome=1&predictor=2&predictor=4")["found"]
    assert (found.problem, found.trait, found.followers) == ("", None, None)


def test_too_many_combinations_are_regressed_where_one_answer_is_protected() -> None:
    five = ("1", "2", "3", "4", "5")
    survey = make_open(plain(("Failed", "Passed")), crosswise(leave_out="no"), *(plain(five) for _ in range(2)))
    # So many that every combination of unprotected answers may be shown.
    n, drawn = 3_000, np.random.default_rng(95)
    codes, rows = drawn.integers(5, size=(2, n)), Counter[str]()
    trait = drawn.random(n) < 0.4
    y = drawn.random(n) < np.where(trait, 0.8, 0.3)
    reports = np.where(drawn.random(n) < 0.25, trait, ~trait).astype(int)
    for each in zip(y.astype(int).tolist(), reports.tolist(), *codes.tolist(), strict=True):
        rows["".join(map(str, each))] += 1
    fill(survey, rows)
    survey = close_survey(survey=survey)
    query = "?outcome=1&option=1&predictor=2&predictor=3&predictor=4"
    page, context = page_and_context("survey-results-regression", survey, query)
    found = context["found"]
    x = np.column_stack([np.ones(n), *(each == code for each, code in product(codes, range(1, 5)))]).astype(float)
    fit = fit_on_trait(y.astype(int), x, reports, QUARTER)
    assert [found.problem, found.trait.key, found.followers, found.profiled] == ["", "2", None, False]
    assert found.terms[-1].coefficient == pytest.approx(fit.coefficients[-1], rel=1e-5)
    assert found.terms[-1].standard_error == pytest.approx(fit.standard_errors()[9], rel=1e-5)
    assert found.log_likelihood == pytest.approx(fit.log_likelihood)
    shown = "assumed to be linear in the other predictors"
    assert shown in words_of(page)
    free = page_of("survey-results-regression", survey, "?outcome=1&predictor=2&predictor=3")
    assert shown not in words_of(free)


def test_more_columns_than_are_soon_fitted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST_ENTRIES", 20)
    address = "?outcome=1&predictor=2&predictor=4&anchor=3"
    assert context_of("survey-results-regression", _survey(), address)["found"].problem == "too_many"


def test_predictors_that_follow_from_each_other_are_named_as_the_reason() -> None:
    survey = make_open(
        plain(("Failed", "Passed")),
        crosswise(leave_out="no"),
        crosswise("Have you been to the moon?", leave_out="no", details=FATHER),
        plain(("First year", "Later")),
        plain(("Before 2025", "Since")),
    )
    fill(survey, {f"{a}{b}{c}{d}{d}": 20 for a, b, c, d in product((0, 1), repeat=4)})
    survey = close_survey(survey=survey)
    for query in ("outcome=1&predictor=2", "outcome=2&predictor=1"):
        address = f"?{query}&predictor=4&predictor=5&anchor=3"
        page, context = page_and_context("survey-results-regression", survey, address)
        assert context["found"].problem == "collinear"
        assert "one of the arms" not in words_of(page)
