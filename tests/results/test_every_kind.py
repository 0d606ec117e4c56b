"""Results of every kind of question: the mathematics’ estimates for the same counts, and what is drawn of them."""

import re
from html import unescape
from typing import Any

import numpy as np
import pytest

from surveys.answering.services.perturbing import perturb
from surveys.common.selectors import definition_of
from surveys.common.words import epsilon_words
from surveys.course.services import close_survey
from surveys.estimation.claims import METHODS, FigureOptions
from surveys.estimation.numbers import estimate_mean
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.models import Group, Mode, Survey
from surveys.privacy.own_chance import own_chance
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.charts import question_notes
from surveys.results.figures.questions import (
    NamedPart,
    Oddity,
    SurveyResults,
    group_names,
    results_of,
)
from surveys.results.report import method_words
from surveys.results.words import mean_name, oddity, parts, reported_words, top_name
from tests.factories import (
    PROTECTED,
    crosswise,
    every_kind,
    every_protected_kind,
    fill,
    make_open,
    number_mean,
    scale,
    several_of,
    triangular,
    unrelated,
    yes_no,
)
from tests.pages import page_of
from tests.results.drawn import chart_table, drawn_rows, numbers_in, page_and_context
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db
EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_protected_kind()]


def _page(survey: Survey, query: str = "", *, name: str = "survey-figures") -> str:
    return unescape(page_of(name, survey, query))


def _results(survey: Survey, method: str = "wilson") -> SurveyResults:
    definition = definition_of(survey)
    snapshot = snapshot_of(survey, definition)
    return results_of(definition, snapshot, FigureOptions(method, 0.9, simultaneous=False), groups=group_names(survey))


def _uneven(item: Item) -> list[int]:
    """Counts that the design can have led to, different for each report."""
    shares = np.linspace(1, 2, item.design.k)
    return [int(count) for count in np.rint(np.array(item.design.matrix, dtype=float) @ (shares / shares.sum()) * 400)]


def _filled(draft: Question) -> tuple[Survey, list[list[int]]]:
    """Open a survey of one question whose items have received uneven reports; return the counts of each item."""
    survey = make_open(draft)
    items = definition_of(survey).items
    # Each further item sees the same reports in another order, so that no two items have the same counts.
    columns = [[code for code, count in enumerate(_uneven(item)) for _ in range(count)] for item in items]
    length = min(map(len, columns))
    columns = [column[place * 7 :] + column[: place * 7] for place, column in enumerate(columns)]
    texts = ["".join(CODES[column[person]] for column in columns) for person in range(length)]
    fill(survey, {text: texts.count(text) for text in dict.fromkeys(texts)})
    return survey, [
        [column[:length].count(code) for code in range(item.design.m)]
        for item, column in zip(items, columns, strict=True)
    ]


@pytest.mark.parametrize("draft", EVERY)
def test_shares_and_intervals_are_those_of_the_core_for_the_same_counts(draft: Question) -> None:
    survey, counts = _filled(draft)
    for method in METHODS:
        for result, of_item in zip(_results(survey, method).items, counts, strict=True):
            estimate = estimate_prevalence(of_item, result.item.design)
            interval = estimate.interval(0.9, method)
            assert [option.count for option in result.options] == of_item
            assert [option.label for option in result.options] == list(result.item.labels)
            for name, expected in (
                ("moment", estimate.point),
                ("estimate", estimate.constrained),
                ("standard_error", estimate.standard_error),
                ("low", interval.low),
                ("high", interval.high),
            ):
                assert [getattr(option, name) for option in result.options] == pytest.approx(expected), method


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("protected", [False, True])
def test_a_mean_is_that_of_the_core_in_its_units_where_some_prefer_not_to_say_of_those_who_do(
    protected: bool, method: str
) -> None:
    survey, [counts] = _filled(number_mean(**PROTECTED) if protected else number_mean())
    [result] = _results(survey, method).items
    mean, design = result.mean, result.item.design
    estimate: Any = (estimate_stated_mean if protected else estimate_mean)(counts, design, 0, 12)
    used = "likelihood_ratio" if protected and method != "confidence_sequence" else method
    interval = estimate.interval(0.9, used)
    assert mean is not None
    assert (mean.method, mean.among_those_who_say) == (used, protected)
    assert (mean.estimate, mean.standard_error) == pytest.approx((estimate.constrained, estimate.standard_error))
    assert mean.moment == pytest.approx(estimate.point)
    assert (mean.low, mean.high) == pytest.approx((interval.low, interval.high))
    assert mean.observed == pytest.approx(12 * counts[1] / (counts[0] + counts[1]))
    by_another = method_words(result, FigureOptions(method, 0.9))
    assert bool(by_another) == (used != method)
    page = _page(survey, f"?method={method}")
    assert all(words in page for words in by_another)
    names = [mean_name(among_those_who_say=protected), *(["Prefer not to say"] if protected else [])]
    assert [name for name, _value in drawn_rows(page)] == names


