"""The largest share of a question: its limits allow for its having been chosen, and what could be larger is named."""

from typing import Any

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.association.difference import difference_of
from surveys.estimation.claims import FigureOptions
from surveys.estimation.largest import may_be_largest
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.arms import compare_arms
from surveys.results.figures.largest import LargestShare, largest_share
from surveys.results.figures.questions import question_result
from surveys.results.sections.arms import arm_words
from surveys.results.words import choice_words, finding_of
from tests.factories import fill, make_open, one_of, several_of, yes_no
from tests.results.drawn import numbers_in
from tests.results.seen import context_of, page_and_context, says
from tests.results.studied import STUDIES, Studied, holds

pytestmark = pytest.mark.django_db
WANTED = FigureOptions()


def _closed(counts: dict[str, int], *questions: Question, **fields: Any) -> Survey:
    survey = make_open(*questions, **fields)
    fill(survey, counts)
    return close_survey(survey=survey)


def _largest(survey: Survey, wanted: FigureOptions = WANTED) -> LargestShare:
    definition = definition_of(survey)
    result = question_result(definition.questions[0], snapshot_of(survey, definition), wanted)
    largest = largest_share(result, wanted.confidence_level)
    assert largest
    return largest


def _one_of(*counts: int) -> Survey:
    options = tuple(f"Answer {letter}" for letter in "ABCDEFG"[: len(counts)])
    return _closed({str(code): count for code, count in enumerate(counts)}, one_of(options, leave_out="no"))


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_of_one_question_limits_and_rivals_are_the_cores(level: float) -> None:
    counts = [150, 170, 90, 60]
    largest = _largest(_one_of(*counts), FigureOptions(confidence_level=level))
    estimate = estimate_prevalence(counts, largest.item.item.design)
    interval = estimate.interval(level, simultaneous=True)
    assert (largest.option.low, largest.option.high) == (interval.low[1], interval.high[1])
    assert (largest.code, largest.chosen_from) == (1, 4)
    in_set = may_be_largest(estimate, level)
    assert [option.label for option, _item in largest.rivals] == [
        f"Answer {'ABCD'[code]}" for code in range(4) if in_set[code] and code != 1
    ]
    assert [option.label for option, _item in largest.rivals] == ["Answer A"]


def test_headline_chart_and_overview_have_one_interval_and_it_is_not_that_of_one_fixed_answer() -> None:
    survey = _closed(
        {"00": 150, "11": 170, "21": 90, "30": 60},
        one_of(("Never", "Once", "Often", "Daily"), leave_out="no"),
        yes_no(leave_out="no"),
    )
    largest = _largest(survey)
    page, context = page_and_context("survey-results-question", survey, number=1)
    finding = context["finding"]
    low, high = (f"{value:.0f}" for value in (np.floor(100 * largest.option.low), np.ceil(100 * largest.option.high)))
    assert numbers_in(finding.sure) == ["95", low, high, "4"]
    assert says(page, finding.sure)
    [row] = [row for row in context_of("survey-results", survey)["overview"][0].rows if "Once" in row.label]
    assert (row.low, row.high) == (largest.option.low, largest.option.high)
    assert row.detail == choice_words(largest)
    drawn = context["drawn"][0].rows[1]
    assert (drawn.low, drawn.high) == (largest.option.low, largest.option.high)
    alone = _largest(survey, FigureOptions(simultaneous=False)).option
    assert largest.option.low < alone.low
    assert largest.option.high > alone.high


def test_where_intervals_are_wanted_one_by_one_headline_chart_and_overview_have_one_too() -> None:
    survey = _closed({"00": 150, "11": 170, "21": 90, "30": 60}, one_of(tuple("ABCD"), leave_out="no"), yes_no())
    alone = _largest(survey, FigureOptions(simultaneous=False)).option
    context = context_of("survey-results-question", survey, "?simultaneous=0", number=1)
    drawn = context["drawn"][0].rows[1]
    low, high = (f"{value:.0f}" for value in (np.floor(100 * alone.low), np.ceil(100 * alone.high)))
    assert numbers_in(context["finding"].sure) == ["95", low, high, "4"]
    overview = context_of("survey-results", survey, "?simultaneous=0")["overview"][0]
    [row] = [row for row in overview.rows if "B" in row.label]
    assert (row.low, row.high) == (drawn.low, drawn.high) == (alone.low, alone.high)


