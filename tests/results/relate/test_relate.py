"""Two questions related: every number is the core's, and where the reports determine nothing, words say so."""

import math
import re
from functools import partial
from itertools import pairwise
from random import Random

import pytest
from django.urls import reverse
from django.utils.html import escape

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.claims import NumberEstimate
from surveys.models import Survey
from surveys.questionnaire.question import Question
from surveys.results.figures.relate import Relation
from surveys.results.pages import relate as relate_words
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
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db


_page = partial(page_of, "survey-results-relate")


def _filled(counts: dict[str, int], *questions: Question) -> Survey:
    survey = make_open(*(questions or (yes_no(leave_out="no"), warner(leave_out="no"))))
    answer(survey, counts)
    close_survey(survey=survey)
    return survey


def _relation(survey: Survey, query: str = "") -> tuple[str, Relation]:
    """Return a page and what it says of two questions."""
    page, context = page_and_context("survey-results-relate", survey, query)
    relation: Relation = context["relation"]
    assert says(page, relate_words.together_words(relation))
    assert says(page, relate_words.independence_words(relation))
    assert says(page, relate_words.odds_words(relation))
    for among in relation.among if relate_words.among_chart(relation, "en") else ():
        assert says(page, relate_words.among_words(among, relation))
    return page, relation


class TestConclusions:
    """Two answers go together only where the test and the odds ratio both say so."""

    @pytest.mark.parametrize(
        ("counts", "second", "p", "odds_may_be_1"),
        [
            ({"11": 50, "10": 25, "01": 30, "00": 55}, warner(leave_out="no"), 0.0002, False),
            ({"11": 20, "10": 20, "01": 20, "00": 20}, warner(leave_out="no"), 1.0, True),
            # The test says so, and the odds ratio, which keeps shares between 0 and 100%, does not.
            ({"00": 15, "01": 6, "10": 2, "11": 7}, yes_no("And?", leave_out="no"), 0.02, True),
            ({"00": 112, "01": 37, "10": 29, "11": 22}, yes_no("And?", leave_out="no"), 0.02, True),
            # The odds ratio says so, and the test does not.
            ({"00": 52, "01": 40, "10": 46, "11": 62}, yes_no("And?", leave_out="no"), 0.065, False),
        ],
    )
    def test_the_test_and_the_odds_ratio_are_each_told(
        self, counts: dict[str, int], second: Question, p: float, odds_may_be_1: bool
    ) -> None:
        _page, relation = _relation(_filled(counts, yes_no(leave_out="no"), second))
        assert relation.p_value == pytest.approx(p, abs=0.0005)
        assert relation.odds_may_be_1 == odds_may_be_1
        assert relation.odds_exclude_1 == (not odds_may_be_1)

    def test_reports_that_do_not_vary_leave_nothing_certain(self) -> None:
        almost = {"truth": [19, 20], "yes": [1, 2]}
        drafts = (yes_no(text, leave_out="no", parameters=almost) for text in ("This?", "That?"))
        rows = rows_under(_page(_filled({"11": 20}, *drafts)), "True answers to both questions")
        assert rows[3][2] == "100.0%"
        assert rows[3][3] != "100.0%"
        # In a large table the standard errors are those of the limited estimates: without any there is no interval.
        drafts = (plain([f"A{place}" for place in range(6)], text) for text in ("This?", "That?"))
        rows = rows_under(
            _page(_filled({"000": 10, "001": 10}, *drafts, yes_no(leave_out="no"))), "True answers to both questions"
        )
        assert [row[2:5] for row in rows] == [["not reliable"] * 3] * 36

    def test_small_expected_counts_are_warned_of(self) -> None:
        page, relation = _relation(_filled({"11": 3, "10": 3, "01": 6, "00": 6}))
        assert relation.independence
        assert relation.independence.smallest_expected == pytest.approx(3)
        assert relation.independence.exact_p_value is not None
        assert says(page, relate_words.poor_words(relation.independence))
        drafts = yes_no(leave_out="no"), one_of()
        page, relation = _relation(_filled({"10": 3, "11": 3, "12": 3, "00": 2, "01": 2, "02": 3}, *drafts))
        assert relation.independence
        assert relation.p_value is None
        assert "Fisher" not in page

    def test_reports_that_are_all_the_same_cannot_be_tested(self) -> None:
        drafts = yes_no(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]}), warner(leave_out="no")
        page, relation = _relation(_filled({"01": 10, "00": 10}, *drafts))
        assert relation.independence is None
        assert "Pearson’s χ²" not in page

    def test_a_procedure_that_was_not_followed_leaves_the_reports_alone(self) -> None:
        page, context = page_and_context("survey-results-relate", _filled({"01": 40, "00": 20}))
        assert context["relation"].odd
        assert 'class="notice error"' in page
        assert 'class="reported"' in page
        for hidden in (
            "True answers to both questions",
            "Pearson’s χ²",
            "Odds ratio",
            "By true answer to the first question",
        ):
            assert hidden not in page

    def test_nobodys_true_answer_is_an_end_that_a_number_was_rounded_to(self) -> None:
        drafts = yes_no(leave_out="no"), number_mean(leave_out="no")
        survey = _filled({"11": 30, "10": 20, "01": 20, "00": 30}, *drafts)
        page, relation = _relation(survey)
        assert [item.key for item in relation.rounded] == ["2"]
        assert 'id="chart-among"' in page
        assert "Odds ratio" not in page
        turned, relation = _relation(survey, "?a=2&b=1")
        assert relation.among == ()
        assert 'id="chart-among"' not in turned

    def test_of_too_few_people_nothing_is_said(self) -> None:
        _page, relation = _relation(_filled({"11": 6, "10": 5, "01": 14, "00": 17}))
        assert relation.among[1].too_few

    def test_a_large_table_says_how_its_intervals_were_found(self) -> None:
        drafts = one_of([f"A{place}" for place in range(6)]), one_of([f"B{place}" for place in range(6)], "And?")
        survey = make_open(*drafts)
        answer_by_chance(survey, 200, Random(1))  # noqa: S311 - answers of nobody
        close_survey(survey=survey)
        page, relation = _relation(survey)
        assert relation.method == "fitted"
        assert says(page, relate_words.relate_method(relation))
        people = [row[1] for row in rows_under(page, "Shares, by true answer to the first question")]
        assert people == ["too few people" if one.too_few else relate_words.people_cell(one) for one in relation.among]
        assert len(set(people)) > 1


