"""Results of every kind of question: what the mathematics says of the same counts, in words that suit the design."""

import re
from html import unescape

import numpy as np
import pytest

from surveys.answering.services.perturbing import perturb
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.surveys import QuestionDraft
from surveys.estimation import estimate_mean, estimate_prevalence, estimate_stated_mean
from surveys.estimation.claims import METHODS
from surveys.models import Group, Mode, Survey
from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.models.response import CODES
from surveys.privacy.designs import crosswise as crosswise_design
from surveys.privacy.own_chance import own_chance
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures import questions as results_module
from surveys.results.figures.questions import DifferentDesignsError, SurveyResults, group_names, results_of
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
from tests.results.drawn import drawn_rows, table_of

pytestmark = pytest.mark.django_db
EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_protected_kind()]


def _page(survey: Survey, query: str = "", *, name: str = "survey-figures") -> str:
    return unescape(page_of(name, survey, query))


def _results(survey: Survey, method: str = "wilson") -> SurveyResults:
    definition = definition_of(survey)
    snapshot = snapshot_of(survey, definition)
    return results_of(definition, snapshot, method=method, confidence_level=0.9, groups=group_names(survey))


def _uneven(item: Item) -> list[int]:
    """Counts that the design can have led to, different for each report."""
    shares = np.linspace(1, 2, item.design.k)
    return [int(count) for count in np.rint(np.array(item.design.matrix, dtype=float) @ (shares / shares.sum()) * 400)]


def _filled(draft: QuestionDraft) -> tuple[Survey, list[list[int]]]:
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
def test_shares_and_intervals_are_those_of_the_core_for_the_same_counts(draft: QuestionDraft) -> None:
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
def test_a_mean_is_that_of_the_core_in_its_units(method: str) -> None:
    survey, [counts] = _filled(number_mean())
    [result] = _results(survey, method).items
    estimate = estimate_mean(counts, result.item.design, 0, 12)
    interval = estimate.interval(0.9, method)
    assert result.mean is not None
    assert result.mean.method == method
    assert (result.mean.estimate, result.mean.moment, result.mean.standard_error) == pytest.approx(
        (estimate.constrained, estimate.point, estimate.standard_error)
    )
    assert (result.mean.low, result.mean.high) == pytest.approx((interval.low, interval.high))
    assert result.mean.observed == pytest.approx(12 * counts[1] / sum(counts))


@pytest.mark.parametrize("method", METHODS)
def test_with_a_protected_way_out_the_mean_is_that_of_those_who_say(method: str) -> None:
    survey, [counts] = _filled(number_mean(**PROTECTED))
    [result] = _results(survey, method).items
    estimate = estimate_stated_mean(counts, result.item.design, 0, 12)
    interval = estimate.interval(0.9, "likelihood_ratio")
    assert result.mean is not None
    assert (result.mean.method, result.mean.among_those_who_say) == ("likelihood_ratio", True)
    assert (result.mean.estimate, result.mean.standard_error) == pytest.approx(
        (estimate.constrained, estimate.standard_error)
    )
    assert (result.mean.low, result.mean.high) == pytest.approx((interval.low, interval.high))
    assert result.mean.observed == pytest.approx(12 * counts[1] / (counts[0] + counts[1]))
    page = _page(survey)
    assert [name for name, _value in drawn_rows(page)] == ["Mean of those who say", "Prefer not to say"]
    assert "The mean has no interval by “Wilson (score)”" in page
    assert "it is by “Likelihood ratio”" in page


def test_a_mean_stands_on_the_page_with_its_unit_its_interval_and_its_own_axis() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    page = _page(survey)
    # λ̂ = .4, so 30% of the way up from 0 to 12; Wilson's limits of .4 are .3094 and .4980.
    assert "3.60 hours" in dict(drawn_rows(page)).values()
    assert "95% confidence interval: 1.42 to 5.96 hours" in page
    assert "Mean: estimate 3.60 hours, between 1.42 and 5.96 hours" in page
    assert re.findall(r'<text[^>]* x="([\d.]+)%" y="112"[^>]*>([^<]+)<', page) == [
        ("0.0", "0"),
        ("50.0", "6"),
        ("100.0", "12 hours"),
    ]
    assert "of 100 people" not in page
    assert table_of(page, "Estimated mean")["Mean"][0] == "4.80 hours"


def test_a_mean_beyond_the_range_is_limited_and_said_so() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 77, "1": 23})
    page = _page(survey)
    assert "0.00 hours" in dict(drawn_rows(page)).values()
    assert "−0.48 hours before limiting" in page


