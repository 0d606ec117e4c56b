"""The results page: numbers a reader can trust, and nothing at all below the minimum."""

import json
import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from surveys.common.selectors import definition_of
from surveys.common.words import epsilon_words
from surveys.course.services import close_survey, pause_survey
from surveys.estimation.claims import METHODS, FigureOptions
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Group, Survey
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.questions import group_names, option_results, results_of
from surveys.results.report import Refusal, method_label
from surveys.results.words import answered_words
from tests.factories import fill, make_draft, make_open, number_window, one_of, send, yes_no
from tests.pages import owner_of, page_of, words_of
from tests.results.drawn import chart_table, drawn_rows, numbers_in, page_and_context
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db


def _results(survey: Survey, query: str = "", *, name: str = "survey-results") -> str:
    return page_of(name, survey, query)


def _class_of_100() -> Survey:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 40, "0": 60})
    return survey


@pytest.mark.parametrize("name", ["survey-results", "survey-figures"])
def test_below_the_minimum_there_is_the_count_and_nothing_else(name: str) -> None:
    survey = make_open(yes_no("Ever cheated?"))
    fill(survey, {"1": 6, "-": 3}, mode="own_coin")
    page, context = page_and_context(name, survey)
    assert "<strong>9</strong>" in page
    assert context["refusal"] == Refusal.TOO_FEW
    for hidden in ("Ever cheated", "<svg", "<table", "own coins", "skipped", "%</"):
        assert hidden not in page.split('id="figures"')[-1]


@pytest.mark.parametrize("draft", [yes_no(), number_window()], ids=["shares", "mean"])
def test_below_the_minimum_the_result_object_itself_holds_nothing(draft: Question) -> None:
    survey = make_open(draft)
    fill(survey, {"1": 5}, group=Group.objects.create(survey=survey, slug="large", name="Large"))
    fill(survey, {"1": 4}, mode="own_coin")
    definition = definition_of(survey)
    results = results_of(definition, snapshot_of(survey, definition), FigureOptions(), groups=group_names(survey))
    assert (results.n, results.items, results.n_by_mode, results.n_by_group) == (9, (), (), ())


def test_a_question_that_too_few_answered_shows_how_many_and_no_estimate() -> None:
    survey = make_open(yes_no("Answered?"), yes_no("Left out?"))
    fill(survey, {"11": 2, "0-": 18})
    page, context = page_and_context("survey-results", survey)
    [answered, left_out] = context["overview"][0].rows
    assert (answered.claimed, left_out.claimed, left_out.value) == (True, False, "–")
    assert left_out.detail in page
    assert page.count('class="point"') == 2  # one chart and its legend
    alone = page_of("survey-results-question", survey, number=2)
    section = alone.split('<section class="finding')[1].split("</section>")[0]
    assert numbers_in(words_of("<" + section)) == ["2", "2", "18"]  # the question's, who answered it, who did not
    assert 'class="point"' not in alone


def test_estimate_interval_and_raw_share_agree_with_the_formula() -> None:
    survey = _class_of_100()
    page, context = page_and_context("survey-figures", survey)
    # λ̂ = .4, π̂ = (.4 − .25)/.5; Wilson's limits for .4 are .3094 and .4980.
    assert drawn_rows(page) == [("Yes", "30")]
    assert "<strong>30</strong> <span>of 100</span>" in page
    for words, numbers in (
        (context["finding"].title, ["30", "100"]),
        (context["finding"].sure, ["95", "11", "50"]),
        (context["drawn"][0].row.says, ["30", "11", "50", "100", "40", "100"]),
        # How many answered and skipped, ε, and the level.
        (context["drawn"][0].note.replace("\N{NO-BREAK SPACE}", " "), ["100", "1.10", "95"]),
    ):
        assert words in page
        assert numbers_in(words) == numbers
    for cell in (">40.0%<", ">30.0%<", ">11.8%<", ">49.6%<", ">9.8%<"):
        assert cell in page


def test_below_a_figure_stand_n_design_epsilon_and_method() -> None:
    survey = make_open()
    fill(survey, {"1": 6, "0": 9, "-": 2})
    fill(survey, {"0": 12}, mode="own_coin")
    page, context = page_and_context("survey-figures", survey)
    question = context["result"].question
    expected = [
        answered_words(context["result"]),
        str(question.chance.label),
        epsilon_words(question),
        f"{method_label('wilson')}, 95%",
    ]
    assert " · ".join(expected) in page
    assert numbers_in(expected[0]) == ["27", "2"]


@pytest.mark.parametrize(("truth", "epsilon"), [([5, 7], "1.80"), ([1, 2], "1.10"), ([1, 1000], "0.01")])
def test_epsilon_is_rounded_up_and_so_never_below_what_respondents_read(truth: list[int], epsilon: str) -> None:
    survey = make_open(yes_no(parameters={"truth": truth, "yes": [1, 2]}))
    fill(survey, {"1": 6, "0": 9})
    assert f"· ε = {epsilon} ·" in _results(survey)


def test_every_option_has_a_row_and_every_row_stands_in_a_table() -> None:
    survey = make_open(one_of(("Never", "Once", "Often")))
    fill(survey, {"0": 50, "1": 30, "2": 20})
    page = _results(survey)
    assert list(dict(drawn_rows(page))) == list(chart_table(page, "q1-shares")) == ["Never", "Once", "Often"]
    assert page.count('role="img"') == 3