def test_a_mean_stands_on_the_page_with_its_unit_its_interval_and_its_own_axis() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    page, context = page_and_context("survey-figures", survey)
    # λ̂ = .4, so 30% of the way up from 0 to 12; Wilson's limits of .4 are .3094 and .4980.
    assert drawn_rows(page) == [("Mean", "3.60 hours")]
    assert numbers_in(context["finding"].sure) == ["95", "1.42", "5.96"]
    assert context["finding"].sure in page
    assert numbers_in(context["drawn"][0].row.says) == ["3.60", "1.42", "5.96"]
    assert re.findall(r'<text[^>]* x="([\d.]+)%" y="112"[^>]*>([^<]+)<', page) == [
        ("0.0", "0"),
        ("50.0", "6"),
        ("100.0", "12 hours"),
    ]
    assert "of 100 people" not in page
    assert chart_table(page, "q1-mean")["Mean"][0] == "4.80 hours"


@pytest.mark.parametrize(
    ("draft", "drawn", "raw", "chart"),
    [
        (yes_no(leave_out="no"), ("Yes", "0"), ["−4", "0"], "q1-shares"),
        (number_mean(leave_out="no"), ("Mean", "0.00 hours"), ["−0.48"], "q1-mean"),
    ],
)
def test_the_raw_value_stands_beside_the_one_limited_to_what_can_be(
    draft: Question, drawn: tuple[str, str], raw: list[str], chart: str
) -> None:
    survey = make_open(draft)
    fill(survey, {"0": 77, "1": 23})
    page, context = page_and_context("survey-figures", survey)
    row = context["drawn"][0].row
    assert drawn_rows(page) == [drawn]
    assert numbers_in(row.detail) == raw
    assert row.detail in page
    assert any(raw[0] in cell for cell in chart_table(page, chart)[drawn[0]])


def test_several_options_share_one_block_with_a_row_each() -> None:
    survey = make_open(several_of(leave_out="no"))
    fill(survey, {"000": 37, "100": 20, "010": 10, "111": 20, "001": 13})
    page, context = page_and_context("survey-figures", survey, "?simultaneous=0")
    assert page.count('<section class="finding"') == 1
    assert drawn_rows(page) == [("Coffee", "30"), ("Tablets", "10"), ("Something illegal", "16")]
    losses = epsilon_words(context["result"].question)
    assert losses in page
    assert numbers_in(losses) == ["1.10", "3.30"]
    assert list(chart_table(page, "q1-shares"))[::2] == ["Coffee – No", "Tablets – No", "Something illegal – No"]


def test_a_protected_way_out_of_several_options_has_rows_of_its_own() -> None:
    survey, _counts = _filled(several_of(**PROTECTED))
    assert "Coffee – Prefer not to say" in [name for name, _value in drawn_rows(_page(survey))]


def test_a_scale_is_a_distribution_with_its_ends_in_words_a_mean_and_the_share_at_its_top() -> None:
    survey, _counts = _filled(scale())
    [scale_result] = [item.scale for item in _results(survey).items]
    assert scale_result is not None
    assert [name for name, _value in drawn_rows(_page(survey))] == [
        "Mean",
        *("1 (Never)", "2", "3", "4", "5 (Always)"),
        *(top_name(top, scale_result) for top in scale_result.tops),
    ]
    assert [top.boxes for top in scale_result.tops] == [1, 2]


