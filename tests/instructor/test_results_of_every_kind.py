"""Results of every kind of question: what the mathematics says of the same counts, in words that suit the design."""

import re
from collections.abc import Iterator
from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from surveys import selectors
from surveys.estimation import estimate_mean, estimate_prevalence, estimate_stated_mean
from surveys.models import Group, Mode, Response, Survey
from surveys.models.definition import Definition, Item
from surveys.models.response import CODES
from surveys.privacy.designs import crosswise as crosswise_design
from surveys.privacy.own_chance import own_chance
from surveys.selectors import results as results_module
from surveys.selectors.results import DifferentDesignsError, SurveyResults, group_names, results_of
from surveys.services.perturbing import perturb
from surveys.services.surveys import QuestionDraft
from tests.factories import (
    PROTECTED,
    crosswise,
    every_kind,
    fill,
    make_open,
    number_mean,
    scale,
    several_of,
    triangular,
    unrelated,
    yes_no,
)
from tests.instructor.editing import owner_of, text_of

pytestmark = pytest.mark.django_db
EVERY = [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_kind()]
METHODS = ("wilson", "clopper_pearson", "wald")


def _page(survey: Survey, query: str = "", *, name: str = "survey-figures") -> str:
    return unescape(text_of(owner_of(survey).get(reverse(name, args=[survey.code]) + query)))


def _results(survey: Survey, method: str = "wilson") -> SurveyResults:
    definition = selectors.definition_of(survey)
    tally = selectors.tally_of(survey, items=len(definition.items))
    return results_of(definition, tally, method=method, confidence_level=0.9, groups=group_names(survey))


def _uneven(item: Item) -> list[int]:
    """Counts that the design can have led to, different for each report."""
    shares = np.linspace(1, 2, item.design.k)
    return [int(count) for count in np.rint(np.array(item.design.matrix, dtype=float) @ (shares / shares.sum()) * 400)]


def _filled(draft: QuestionDraft) -> tuple[Survey, list[list[int]]]:
    """Open a survey of one question whose items have received uneven reports; return the counts of each item."""
    survey = make_open(draft)
    items = selectors.definition_of(survey).items
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("draft", EVERY)
def test_shares_and_intervals_are_those_of_the_core_for_the_same_counts(draft: QuestionDraft, method: str) -> None:
    survey, counts = _filled(draft)
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
            assert [getattr(option, name) for option in result.options] == pytest.approx(expected)


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


@pytest.mark.parametrize(("method", "used"), [("wilson", "likelihood_ratio"), ("wald", "wald")])
def test_with_a_protected_way_out_the_mean_is_that_of_those_who_say(method: str, used: str) -> None:
    survey, [counts] = _filled(number_mean(**PROTECTED))
    [result] = _results(survey, method).items
    estimate = estimate_stated_mean(counts, result.item.design, 0, 12)
    interval = estimate.interval(0.9, used)
    assert result.mean is not None
    assert (result.mean.method, result.mean.among_those_who_say) == (used, True)
    assert (result.mean.estimate, result.mean.standard_error) == pytest.approx(
        (estimate.constrained, estimate.standard_error)
    )
    assert (result.mean.low, result.mean.high) == pytest.approx((interval.low, interval.high))
    assert result.mean.observed == pytest.approx(12 * counts[1] / (counts[0] + counts[1]))
    page = _page(survey)
    assert '<p class="name">Mean of those who say</p>' in page
    assert re.search(r'<p class="name"[^>]*>Prefer not to say</p>', page)
    assert "Wilson (score), 95% · the mean by likelihood ratio" in page


def test_a_mean_stands_on_the_page_with_its_unit_its_interval_and_its_own_axis() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 60, "1": 40})
    page = _page(survey)
    # λ̂ = .4, so 30% of the way up from 0 to 12; Wilson's limits of .4 are .3094 and .4980.
    assert '<p class="value">3.60 hours</p>' in page
    assert "Between 1.42 and 5.96 hours" in page
    assert "Mean: estimate 3.60 hours, between 1.42 and 5.96 hours" in page
    assert re.findall(r'<text x="(\d+)%"[^>]*>([^<]+)<', page) == [("0", "0"), ("50", "6"), ("100", "12")]
    assert "of 100 people" not in page
    for cell in ("0 hours", "12 hours", "4.80 hours"):
        assert cell in page.split("<table>", 1)[1]


def test_a_mean_beyond_the_range_is_limited_and_said_so() -> None:
    survey = make_open(number_mean(leave_out="no"))
    fill(survey, {"0": 77, "1": 23})
    page = _page(survey)
    assert '<p class="value">0.00 hours</p>' in page
    assert "(−0.48 hours before limiting)" in page


def test_several_options_share_one_block_with_a_row_each() -> None:
    survey = make_open(several_of(leave_out="no"))
    fill(survey, {"000": 37, "100": 20, "010": 10, "111": 20, "001": 13})
    page = _page(survey)
    assert page.count('class="card result-card"') == 1
    assert re.findall(r'<p class="name"[^>]*>([^<]+)</p>', page) == ["Coffee", "Tablets", "Something illegal"]
    assert re.findall(r'<p class="value">([^<]+)</p>', page) == ["30%", "10%", "16%"]
    assert "ε = 1.10 for each option, 3.30 in all" in page
    assert page.count('scope="rowgroup"') == 3


