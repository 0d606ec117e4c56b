"""What is read first: a headline that holds whatever was estimated, its figure, its interval and its dots."""

from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, pause_survey
from surveys.models import Membership, Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.questions import QuestionResult, results_of
from surveys.results.words import PeopleOf100, finding_of, method_of, share_title
from tests.factories import (
    crosswise,
    fill,
    make_open,
    make_user,
    number_bands,
    number_mean,
    one_of,
    send,
    several_of,
    yes_no,
)
from tests.pages import owner_of, page_of, text_of, words_of


def _title(estimate: float, low: float, high: float) -> str:
    return share_title(SimpleNamespace(estimate=estimate, low=low, high=high), "Yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("estimate", "low", "high", "title"),
    [
        (0.27, 0.17, 0.37, "About 1 in 4 would truly answer Yes"),
        (0.33, 0.23, 0.43, "About 1 in 3 would truly answer Yes"),
        (0.49, 0.39, 0.59, "About half would truly answer Yes"),
        (0.74, 0.64, 0.84, "About 3 in 4 would truly answer Yes"),
        (0.46, 0.36, 0.56, "About 46 of 100 would truly answer Yes"),
        (0.333, 0.335, 0.36, "About 33.3 of 100 would truly answer Yes"),  # no third where the interval leaves it out
        (0.02, 0.012, 0.031, "About 2 of 100 would truly answer Yes"),
        (0.03, 0.0, 0.09, "0 to 9 of 100 would truly answer Yes"),
        (0.0, 0.0, 0.15, "0 to 15 of 100 would truly answer Yes"),
        (0.98, 0.9, 1.0, "90 to 100 of 100 would truly answer Yes"),
        (0.5, 0.29, 0.71, "These answers cannot tell how many would truly answer Yes"),
        (0.0, 0.0, 0.61, "These answers cannot tell how many would truly answer Yes"),
    ],
)
def test_a_title_says_no_more_than_its_interval(estimate: float, low: float, high: float, title: str) -> None:
    assert _title(estimate, low, high) == title


@pytest.mark.parametrize("percent", range(101))
@pytest.mark.parametrize("half", [0.01, 0.08, 0.19])
def test_about_is_never_far_off_and_never_outside_the_interval(percent: int, half: float) -> None:
    share = percent / 100
    low, high = max(0.0, share - half), min(1.0, share + half)
    title = _title(share, low, high)
    words = title.split()
    if title.startswith("About half"):
        said = 0.5
    elif words[0] == "About":
        said = float(words[1]) / float(words[3])
    else:
        assert low < 0.005 or high > 0.995
        return
    assert low - 0.0005 <= said <= high + 0.0005
    assert abs(said - share) <= 0.0251


def _only(survey: Survey) -> QuestionResult:
    definition = definition_of(survey)
    [question] = results_of(definition, snapshot_of(survey, definition)).questions
    return question


