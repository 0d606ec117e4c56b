"""A regression corrected for taps at random by an anchor: its coefficients are the core's, and near the truth."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.estimation.adherence.logistic import fit_logistic_anchored
from surveys.models import Survey
from surveys.privacy.designs import crosswise as crosswise_design
from tests.factories import crosswise, fill, make_open, plain, yes_no
from tests.pages import holds, page_of, rows_under, words_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
QUARTER = crosswise_design("1/4")
FATHER = {"innocuous": "Was your father born in spring?", "innocuous_source": "Births by month: 1 of 4."}
# Of each year and group so many reports to the question and to the anchor: 00, 01, 10, 11.
COUNTS = {"0": (80, 130, 80, 210), "1": (80, 200, 80, 140)}


def _survey(counts: dict[str, tuple[int, ...]] = COUNTS) -> Survey:
    survey = make_open(
        crosswise(leave_out="no"),
        crosswise("Have you been to the moon?", leave_out="no", details=FATHER),
        plain(("First year", "Later")),
        yes_no(leave_out="no"),
    )
    groups = [add_group(survey=survey, name=name) for name in ("North", "South")]
    for group in groups:
        of_both = {
            f"{pair}{year}{coin}": size // 4
            for year, sizes in counts.items()
            for pair, size in zip(("00", "01", "10", "11"), sizes, strict=True)
            for coin in (0, 1)
        }
        fill(survey, of_both, group=group)
    return close_survey(survey=survey)


def _page(survey: Survey, query: str) -> str:
    return page_of("survey-results-regression", survey, f"?outcome=1&{query}")


@pytest.mark.parametrize("option", [1, 0])
def test_coefficients_errors_limits_and_tests_are_the_cores(option: int) -> None:
    query = f"?outcome=1&predictor=3&groups=1&anchor=2&known=2&option={option}"
    page, context = page_and_context("survey-results-regression", _survey(), query)
    rows = [
        (int(pair[0]), int(pair[1]), float(year), south, 2 * (size // 4))
        for south in (0.0, 1.0)
        for year, sizes in COUNTS.items()
        for pair, size in zip(("00", "01", "10", "11"), sizes, strict=True)
    ]
    y, anchor, later, south, weights = (np.array(column) for column in zip(*rows, strict=True))
    x = np.column_stack([np.ones(len(rows)), south, later])
    fit = fit_logistic_anchored(y, anchor, x, QUARTER, QUARTER, anchor_prevalence="1/50", weights=weights)
    errors, limits = fit.standard_errors("sandwich"), fit.interval(0.95, "sandwich")
    shown = [row for row in rows_under(page, "Coefficients") if len(row) > 1]
    sign = 1 if option else -1
    assert [row[0] for row in shown] == ["Intercept", "South", "Later"]
    for row, place in zip(shown, range(3), strict=True):
        low, high = sorted((sign * limits.low[place], sign * limits.high[place]))
        assert holds(row[1], sign * fit.coefficients[place])
        assert holds(row[2], errors[place])
        assert float(row[3].replace("−", "-")) == pytest.approx(low, abs=1e-3)
        assert float(row[4].replace("−", "-")) == pytest.approx(high, abs=1e-3)
    tests = rows_under(page, "Likelihood-ratio tests")
    for row, columns in zip(tests, ([1], [2], [1, 2]), strict=True):
        assert holds(row[1], fit.likelihood_ratio_test(columns).statistic)
    assert context["anchors"].known == Fraction(1, 50)
    assert context["found"].followers.share == pytest.approx(fit.attentive[0])
    assert says(page, context["followers"])
    assert "sandwich (robust, HC0)" in words_of(page)
    assert not context["found"].by_answers


def test_the_truth_is_in_the_interval_that_the_page_prints_and_not_in_the_uncorrected_one() -> None:
    drawn = np.random.default_rng(530)
    n, attentive = 4_000, 0.6
    later = drawn.integers(2, size=n)
    yes = drawn.random(n) < 1 / (1 + np.exp(2.5 - 2.5 * later))
    follows, at_random = drawn.random(n) < attentive, drawn.integers(2, size=(2, n))
    first = np.where(follows, yes == (drawn.random(n) < 1 / 4), at_random[0])
    anchor = np.where(follows, drawn.random(n) >= 1 / 4, at_random[1])
    of = Counter(zip(later.tolist(), first.astype(int).tolist(), anchor.astype(int).tolist(), strict=True))
    survey = _survey({str(year): tuple(4 * (of[year, a, b] // 4) for a in (0, 1) for b in (0, 1)) for year in (0, 1)})
    # At 99.9% one seed in a thousand would fail.
    for query, corrected in (("anchor=2&level=.999", True), ("level=.95", False)):
        row = rows_under(_page(survey, f"predictor=3&{query}"), "Coefficients")[-1]
        low, high = (float(cell.replace("−", "-").replace("∞", "inf")) for cell in row[3:5])
        assert (low <= 2.5 <= high) is corrected


@pytest.mark.parametrize(
    ("query", "named"),
    [("predictor=4&anchor=2", "anchor"), ("predictor=3&anchor=2&known=50", "50"), ("predictor=3&anchor=3", "“3”")],
)
def test_what_cannot_be_corrected_is_said_and_shown_uncorrected(query: str, named: str) -> None:
    page, context = page_and_context("survey-results-regression", _survey(), f"?outcome=1&{query}")
    [notice] = context["notices"]
    assert named in notice
    assert says(page, notice)
    assert (context["found"].problem, context["found"].followers) == ("", None)
    assert "followers" not in context


def test_where_everybody_follows_nothing_is_corrected() -> None:
    survey = _survey({"0": (60, 240, 40, 160), "1": (30, 170, 50, 250)})
    context = context_of("survey-results-regression", survey, "?outcome=1&predictor=3&anchor=2&known=10")
    assert context["found"].problem == "all_follow"


def test_where_the_corrected_likelihood_has_no_maximum_the_penalized_one_answers() -> None:
    counts = {"0": (48, 128, 176, 448), "1": (84, 220, 140, 356)}
    context = context_of("survey-results-regression", _survey(counts), "?outcome=1&predictor=3&anchor=2")
    y, anchor = np.tile([0, 0, 1, 1], 2), np.tile([0, 1, 0, 1], 2)
    x, weights = np.column_stack([np.ones(8), np.repeat([0, 1], 4)]), [*counts["0"], *counts["1"]]
    assert not fit_logistic_anchored(y, anchor, x, QUARTER, QUARTER, weights=weights).usable
    fit = fit_logistic_anchored(y, anchor, x, QUARTER, QUARTER, weights=weights, penalized=True)
    limits, regression = fit.penalized_interval(1), context["found"]
    assert (regression.problem, regression.penalized, regression.standard_error) == ("", True, "observed")
    [term] = regression.terms
    assert (term.coefficient, term.low) == pytest.approx((fit.coefficients[1], limits.low))
    assert regression.followers.share == pytest.approx(fit.attentive[0])


def test_without_a_question_about_two_answers_no_anchor_is_offered() -> None:
    page = page_of("survey-results-regression", _survey(), "?outcome=4&predictor=3")
    assert 'name="anchor"' not in page
    assert 'name="anchor"' in _page(_survey(), "predictor=3")