def test_several_options_share_one_block_with_a_row_each() -> None:
    survey = make_open(several_of(leave_out="no"))
    fill(survey, {"000": 37, "100": 20, "010": 10, "111": 20, "001": 13})
    page = _page(survey)
    assert page.count('<section class="finding"') == 1
    assert [name for name, _value in drawn_rows(page)] == ["Coffee", "Tablets", "Something illegal"]
    assert [value for _name, value in drawn_rows(page)] == ["30", "10", "16"]
    assert "ε = 1.10 for each option, 3.30 in all" in page
    assert list(table_of(page, "Estimated shares of the true answers"))[::2] == [
        "Coffee – No",
        "Tablets – No",
        "Something illegal – No",
    ]


def test_a_protected_way_out_of_several_options_has_rows_of_its_own() -> None:
    survey, _counts = _filled(several_of(**PROTECTED))
    assert "Coffee – Prefer not to say" in [name for name, _value in drawn_rows(_page(survey))]


def test_a_scale_is_a_distribution_with_its_ends_in_words_a_mean_and_the_share_at_its_top() -> None:
    survey, _counts = _filled(scale())
    assert [name for name, _value in drawn_rows(_page(survey))] == [
        "Mean",
        *("1 (Never)", "2", "3", "4", "5 (Always)"),
        "Top point, 5 (Always)",
        "Top two points, 4 and 5 (Always)",
    ]


@pytest.mark.parametrize(
    ("draft", "reports", "design"),
    [
        (crosswise(leave_out="no"), ("Different answers", "The same answer"), "same or different (crosswise)"),
        (triangular(leave_out="no"), ("No to both", "Yes to at least one"), "No to both or not (triangular)"),
    ],
)
def test_reports_that_are_no_answers_stand_apart_under_their_own_names(
    draft: QuestionDraft, reports: tuple[str, str], design: str
) -> None:
    survey = make_open(draft)
    fill(survey, {"0": 60, "1": 40})
    page = _page(survey)
    assert list(table_of(page, "Estimated shares of the true answers")) == ["No", "Yes"]
    assert f"With chance added, 40% of the reports say “{reports[1]}”." in page
    assert design in page
    of_question = unescape(page_of("survey-results-question", survey, number=1))
    of_reports = table_of(of_question, "What was reported, with chance added")
    assert of_reports == {reports[0]: ["60", "60.0%"], reports[1]: ["40", "40.0%"]}
    # A share of “the same” has no place on an axis of people with the answer Yes.
    assert 'class="raw"' not in page


def test_an_unrelated_question_is_estimated_through_its_matrix() -> None:
    survey = make_open(unrelated())
    fill(survey, {"0": 70, "1": 30})
    # λ = .7·π + .3·.25, so π̂ = (.3 − .075)/.7.
    assert "32" in dict(drawn_rows(_page(survey))).values()
    assert "An unrelated question instead" in _page(survey)


def test_an_infinite_epsilon_is_said_in_words() -> None:
    survey, _counts = _filled(triangular())
    page = _page(survey, name="survey-results")
    assert "ε is infinite: a report can prove the answer" in page
    assert not re.search(r"ε = (inf|∞)", page)


MISFITS: list[tuple[QuestionDraft, dict[str, int], str]] = [
    (
        crosswise(leave_out="no"),
        {"0": 95, "1": 5},
        "5 of 100 reports say “The same answer”, but whatever the truth is, "
        "the innocuous question should make it about 25% or more of them.",
    ),
    (
        triangular(leave_out="no"),
        {"0": 95, "1": 5},
        "5 of 100 reports say “Yes to at least one”, but whatever the truth is, "
        "the innocuous question should make it about 25% or more of them.",
    ),
    (
        unrelated(),
        {"0": 5, "1": 95},
        "95 of 100 reports say “Yes”, but whatever the truth is, "
        "the innocuous question should make it about 78% or less of them.",
    ),
    (
        number_mean(leave_out="no"),
        {"0": 95, "1": 5},
        "5 of 100 reports say “12 hours”, but whatever the truth is, chance should make it about 25% or more of them.",
    ),
]


@pytest.mark.parametrize(("draft", "counts", "words"), MISFITS)
def test_a_procedure_that_was_not_followed_is_told_in_the_designs_words(
    draft: QuestionDraft, counts: dict[str, int], words: str
) -> None:
    survey = make_open(draft)
    fill(survey, counts)
    page = _page(survey)
    assert "Respondents probably did not follow the procedure." in page
    assert words in page
    assert 'class="point"' not in page
    assert "none to trust" in page


def test_of_several_options_only_the_odd_one_has_no_estimate() -> None:
    survey = make_open(several_of(leave_out="no"))
    fill(survey, {"001": 50, "101": 49, "000": 1})
    page = _page(survey)
    assert "Something illegal:</strong> 99 of 100 reports say “Yes”" in page
    assert "Tablets:</strong> 0 of 100 reports say “Yes”" in page
    assert "Coffee:</strong>" not in page
    assert "Where that is so there is no estimate to trust." in page
    assert "48" in dict(drawn_rows(page)).values()


