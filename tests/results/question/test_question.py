"""A question's own page, and what the overview and it are asked for."""

import re
from html import unescape
from urllib.parse import unquote

import pytest
from django.test import Client
from django.test.utils import ContextList
from django.urls import reverse

from surveys.answering.words.designs import matrix_sentence, odds_sentence
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.claims import METHODS, FigureOptions
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.models import Group, Survey
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.results.charts import question_notes
from surveys.results.figures.questions import QuestionResult, shares_together
from surveys.results.pages.question import scatter_of
from surveys.results.report import coverage_words, method_words, simultaneous_words
from surveys.results.sections.forged import forged_words
from tests.factories import (
    PROTECTED,
    every_protected_kind,
    fill,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    send,
    several_of,
    triangular,
    yes_no,
)
from tests.pages import owner_of, page_of, text_of, words_of
from tests.results.drawn import chart_table, drawn_rows, table_of
from tests.results.seen import page_and_context, says

pytestmark = pytest.mark.django_db
DRAFTS = [*every_protected_kind(), scale(**PROTECTED), number_bands(**PROTECTED)]
EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in DRAFTS]
_NO_NUMBER = re.compile(r"\b(nan|inf|None|−0(\.0+)?)\b")


def _page(survey: Survey, query: str = "", *, number: int = 1) -> str:
    address = reverse("survey-results-question", args=[survey.code, number]) + query
    return unescape(text_of(owner_of(survey).get(address)))


def _overview(survey: Survey, query: str = "") -> str:
    return unescape(page_of("survey-results", survey, query))


def _of_400() -> Survey:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 160, "0": 240})
    return survey


def _result(survey: Survey, query: str = "") -> tuple[str, QuestionResult, ContextList]:
    page, context = page_and_context("survey-results-question", survey, query, number=1)
    return page, context["result"], context


class TestForged:
    """What is said of forged reports."""

    @pytest.mark.parametrize(
        ("query", "forged", "low", "high"),
        # 2m/n for fair coins: 4 reports of 400 are 2 points, and one of a hundred unless somebody says how many.
        [("", 4, 0.28, 0.32), ("?forged=5", 5, 0.275, 0.325), ("?forged=1", 1, 0.295, 0.305)],
    )
    def test_so_many_move_the_estimate_so_far(self, query: str, forged: int, low: float, high: float) -> None:
        survey = _of_400()
        page, result, _context = _result(survey, query)
        option = result.first.options[1]
        assert result.first.forged == forged
        assert (option.forged_low, option.forged_high) == pytest.approx((low, high))
        [sentence] = forged_words(result)
        assert says(page, sentence)
        assert says(page_of("survey-results", survey, query), sentence)

    def test_more_than_there_are_are_all_of_them(self) -> None:
        page, result, context = _result(_of_400(), "?forged=1000")
        [notice] = context["notices"]
        assert "400" in notice
        assert says(page, notice)
        option = result.first.options[1]
        assert (result.first.forged, option.forged_low, option.forged_high) == (400, 0, 1)

    @pytest.mark.parametrize("forged", ["0", "-3", "1.5", "x", "²", "٣", "9" * 4000, "%00", "nan"])
    def test_what_is_no_number_is_named_and_becomes_one_of_a_hundred(self, forged: str) -> None:
        survey = _of_400()
        for address, number in (("survey-results-question", 1), ("survey-results", None)):
            page, context = page_and_context(address, survey, f"?forged={forged}", number=number)
            [notice] = context["notices"]
            assert f"“{unquote(forged)[:20]}" in notice
            assert says(page, notice)
            assert context["options"].forged is None

    def test_of_several_shares_the_widest_is_told(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 200, "1": 100, "2": 100})
        page, result, _context = _result(survey)
        # 1/(2/3 − 1/6) = 2 points a report of 100.
        assert max(option.forged_shift for option in result.first.options) == pytest.approx(0.02)
        [sentence] = forged_words(result)
        assert "2.0" in sentence
        assert says(page, sentence)

    def test_of_a_mean_of_those_who_say_nothing_is_claimed(self) -> None:
        survey = make_open(number_mean(**PROTECTED))
        fill(survey, {"0": 50, "1": 40, "2": 30})
        page, result, _context = _result(survey)
        assert result.first.mean
        assert result.first.mean.among_those_who_say
        sentence, *_of_shares = forged_words(result)
        assert not re.search(r"\d", sentence)
        assert says(page, sentence)


