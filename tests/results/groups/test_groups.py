"""Groups compared: every number is the core's, and no group too small is told of in any way."""

import math
import re
from collections.abc import Mapping
from functools import partial
from random import Random

import pytest
from django.urls import reverse
from django.utils.html import escape

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.association.groups import compare_groups
from surveys.estimation.claims import METHODS
from surveys.models import Survey
from surveys.numbers.words import says_too_little
from surveys.questionnaire.question import Question
from surveys.responses.told import separable_parts
from surveys.results.figures.groups import GroupResults
from surveys.results.pages.groups import (
    conclusions,
    groups_title,
    headline,
    hidden_words,
    others_words,
    pair_detail,
    pair_words,
    same_numbers,
)
from tests.factories import (
    PROTECTED,
    every_kind,
    make_open,
    number_mean,
    one_of,
    triangular,
    yes_no,
)
from tests.pages import owner_of, page_of, rows_under, words_of
from tests.results.grouping import answer, group_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db


PAGE = "survey-results-groups"
_page = partial(page_of, PAGE)


def _two_groups(first: dict[str, int], second: dict[str, int], *questions: Question) -> Survey:
    survey = make_open(*(questions or (yes_no(leave_out="no"),)))
    answer(survey, first, group_of(survey, "North"))
    answer(survey, second, group_of(survey, "South"))
    close_survey(survey=survey)
    return survey


def _results(survey: Survey, query: str = "") -> GroupResults:
    """Return what a page compares, and hold that it says so."""
    page, context = page_and_context(PAGE, survey, query)
    results: GroupResults = context["results"]
    assert says(page, groups_title(results))
    assert says(page, headline(results))
    assert all(says(page, pair_words(pair, results)) for pair in results.pairs)
    if 1 < len(results.pairs) > len(conclusions(results)):
        assert says(page, others_words(results))
    return results


