"""Results of one option of several, each reported by itself: what unary encoding says of the same reports."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation import estimate_unary
from surveys.models import Survey
from surveys.privacy.designs import UnaryDesign
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.questions import results_of
from surveys.results.figures.relate import pair_worked
from tests.factories import fill, make_open, one_by_option, yes_no
from tests.pages import owner_of, page_of, words_of
from tests.results.studied import Codes, Studied, held_as_said, holds

pytestmark = pytest.mark.django_db
SHARES = (0.55, 0.3, 0.15)
UNARY = UnaryDesign(3, p=Fraction(2, 3), q=Fraction(1, 6))


def _closed(patterns: dict[str, int], *others: object) -> Survey:
    survey = make_open(one_by_option(), *others)  # type: ignore[arg-type]
    fill(survey, patterns)
    return close_survey(survey=survey)


PATTERNS = {"100": 90, "010": 60, "001": 30, "110": 25, "000": 70, "111": 15, "011": 10}


def test_every_option_is_estimated_as_unary_encoding_does() -> None:
    survey = _closed(PATTERNS)
    definition = definition_of(survey)
    results = results_of(definition, snapshot_of(survey, definition), confidence_level=0.9)
    ones = [sum(count for pattern, count in PATTERNS.items() if pattern[place] == "1") for place in range(3)]
    expected = estimate_unary(ones, sum(PATTERNS.values()), UNARY)
    limits = expected.interval(0.9)
    shown = [item.options[1] for item in results.items]
    assert [option.moment for option in shown] == pytest.approx(list(expected.point), rel=1e-12)
    assert [option.standard_error for option in shown] == pytest.approx(list(expected.standard_error), rel=1e-12)
    assert [(option.low, option.high) for option in shown] == [
        pytest.approx(pair, rel=1e-12) for pair in zip(limits.low, limits.high, strict=True)
    ]


def test_two_options_of_which_at_most_one_is_true_are_not_related() -> None:
    reports = {f"{pattern}{other}": count // 2 for pattern, count in PATTERNS.items() for other in "01"}
    survey = _closed(reports, yes_no(leave_out="no"))
    page = words_of(page_of("survey-results-relate", survey, "?a=1a&b=1c"))
    assert "Question 1 cannot be related to itself. Question 2 is shown beside it." in page
    alone = words_of(page_of("survey-results-relate", _closed(PATTERNS), "?a=1a&b=1c"))
    assert "there is nothing to relate it to" in alone


def test_an_option_predicts_nothing_of_another_one() -> None:
    reports = {f"{pattern}{other}": count // 2 for pattern, count in PATTERNS.items() for other in "01"}
    survey = _closed(reports, yes_no(leave_out="no"))
    page = words_of(page_of("survey-results-regression", survey, "?outcome=1a&predictor=1c&predictor=2"))
    assert "Predictor: question 1c is what is predicted; it is left out." in page


def test_the_methods_say_what_all_options_cost_together() -> None:
    page = words_of(page_of("survey-results-methods", _closed(PATTERNS)))
    assert "two true answers differ in two options" in page
    assert page.count("2.3026") >= 1  # ln 10, of 4 for one option and 2.5 against another


def test_others_of_the_same_epsilon_have_that_of_the_whole_answer() -> None:
    page = words_of(page_of("survey-results-plan", _closed(PATTERNS)))
    assert "Each of these keeps ε = 2.31 for the whole answer" in page
    assert "Designs for two answers are asked once for every option, each with half of ε." in page


def test_the_methods_relate_it_to_another_question() -> None:
    reports = {f"{pattern}{other}": count // 2 for pattern, count in PATTERNS.items() for other in "01"}
    survey = _closed(reports, yes_no(leave_out="no"))
    definition = definition_of(survey)
    worked = pair_worked(definition.items, snapshot_of(survey, definition), 0.95)
    assert worked is not None
    assert (worked.a.key, worked.b.key) == ("1a", "2")
    assert pair_worked(definition.items[:3], snapshot_of(survey, definition), 0.95) is None


def test_a_question_s_page_says_how_far_all_its_reports_go() -> None:
    survey = _closed(PATTERNS)
    page = words_of(owner_of(survey).get(reverse("survey-results-question", args=[survey.code, 1])).content.decode())
    assert "All reports together change the odds between any two options by a factor of at most 10." in page


def test_what_one_report_says_is_of_one_option() -> None:
    page = words_of(page_of("survey-results-bayes", _closed(PATTERNS)))
    assert "The report on one option changes anyone’s odds at most 4-fold" in page
    assert "the report on one option changes the odds that it is true at most 4-fold (e to the ε, ε = 1.39)" in page
    assert "All reports together change the odds between any two options by a factor of at most 10." in page
    assert "odds between two answers" not in page
    assert "All 3 reports, ε = 2.31" in page


def _people(studied: Studied, n: int) -> list[Codes]:
    """Return the reports on each option of n people, each of whom has one."""
    chosen = studied.generator.choice(len(SHARES), size=n, p=SHARES)
    return [studied.sent(1, (chosen == place).astype(np.int64)) for place in range(len(SHARES))]


def _study(studied: Studied, n: int) -> Sequence[bool]:
    definition, snapshot = studied.told(_people(studied, n))
    results = results_of(definition, snapshot)
    return [holds(item.options[1], share) for item, share in zip(results.items, SHARES, strict=True)]


def test_a_survey_of_known_shares_finds_them() -> None:
    studied = Studied.of(one_by_option())
    assert _study(studied, 4000) == [True, True, True]


@pytest.mark.studies
def test_shares_of_options_are_held_as_often_as_said() -> None:
    studied = Studied.of(one_by_option())
    held_as_said(lambda: _study(studied, 300))