class TestMethods:
    """Which interval is shown, and why."""

    @pytest.mark.parametrize("method", METHODS[:2])
    def test_a_mean_of_points_has_no_binomial_interval_and_the_page_says_so(self, method: str) -> None:
        survey = make_open(scale())
        fill(survey, {"0": 50, "1": 40, "2": 30, "3": 50, "4": 20})
        page, result, context = _result(survey, f"?method={method}")
        assert result.first.scale
        assert result.first.scale.mean.method == "likelihood_ratio"
        # The shares at the top have one.
        [sentence] = method_words(result.first, context["options"].wanted)
        assert says(page, sentence)

    def test_an_interval_that_holds_at_every_look_is_there_for_every_figure(self) -> None:
        survey = make_open(scale())
        fill(survey, {"0": 50, "1": 40, "2": 30, "3": 50, "4": 20})
        _page, result, context = _result(survey, f"?method={SEQUENCE}")
        assert result.first.scale
        assert {result.first.method, result.first.scale.mean.method} == {SEQUENCE}
        assert method_words(result.first, context["options"].wanted) == []

    def test_intervals_that_hold_all_at_once_are_wider_and_said_to(self) -> None:
        survey = make_open(several_of(leave_out="no"))
        fill(survey, {"000": 100, "100": 50, "010": 50})
        alone, together = _page(survey, "?simultaneous=0"), _page(survey)
        sentence = simultaneous_words(3, FigureOptions())
        assert sentence in together
        assert sentence not in alone
        assert simultaneous_words(3, FigureOptions(simultaneous=False)) in alone
        low, high = (
            float(table_of(page, "Estimated shares of the true answers")["Coffee"][5].rstrip("%"))
            for page in (alone, together)
        )
        assert low < high
        assert "simultaneous=0" in alone
        assert "simultaneous=0" not in together

    @pytest.mark.parametrize(("level", "words"), [("0.8", "80%"), (".9", "90%"), (".999", "99.9%")])
    def test_all_levels_can_be_asked_for(self, level: str, words: str) -> None:
        assert f"Wilson (score), {words}" in _page(_of_400(), f"?level={level}")