class TestConclusions:
    """What a teacher can read off in front of a class."""

    @pytest.mark.parametrize(
        ("north", "south", "excludes_zero", "p"),
        [
            ({"1": 18, "0": 14}, {"1": 12, "0": 20}, False, 0.132),
            # Wald's test gives .025, but it takes shares below 0 for possible.
            ({"1": 34, "0": 66}, {"1": 20, "0": 80}, True, 0.057),
        ],
    )
    def test_two_groups_that_may_be_alike(
        self, north: dict[str, int], south: dict[str, int], excludes_zero: bool, p: float
    ) -> None:
        results = _results(_two_groups(north, south))
        [pair] = results.pairs
        assert results.same
        assert (pair.excludes_zero, results.alike, conclusions(results)) == (excludes_zero, True, [])
        assert results.same.p_value == pytest.approx(p, abs=0.0005)

    def test_of_two_groups_that_differ_it_is_said_which_has_more_within_limits_rounded_outwards(self) -> None:
        survey = _two_groups({"1": 70, "0": 30}, {"1": 30, "0": 70})
        limits = compare_groups([[30, 70], [70, 30]], definition_of(survey).items[0].design).difference(0, 1).interval()
        outwards = [str(math.floor(100 * limits.low)), str(math.ceil(100 * limits.high))]
        turned = _two_groups({"1": 30, "0": 70}, {"1": 70, "0": 30})
        for results, more, less in ((_results(survey), "North", "South"), (_results(turned), "South", "North")):
            [pair] = conclusions(results)
            words = pair_words(pair, results)
            assert words.index(more) < words.index(less)
            assert re.findall(r"\d+", words) == outwards
            assert pair_detail(pair, results).endswith(more)

    @pytest.mark.parametrize(
        ("yes", "query", "concluded", "p"),
        [
            ((29, 19, 24, 24, 24), "", [], 0.26),
            # Not adjusted either: the groups can all be alike, as the page says first.
            ((29, 19, 24, 24, 24), "?adjustment=none", [], 0.26),
            ((34, 14, 24, 24, 24), "", [("A", "B")], 0.001),
            ((31, 18, 24, 24, 24), "", [], 0.061),
        ],
    )
    def test_of_many_pairs_an_interval_that_leaves_0_out_is_no_conclusion_by_itself(
        self, yes: tuple[int, ...], query: str, concluded: list[tuple[str, str]], p: float
    ) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, here in zip("ABCDE", yes, strict=True):
            answer(survey, {"1": here, "0": 40 - here}, group_of(survey, name))
        close_survey(survey=survey)
        results = _results(survey, query)
        assert results.pairs[0].excludes_zero
        assert results.same
        assert results.same.p_value == pytest.approx(p, abs=0.0005)
        assert results.alike == (not concluded)
        assert [(pair.first, pair.second) for pair in conclusions(results)] == concluded

    def test_a_group_without_an_interval_has_no_more_and_no_less_than_another(self) -> None:
        results = _results(_two_groups({"1": 27, "0": 73}, {"1": 15, "0": 85}))
        assert [part.claimed for part in results.parts] == [True, False]
        assert not results.pairs[0].of_claimed
        assert (results.alike, conclusions(results)) == (True, [])

    @pytest.mark.parametrize("method", METHODS)
    def test_reports_that_do_not_vary_leave_nothing_certain(self, method: str) -> None:
        survey = _two_groups({"1": 40}, {"1": 30}, triangular(leave_out="no"))
        page, context = page_and_context(PAGE, survey, f"?method={method}")
        assert "0.0 to 0.0" not in words_of(page)
        assert "100 and 100" not in words_of(page)
        north = context["results"].parts[0].figure
        assert north.low < north.high == 1

    def test_how_often_the_interval_of_the_smallest_group_holds(self) -> None:
        page, context = page_and_context(PAGE, _two_groups({"1": 18, "0": 14}, {"1": 6, "0": 4}))
        assert {"10", "91.9"} <= set(re.findall(r"[\d.]+\b", context["coverage"]))
        assert says(page, context["coverage"])
        assert context_of(PAGE, _two_groups({"1": 90, "0": 70}, {"1": 60, "0": 100}))["coverage"] == ""

    def test_means_are_compared_in_their_units(self) -> None:
        results = _results(_two_groups({"1": 70, "0": 30}, {"1": 30, "0": 70}, number_mean(leave_out="no")))
        [pair] = conclusions(results)
        assert results.of.of_a_mean
        assert pair_words(pair, results).endswith(" hours.")

    def test_means_of_those_who_say_have_no_difference(self) -> None:
        draft = number_mean(**PROTECTED)
        survey = _two_groups({"0": 20, "1": 30, "2": 10}, {"0": 30, "1": 20, "2": 15}, draft)
        page, context = page_and_context(PAGE, survey)
        assert context["results"].without_pairs
        assert context["drawn"].keys() == {"groups"}
        assert "Likelihood ratio, 95%" in words_of(page)
        assert context["results"].same.degrees_of_freedom == 2
        assert says(page, same_numbers(context["results"]))

    def test_a_group_that_did_not_follow_the_procedure_has_no_estimate_and_is_compared_with_none(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, yes in (("North", 20), ("South", 24), ("Odd", 0)):
            answer(survey, {"1": yes, "0": 40 - yes}, group_of(survey, name))
        close_survey(survey=survey)
        page, context = page_and_context(PAGE, survey)
        results = context["results"]
        assert "<bdi>Odd</bdi>" in page.partition('class="notice error"')[2]
        assert [part.name for part in results.trusted] == ["North", "South"]
        assert len(results.same.estimates) == 2
        assert "− Odd" not in words_of(page)
        alone = _results(_two_groups({"1": 20, "0": 20}, {"0": 40}))
        assert (alone.same, alone.pairs) == (None, ())

    def test_reports_that_do_not_vary_have_no_p_value(self) -> None:
        almost = yes_no(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]})
        results = _results(_two_groups({"0": 10}, {"1": 10}, almost))
        [pair] = conclusions(results)
        assert (pair.high < 0, pair.p_value) == (True, None)
        survey = make_open(almost)
        for name, reports in (("A", {"0": 10}), ("B", {"1": 10}), ("C", {"0": 5, "1": 5})):
            answer(survey, reports, group_of(survey, name))
        close_survey(survey=survey)
        results = _results(survey)
        assert results.pairs[0].excludes_zero
        assert results.pairs[0].adjusted_p_value is None
        assert results.pairs[0] not in conclusions(results)


