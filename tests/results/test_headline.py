"""What is read first: a headline that holds whatever was estimated, its figure, its interval and its dots."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, pause_survey
from surveys.estimation.claims import FigureOptions
from surveys.models import Membership, Survey
from surveys.numbers.words import interval_cell, says_too_little
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.charts import estimate_row, interval_label
from surveys.results.figures.questions import QuestionResult, results_of
from surveys.results.pages.relate import heat_cell
from surveys.results.words import Headline, PeopleOf100, finding_of, method_of, people_of, share_title
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
from tests.results.drawn import numbers_in, page_and_context


def _title(estimate: float, low: float, high: float) -> str:
    return share_title(SimpleNamespace(estimate=estimate, low=low, high=high), "Yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("estimate", "low", "high", "numbers"),
    [
        (0.27, 0.17, 0.37, ["1", "4"]),
        (0.33, 0.23, 0.43, ["1", "3"]),
        (0.49, 0.39, 0.59, []),  # about half
        (0.74, 0.64, 0.84, ["3", "4"]),
        (0.46, 0.36, 0.56, ["46", "100"]),
        (0.333, 0.335, 0.36, ["33.3", "100"]),  # no third where the interval leaves it out
        (0.02, 0.012, 0.031, ["2", "100"]),
        (0.03, 0.0, 0.09, ["0", "9", "100"]),
        (0.0, 0.0, 0.15, ["0", "15", "100"]),
        (0.98, 0.9, 1.0, ["90", "100", "100"]),
        (0.5, 0.29, 0.71, []),  # the answers cannot tell
        (0.0, 0.0, 0.61, []),
    ],
)
def test_a_title_says_no_more_than_its_interval(estimate: float, low: float, high: float, numbers: list[str]) -> None:
    title = _title(estimate, low, high)
    assert numbers_in(title) == numbers
    assert (title == _title(0.4, 0.1, 0.9)) == says_too_little(low, high)


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.5), (0.1, 0.9)])
def test_a_range_stands_alone_in_rows_cells_and_dots_where_a_number_says_too_little(low: float, high: float) -> None:
    alone, limits = says_too_little(low, high), interval_cell(low, high)
    row = estimate_row("Yes", "", 0.3, (low, high), claimed=True)
    assert (row.value, row.point, row.limits) == ((limits, None, "") if alone else ("30", 0.3, limits))
    assert (interval_label(0.95, [row]) == interval_label(0.95, [])) == alone
    figure: Any = SimpleNamespace(estimate=0.3, low=low, high=high, claimed=True)
    cell, people = heat_cell(figure), people_of(figure)
    assert (cell.share, cell.value, cell.detail) == ((None, limits, "") if alone else (0.3, "30", limits))
    assert (people.yes, people.may, people.most) == ((10, 0, 90) if alone else (20, 10, 50))


@pytest.mark.parametrize("half", [0.01, 0.08, 0.19])
def test_about_is_never_far_off_and_never_outside_the_interval(half: float) -> None:
    for share in (percent / 100 for percent in range(101)):
        low, high = max(0.0, share - half), min(1.0, share + half)
        numbers = [float(number) for number in numbers_in(_title(share, low, high))]
        if len(numbers) == 3:  # the limits, of 100
            assert low < 0.005 or high > 0.995
            continue
        part, of = numbers or (1, 2)
        assert low - 0.0005 <= part / of <= high + 0.0005
        assert abs(part / of - share) <= 0.0251


def _only(survey: Survey) -> QuestionResult:
    definition = definition_of(survey)
    [question] = results_of(definition, snapshot_of(survey, definition), FigureOptions()).questions
    return question


def _answered(counts: dict[str, int], *questions: Question) -> Survey:
    survey = make_open(*(questions or [yes_no(leave_out="no")]))
    fill(survey, counts)
    return survey


def _headline(survey: Survey) -> Headline:
    return finding_of(_only(survey), 0.95)


def _origin_of(survey: Survey) -> tuple[str, list[str]]:
    """Return where the page says that the figure comes from, and the numbers in the summary of that."""
    fold = page_of("survey-results", survey).split('id="origin-1"')[1].split("</details>")[0]
    return words_of(fold), numbers_in(words_of("<" + fold.split("<summary")[1].split("<span")[0]))


@pytest.mark.django_db
class TestDots:
    """One person is one dot: a hundred of them, the limits rounded outwards."""

    def test_they_are_the_limits_and_the_estimate(self) -> None:
        survey = _answered({"1": 150, "0": 240})
        headline = _headline(survey)
        assert (headline.value, headline.unit, headline.is_estimate) == ("27", "of 100", True)
        assert numbers_in(headline.sure) == ["95", "17", "37"]
        assert headline.people == PeopleOf100(yes=17, may=10, could=10, empty=63)
        assert headline.people.most == 37
        assert _origin_of(survey)[1] == ["27"]

    def test_where_the_answers_cannot_tell_the_interval_stands_for_the_estimate(self) -> None:
        survey = _answered({"1": 23, "0": 27})
        headline = _headline(survey)
        assert (headline.value, headline.unit, headline.is_estimate) == ("15 to 70", "of 100", False)
        assert numbers_in(headline.sure) == ["95"]
        assert _origin_of(survey)[1] == []

    @pytest.mark.parametrize("counts", [{"1": 23, "0": 77}, {"1": 77, "0": 23}, {"1": 50, "0": 50}, {"1": 5, "0": 5}])
    def test_whatever_came_they_are_a_hundred(self, counts: dict[str, int]) -> None:
        people = _headline(_answered(counts)).people
        assert people is not None
        numbers = [people.yes, people.may, people.could, people.empty]
        assert sum(numbers) == 100
        assert min(numbers) >= 0

    @pytest.mark.parametrize(("second", "near"), [(200, True), (180, True), (120, False)])
    def test_of_several_answers_they_are_those_of_the_largest_share_and_what_could_be_larger_is_named(
        self, second: int, near: bool
    ) -> None:
        survey = _answered({"0": 200, "1": second, "2": 100}, one_of(("Never", "Once", "Often")))
        headline = _headline(survey)
        assert "“Never”" in headline.title
        assert headline.people is not None
        assert headline.people.yes > 0
        assert ("“Once”" in headline.sure) == near
        assert "“Often”" not in headline.sure

    def test_the_method_named_is_that_of_its_interval(self) -> None:
        result = _only(_answered({"0": 60, "1": 40, "2": 30}, number_bands(leave_out="no")))
        assert (result.first.method, method_of(result)) == ("wilson", "likelihood_ratio")

    def test_a_mean_has_none(self) -> None:
        survey = _answered({"0": 60, "1": 40}, number_mean(leave_out="no"))
        headline = _headline(survey)
        assert headline.people is None
        assert (headline.title, headline.value, headline.unit) == ("Mean", "3.60", "hours")
        assert headline.alone in page_of("survey-results", survey, "?chart=q1-mean")
        assert numbers_in(headline.alone) == ["3.60"]


@pytest.mark.django_db
class TestWhereTheFigureComesFrom:
    """The sum that leads from the reports to the figure."""

    @pytest.mark.parametrize(
        ("draft", "counts", "numbers"),
        [
            (
                yes_no(leave_out="no"),
                {"1": 150, "0": 240},
                ["150", "390", "38.5", "100", "25", "100", "75", "38.5", "26.9", "25", "75"],
            ),
            # A report that is no answer.
            (
                crosswise(leave_out="no"),
                {"1": 40, "0": 60},
                ["40", "100", "40", "100", "75", "100", "25", "40", "70.0", "75", "25"],
            ),
        ],
    )
    def test_the_sum_comes_out(self, draft: Question, counts: dict[str, int], numbers: list[str]) -> None:
        survey = _answered(counts, draft)
        origin = _headline(survey).origin
        assert numbers_in(origin) == numbers
        assert origin in _origin_of(survey)[0]

    def test_of_whom_it_is_stands_there_once(self) -> None:
        of_whom = words_of(render_to_string("common/_of_whom.html"))
        for survey in (
            _answered({"1": 150, "0": 240}),
            _answered({"11": 150, "00": 240}, yes_no("Copied?"), yes_no("Lied?")),
        ):
            assert words_of(page_of("survey-results", survey)).count(of_whom) == 1


@pytest.mark.django_db
class TestSeveralQuestions:
    """One compact row a question; everything else behind its link."""

    @pytest.fixture
    def survey(self) -> Survey:
        questions = yes_no("Copied?"), several_of(text="Used?", leave_out="no"), number_mean("Hours?")
        return close_survey(survey=_answered({"11000": 60, "00100": 70, "01011": 50, "-0000": 5}, *questions))

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
        page, context = page_and_context("survey-results", survey)
        shares, means = context["overview"]
        # Of a Yes alone there is nothing to choose, and a mean is no share.
        assert {row.label: numbers_in(row.detail) for row in shares.rows} == {"Used? “Coffee”": ["3"], "Copied?": []}
        assert page.count(shares.note) == 1
        assert not means.note

    def test_a_question_without_an_estimate_says_why(self) -> None:
        survey = _answered(
            {"01": 40, "11": 2, "00": 58}, yes_no("Copied?", leave_out="no"), yes_no("Lied?", leave_out="no")
        )
        page, context = page_and_context("survey-results", survey)
        assert [result.odd for result in context["results"].questions] == [True, False]
        [alarm] = re.findall(r'<div class="notice error">.*?</div>', page)
        assert "Copied?" in alarm
        rows = {row.label: row for row in context["overview"][0].rows}
        assert rows["Copied?"].detail == finding_of(context["results"].questions[0], 0.95).title
        assert rows["Copied?"].detail in page
        assert (rows["Copied?"].claimed, rows["Lied?"].claimed) == (False, True)


@pytest.mark.django_db
class TestCounting:
    """How many are counted, and the button that counts the rest, for those who may press it."""

    @pytest.fixture
    def survey(self) -> Survey:
        survey = _answered({"1": 20, "0": 20})
        for _ in range(3):
            send(survey, "1")
        return survey

    def test_the_rest_is_counted_by_closing(self, survey: Survey) -> None:
        button = f'href="{reverse("survey-close", args=[survey.code])}"'
        page = page_of("survey-results", survey)
        assert '<span class="tally" data-n="43"><strong>40 of 43</strong>' in page
        assert button in page
        assert button in page_of("survey-results", pause_survey(survey=survey))
        assert button not in page_of("survey-results", close_survey(survey=survey))

    def test_closing_leads_back_to_results_that_can_be_read(self, survey: Survey) -> None:
        few = make_open()
        for closed, page in ((survey, "survey-results"), (few, "survey-detail")):
            left = owner_of(closed).post(reverse("survey-close", args=[closed.code]))
            assert left["Location"] == reverse(page, args=[closed.code])

    def test_whoever_may_not_close_has_no_button(self, survey: Survey) -> None:
        analyst = make_user()
        Membership.objects.create(survey=survey, user=analyst, role="analyst")
        client = Client()
        client.force_login(analyst)
        page = text_of(client.get(reverse("survey-results", args=[survey.code])))
        assert "<strong>40 of 43</strong>" in page
        assert reverse("survey-close", args=[survey.code]) not in page


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
def test_two_questions_and_regression_share_a_tab(name: str) -> None:
    questions = yes_no("a?", leave_out="no"), yes_no("b?", leave_out="no")
    page = page_of(name, _answered({"10": 30, "01": 20, "11": 15}, *questions))
    tabs, entries = page.split('class="tabs')[1].split('class="entries')
    current = "page" if name == "survey-results-relate" else "true"
    assert f'aria-current="{current}">Two questions</a>' in tabs
    assert tabs.count("aria-current") == 1
    assert 'aria-current="page"' in entries.split("</nav>")[0]
