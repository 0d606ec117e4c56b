"""A question's own page, and what the overview and it are asked for."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.surveys import QuestionDraft
from surveys.estimation.claims import METHODS
from surveys.models import Group, Survey
from surveys.models.response import CODES
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
from tests.results.drawn import drawn_rows, table_of

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


class TestForged:
    """What is said of forged reports."""

    def test_one_of_a_hundred_is_taken_to_be_forged_unless_somebody_says_how_many(self) -> None:
        survey = _of_400()
        # 2m/n for fair coins: 4 reports of 400 are 2 points.
        assert "If 4 of 400 reports were forged, the estimate could be from 28.0% to 32.0%." in _page(survey)
        assert "If 5 of 400 reports were forged, the estimate could be from 27.5% to 32.5%." in _page(
            survey, "?forged=5"
        )
        assert "If 1 of 400 reports was forged, the estimate could be from 29.5% to 30.5%." in _overview(
            survey, "?forged=1"
        )

    def test_more_than_there_are_are_all_of_them(self) -> None:
        page = _page(_of_400(), "?forged=1000")
        assert "There are 400 answers: more cannot be forged." in page
        assert "If 400 of 400 reports were forged, the estimate could be from 0.0% to 100.0%." in page

    @pytest.mark.parametrize("forged", ["0", "-3", "1.5", "x", "²", "٣", "9" * 4000, "%00", "nan"])
    def test_what_is_no_number_is_named_and_becomes_one_of_a_hundred(self, forged: str) -> None:
        for page in (_page(_of_400(), f"?forged={forged}"), _overview(_of_400(), f"?forged={forged}")):
            assert "is no number of forged answers. One of a hundred is shown." in page
            assert "If 4 of 400 reports were forged" in page

    def test_of_several_shares_the_widest_is_told(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 200, "1": 100, "2": 100})
        # 1/(2/3 − 1/6) = 2 points a report of 100.
        assert "If 4 of 400 reports were forged, no share could be off by more than 2.0 points." in _page(survey)

    def test_of_a_mean_of_those_who_say_nothing_is_claimed(self) -> None:
        survey = make_open(number_mean(**PROTECTED))
        fill(survey, {"0": 50, "1": 40, "2": 30})
        assert "How far forged reports could have moved the mean of those who say is not told" in _page(survey)


class TestMethods:
    """Which interval is shown, and why."""

    @pytest.mark.parametrize("method", METHODS)
    def test_a_mean_of_points_has_no_binomial_interval_and_the_page_says_so(self, method: str) -> None:
        survey = make_open(scale())
        fill(survey, {"0": 50, "1": 40, "2": 30, "3": 50, "4": 20})
        page = _page(survey, f"?method={method}")
        assert "which is for single shares: it is by “Likelihood ratio”." in page
        assert "The shares at the top have no interval" not in page

    def test_intervals_that_hold_all_at_once_are_wider_and_said_to(self) -> None:
        survey = make_open(several_of(leave_out="no"))
        fill(survey, {"000": 100, "100": 50, "010": 50})
        alone, together = _page(survey), _page(survey, "?simultaneous=1")
        assert "The intervals of these 3 shares hold all at once (Bonferroni)." in together
        assert "hold all at once (" not in alone
        low, high = (
            float(table_of(page, "Estimated shares of the true answers")["Coffee"][5].rstrip("%"))
            for page in (alone, together)
        )
        assert low < high
        assert "simultaneous=1" in together

    @pytest.mark.parametrize(("level", "words"), [("0.8", "80%"), (".9", "90%"), (".999", "99.9%")])
    def test_all_levels_can_be_asked_for(self, level: str, words: str) -> None:
        assert f"Wilson (score), {words}" in _page(_of_400(), f"?level={level}")


class TestPage:
    """What stands on a question's page."""

    def test_it_tells_the_matrix_in_words_and_as_a_table(self) -> None:
        page = _page(_of_400())
        assert (
            "If the true answer is “Yes”, the report is “Yes” with probability 3/4 (75.0%); "
            "if it is “No”, with probability 1/4 (25.0%)." in page
        )
        assert "changes the odds between any two true answers by a factor of at most 3." in page
        matrix = table_of(page, "The probability of each report, by true answer")
        assert matrix == {"No": ["3/4 (75.0%)", "1/4 (25.0%)"], "Yes": ["1/4 (25.0%)", "3/4 (75.0%)"]}

    def test_where_a_report_can_prove_an_answer_it_says_so(self) -> None:
        survey = make_open(triangular(leave_out="no"))
        fill(survey, {"1": 60, "0": 40})
        page = _page(survey)
        assert "A report can prove the answer: the odds between two true answers have no bound." in page
        assert "ε is infinite" in page

    def test_it_says_what_chance_costs(self) -> None:
        page = _page(_of_400())
        # √(.4·.6/400)/.5 is .049; of a direct question √(.3·.7/400) is .0229, a share of .219 of the variance.
        assert "400 reports tell as much as 87 true answers to a direct question" in page
        assert "95% of the estimates would lie between 20.5% and 39.5%." in page

    def test_another_answer_can_be_chosen_for_it(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 200, "1": 100, "2": 100})
        assert "estimates for “Never”" in _page(survey)
        assert "estimates for “Often”" in _page(survey, "?row=3")
        page = _page(survey, "?row=4")
        assert "There is no answer number “4” here. The first is shown." in page
        assert "estimates for “Never”" in page

    def test_it_is_of_the_answer_that_the_headline_names(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 60, "1": 100, "2": 240})
        page = _page(survey)
        assert "would truly answer “Often”" in page
        assert "estimates for “Often”" in page

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
        assert "By who added chance" not in page
        assert "By group" not in page  # until the survey is closed
        survey = close_survey(survey=survey)
        page = _page(survey)
        assert table_of(page, "By group, of those who answered this question") == {"Morning": ["20"]}
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
        page = _page(survey, "?chart=q1-shares&forged=3&row=1")
        assert "Results appear once 10 people have answered." in page
        assert "%" not in words_of(page)

    @pytest.mark.parametrize("number", [0, 2, 999_999_999_999])
    def test_a_question_that_is_not_there_is_not_found(self, number: int) -> None:
        survey = _of_400()
        assert owner_of(survey).get(f"/surveys/{survey.code}/results/questions/{number}/").status_code == 404

    def test_of_a_question_too_few_answered_there_is_the_number_and_the_design(self) -> None:
        survey = make_open(yes_no("Answered?"), yes_no("Left out?"))
        fill(survey, {"1-": 18, "01": 2})
        page = _page(survey, number=2)
        assert "2 answered this question and 18 left it out: too few to show anything else." in page
        assert "How chance was added" in page
        assert drawn_rows(page) == []
        for hidden in ("What was reported", "p-value", "were forged", "tell as much as"):
            assert hidden not in page

    def test_a_procedure_that_was_not_followed_leaves_no_estimate_anywhere(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 10, "0": 190})
        page = _page(survey)
        assert table_of(page, "Whether the procedure was followed") == {"All reports": ["below 0.001"]}
        assert "were forged" not in page
        assert "tell as much as" not in page