class TestWords:
    """Odds ratios and correlations that are no numbers."""

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (None, "not determined"),
            (math.inf, "infinite"),
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
            (0.5, math.inf, "0.500 or more"),
            (0.0, math.inf, "unknown (any value is possible)"),
            (1.016, math.inf, "1.01 or more"),
            (1.003, 3.491, "between 1.003 and 3.50"),
            (0.2507, 0.99999, "between 0.250 and 0.99999"),
            (1.00000001, 1234.2, "between 1.000000 and 1,235"),
            (1e-9, 0.99, "between 0 and 0.990"),
            (0.0, 1e-9, "between 0 and 0.001"),
            (1e12, math.inf, "1,000,000 or more"),
        ],
    )
    def test_the_limits_of_an_odds_ratio(self, low: float, high: float, words: str) -> None:
        assert relate_words.odds_limits(NumberEstimate(None, 1.0, low, high, None, "", outside=False)) == words

    @pytest.mark.parametrize(
        ("low", "high", "words"),
        [(-0.123, 0.456, "between −0.13 and 0.46"), (0.00312, 0.456, "between 0.0031 and 0.4560")],
    )
    def test_the_limits_of_a_correlation_are_rounded_outwards(self, low: float, high: float, words: str) -> None:
        correlation = NumberEstimate(None, 0.3, low, high, 0.1, "fisher", outside=False)
        assert relate_words.correlation_limits(correlation) == words

    def test_nobody_has_one_of_the_answers(self) -> None:
        page, relation = _relation(_filled({"00": 30, "01": 30, "10": 7, "11": 7}))
        assert relation.few
        assert (relation.odds_ratio, relation.correlation) == (None, None)
        for hidden in ("odds", "Odds ratio", "Correlation"):
            assert hidden not in words_of(page.split('data-says="few"')[1].split("</p>", 1)[1])

    def test_a_share_without_an_interval_is_not_to_be_trusted(self) -> None:
        outside = NumberEstimate(1.2, 1.0, 1.0, 1.0, 0.1, "wald", outside=True)
        unknown = NumberEstimate(None, None, 0.0, 1.0, None, "wald", outside=False)
        single = NumberEstimate(1.0, 1.0, 1.0, 1.0, 0.0, "wald", outside=False, no_width=True)
        assert {relate_words.share_cell(each) for each in (outside, unknown, single)} == {"not reliable"}


class TestQueries:
    """What does not exist is named, and something sensible is shown."""

    @pytest.fixture
    def survey(self) -> Survey:
        return _filled({"110": 20, "002": 20, "101": 10}, yes_no(leave_out="no"), warner(leave_out="no"), one_of())

    @pytest.mark.parametrize(
        ("query", "named", "shown"),
        [
            ("?a=99", "“99”", ("1", "2")),
            ("?b=99", "“99”", ("1", "2")),
            ("?a=2&b=2", "2", ("2", "1")),
            ("?a=1&b=1", "1", ("1", "2")),
            ("?a=%3Cscript%3E&b=%00", "“<script>”", ("1", "2")),
            ("?a=" + "9" * 5000, f"“{'9' * 40}”", ("1", "2")),
        ],
    )
    def test_what_is_unknown_is_named(self, survey: Survey, query: str, named: str, shown: tuple[str, str]) -> None:
        page, context = page_and_context("survey-results-relate", survey, query)
        assert named in context["notices"][0]
        assert all(escape(notice) in page for notice in context["notices"])
        assert (context["chosen"].a.key, context["chosen"].b.key) == shown
        assert 'class="reported"' in page

    def test_the_questions_can_be_swapped(self, survey: Survey) -> None:
        assert "?a=3&amp;b=1" in _page(survey, "?a=1&b=3")

    def test_a_single_question_is_related_to_nothing(self) -> None:
        survey = _filled({"1": 20, "0": 20}, yes_no(leave_out="no"))
        assert context_of("survey-results-relate", survey)["chosen"] is None

    def test_options_of_one_question_can_be_related(self) -> None:
        survey = _filled({"110": 30, "001": 20, "000": 20}, several_of(leave_out="no"))
        assert 'class="reported"' in _page(survey, "?a=1a&b=1c")

    def test_too_few_who_answered_both_are_a_number_and_nothing_else(self) -> None:
        survey = _filled({"1-": 20, "-1": 20, "11": 5, "00": 4}, yes_no(), warner())
        for query in ("", "?a=2&b=1", "?level=.80"):
            page, context = page_and_context("survey-results-relate", survey, query)
            assert (context["relation"].enough, context["relation"].n) == (False, 9)
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