def test_a_single_answer_has_an_interval_and_no_standard_error() -> None:
    item = definition_of(make_draft()).items[0]
    estimate = estimate_prevalence([0, 1], item.design)
    option = option_results(item, estimate, FigureOptions())[1]
    assert option.standard_error is None
    assert 0 <= option.low <= option.high <= 1


@pytest.mark.parametrize("counts", [{"0": 10}, {"1": 10}, {"-": 12}, {"0": 5, "1": 5}])
@pytest.mark.parametrize("method", METHODS)
def test_no_extreme_puts_a_nan_on_the_page(counts: dict[str, int], method: str) -> None:
    survey = make_open(yes_no())
    fill(survey, counts)
    page = _results(survey, f"?method={method}&level=.99", name="survey-figures")
    assert not re.search(r"\b(nan|inf|none)\b", page, re.IGNORECASE)


def test_method_and_level_change_the_interval_and_not_the_estimate() -> None:
    survey = _class_of_100()
    widths = set()
    for method in METHODS:
        for level in (".80", ".90", ".95", ".99", ".999"):
            page = _results(survey, f"?method={method}&level={level}")
            assert "30.0%" in chart_table(page, "q1-shares")["Yes"]
            assert f'<option value="{method}" selected>' in page
            widths.add(re.search(r'class="band" x="([^"]+)" y="44" width="([^"]+)"', page).groups())  # type: ignore[union-attr]
    assert len(widths) == 15


@pytest.mark.parametrize(
    ("query", "level"),
    [
        *((query, 95) for query in ("?method=bayes", "?method=wald", "?level=.5", "?level=0.95%00", "?method=&level=")),
        ("?level=nan", 95),
        ("?method=<b>", 95),
        ("?level=0.90", 90),  # it may be written with its zero
    ],
)
@pytest.mark.parametrize("name", ["survey-results", "survey-figures"])
def test_an_unknown_method_or_level_becomes_the_default(query: str, level: int, name: str) -> None:
    assert f"{method_label('wilson')}, {level}%" in _results(_class_of_100(), query, name=name)


def test_an_unknown_method_is_named_and_not_run() -> None:
    survey, query = _class_of_100(), "?method=<b>bayes"
    [notice] = context_of("survey-results", survey, query)["notices"]
    assert "“<b>bayes”" in notice
    assert escape(notice) in _results(survey, query)


@pytest.mark.parametrize(("close", "live"), [(None, True), (pause_survey, True), (close_survey, False)])
def test_the_page_asks_again_only_while_answers_can_still_come(close: object, live: bool) -> None:
    survey = _class_of_100()
    if close:
        survey = close(survey=survey)  # type: ignore[operator]
    assert ("data-live" in _results(survey)) is live


class TestPolling:
    """The part of the page that scripts fetch again."""

    @pytest.fixture
    def survey(self) -> Survey:
        return _class_of_100()

    @pytest.fixture
    def client(self, survey: Survey) -> Client:
        return owner_of(survey)

    def _ask(self, client: Client, survey: Survey, etag: str, query: str = "") -> tuple[int, str]:
        address = reverse("survey-figures", args=[survey.code]) + query
        response = client.get(address, headers={"if-none-match": etag})
        return response.status_code, response["ETag"]

    def test_unchanged_figures_are_not_sent_again(self, client: Client, survey: Survey) -> None:
        status, etag = self._ask(client, survey, "")
        assert (status, self._ask(client, survey, etag)) == (200, (304, etag))

    def test_the_page_carries_the_tag_of_its_own_figures(self, client: Client, survey: Survey) -> None:
        page = client.get(reverse("survey-results", args=[survey.code])).context["etag"]
        assert self._ask(client, survey, page)[0] == 304

    @pytest.mark.parametrize(
        ("change", "query"),
        [
            (lambda survey: send(survey, "1"), ""),
            (lambda survey: close_survey(survey=survey), ""),
            (lambda _survey: None, "?method=clopper_pearson"),
            (lambda _survey: None, "?level=.99"),
        ],
        ids=["one more answer", "closing", "method", "level"],
    )
    def test_what_changes_them_sends_them(
        self, client: Client, survey: Survey, change: Callable[[Survey], object], query: str
    ) -> None:
        etag = self._ask(client, survey, "")[1]
        change(survey)
        assert self._ask(client, survey, etag, query)[0] == 200

    def test_two_surveys_share_no_tag(self, client: Client, survey: Survey) -> None:
        other = make_open(yes_no(leave_out="no"), owner=survey.owner)
        fill(other, {"1": 40, "0": 60})
        assert self._ask(client, survey, "")[1] != self._ask(client, other, "")[1]

    def test_an_unchanged_view_counts_no_responses_again(self, client: Client, survey: Survey) -> None:
        etag = self._ask(client, survey, "")[1]
        with CaptureQueriesContext(connection) as queries:
            assert self._ask(client, survey, etag)[0] == 304
        assert [query["sql"] for query in queries if "reports" in query["sql"]] == []
        # The session, its person, their second factor, the survey, and how many responses there are.
        assert len(queries) <= 5, json.dumps([query["sql"] for query in queries], indent=1)