def _extremes(survey: Survey) -> list[dict[str, int]]:
    items = definition_of(survey).items
    same = ["".join(CODES[min(code, item.design.m - 1)] for item in items) for code in range(items[0].design.m)]
    left_out = [{"-" * len(items): 12}, {"-" * len(items): 12, same[0]: 5}] if items[0].can_be_left_out else []
    return [*({text: 5} for text in same), *left_out]


@pytest.mark.parametrize("both_methods", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("draft", EVERY)
@pytest.mark.uncounted
def test_no_extreme_puts_a_nan_on_a_question_page_or_breaks_it(draft: QuestionDraft, both_methods: bool) -> None:
    """One method for each extreme, in turn, or both for all."""
    queries = ("", "?method=clopper_pearson&level=.999&simultaneous=1&forged=5")
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
    assert table_of(page, "By who added chance, of all answers to the survey") == {"The respondent’s own coins": ["20"]}
    assert dict(drawn_rows(page))["Yes"] == "30"


class TestBatches:
    """While answers come in, the figures follow in batches."""

    def test_the_tally_is_of_all_and_the_page_says_of_how_many_the_figures_are(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 40, "0": 60})
        send(survey, "1")
        send(survey, "1")
        page = _overview(survey)
        assert 'data-n="102"' in page
        assert "100 of 102 people counted. Close survey to count all 102" in words_of(page)
        assert "People who are not counted yet follow in batches" in page
        assert "100 answered · " in page
        page = _overview(close_survey(survey=survey))
        assert "102 people counted" in words_of(page)
        assert "not counted" not in page
        assert "102 answered · " in page


class TestHowOftenIntervalsHold:
    """Few answers make an interval hold less often than it says, and the page says so."""

    def test_ten_answers_and_wilsons_interval(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 6, "0": 4})
        said = (
            "With 10 answers an interval by this method holds the true share in as few as 91.9 of 100 surveys, not 95, "
            "if that share is about 87.5%. Clopper–Pearson’s never holds less often than it says."
        )
        assert said in _page(survey)
        assert said in _overview(survey)
        assert "as few as" not in _page(survey, "?method=clopper_pearson")

    def test_of_four_hundred_answers_nothing_is_said(self) -> None:
        assert "as few as" not in _page(_of_400())
        assert "as few as" not in _overview(_of_400())

    def test_next_to_everybody_triangular_reports_never_are_enough(self) -> None:
        survey = make_open(triangular())
        fill(survey, {"1": 150, "0": 250})
        assert "in as few as 83.8 of 100 surveys, not 95, if that share is about 9" in _page(survey)

    def test_several_at_once_are_judged_by_the_level_of_each(self) -> None:
        survey = make_open(one_of())
        fill(survey, {"0": 4, "1": 3, "2": 3})
        assert "in as few as 96.8 of 100 surveys, not 98.3, if" in _page(survey, "?simultaneous=1")

    def test_of_a_number_it_is_the_mean(self) -> None:
        survey = make_open(number_mean())
        fill(survey, {"0": 6, "1": 4})
        assert "With 10 answers an interval by this method holds the true mean in as few as" in _page(survey)

    def test_of_those_who_do_not_say_a_number_it_is_their_share(self) -> None:
        survey = make_open(number_mean(**PROTECTED))
        fill(survey, {"0": 4, "1": 3, "2": 3})
        assert "With 10 answers an interval by this method holds the true share in as few as" in _page(survey)