class TestSmallGroups:
    """A group below the minimum is not there, and cannot be found by taking the others from the whole."""

    @pytest.mark.parametrize("seed", range(6))
    def test_the_parts_shown_leave_nobody_or_enough(self, seed: int) -> None:
        random = Random(seed)  # noqa: S311 - sizes of groups of nobody
        survey = make_open(yes_no())
        sizes: dict[str, int] = {}
        received: dict[str, int] = {}
        for place in range(random.randint(2, 6)):
            group = group_of(survey, f"Group {place}")
            here = {report: random.choice([0, 1, 3, 6, 12]) for report in "01-"}
            answer(survey, here, group)
            sizes[group.name], received[group.name] = here["0"] + here["1"], sum(here.values())
        without = random.choice([0, 2, 25])
        answer(survey, {"1": without, "0": 0})
        sizes["Without a group"] = received["Without a group"] = without
        answer(survey, {"0": 20}, group_of(survey, "Large"))
        sizes["Large"] = received["Large"] = 20
        close_survey(survey=survey)
        page = _page(survey)
        shown = {row[0]: int(row[1]) for row in rows_under(page, "“Yes” by group")} if "by group" in page else {}
        assert all(size >= 10 for size in shown.values())
        left = sum(sizes.values()) - sum(shown.values())
        assert left == 0 or left >= 10
        separable = {name for name in separable_parts([received, sizes], 10) if sizes[name]}
        assert shown.keys() == separable or len(separable) < 2
        for name in sizes.keys() - shown.keys() - {"Large"}:
            assert name not in page

    def test_a_single_group_too_small_takes_another_with_it(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, n in (("North", 30), ("South", 28), ("East", 15), ("Tiny", 3)):
            answer(survey, {"1": n // 2, "0": n - n // 2}, group_of(survey, name))
        close_survey(survey=survey)
        page, context = page_and_context(PAGE, survey)
        assert context["results"].hidden == 2
        assert says(page, hidden_words(2))
        assert [row[0] for row in rows_under(page, "“Yes” by group")] == ["North", "South"]
        for hidden in ("East", "Tiny"):
            assert hidden not in page

    def test_a_page_that_hid_only_the_small_group_would_be_found_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def naive(countings: list[Mapping[int, int]], minimum: int) -> frozenset[int]:
            return frozenset(key for key, size in countings[0].items() if size >= minimum)

        def left() -> int:
            survey = make_open(yes_no(leave_out="no"))
            for name, n in (("North", 30), ("South", 28), ("East", 15), ("Tiny", 3)):
                answer(survey, {"1": n // 2, "0": n - n // 2}, group_of(survey, name))
            close_survey(survey=survey)
            return 76 - sum(int(row[1]) for row in rows_under(_page(survey), "“Yes” by group"))

        assert left() == 18
        monkeypatch.setattr("surveys.responses.told.separable_parts", naive)
        assert left() == 3

    def test_a_group_in_which_too_few_answered_one_question_is_told_apart_for_none(self) -> None:
        survey = make_open(yes_no(), yes_no("Second?", leave_out="no"))
        answer(survey, {"11": 5, "-0": 20}, group_of(survey, "Silent"))
        for name, no in (("North", 20), ("South", 20), ("East", 10)):
            answer(survey, {"11": 20, "00": no}, group_of(survey, name))
        close_survey(survey=survey)
        for item in (1, 2):
            # Without the East, the five of the silent group would be what is left of the whole.
            assert [row[0] for row in rows_under(_page(survey, f"?item={item}"), "“Yes” by group")] == [
                "North",
                "South",
            ]

    def test_a_group_that_left_a_question_out_altogether_hides_nothing(self) -> None:
        survey = make_open(yes_no(), yes_no("Second?", leave_out="no"))
        answer(survey, {"-1": 12, "-0": 20}, group_of(survey, "Silent"))
        for name in ("North", "South"):
            answer(survey, {"11": 20, "00": 10}, group_of(survey, name))
        close_survey(survey=survey)
        assert [row[0] for row in rows_under(_page(survey, "?item=1"), "“Yes” by group")] == ["North", "South"]
        rows = rows_under(_page(survey, "?item=2"), "“Yes” by group")
        assert {row[0] for row in rows} == {"Silent", "North", "South"}

    @pytest.mark.parametrize(
        "query",
        ["", "?option=0", "?chart=groups", "?chart=differences", "?level=.80&method=clopper_pearson", "?item=2"],
    )
    def test_no_query_string_brings_it_back(self, query: str) -> None:
        survey = make_open(yes_no(leave_out="no"), one_of())
        for name, n in (("North", 30), ("South", 28), ("East", 25), ("West", 24), ("Tiny", 3)):
            answer(survey, {"10": n // 2, "01": n - n // 2}, group_of(survey, name))
        close_survey(survey=survey)
        response = owner_of(survey).get(reverse("survey-results-groups", args=[survey.code]) + query)
        assert b"South" in response.content
        assert b"Tiny" not in response.content
        assert b"West" not in response.content


class TestQueries:
    """What does not exist is named, and something sensible is shown."""

    @pytest.fixture
    def survey(self) -> Survey:
        return _two_groups({"10": 20, "02": 20}, {"11": 15, "00": 25}, yes_no(leave_out="no"), one_of())

    @pytest.mark.parametrize(
        ("query", "named", "shown"),
        [
            ("?item=99", "99", ("1", "1", "holm")),
            ("?item=2&option=7", "7", ("2", "0", "holm")),
            ("?item=2&option=-1", "-1", ("2", "0", "holm")),
            ("?option=mean", "mean", ("1", "1", "holm")),
            ("?adjustment=tukey", "tukey", ("1", "1", "holm")),
            ("?item=%3Cscript%3E", "<script>", ("1", "1", "holm")),
            ("?option=%00&item=2", "\0", ("2", "0", "holm")),
            ("?option=" + "9" * 5000, "9" * 40, ("1", "1", "holm")),
        ],
    )
    def test_what_is_unknown_is_named(
        self, survey: Survey, query: str, named: str, shown: tuple[str, str, str]
    ) -> None:
        page, context = page_and_context(PAGE, survey, query)
        [notice] = context["notices"]
        assert f"“{named}”" in notice
        assert escape(notice) in page
        chosen = context["chosen"]
        assert (chosen.item.key, chosen.chosen.value, chosen.adjustment) == shown
        assert "by group" in page

    def test_the_answer_of_the_question_before_is_forgotten_without_a_word(self, survey: Survey) -> None:
        page, context = page_and_context(PAGE, survey, "?of=2&item=1&option=2")
        assert context["notices"] == []
        assert "“Yes” by group" in page

    def test_names_are_text_and_never_markup(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name in ("<script>alert(1)</script>", "%(low)s {{ 7 }}"):
            answer(survey, {"1": 20, "0": 20}, group_of(survey, name))
        close_survey(survey=survey)
        page = _page(survey)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "%(low)s {{ 7 }}" in page

    def test_without_groups_there_is_a_way_to_make_some(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        answer(survey, {"1": 20, "0": 20})
        close_survey(survey=survey)
        page, context = page_and_context(PAGE, survey)
        assert not context["any_groups"]
        assert "<select" not in page
        assert reverse("survey-groups", args=[survey.code]) in page

    def test_one_group_is_compared_with_nothing(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        answer(survey, {"1": 20, "0": 20}, group_of(survey, "North"))
        group_of(survey, "Empty")
        close_survey(survey=survey)
        page, context = page_and_context(PAGE, survey)
        assert [part.name for part in context["results"].parts] == ["North"]
        assert says(page, hidden_words(1))
        assert context["drawn"] == {}

    def test_below_the_minimum_there_is_the_count_alone(self) -> None:
        page, context = page_and_context(PAGE, _two_groups({"1": 4}, {"0": 5}))
        assert "North" not in page
        assert context["refusal"] == "too_few"


@pytest.mark.slow
@pytest.mark.parametrize("both_methods", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("counts", [{"0": 1}, {"1": 1}, {"2": 1}, {}])
@pytest.mark.uncounted
def test_no_extreme_puts_a_nan_on_the_page_or_breaks_it(counts: dict[str, int], both_methods: bool) -> None:
    """One method for each item, in turn, or both for all."""
    drafts = every_kind()
    survey = make_open(*drafts, minimum_n=5)
    items = definition_of(survey).items
    for name in ("North", "South"):
        for report, count in counts.items():
            reports = "".join(report if int(report) < item.design.m else "1" for item in items)
            answer(survey, {reports: 5 * count}, group_of(survey, f"{name} {report}"))
    answer(survey, {"1" * len(items): 5})
    close_survey(survey=survey)
    for place, item in enumerate(items):
        for method in METHODS if both_methods else METHODS[(place + sum(map(int, counts))) % 2 :][:1]:
            words = words_of(_page(survey, f"?item={item.key}&method={method}&level=.999"))
            assert not re.search(r"\b(nan|inf|None)\b|−0(\.0+)?(?![\d.])", words)


@pytest.mark.django_db
@pytest.mark.parametrize(("people", "wide"), [(12, True), (600, False)])
def test_of_a_difference_that_says_too_little_only_the_range_is_shown(people: int, wide: bool) -> None:
    survey = _two_groups({"1": people, "0": people}, {"1": people // 2, "0": people})
    context = context_of("survey-results-groups", survey)
    [pair], [row] = context["results"].pairs, context["drawn"]["differences"].rows
    assert says_too_little(pair.low, pair.high) == wide
    assert (row.point is None) == (" to " in row.value) == wide


def test_of_very_many_pairs_the_chart_draws_some_and_the_table_has_all() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for place in range(11):
        answer(survey, {"1": 10 + place, "0": 30 - place}, group_of(survey, f"Group {place}"))
    close_survey(survey=survey)
    page, context = page_and_context(PAGE, survey)
    results, chart = context["results"], context["drawn"]["differences"]
    farthest = sorted(results.pairs, key=lambda pair: pair.p_value)[:45]
    assert {row.says for row in chart.rows} == {pair_words(pair, results) for pair in farthest}
    assert says(page, chart.note)
    assert len(rows_under(page, "Differences between groups")) == 55