@pytest.mark.parametrize(
    ("draft", "reports"),
    [
        (crosswise(leave_out="no"), ("Different answers", "The same answer")),
        (triangular(leave_out="no"), ("No to both", "Yes to at least one")),
    ],
)
def test_reports_that_are_no_answers_stand_apart_under_their_own_names(
    draft: Question, reports: tuple[str, str]
) -> None:
    survey = make_open(draft)
    fill(survey, {"0": 60, "1": 40})
    page, context = page_and_context("survey-figures", survey)
    assert list(chart_table(page, "q1-shares")) == ["No", "Yes"]
    reported = reported_words(context["result"].first)
    assert reported in page
    assert numbers_in(reported) == ["40", "100"]
    assert f"“{reports[1]}”" in reported
    assert str(context["result"].question.chance.label) in page
    of_question = context_of("survey-results-question", survey, number=1)
    assert of_question["reports"].rows == ((reports[0], "60", "60.0%"), (reports[1], "40", "40.0%"))
    # A share of “the same” has no place on an axis of people with the answer Yes.
    assert 'class="raw"' not in page


def test_an_infinite_epsilon_is_no_number() -> None:
    survey, _counts = _filled(triangular())
    page, words = (
        _page(survey, name="survey-results"),
        epsilon_words(context_of("survey-figures", survey)["result"].question),
    )
    assert words in page
    assert numbers_in(words) == []
    assert not re.search(r"ε = (inf|∞)", page)


MISFITS: list[tuple[Question, dict[str, int], Oddity]] = [
    (yes_no(leave_out="no"), {"0": 90, "1": 10}, Oddity("Yes", 10, too_few=True, edge=0.25)),
    (yes_no(leave_out="no"), {"0": 5, "1": 95}, Oddity("Yes", 95, too_few=False, edge=0.75)),
    (crosswise(leave_out="no"), {"0": 95, "1": 5}, Oddity("The same answer", 5, too_few=True, edge=0.25)),
    # Where nobody has the answer, “the same” comes from 75%.
    (crosswise(leave_out="no"), {"0": 5, "1": 95}, Oddity("The same answer", 95, too_few=False, edge=0.75)),
    (triangular(leave_out="no"), {"0": 95, "1": 5}, Oddity("Yes to at least one", 5, too_few=True, edge=0.25)),
    (unrelated(), {"0": 5, "1": 95}, Oddity("Yes", 95, too_few=False, edge=0.775)),
    (number_mean(leave_out="no"), {"0": 95, "1": 5}, Oddity("12 hours", 5, too_few=True, edge=0.25)),
]


@pytest.mark.parametrize(("draft", "counts", "expected"), MISFITS)
def test_a_procedure_that_was_not_followed_raises_the_alarm_and_has_no_estimate(
    draft: Question, counts: dict[str, int], expected: Oddity
) -> None:
    survey = make_open(draft)
    fill(survey, counts)
    page, context = page_and_context("survey-figures", survey)
    item = context["result"].first
    assert item.oddities == (expected,)
    assert page.count('class="notice error"') == 1
    assert oddity(expected, item) in page
    assert context["finding"].value == ""
    assert {value for _name, value in drawn_rows(page)} == {"–"}
    assert 'class="point"' not in page
    # Nor is the estimate in the table, whose raw figure is all that is left of it.
    assert not re.search(r">0(\.0+)?(%| hours)<", page)
    assert {"–"} < set(next(iter(chart_table(page, context["drawn"][0].name).values())))


def test_of_several_options_only_the_odd_one_has_no_estimate() -> None:
    survey = make_open(several_of(leave_out="no"))
    fill(survey, {"001": 50, "101": 49, "000": 1})
    page, context = page_and_context("survey-figures", survey, "?simultaneous=0")
    items = context["result"].items
    assert [[odd.count for odd in item.oddities] for item in items] == [[], [0], [99]]
    assert [f"{item.item.option}:</strong>" in page for item in items] == [False, True, True]
    assert all(oddity(odd, item) in page for item in items for odd in item.oddities)
    assert drawn_rows(page) == [("Coffee", "48"), ("Tablets", "–"), ("Something illegal", "–")]


@pytest.mark.parametrize("n", [0, 1])
def test_with_nobody_or_one_there_is_nothing_but_the_count(n: int) -> None:
    survey = make_open(*every_kind())
    fill(survey, {"0" * len(definition_of(survey).items): n})
    page = _page(close_survey(survey=survey), name="survey-results")
    assert re.search(rf'data-n="{n}"><strong>{n}</strong>', page)
    assert "data-enough" not in page