def test_one_share_alone_is_no_choice() -> None:
    survey = _closed({"1": 60, "0": 40}, yes_no(leave_out="no"))
    largest = _largest(survey)
    assert (largest.chosen_from, largest.rivals, choice_words(largest)) == (1, (), "")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((400, 100, 100), "most common of 3 answers"),
        ((200, 190, 60), "largest of 3 estimates; “Answer B” could be more common"),
        ((200, 195, 190), "largest of 3 estimates; “Answer B” or “Answer C” could be more common"),
        ((100,) * 5, "largest of 5 estimates; 4 others could be more common"),
    ],
)
def test_what_could_be_more_common_is_named_or_counted(counts: tuple[int, ...], words: str) -> None:
    assert choice_words(_largest(_one_of(*counts))) == words


def test_of_several_options_those_could_be_more_common_whose_limits_overlap() -> None:
    used = several_of(text="Used?", leave_out="no")
    survey = _closed({"110": 120, "101": 60, "100": 40, "010": 70, "011": 20, "000": 60, "001": 50}, used)
    largest = _largest(survey)
    estimates = {
        code: estimate_prevalence(counts, largest.item.item.design).interval(1 - 0.05 / 3)
        for code, counts in enumerate(([200, 220], [210, 210], [290, 130]))
    }
    assert largest.chosen_from == 3
    assert (largest.option.low, largest.option.high) == (estimates[0].low[1], estimates[0].high[1])
    assert estimates[1].high[1] > estimates[0].low[1] > estimates[2].high[1]
    assert [item.item.key for _option, item in largest.rivals] == ["1b"]


def test_an_option_without_a_reliable_estimate_could_be_more_common() -> None:
    # Of 420 who throw coins, 105 would say Yes to the third even if it was nobody's: 20 are too few.
    survey = _closed({"110": 200, "000": 200, "001": 20}, several_of(text="Used?", leave_out="no"))
    assert "1c" in [item.item.key for _option, item in _largest(survey).rivals]


def test_an_answer_that_arms_are_compared_by_is_chosen_and_its_limits_and_tests_allow_for_that() -> None:
    arms = [{"name": "Coins", "weight": 1}, {"name": "Directly", "weight": 1}]
    asked = {"quantity": 1, "leave_out": "no"}
    plain = {"design": "plain", "parameters": {}}
    survey = _closed(
        {"0-0": 90, "1-0": 70, "2-0": 40, "-01": 110, "-11": 60, "-21": 30},
        one_of(arms=[1], **asked),
        one_of(arms=[2], **asked, **plain),
        arms=arms,
    )
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), WANTED)
    assert compared
    assert (compared.code, compared.chosen_from) == (0, 3)
    designs = [question.design for question in definition.questions]
    first, second = (
        estimate_prevalence(counts, design)
        for counts, design in zip(([90, 70, 40], [110, 60, 30]), designs, strict=True)
    )
    assert compared.answers[0].share.low == first.interval(1 - 0.05 / 3).low[0]
    [pair] = compared.differences
    difference = difference_of(first, second, 0)
    assert pair.interval == difference.interval(1 - 0.05 / 3)
    test = difference.equality_test()
    assert pair.p_value == min(1.0, 3 * (test.exact_p_value if test.exact_p_value is not None else test.p_value))
    assert numbers_in(arm_words(compared)[0]) == ["3"]


@pytest.mark.studies
def test_the_headline_holds_the_share_that_it_names_and_the_interval_of_one_fixed_answer_does_not() -> None:
    studied = Studied.of(one_of(tuple("ABCDE"), leave_out="no"))
    held = np.zeros((STUDIES, 3))
    for study in held:
        definition, snapshot = studied.told([studied.sent(1, studied.generator.integers(0, 5, 300))])
        largest, by_itself = (
            largest_share(question_result(definition.questions[0], snapshot, wanted), 0.95)
            for wanted in (WANTED, FigureOptions(simultaneous=False))
        )
        assert largest
        assert by_itself
        first_is_kept = largest.code == 0 or any(option.label == "A" for option, _item in largest.rivals)
        study[:] = holds(largest.option, 0.2), first_is_kept, holds(by_itself.option, 0.2)
    headline, in_set, before = held.mean(axis=0)
    assert headline > 0.935, held.mean(axis=0)
    assert in_set > 0.935, held.mean(axis=0)
    assert before < 0.92, held.mean(axis=0)


def test_a_question_whose_reports_nobody_could_send_has_no_largest_share() -> None:
    survey = _closed({"1": 10, "0": 190}, yes_no(leave_out="no"))
    definition = definition_of(survey)
    result = question_result(definition.questions[0], snapshot_of(survey, definition), WANTED)
    assert largest_share(result, 0.95) is None
    assert finding_of(result, 0.95).value == ""
