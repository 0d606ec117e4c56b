"""Two questions related: every number is the core's, and where the reports determine nothing, words say so."""

import math
import re
from functools import partial
from itertools import pairwise
from random import Random

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.surveys import QuestionDraft
from surveys.estimation.claims import NumberEstimate
from surveys.models import Survey
from surveys.numbers.words import Units
from surveys.results.pages import relate as relate_words
from surveys.results.words import mean_words
from tests.factories import (
    every_kind,
    make_open,
    number_mean,
    one_of,
    plain,
    several_of,
    warner,
    yes_no,
)
from tests.pages import owner_of, page_of, rows_under, words_of
from tests.results.grouping import answer, answer_by_chance

pytestmark = pytest.mark.django_db


_page = partial(page_of, "survey-results-relate")


def _filled(counts: dict[str, int], *questions: QuestionDraft) -> Survey:
    survey = make_open(*(questions or (yes_no(leave_out="no"), warner(leave_out="no"))))
    answer(survey, counts)
    close_survey(survey=survey)
    return survey


class TestSentences:
    """Plain sentences first."""

    def test_two_answers_that_go_together(self) -> None:
        page = words_of(_page(_filled({"11": 50, "10": 25, "01": 30, "00": 55})))
        assert "The true answers to the two questions go together Test of independence: p < 0.001" in page
        assert re.search(r"divided by the odds among the others: ([\d.]+ to no limit|[\d.]+, between [\d.]+)", page)
        assert re.search(
            r"Of 100 people whose true answer to the first question is “Yes”, "
            r"between \d+ and \d+ have the true answer “Yes” to the second\.",
            page,
        )

    def test_two_answers_that_may_have_nothing_to_do_with_each_other(self) -> None:
        page = words_of(_page(_filled({"11": 20, "10": 20, "01": 20, "00": 20})))
        assert "80 answers cannot settle whether the two go together Test of independence: p = 1.000" in page

    @pytest.mark.parametrize(
        "counts", [{"00": 15, "01": 6, "10": 2, "11": 7}, {"00": 112, "01": 37, "10": 29, "11": 22}]
    )
    def test_a_test_that_the_odds_ratio_does_not_bear_out_is_no_conclusion(self, counts: dict[str, int]) -> None:
        page = words_of(_page(_filled(counts, yes_no(leave_out="no"), yes_no("And?", leave_out="no"))))
        assert (
            "The test says that the true answers go together, but the odds ratio, which keeps shares between 0 and "
            "100%, could still be 1, which would be no connection. No conclusion. Test of independence: p = 0.020"
            in page
        )
        assert "The true answers to the two questions go together" not in page

    def test_an_odds_ratio_that_the_test_does_not_bear_out_is_no_conclusion(self) -> None:
        drafts = yes_no(leave_out="no"), yes_no("And?", leave_out="no")
        page = words_of(_page(_filled({"00": 52, "01": 40, "10": 46, "11": 62}, *drafts)))
        assert "200 answers cannot settle whether the two go together Test of independence: p = 0.065" in page
        assert (
            "1.008 to no limit. 1 would be no connection. By itself this interval leaves 1 out, but the test does not: "
            "no conclusion." in page
        )

    def test_reports_that_do_not_vary_leave_nothing_certain(self) -> None:
        almost = {"truth": [19, 20], "yes": [1, 2]}
        drafts = (yes_no(text, leave_out="no", parameters=almost) for text in ("This?", "That?"))
        rows = rows_under(_page(_filled({"11": 20}, *drafts)), "Both true answers")
        assert rows[3][2] == "100.0%"
        assert rows[3][3] != "100.0%"
        # In a large table the standard errors are those of the limited estimates: without any there is no interval.
        drafts = (plain([f"A{place}" for place in range(6)], text) for text in ("This?", "That?"))
        rows = rows_under(_page(_filled({"000": 10, "001": 10}, *drafts, yes_no(leave_out="no"))), "Both true answers")
        assert [row[2:5] for row in rows] == [["none to trust"] * 3] * 36

    def test_the_test_of_the_reports_is_said_to_be_valid_as_it_stands(self) -> None:
        assert "therefore valid tests as they stand" in _page(_filled({"11": 20, "10": 20, "01": 20, "00": 20}))

    def test_small_expected_counts_are_warned_of(self) -> None:
        page = words_of(_page(_filled({"11": 3, "10": 3, "01": 6, "00": 6})))
        assert "only 3.0 reports would be expected in one cell." in page
        assert "Fisher’s is exact." in page
        drafts = yes_no(leave_out="no"), one_of()
        page = words_of(_page(_filled({"10": 3, "11": 3, "12": 3, "00": 2, "01": 2, "02": 3}, *drafts)))
        assert "Too few answers to test whether the two go together. No conclusion." in page
        assert "Fisher" not in page

    def test_reports_that_are_all_the_same_cannot_be_tested(self) -> None:
        drafts = yes_no(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]}), warner(leave_out="no")
        page = words_of(_page(_filled({"01": 10, "00": 10}, *drafts)))
        assert "cannot be tested: all reports to one of the questions are the same." in page
        assert "Pearson’s χ²" not in page

    def test_a_procedure_that_was_not_followed_leaves_the_reports_alone(self) -> None:
        page = words_of(_page(_filled({"01": 40, "00": 20})))
        assert "Respondents probably did not follow the procedure." in page
        assert "What was reported" in page
        for hidden in ("Both true answers", "Pearson’s χ²", "Odds ratio", "Among those"):
            assert hidden not in page

    def test_a_number_was_rounded_and_the_page_says_so(self) -> None:
        drafts = yes_no(leave_out="no"), number_mean(leave_out="no")
        survey = _filled({"11": 30, "10": 20, "01": 20, "00": 30}, *drafts)
        page = words_of(_page(survey))
        assert "A number was rounded by chance to one of its ends" in page
        assert "Mean among those who share an answer" in page
        assert "Odds ratio" not in page
        turned = words_of(_page(survey, "?a=2&b=1"))
        # Nobody's true answer is an end of the range.
        assert "Among those who share an answer" not in turned

    def test_of_too_few_people_nothing_is_said(self) -> None:
        page = words_of(_page(_filled({"11": 6, "10": 5, "01": 14, "00": 17})))
        assert "Of people whose true answer to the first question is “Yes”: too few to say." in page

    def test_a_large_table_says_how_its_intervals_were_found(self) -> None:
        drafts = one_of([f"A{place}" for place in range(6)]), one_of([f"B{place}" for place in range(6)], "And?")
        survey = make_open(*drafts)
        answer_by_chance(survey, 200, Random(1))  # noqa: S311 - answers of nobody
        close_survey(survey=survey)
        page = words_of(_page(survey))
        assert "with the standard errors of the limited estimates" in page
        assert "for more than 25 cells" in page


