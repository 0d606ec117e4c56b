"""Where few people are estimated to have an answer, nothing is said of them in particular, whichever way one asks."""

import re

import pytest

from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.results.pages.relate import correlation_limits, people_words
from tests.factories import make_open, one_of, yes_no
from tests.pages import page_of, rows_under, words_of
from tests.results.drawn import chart_table, numbers_in, page_and_context
from tests.results.grouping import answer, group_of
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db
_CHANCE = {"parameters": {"truth": [9, 10], "yes": [1, 2]}, "leave_out": "no"}


def _rare() -> Survey:
    """1,010 people, of whom about 27 have the second answer."""
    survey = make_open(yes_no("Common?", **_CHANCE), yes_no("Rare?", **_CHANCE), minimum_n=50)
    answer(survey, {"00": 465, "10": 470, "01": 35, "11": 40})
    return close_survey(survey=survey)


def _page(survey: Survey, tab: str, query: str = "") -> str:
    return page_of(f"survey-results-{tab}", survey, query)


def _section(survey: Survey, query: str) -> str:
    return words_of("<h2" + _page(survey, "regression", query).split('id="regression-head"')[1])


def _tests(survey: Survey, query: str) -> list[list[str]]:
    """Return the rows of the likelihood-ratio tests of a regression."""
    page = _page(survey, "regression", query)
    return rows_under(re.findall(r'<table[^>]* data-table="tests">.*?</table>', page)[0], "")


class TestRelate:
    """The cells are estimates about everybody; what is about a part needs enough people in it."""

    @pytest.mark.parametrize("query", ["?a=2&b=1", "?a=1&b=2"])
    def test_no_share_no_odds_and_no_correlation_in_either_order(self, query: str) -> None:
        survey = _rare()
        page, context = page_and_context("survey-results-relate", survey, query)
        relation = context["relation"]
        assert (relation.odds_ratio, relation.correlation, relation.few) == (None, None, True)
        assert len(relation.among) == 2
        if query == "?a=1&b=2":
            # The share of a rare answer among many people is what the other order would be turned into.
            assert all(among.too_few or among.shares[1] is None for among in relation.among)
        assert len(chart_table(page, "joint")) == 4
        # 983 of 1,010 would reveal the others.
        assert [among.people for among in relation.among] == [None, None]
        assert not re.search(r"[\d,]+ to [\d,]+ people|\b98[0-9]\b", words_of(page).partition("</form>")[2])

    def test_with_enough_people_everything_is_shown(self) -> None:
        survey = make_open(yes_no("Common?", **_CHANCE), yes_no("Frequent?", **_CHANCE), minimum_n=50)
        answer(survey, {"00": 365, "10": 270, "01": 135, "11": 240})
        survey = close_survey(survey=survey)
        page, context = page_and_context("survey-results-relate", survey, "?a=2&b=1")
        relation = context["relation"]
        assert not relation.few
        assert relation.odds_ratio
        assert relation.correlation
        assert not any(among.too_few for among in relation.among)
        assert all(people_words(among) in page for among in relation.among)
        assert correlation_limits(relation.correlation) in words_of(page)

    def test_of_three_answers_the_share_of_a_rare_one_is_hidden_and_the_others_stand(self) -> None:
        survey = make_open(yes_no("Common?", **_CHANCE), one_of(("Never", "Once", "Often")), minimum_n=10)
        answer(survey, {"00": 250, "10": 250, "01": 250, "11": 250, "02": 105, "12": 95})
        relation = context_of("survey-results-relate", close_survey(survey=survey), "?a=1&b=2")["relation"]
        assert [[share is None for share in among.shares] for among in relation.among] == [[False, False, True]] * 2
        rows = rows_under(re.findall(r'<table class="among">.*?</table>', _page(survey, "relate", "?a=1&b=2"))[0], "")
        assert [numbers_in(row[4]) for row in rows] == [[], []]
        assert all(re.match(r"[\d.]+ \(", cell) for row in rows for cell in row[2:4])


class TestRegression:
    """The odds ratio of two answers is the same either way, and so is the rule."""

    @pytest.mark.parametrize("option", [1, 0])
    def test_an_outcome_of_few_people_is_refused(self, option: int) -> None:
        survey, query = _rare(), f"?outcome=2&option={option}&predictor=1"
        assert context_of("survey-results-regression", survey, query)["found"].problem == "rare"
        assert "<table" not in _page(survey, "regression", query).split('id="regression-head"')[1]

    def test_the_test_of_a_hidden_term_is_hidden_too(self) -> None:
        survey, query = _rare(), "?outcome=1&option=1&predictor=2"
        page, context = page_and_context("survey-results-regression", survey, query)
        [block] = context["found"].blocks
        assert [term.why for term in block.terms] == ["few"]
        assert page.count('<td class="number" colspan="7">') == 1  # in the place of its coefficient and its limits
        assert [row[1:] for row in _tests(survey, query)] == [["none"], ["none"]]

    def test_the_test_of_another_question_stands(self) -> None:
        survey = make_open(*(yes_no(text, **_CHANCE) for text in ("Common?", "Rare?", "Frequent?")), minimum_n=50)
        answer(survey, {"000": 235, "101": 240, "001": 230, "100": 230, "010": 17, "111": 23, "011": 18, "110": 17})
        close_survey(survey=survey)
        rare, frequent, together = _tests(survey, "?outcome=1&option=1&predictor=2&predictor=3")
        assert rare[1:] == together[1:] == ["none"]
        assert len(frequent) == 4

    @pytest.mark.uncounted
    def test_a_group_too_small_among_complete_answers_is_one_of_the_others(self) -> None:
        survey = make_open(yes_no("First?"), yes_no("Second?"), minimum_n=10)
        for name in ("North", "South"):
            answer(survey, {"11": 60, "01": 40, "10": 40, "00": 60}, group_of(survey, name))
        answer(survey, {"1-": 20, "-0": 10, "0-": 20, "-1": 10, "11": 3}, group_of(survey, "Halves"))
        answer(survey, {"11": 6, "00": 6}, group_of(survey, "West"))
        close_survey(survey=survey)
        section = _section(survey, "?outcome=1&groups=1")
        assert "Halves" in section
        section = _section(survey, "?outcome=1&predictor=2&groups=1")
        assert "Halves" not in section
        # Its three complete answers are not what is left when the others are taken away.
        assert "West" not in section
        assert "Other groups" in section