def test_a_protected_way_out_of_several_options_has_rows_of_its_own() -> None:
    survey, _counts = _filled(several_of(**PROTECTED))
    assert "Coffee – Prefer not to say" in re.findall(r'<p class="name"[^>]*>([^<]+)</p>', _page(survey))


def test_a_scale_is_a_distribution_with_its_ends_in_words() -> None:
    survey, _counts = _filled(scale())
    assert re.findall(r'<p class="name"[^>]*>([^<]+)</p>', _page(survey)) == ["1 (Never)", "2", "3", "4", "5 (Always)"]


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
    of_reports, of_answers = page.split("<tbody>")[1:]
    assert [label in of_reports for label in (*reports, ">No<", ">Yes<")] == [True, True, False, False]
    assert [label in of_answers for label in (*reports, ">No<", ">Yes<")] == [False, False, True, True]
    assert design in page
    # A share of “the same” has no place on an axis of people with the answer Yes.
    assert 'class="raw"' not in page


def test_an_unrelated_question_is_estimated_through_its_matrix() -> None:
    survey = make_open(unrelated())
    fill(survey, {"0": 70, "1": 30})
    # λ = .7·π + .3·.25, so π̂ = (.3 − .075)/.7.
    assert '<p class="value">32%</p>' in _page(survey)
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
    assert '<p class="value">48%</p>' in page


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


def _extremes(items: tuple[Item, ...]) -> Iterator[dict[str, int]]:
    for code in range(max(item.design.m for item in items)):
        yield {"".join(CODES[min(code, item.design.m - 1)] for item in items): 10}
    if all(item.can_be_left_out for item in items):
        yield {"-" * len(items): 12}
        yield {"-" * len(items): 12, "0" * len(items): 1}


@pytest.mark.parametrize("minimum", [5, 11])
@pytest.mark.parametrize("draft", EVERY)
def test_no_extreme_puts_a_nan_on_the_page_or_breaks_it(draft: QuestionDraft, minimum: int) -> None:
    survey = make_open(draft, minimum_n=minimum)
    for counts in _extremes(selectors.definition_of(survey).items):
        Response.objects.all().delete()
        fill(survey, counts)
        for method in METHODS:
            page = _page(survey, f"?method={method}&level=.99")
            assert not re.search(r"\b(nan|inf|none|−0(\.0+)?)\b", page.replace("none to trust", ""), re.IGNORECASE)


@pytest.mark.parametrize("n", [0, 1])
def test_with_nobody_or_one_there_is_nothing_but_the_count(n: int) -> None:
    survey = make_open(*every_kind())
    fill(survey, {"0" * len(selectors.definition_of(survey).items): n})
    page = _page(survey, name="survey-results")
    assert f"<strong>{n}</strong> answer{'s' if n != 1 else ''}" in page
    assert "result-card" not in page


def test_where_all_may_prefer_not_to_say_there_is_no_mean() -> None:
    survey = make_open(number_mean(**PROTECTED))
    fill(survey, {"2": 20, "1": 4, "0": 4})
    page = _page(survey)
    assert "No estimate: the reports can all come from people who prefer not to say." in page
    assert "none to trust" in page


class TestParts:
    """How many answered in which way, and in which group."""

    @pytest.fixture
    def survey(self) -> Survey:
        survey = make_open(yes_no(leave_out="no"))
        fill(survey, {"0": 20, "1": 10})
        fill(survey, {"1": 9}, mode="own_coin")
        large, small = (Group.objects.create(survey=survey, slug=name, name=name) for name in ("Large", "Small"))
        keys = list(Response.objects.order_by("pk").values_list("pk", flat=True))
        Response.objects.filter(pk__in=keys[:12]).update(group=large)
        Response.objects.filter(pk__in=keys[12:21]).update(group=small)
        return survey

    def test_a_mode_with_too_few_is_named_without_its_number(self, survey: Survey) -> None:
        page = _page(survey)
        assert re.search(r"Who added chance: [^<]*device \(30\), [^<]*own coins \(fewer than 10\)", page)

    def test_a_group_with_too_few_is_not_mentioned(self, survey: Survey) -> None:
        page = _page(survey)
        assert "Groups: Large (12)" in page
        assert "Small" not in page

    def test_below_the_minimum_there_is_neither(self, survey: Survey) -> None:
        Response.objects.exclude(mode="own_coin").delete()
        page = _page(survey)
        assert "own coins" not in page
        assert "Large" not in page


class TestPooling:
    """Reports are added up across modes, so every mode must add chance through one matrix."""

    @pytest.mark.parametrize("draft", EVERY)
    def test_all_modes_of_an_item_share_its_matrix(self, draft: QuestionDraft) -> None:
        definition = selectors.definition_of(make_open(draft))
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