class TestWords:
    """Odds ratios and correlations that are no numbers."""

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (None, "not determined"),
            (math.inf, "above all bounds"),
            (0.0, "0"),
            (1e-9, "less than 0.001"),
            (0.5, "0.500"),
            (2.345, "2.35"),
            (123.4, "123"),
            (1e12, "more than 1,000,000"),
        ],
    )
    def test_an_odds_ratio(self, value: float | None, words: str) -> None:
        assert relate_words.odds(value) == words

    @pytest.mark.parametrize(
        ("low", "high", "words"),
        [
            (0.5, 2.0, "between 0.500 and 2.00"),
            (0.0, 2.0, "between 0 and 2.00"),
            (0.5, math.inf, "0.500 to no limit"),
            (0.0, math.inf, "could be anything"),
            (1.016, math.inf, "1.01 to no limit"),
            (1.003, 3.491, "between 1.003 and 3.50"),
            (0.2507, 0.99999, "between 0.250 and 0.99999"),
            (1.00000001, 1234.2, "between 1.000000 and 1,235"),
            (1e-9, 0.99, "between 0 and 0.990"),
            (0.0, 1e-9, "between 0 and 0.001"),
            (1e12, math.inf, "1,000,000 to no limit"),
        ],
    )
    def test_the_limits_of_an_odds_ratio(self, low: float, high: float, words: str) -> None:
        assert relate_words.odds_limits(NumberEstimate(None, 1.0, low, high, None, "", outside=False)) == words

    @pytest.mark.parametrize(
        ("low", "high", "words"),
        [(-0.123, 0.456, "between −0.13 and 0.46"), (0.00312, 0.456, "between 0.0031 and 0.4560")],
    )
    def test_the_limits_of_a_correlation_are_rounded_outwards(self, low: float, high: float, words: str) -> None:
        found = NumberEstimate(None, 0.3, low, high, 0.1, "fisher", outside=False)
        assert relate_words.correlation_limits(found) == words

    def test_nobody_has_one_of_the_answers(self) -> None:
        page = words_of(_page(_filled({"00": 30, "01": 30, "10": 7, "11": 7})))
        assert "are shown only where at least 10 people are estimated to have each answer they are about" in page
        for hidden in ("odds", "Odds ratio", "Correlation"):
            assert hidden not in page.split("figures of fewer are not steady")[1]

    def test_a_share_without_an_interval_has_words(self) -> None:
        outside = NumberEstimate(1.2, 1.0, 1.0, 1.0, 0.1, "wald", outside=True)
        unknown = NumberEstimate(None, None, 0.0, 1.0, None, "wald", outside=False)
        single = NumberEstimate(1.0, 1.0, 1.0, 1.0, 0.0, "wald", outside=False, no_width=True)
        assert relate_words.limits_words(single).startswith("no interval: it would be a single number")
        assert relate_words.share_cell(single) == "none to trust"
        hours = Units(0, 12, "hours")
        assert mean_words(single, hours) == "No interval: it would be a single number, as if that were certain"
        assert mean_words(outside, hours) == "No interval: Wald’s lies outside what is possible, 0 to 12 hours."
        assert relate_words.limits_words(outside) == "no interval: no share fits the reports"
        assert relate_words.limits_words(unknown) == "no interval"
        assert relate_words.share_cell(outside) == relate_words.share_cell(unknown) == "none to trust"


