"""Groups compared: every number is the core's, and no group too small is told of in any way."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.surveys import QuestionDraft
from surveys.estimation import compare_groups
from surveys.estimation.claims import METHODS, FigureOptions
from surveys.models import Group, Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.told import separable_parts
from surveys.results.figures.groups import GroupMeasure, group_results
from surveys.results.pages import groups as groups_words
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

pytestmark = pytest.mark.django_db


_page = partial(page_of, "survey-results-groups")


def _two_groups(first: dict[str, int], second: dict[str, int], *questions: QuestionDraft) -> Survey:
    survey = make_open(*(questions or (yes_no(leave_out="no"),)))
    answer(survey, first, group_of(survey, "North"))
    answer(survey, second, group_of(survey, "South"))
    close_survey(survey=survey)
    return survey


class TestSentences:
    """A teacher can read the right one off in front of a class."""

    def test_two_groups_that_may_be_alike(self) -> None:
        page = words_of(_page(_two_groups({"1": 18, "0": 14}, {"1": 12, "0": 20})))
        assert (
            "North: Between 28 and 94 of 100 people. South: Between 0 and 60 of 100 people. "
            "North and South: the difference could be anything from −11 to 81 points: no conclusion." in page
        )

    def test_two_groups_that_differ(self) -> None:
        page = words_of(_page(_two_groups({"1": 70, "0": 30}, {"1": 30, "0": 70})))
        assert re.search(r"“Yes” is more frequent in North than in South, by \d+ to \d+ points\.", page)
        assert re.search(r"from \d+ to \d+ points: more in North", page)
        turned = words_of(_page(_two_groups({"1": 30, "0": 70}, {"1": 70, "0": 30})))
        assert re.search(r"“Yes” is more frequent in South than in North, by \d+ to \d+ points\.", turned)
        assert re.search(r"from −\d+ to −\d+ points: more in South", turned)

    def test_limits_are_rounded_outwards(self) -> None:
        survey = _two_groups({"1": 70, "0": 30}, {"1": 30, "0": 70})
        item = definition_of(survey).items[0]
        found = compare_groups([[30, 70], [70, 30]], item.design).difference(0, 1).interval()
        told = re.search(r"by (\d+) to (\d+) points\.", words_of(_page(survey)))
        assert told
        assert int(told[1]) == np.floor(100 * found.low)
        assert int(told[2]) == np.ceil(100 * found.high)

    def test_of_many_pairs_an_interval_that_leaves_0_out_is_no_conclusion_by_itself(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, yes in (("A", 29), ("B", 19), ("C", 24), ("D", 24), ("E", 24)):
            answer(survey, {"1": yes, "0": 40 - yes}, group_of(survey, name))
        close_survey(survey=survey)
        page = words_of(_page(survey))
        assert "A − B" in page
        assert "10 pairs of groups: no conclusion." in page
        # Not adjusted either: the groups can all be alike, as the page says first.
        alone = _page(survey, "?adjustment=none")
        assert "10 pairs of groups: no conclusion." in alone
        assert re.search(r"A and B: by itself .* but the test of all groups at once gives p = 0\.260", alone)

    def test_of_many_pairs_those_that_differ_are_told(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, yes in (("A", 34), ("B", 14), ("C", 24), ("D", 24), ("E", 24)):
            answer(survey, {"1": yes, "0": 40 - yes}, group_of(survey, name))
        close_survey(survey=survey)
        page = words_of(_page(survey))
        assert "“Yes” is more frequent in A than in B" in page
        assert "9 pairs of groups: no conclusion." in page

    def test_a_pair_is_not_told_where_all_groups_could_be_alike(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, yes in (("A", 31), ("B", 18), ("C", 24), ("D", 24), ("E", 24)):
            answer(survey, {"1": yes, "0": 40 - yes}, group_of(survey, name))
        close_survey(survey=survey)
        page = words_of(_page(survey))
        assert "The groups could all be alike" in page
        assert "is more frequent in" not in page
        assert "10 pairs of groups: no conclusion." in page
        assert re.search(
            r"A and B: by itself the interval, from \d+ to \d+ points, leaves 0 out, "
            r"but the test of all groups at once gives p = 0\.061: no conclusion\.",
            _page(survey),
        )

    def test_a_group_without_an_interval_has_no_more_and_no_less_than_another(self) -> None:
        page = words_of(_page(_two_groups({"1": 27, "0": 73}, {"1": 15, "0": 85})))
        assert "South: No interval: 15% of the reports say “Yes”, fewer than the 25%" in page
        assert "North and South: not both have an interval, so no difference is told: no conclusion." in page
        assert "The groups could all be alike" in page
        assert "is more frequent in" not in page
        assert "more in North" not in page

    def test_two_groups_whose_tests_disagree_are_no_conclusion(self) -> None:
        # Wald's test gives .025, but it takes shares below 0 for possible.
        page = words_of(_page(_two_groups({"1": 34, "0": 66}, {"1": 20, "0": 80})))
        assert re.search(r"leaves 0 out, but the test of all groups at once gives p = 0\.057: no conclusion\.", page)
        assert "The groups could all be alike" in page
        assert "is more frequent in" not in page

    @pytest.mark.parametrize("method", METHODS)
    def test_reports_that_do_not_vary_leave_nothing_certain(self, method: str) -> None:
        survey = _two_groups({"1": 40}, {"1": 30}, triangular(leave_out="no"))
        page = words_of(_page(survey, f"?method={method}"))
        assert "0.0 to 0.0" not in page
        assert "100 and 100" not in page
        assert re.search(r"North: Between \d\d and 100 of 100 people", page)

    def test_an_interval_and_a_test_that_disagree_are_no_conclusion(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, yes in (("A", 29), ("B", 19), ("C", 24), ("D", 24), ("E", 24)):
            answer(survey, {"1": yes, "0": 40 - yes}, group_of(survey, name))
        close_survey(survey=survey)
        assert re.search(
            r"A and B: by itself the interval, .* leaves 0 out, but the test gives p = 0\.\d+", _page(survey)
        )

    def test_how_often_the_interval_of_the_smallest_group_holds(self) -> None:
        few = words_of(_page(_two_groups({"1": 18, "0": 14}, {"1": 6, "0": 4})))
        assert "With 10 answers an interval by this method holds the true share in as few as 91.9 of 100" in few
        assert "as few as" not in words_of(_page(_two_groups({"1": 90, "0": 70}, {"1": 60, "0": 100})))

    def test_means_are_compared_in_their_units(self) -> None:
        page = words_of(_page(_two_groups({"1": 70, "0": 30}, {"1": 30, "0": 70}, number_mean(leave_out="no"))))
        assert re.search(r"The mean is larger in North than in South, by [\d.]+ to [\d.]+ hours\.", page)

    def test_means_of_those_who_say_have_no_difference_and_the_page_says_so(self) -> None:
        draft = number_mean(**PROTECTED)
        page = words_of(_page(_two_groups({"0": 20, "1": 30, "2": 10}, {"0": 30, "1": 20, "2": 15}, draft)))
        assert "for a difference of such means there is no interval here" in page
        assert "Likelihood ratio, 95%" in page
        assert "2 degrees of freedom" in page

    def test_a_group_that_did_not_follow_the_procedure_has_no_estimate_and_is_compared_with_none(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, yes in (("North", 20), ("South", 24), ("Odd", 0)):
            answer(survey, {"1": yes, "0": 40 - yes}, group_of(survey, name))
        close_survey(survey=survey)
        page = words_of(_page(survey))
        assert "Respondents probably did not follow the procedure in: Odd" in page
        assert "− Odd" not in page
        assert "in the 2 groups" in page
        survey = _two_groups({"1": 20, "0": 20}, {"0": 40})
        page = words_of(_page(survey))
        assert "There are no two groups with an estimate to trust: nothing can be compared." in page
        assert "Likelihood-ratio test" not in page

    def test_reports_that_do_not_vary_have_no_p_value(self) -> None:
        page = words_of(
            _page(
                _two_groups({"0": 10}, {"1": 10}, yes_no(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]}))
            )
        )
        assert "is more frequent in South than in North" in page
        survey = make_open(yes_no(leave_out="no", parameters={"truth": [19, 20], "yes": [1, 2]}))
        for name, reports in (("A", {"0": 10}), ("B", {"1": 10}), ("C", {"0": 5, "1": 5})):
            answer(survey, reports, group_of(survey, name))
        close_survey(survey=survey)
        assert "there is no p-value to adjust for the number of pairs" in _page(survey)


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
        told = {name for name in separable_parts([received, sizes], 10) if sizes[name]}
        assert shown.keys() == told or len(told) < 2
        for name in sizes.keys() - shown.keys() - {"Large"}:
            assert name not in page

    def test_a_single_group_too_small_takes_another_with_it(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        for name, n in (("North", 30), ("South", 28), ("East", 15), ("Tiny", 3)):
            answer(survey, {"1": n // 2, "0": n - n // 2}, group_of(survey, name))
        close_survey(survey=survey)
        page = _page(survey)
        assert "2 groups are not shown: too few answered in them" in page
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
        ("query", "words"),
        [
            ("?item=99", "This survey has no question “99”. Question 1 is shown."),
            ("?item=2&option=7", "This question has no answer “7”. “Never” is shown."),
            ("?item=2&option=-1", "This question has no answer “-1”. “Never” is shown."),
            ("?option=mean", "This question has no answer “mean”. “Yes” is shown."),
            ("?adjustment=tukey", "There is no adjustment “tukey”. Holm’s is shown."),
            ("?item=%3Cscript%3E", "This survey has no question “&lt;script&gt;”."),
            ("?option=%00&item=2", "This question has no answer"),
            ("?option=" + "9" * 5000, "This question has no answer “" + "9" * 40 + "”."),
        ],
    )
    def test_what_is_unknown_is_named(self, survey: Survey, query: str, words: str) -> None:
        page = _page(survey, query)
        assert words in page
        assert "by group" in page

    def test_the_answer_of_the_question_before_is_forgotten_without_a_word(self, survey: Survey) -> None:
        page = _page(survey, "?of=2&item=1&option=2")
        assert "This question has no answer" not in page
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
        page = _page(survey)
        assert "No groups to compare" in page
        assert "stored as it is, without chance" in page
        assert "<select" not in page
        assert reverse("survey-groups", args=[survey.code]) in page

    def test_one_group_is_compared_with_nothing(self) -> None:
        survey = make_open(yes_no(leave_out="no"))
        answer(survey, {"1": 20, "0": 20}, group_of(survey, "North"))
        group_of(survey, "Empty")
        close_survey(survey=survey)
        page = _page(survey)
        assert "There are no two groups that enough people have answered in" in page
        assert "1 group is not shown" in page
        assert "by group" not in page

    def test_below_the_minimum_there_is_the_count_alone(self) -> None:
        page = _page(_two_groups({"1": 4}, {"0": 5}))
        assert "North" not in page
        assert "Results appear once 10 people have answered." in page


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


def test_a_difference_with_no_interval_is_said_in_words() -> None:
    survey = _two_groups({"1": 70, "0": 30}, {"1": 30, "0": 70})
    definition = definition_of(survey)
    names = dict(Group.objects.values_list("pk", "name"))
    compared = GroupMeasure(definition.items[0], 1, FigureOptions())
    results = group_results(compared, snapshot_of(survey, definition), frozenset(names), names, without="")
    none = replace(results.pairs[0], outside=True)
    assert "no possible difference fits the reports" in groups_words.pair_words(none, results)
    assert "no possible difference fits the reports" in groups_words.pair_detail(none, results)


def test_of_very_many_pairs_the_chart_draws_some_and_the_table_has_all() -> None:
    survey = make_open(yes_no(leave_out="no"))
    for place in range(11):
        answer(survey, {"1": 10 + place, "0": 30 - place}, group_of(survey, f"Group {place}"))
    close_survey(survey=survey)
    page = _page(survey)
    assert "The 45 pairs with the smallest p-values of 55; the table has them all." in page
    assert len(rows_under(page, "Differences between groups")) == 55