@pytest.mark.django_db
class TestDots:
    """One person is one dot: a hundred of them, the limits rounded outwards."""

    def test_they_are_the_limits_and_the_estimate(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 150, "0": 240})
        found = finding_of(_only(survey), 0.95)
        assert (found.value, found.unit, found.sure) == ("27", "of 100", "95% confidence interval: 17 to 37")
        assert found.people == PeopleOf100(yes=17, may=10, could=10, empty=63)
        assert found.people.most == 37

    def test_where_the_answers_cannot_tell_the_interval_stands_for_the_estimate(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 23, "0": 27})
        found = finding_of(_only(survey), 0.95)
        assert found.title.startswith("These answers cannot tell")
        assert (found.value, found.unit, found.sure) == ("15 to 70", "of 100", "95% confidence interval")
        assert "Where this comes from" in words_of(page_of("survey-results", survey))

    @pytest.mark.parametrize("counts", [{"1": 23, "0": 77}, {"1": 77, "0": 23}, {"1": 50, "0": 50}, {"1": 5, "0": 5}])
    def test_whatever_came_they_are_a_hundred(self, counts: dict[str, int]) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, counts)
        people = finding_of(_only(survey), 0.95).people
        assert people is not None
        numbers = [people.yes, people.may, people.could, people.empty]
        assert sum(numbers) == 100
        assert min(numbers) >= 0

    def test_of_several_answers_they_are_those_of_the_largest_share(self) -> None:
        survey = make_open(one_of(("Never", "Once", "Often")))
        fill(survey, {"0": 300, "1": 150, "2": 100})
        found = finding_of(_only(survey), 0.95)
        assert "“Never”" in found.title
        assert found.people is not None
        assert found.people.yes > 0

    @pytest.mark.parametrize(("second", "tied"), [(200, ", tied with “Once”"), (120, "")])
    def test_a_tie_is_said(self, second: int, tied: str) -> None:
        survey = make_open(one_of(("Never", "Once", "Often")))
        fill(survey, {"0": 200, "1": second, "2": 100})
        found = finding_of(_only(survey), 0.95)
        assert "“Never”" in found.title
        assert found.sure.endswith(tied)
        assert ("tied" in found.sure) == bool(tied)

    def test_the_method_named_is_that_of_its_interval(self) -> None:
        survey = make_open(number_bands(leave_out="no"))
        fill(survey, {"0": 60, "1": 40, "2": 30})
        result = _only(survey)
        assert (result.first.method, method_of(result)) == ("wilson", "likelihood_ratio")

    def test_a_mean_has_none(self) -> None:
        survey = make_open(number_mean(leave_out="no"))
        fill(survey, {"0": 60, "1": 40})
        found = finding_of(_only(survey), 0.95)
        assert found.people is None
        assert (found.title, found.value, found.unit) == ("Mean", "3.60", "hours")
        assert "Mean: about 3.60 hours" in page_of("survey-results", survey, "?chart=q1-mean")


@pytest.mark.django_db
class TestWhereTheFigureComesFrom:
    """The sum that leads from the reports to the figure."""

    def test_the_sum_comes_out(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 150, "0": 240})
        said = (
            "150 of 390 reports say “Yes”: 38.5 of 100. If nobody’s true answer were “Yes”, chance would make it 25; "
            "if everybody’s were, 75. 38.5 is 26.9% of the way from 25 to 75."
        )
        assert said in words_of(page_of("survey-results", survey))

    def test_it_is_said_once_of_whom_it_is(self) -> None:
        one, two = make_open(yes_no(leave_out="no")), make_open(yes_no("Copied?"), yes_no("Lied?"))
        fill(one, {"1": 150, "0": 240})
        fill(two, {"11": 150, "00": 240})
        for survey in (one, two):
            page = words_of(page_of("survey-results", survey))
            assert page.count("Estimates are of the people who answered, if all did as asked.") == 1

    def test_it_does_too_where_a_report_is_no_answer(self) -> None:
        survey = make_open(crosswise(leave_out="no"))
        fill(survey, {"1": 40, "0": 60})
        origin = finding_of(_only(survey), 0.95).origin
        assert "chance would make it 75; if everybody’s were, 25. 40 is 70.0% of the way from 75 to 25." in origin

    def test_a_limited_figure_says_so(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 23, "0": 77})
        assert "the estimate is limited to that." in finding_of(_only(survey), 0.95).origin