def test_too_few_for_a_crosswise_yes_are_told_by_the_report_that_came_too_often() -> None:
    # Under crosswise with 1/4, “the same” comes from 75% where nobody has the answer: 83% is more than that.
    survey = make_open(crosswise(leave_out="no"))
    fill(survey, {"0": 5, "1": 95})
    assert "95 of 100 reports say “The same answer”" in _page(survey)
    survey = make_open(crosswise(leave_out="no"))
    fill(survey, {"0": 1, "1": 19})
    assert (
        "No interval: 95% of the reports say “The same answer”, more than the 75% that chance gives "
        "if nobody’s true answer is “Yes”" in _page(survey)
    )


@pytest.mark.parametrize("n", [0, 1])
def test_with_nobody_or_one_there_is_nothing_but_the_count(n: int) -> None:
    survey = make_open(*every_kind())
    fill(survey, {"0" * len(definition_of(survey).items): n})
    page = _page(close_survey(survey=survey), name="survey-results")
    assert f"<strong>{n}</strong> {'people' if n != 1 else 'person'} counted" in page
    assert "data-enough" not in page


@pytest.mark.parametrize("counts", [{"2": 20, "1": 4, "0": 4}, {"2": 25, "1": 8, "0": 6}])
def test_where_fewer_than_the_minimum_seem_to_say_their_number_nothing_is_told_of_them(counts: dict[str, int]) -> None:
    survey = make_open(number_mean(**PROTECTED))
    fill(survey, counts)
    page = _page(survey)
    assert "About so few people say anything here that nothing is told of them alone." in page
    assert [name for name, _value in drawn_rows(page)] == ["Prefer not to say"]


def test_where_about_the_minimum_say_their_number_there_is_a_mean() -> None:
    survey = make_open(number_mean(**PROTECTED))
    fill(survey, {"2": 70, "1": 22, "0": 22})
    [item] = _results(survey).items
    assert item.mean is not None
    assert item.n * (1 - item.options[2].estimate) >= 10
    assert "Mean of those who say" in dict(drawn_rows(_page(survey)))


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

    def test_a_mode_that_too_few_used_is_not_told_nor_found_by_subtraction(self, survey: Survey) -> None:
        assert "Who added chance" not in _page(close_survey(survey=survey))

    def test_modes_are_told_where_enough_used_each_in_every_group_and_no_more_answers_come(
        self, survey: Survey
    ) -> None:
        fill(survey, {"1": 9}, mode="own_coin")
        assert "Who added chance" not in _page(survey)
        page = _page(close_survey(survey=survey))
        assert re.search(r"Who added chance: [^<]*device \(30\), [^<]*own coins \(18\)", page)

    def test_a_group_with_too_few_is_not_mentioned(self, survey: Survey) -> None:
        assert "Groups:" not in _page(survey)
        page = _page(close_survey(survey=survey))
        assert "Groups: Large (12)" in page
        assert "Small" not in page

    def test_a_single_hidden_group_is_not_found_by_taking_the_others_from_all(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, n in (("Largest", 20), ("Large", 12), ("Small", 9)):
            fill(survey, {"0": n}, group=Group.objects.create(survey=survey, slug=name, name=name))
        assert re.search(r"Groups: Largest \(20\)\s*<", _page(close_survey(survey=survey)))

    def test_below_the_minimum_there_is_neither(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"1": 5}, group=Group.objects.create(survey=survey, slug="large", name="Large"))
        fill(survey, {"1": 4}, mode="own_coin")
        page = _page(survey)
        assert "own coins" not in page
        assert "Large" not in page


class TestPooling:
    """Reports are added up across modes, so every mode must add chance through one matrix."""

    @pytest.mark.parametrize("draft", EVERY)
    def test_all_modes_of_an_item_share_its_matrix(self, draft: QuestionDraft) -> None:
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
        assert {results_module.design_in(item, mode) for item in definition.items for mode in Mode.values} == {
            definition.items[0].design
        }

    def test_two_matrices_are_never_pooled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"0": 10})
        fill(survey, {"1": 10}, mode="own_coin")
        monkeypatch.setattr(
            results_module,
            "design_in",
            lambda item, mode: crosswise_design("1/4") if mode == Mode.OWN_COIN else item.design,
        )
        with pytest.raises(DifferentDesignsError, match="item 1: its modes have different designs"):
            _results(survey)


def _served(definition: Definition, item: Item, truth: int, draw: int) -> str:
    def randbelow(bound: int) -> int:
        assert bound == item.design.denominator
        return draw

    return perturb(definition=definition, truths=[truth] * len(definition.items), randbelow=randbelow)[0]