@pytest.mark.parametrize("counts", [{"2": 20, "1": 4, "0": 4}, {"2": 25, "1": 8, "0": 6}])
def test_where_fewer_than_the_minimum_seem_to_say_their_number_nothing_is_shown_of_them(counts: dict[str, int]) -> None:
    survey = make_open(number_mean(**PROTECTED))
    fill(survey, counts)
    page, context = page_and_context("survey-figures", survey)
    assert (context["result"].first.too_few_say, context["result"].first.mean) == (True, None)
    assert question_notes(context["result"], context["options"])
    assert [name for name, _value in drawn_rows(page)] == ["Prefer not to say"]


def test_where_about_the_minimum_say_their_number_there_is_a_mean() -> None:
    survey = make_open(number_mean(**PROTECTED))
    fill(survey, {"2": 70, "1": 22, "0": 22})
    [item] = _results(survey).items
    assert item.mean is not None
    assert item.n * (1 - item.options[2].estimate) >= 10
    assert mean_name(among_those_who_say=True) in dict(drawn_rows(_page(survey)))


class TestParts:
    """How many answered in which way, and in which group."""

    @pytest.fixture
    def survey(self) -> Survey:
        survey = make_open(yes_no(leave_out="no"))
        large, small = (Group.objects.create(survey=survey, slug=name, name=name) for name in ("Large", "Small"))
        fill(survey, {"0": 12}, group=large)
        fill(survey, {"0": 9}, group=small)
        fill(survey, {"1": 9}, group=Group.objects.create(survey=survey, slug="tiny", name="Tiny"))
        fill(survey, {"1": 9}, mode="own_coin")
        return survey

    def test_a_mode_that_too_few_used_is_not_shown_nor_left_over_by_subtraction(self, survey: Survey) -> None:
        survey = close_survey(survey=survey)
        assert _results(survey).n_by_mode == ()
        assert not any(str(Mode(mode).label) in _page(survey) for mode in ("device", "own_coin"))

    def test_modes_are_shown_where_enough_used_each_in_every_group_and_no_more_answers_come(
        self, survey: Survey
    ) -> None:
        fill(survey, {"1": 9}, mode="own_coin")
        assert _results(survey).n_by_mode == ()
        survey = close_survey(survey=survey)
        modes = tuple(NamedPart(str(Mode(mode).label), n) for mode, n in (("device", 30), ("own_coin", 18)))
        assert _results(survey).n_by_mode == modes
        assert parts(modes) in _page(survey)

    def test_a_group_with_too_few_is_not_mentioned(self, survey: Survey) -> None:
        assert _results(survey).n_by_group == ()
        survey = close_survey(survey=survey)
        page = _page(survey)
        assert _results(survey).n_by_group == (NamedPart("Large", 12),)
        assert "Large (12)" in page
        assert "Small" not in page

    def test_a_single_hidden_group_cannot_be_had_by_taking_the_others_from_all(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, n in (("Largest", 20), ("Large", 12), ("Small", 9)):
            fill(survey, {"0": n}, group=Group.objects.create(survey=survey, slug=name, name=name))
        page = _page(close_survey(survey=survey))
        assert "Largest (20)" in page
        assert "Large (" not in page


class TestPooling:
    """Reports are added up across modes, so every mode must add chance through one matrix."""

    @pytest.mark.parametrize("draft", EVERY)
    def test_all_modes_of_an_item_share_its_matrix(self, draft: Question) -> None:
        definition = definition_of(make_open(draft))
        for question in definition.browser["questions"]:
            item = definition.items[0]
            matrix = item.design.matrix
            if "columns" in question:  # the device draws from these
                columns = list(zip(*question["columns"], strict=True))
                assert [[share * question["denominator"] for share in row] for row in matrix] == [
                    list(r) for r in columns
                ]
            if coins := own_chance(item.design):
                assert coins.matrix == matrix
            # The server draws once below the common denominator: every draw counts as the matrix says.
            for truth in range(item.design.k) if not item.range else ():
                reports = [_served(definition, item, truth, draw) for draw in range(item.design.denominator)]
                assert [reports.count(CODES[code]) for code in range(item.design.m)] == [
                    row[truth] * item.design.denominator for row in matrix
                ]


def _served(definition: Definition, item: Item, truth: int, draw: int) -> str:
    def randbelow(bound: int) -> int:
        assert bound == item.design.denominator
        return draw

    return perturb(definition=definition, truths=[truth] * len(definition.items), randbelow=randbelow)[0]