@pytest.mark.django_db
class TestSeveralQuestions:
    """One compact row a question; everything else behind its link."""

    @pytest.fixture
    def survey(self) -> Survey:
        survey = make_open(yes_no("Copied?"), several_of(text="Used?", leave_out="no"), number_mean("Hours?"))
        fill(survey, {"11000": 60, "00100": 70, "01011": 50, "-0000": 5})
        return close_survey(survey=survey)

    def test_every_question_leads_to_its_own_page_with_the_options_in_force(self, survey: Survey) -> None:
        page = page_of("survey-results", survey, "?level=.90")
        for number in (1, 2, 3):
            address = reverse("survey-results-question", args=[survey.code, number])
            assert f'<a href="{address}?method=wilson&amp;level=.90">' in page

    def test_there_is_one_legend_and_shares_and_means_have_an_axis_each(self, survey: Survey) -> None:
        page = page_of("survey-results", survey)
        assert page.count('<ul class="key">') == 1
        assert page.count('<li class="axis-row"') == 2
        assert page.count("100 of 100") == 1
        assert "0 to 12 hours" in page

    def test_a_row_of_several_answers_names_the_one_it_is_of_and_says_why_that_one(self, survey: Survey) -> None:
        page = words_of(page_of("survey-results", survey))
        assert "Used? “Coffee”" in page
        # Of a Yes alone there is nothing to choose, and a mean is no share.
        assert page.count("largest of 3 estimates") == 1
        assert "Its interval is for an answer chosen beforehand." in page

    def test_a_question_without_an_estimate_says_why(self) -> None:
        survey = make_open(yes_no("Copied?", leave_out="no"), yes_no("Lied?", leave_out="no"))
        fill(survey, {"01": 10, "11": 2, "00": 88})
        page = words_of(page_of("survey-results", survey))
        assert "Respondents probably did not follow the procedure. Copied?" in page
        assert "No estimate to trust" in page


@pytest.mark.django_db
class TestCounting:
    """How many are counted, and the button that counts the rest, for those who may press it."""

    @pytest.fixture
    def survey(self) -> Survey:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 20, "0": 20})
        for _ in range(3):
            send(survey, "1")
        return survey

    def test_the_rest_is_counted_by_closing(self, survey: Survey) -> None:
        page = page_of("survey-results", survey)
        assert "40 of 43 people counted. Close survey to count all 43" in words_of(page)
        assert reverse("survey-close", args=[survey.code]) in page
        assert "Close survey to count" in page_of("survey-results", pause_survey(survey=survey))
        assert "Close survey" not in page_of("survey-results", close_survey(survey=survey))

    def test_whoever_may_not_close_has_no_button(self, survey: Survey) -> None:
        analyst = make_user()
        Membership.objects.create(survey=survey, user=analyst, role="analyst")
        client = Client()
        client.force_login(analyst)
        page = text_of(client.get(reverse("survey-results", args=[survey.code])))
        assert "40 of 43" in page
        assert "Close survey" not in page


@pytest.mark.django_db
class TestTooFew:
    """Without figures a page offers what brings answers, and no options."""

    def test_the_link_the_code_and_the_projector_are_there_and_options_are_not(self) -> None:
        survey = make_open()
        fill(survey, {"1": 3})
        page = page_of("survey-results", survey)
        assert f'<p class="code">{survey.code}</p>' in page
        assert f"http://testserver{reverse('answer', args=[survey.code])}" in page
        assert reverse("survey-present", args=[survey.code]) in page
        assert "<select" not in page

    def test_a_closed_one_invites_nobody(self) -> None:
        survey = make_open()
        fill(survey, {"1": 3})
        assert '<p class="code">' not in page_of("survey-results", close_survey(survey=survey))


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["survey-results-relate", "survey-results-regression"])
def test_two_entries_share_the_tab_explore(name: str) -> None:
    survey = make_open(yes_no("a?", leave_out="no"), yes_no("b?", leave_out="no"))
    fill(survey, {"10": 30, "01": 20, "11": 15})
    page = text_of(owner_of(survey).get(reverse(name, args=[survey.code])))
    tabs, entries = page.split('class="tabs')[1].split('class="entries')
    current = "page" if name == "survey-results-relate" else "true"
    assert f'aria-current="{current}">Explore</a>' in tabs
    assert tabs.count("aria-current") == 1
    assert 'aria-current="page"' in entries.split("</nav>")[0]