class TestQueries:
    """What does not exist is named, and something sensible is shown."""

    @pytest.fixture
    def survey(self) -> Survey:
        return _filled({"110": 20, "002": 20, "101": 10}, yes_no(leave_out="no"), warner(leave_out="no"), one_of())

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("?a=99", "This survey has no question “99”. Question 1 is shown."),
            ("?b=99", "This survey has no question “99”. Question 2 is shown."),
            ("?a=2&b=2", "Question 2 cannot be related to itself. Question 1 is shown beside it."),
            ("?a=1&b=1", "Question 1 cannot be related to itself. Question 2 is shown beside it."),
            ("?a=%3Cscript%3E&b=%00", "This survey has no question “&lt;script&gt;”."),
            ("?a=" + "9" * 5000, "no question “" + "9" * 40 + "”."),
        ],
    )
    def test_what_is_unknown_is_named(self, survey: Survey, query: str, words: str) -> None:
        page = _page(survey, query)
        assert words in page
        assert "What was reported" in page

    def test_the_questions_can_be_swapped(self, survey: Survey) -> None:
        assert "?a=3&amp;b=1" in _page(survey, "?a=1&b=3")

    def test_a_single_question_is_related_to_nothing(self) -> None:
        survey = _filled({"1": 20, "0": 20}, yes_no(leave_out="no"))
        assert "there is nothing to relate it to" in _page(survey)

    def test_options_of_one_question_can_be_related(self) -> None:
        survey = _filled({"110": 30, "001": 20, "000": 20}, several_of(leave_out="no"))
        assert "What was reported" in _page(survey, "?a=1a&b=1c")

    def test_too_few_who_answered_both_are_a_number_and_nothing_else(self) -> None:
        survey = _filled({"1-": 20, "-1": 20, "11": 5, "00": 4}, yes_no(), warner())
        for query in ("", "?a=2&b=1", "?level=.80"):
            page = _page(survey, query)
            assert "9 people answered both questions: too few to show anything else." in words_of(page)
            assert "<table" not in page
            assert "<figure" not in page
        client = owner_of(survey)
        for name in ("joint", "among"):
            path = reverse("survey-results-relate", args=[survey.code])
            assert client.get(f"{path}?chart={name}").status_code == 404

    def test_texts_are_text_and_never_markup(self) -> None:
        drafts = yes_no("<script>alert(1)</script>", leave_out="no"), one_of(["<i>a</i>", "%(low)s"], "{{ 7 }}")
        page = _page(_filled({"11": 20, "00": 20, "10": 10}, *drafts))
        assert "<script>alert" not in page
        assert "<i>a" not in page
        assert "%(low)s" in page


@pytest.mark.uncounted
def test_no_extreme_puts_a_nan_on_the_page_or_breaks_it() -> None:
    survey = make_open(*every_kind(), minimum_n=5)
    items = definition_of(survey).items
    answer(survey, {"".join("01"[item.design.m > code] for item in items): 5 for code in (0, 9)})
    close_survey(survey=survey)
    for a, b in pairwise(items):
        for query in (f"?a={a.key}&b={b.key}", f"?a={b.key}&b={a.key}"):
            words = words_of(_page(survey, f"{query}&level=.999"))
            assert not re.search(r"\b(nan|inf|None)\b|−0(\.0+)?(?![\d.])", words)