class TestPage:
    """What stands on a question's page."""

    def test_it_tells_the_matrix_in_words_and_as_a_table(self) -> None:
        survey = _of_400()
        [item] = definition_of(survey).items
        page = _page(survey)
        assert matrix_sentence(item) in page
        assert odds_sentence(item) in page
        matrix = table_of(page, "Probability of each report, by true answer")
        assert matrix == {"No": ["3/4 (75.0%)", "1/4 (25.0%)"], "Yes": ["1/4 (25.0%)", "3/4 (75.0%)"]}

    def test_where_a_report_can_prove_an_answer_it_says_so(self) -> None:
        survey = make_open(triangular(leave_out="no"))
        fill(survey, {"1": 60, "0": 40})
        page = _page(survey)
        assert odds_sentence(definition_of(survey).items[0]) in page
        assert "ε is infinite" in page

    def test_it_says_what_chance_costs(self) -> None:
        page, result, context = _result(_of_400())
        scatter = scatter_of(result.first, 1, 0.95)
        # √(.4·.6/400)/.5 is .049; of a direct question √(.3·.7/400) is .0229, a share of .219 of the variance.
        assert scatter
        assert (scatter.n, scatter.worth) == (400, 87)
        assert (scatter.asked.low, scatter.asked.high) == pytest.approx((0.205, 0.395), abs=0.0005)
        sentences = context["scatter_title"], context["scatter"].text
        assert {"400", "87", "20.5", "39.5"} <= set(re.findall(r"[\d.]*\d", " ".join(sentences)))
        assert all(says(page, sentence) for sentence in sentences)

    def test_another_answer_can_be_chosen_for_it(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 200, "1": 100, "2": 100})
        assert "Estimates for “Never”" in _page(survey)
        assert "Estimates for “Often”" in _page(survey, "?row=3")
        page, _of_it, context = _result(survey, "?row=4")
        [notice] = context["notices"]
        assert "“4”" in notice
        assert says(page, notice)
        assert "Estimates for “Never”" in page

    def test_it_is_of_the_answer_that_the_headline_names(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 60, "1": 100, "2": 240})
        page, _of_it, context = _result(survey)
        assert "“Often”" in context["finding"].title
        assert "Estimates for “Often”" in page

    def test_links_to_other_tabs_choose_this_question(self) -> None:
        survey = make_open(yes_no(leave_out="no"), several_of(leave_out="no"))
        fill(survey, {"1010": 60, "0101": 60})
        page = _page(survey, "?row=2", number=2)
        for name, parameter in (("relate", "a"), ("regression", "outcome"), ("bayes", "item"), ("plan", "item")):
            address = reverse(f"survey-results-{name}", args=[survey.code])
            assert f'href="{address}?method=wilson&level=.95&{parameter}=2b"' in page

    def test_only_groups_told_apart_are_counted_and_only_those_who_answered(self) -> None:
        survey = make_open(yes_no())
        for name, counts in (
            ("Morning", {"0": 20, "-": 5}),
            ("Noon", {"1": 9, "-": 30}),
            ("Evening", {"1": 8}),
        ):
            fill(survey, counts, group=Group.objects.create(survey=survey, slug=name, name=name))
        page = _page(survey)
        assert "All responses to the survey, by where they were randomized" not in page
        assert "Respondents to this question, by group" not in page  # until the survey is closed
        survey = close_survey(survey=survey)
        page = _page(survey)
        assert table_of(page, "Respondents to this question, by group") == {"Morning": ["20"]}
        assert "Evening" not in page

    def test_charts_can_be_had_as_files(self) -> None:
        survey = _of_400()
        client = owner_of(survey)
        for name in ("survey-results", "survey-results-question"):
            address = reverse(name, args=[survey.code, 1] if name.endswith("question") else [survey.code])
            response = client.get(address, {"chart": "q1-shares"})
            assert response["Content-Type"].startswith("image/svg+xml")
            assert client.get(address, {"chart": "q9-shares"}).status_code == 404

    def test_below_the_minimum_there_is_no_file_either(self) -> None:
        survey = make_open(yes_no())
        fill(survey, {"1": 9})
        client = owner_of(survey)
        assert client.get(reverse("survey-results", args=[survey.code]), {"chart": "q1-shares"}).status_code == 404
        page, context = page_and_context("survey-results-question", survey, "?chart=q1-shares&forged=3", number=1)
        assert context["refusal"] == "too_few"
        assert "%" not in words_of(page)

    @pytest.mark.parametrize("number", [0, 2, 999_999_999_999])
    def test_a_question_that_is_not_there_is_not_found(self, number: int) -> None:
        survey = _of_400()
        assert owner_of(survey).get(f"/surveys/{survey.code}/results/questions/{number}/").status_code == 404

    def test_of_a_question_too_few_answered_there_is_the_number_and_the_design(self) -> None:
        survey = make_open(yes_no("Answered?"), yes_no("Left out?"))
        fill(survey, {"1-": 18, "01": 2})
        page, context = page_and_context("survey-results-question", survey, number=2)
        result = context["result"]
        assert (result.enough, result.n, result.missing) == (False, 2, 18)
        assert len(table_of(page, "Probability of each report, by true answer")) == 2
        assert drawn_rows(page) == []
        for hidden in (">Reports<", "p-value", "were forged", "are worth"):
            assert hidden not in page

    def test_a_procedure_that_was_not_followed_leaves_no_estimate_anywhere(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 10, "0": 190})
        page, result, context = _result(survey)
        assert table_of(page, "Adherence to the instructions") == {"All reports": ["below 0.001"]}
        assert result.all_odd
        assert forged_words(result) == []
        assert "scatter" not in context


def _extremes(survey: Survey) -> list[dict[str, int]]:
    items = definition_of(survey).items
    same = ["".join(CODES[min(code, item.design.m - 1)] for item in items) for code in range(items[0].design.m)]
    left_out = [{"-" * len(items): 12}, {"-" * len(items): 12, same[0]: 5}] if items[0].can_be_left_out else []
    return [*({text: 5} for text in same), *left_out]


@pytest.mark.parametrize("both_methods", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("draft", EVERY)
@pytest.mark.uncounted
def test_no_extreme_puts_a_nan_on_a_question_page_or_breaks_it(draft: Question, both_methods: bool) -> None:
    """One method for each extreme, in turn, or both for all."""
    queries = ("", "?method=clopper_pearson&level=.999&simultaneous=0&forged=5")
    client: Client | None = None
    for place in range(8):
        survey = make_open(draft, minimum_n=5)
        extremes = _extremes(survey)
        if place >= len(extremes):
            break
        fill(survey, extremes[place])
        client = owner_of(survey)
        for query in queries if both_methods else queries[place % 2 :][:1]:
            for name in ("survey-results-question", "survey-results"):
                arguments = [survey.code, 1] if name.endswith("question") else [survey.code]
                response = client.get(reverse(name, args=arguments) + query)
                assert response.status_code == 200
                assert not _NO_NUMBER.search(words_of(text_of(response)))


def test_answers_of_own_coins_alone_are_results_as_all_are() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 8, "0": 12}, mode="own_coin")
    page = _page(close_survey(survey=survey))
    assert table_of(page, "All responses to the survey, by where they were randomized") == {
        "The respondent’s own coins": ["20"]
    }
    assert "30.0%" in chart_table(page, "q1-shares")["Yes"]


class TestBatches:
    """While answers come in, the figures follow in batches."""

    def test_the_tally_is_of_all_and_the_page_says_of_how_many_the_figures_are(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 40, "0": 60})
        send(survey, "1")
        send(survey, "1")
        page, context = page_and_context("survey-results", survey)
        assert (context["results"].n, context["results"].received) == (100, 102)
        assert 'data-n="102"' in page
        assert "100 of 102 people counted" in words_of(page)
        assert "are counted in batches" in page
        assert "100 answered · " in page
        page = _overview(close_survey(survey=survey))
        assert "102 people counted" in words_of(page)
        assert "are counted in batches" not in page
        assert "102 answered · " in page


class TestHowOftenIntervalsHold:
    """Few answers make an interval hold less often than it says, and the page says so."""

    @pytest.mark.parametrize(
        ("draft", "counts", "query", "numbers"),
        [
            (yes_no(leave_out="no"), {"1": 6, "0": 4}, "", {"10", "91.9", "95", "87.5"}),
            # Next to everybody triangular reports never are enough.
            (triangular(), {"1": 150, "0": 250}, "", {"400", "83.8", "95"}),
            # Several at once are judged by the level of each.
            (one_of(), {"0": 4, "1": 3, "2": 3}, "", {"10", "96.8", "98.3"}),
            # Of a number it is the mean, and of those who do not say one, their share.
            (number_mean(), {"0": 6, "1": 4}, "", {"10"}),
            (number_mean(**PROTECTED), {"0": 4, "1": 3, "2": 3}, "", {"10"}),
        ],
    )
    def test_how_rarely_is_said(self, draft: Question, counts: dict[str, int], query: str, numbers: set[str]) -> None:
        survey = make_open(draft)
        fill(survey, counts)
        page, sentence = _coverage(survey, query)
        assert numbers <= set(re.findall(r"[\d.]*\d", sentence))
        assert says(page, sentence)
        assert says(page_of("survey-results", survey, query), sentence)
        # Clopper and Pearson's never holds less often than it says.
        assert _coverage(survey, f"{query or '?'}&method=clopper_pearson")[1] == ""

    def test_of_four_hundred_answers_nothing_is_said(self) -> None:
        assert _coverage(_of_400(), "")[1] == ""


def _coverage(survey: Survey, query: str) -> tuple[str, str]:
    """Return a question's page, and the sentence on how rarely its intervals may hold."""
    page, result, context = _result(survey, query)
    item = result.first
    level = context["options"].wanted.each(shares_together(result.question))
    sentence = coverage_words(item.item, item.n, item.method, level)
    assert (sentence in question_notes(result, context["options"])) == bool(sentence)
    return page, sentence
