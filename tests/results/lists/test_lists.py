"""What two lists say together, on the pages of both: every number is the core's, and a known truth is found."""

import re
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.test.utils import ContextList
from django.urls import reverse

from surveys.charts import IntervalRow
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.list_experiment.combined import combine_with_direct
from surveys.estimation.list_experiment.denial import estimate_denial
from surveys.estimation.list_experiment.design_effect import find_design_effect
from surveys.estimation.list_experiment.double import estimate_double_list
from surveys.estimation.list_experiment.regression import fit_list
from surveys.estimation.list_experiment.types import estimate_list
from surveys.models import Survey
from surveys.numbers.words import interval_cell, says_too_little, tenths_of_100
from surveys.privacy.designs import Design
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.lists import ListComparison, compare_lists
from surveys.results.sections.lists import ListWords, list_words, summary
from tests.factories import SENSITIVE, fill, item_count, make_draft, make_open, two_lists, yes_no
from tests.pages import page_of, text_of, words_of
from tests.rehearsing.rehearsals import finished, rehearse
from tests.results.seen import page_and_context, says

pytestmark = pytest.mark.django_db

ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN: dict[str, Any] = {"design": "plain", "parameters": {}}
COIN: dict[str, Any] = {"parameters": {"truth": [4, 5]}}
CONTROL, TREATMENT = [20, 90, 70, 20], [15, 65, 75, 35, 10]


def _survey(control: list[int], treatment: list[int], **changes: Any) -> Survey:
    survey = make_open(*two_lists(**changes), yes_no("All?", leave_out="no"), arms=ARMS)
    fill(survey, {f"{code}-00": count for code, count in enumerate(control)})
    fill(survey, {f"-{code}01": count for code, count in enumerate(treatment)})
    return survey


def _designs(survey: Survey) -> tuple[Design, Design]:
    first, second = definition_of(survey).questions[:2]
    return first.design, second.design


def _compared(survey: Survey) -> ListComparison:
    definition = definition_of(survey)
    compared = compare_lists(definition.questions[0], definition, snapshot_of(survey, definition))
    assert compared is not None
    return compared


def _text_of(page: str) -> str:
    return words_of(page.split('id="lists"', 1)[1].split("</section>", 1)[0])


def _words(survey: Survey, query: str = "", *, number: int = 1) -> tuple[str, ListWords]:
    """Return the section of two lists as it is read, and what was made for it."""
    page, context = page_and_context("survey-results-question", survey, query, number=number)
    [words] = [section.context["words"] for section in context["sections"] if "words" in section.context]
    text = _text_of(page)
    assert all(" ".join(sentence.split()) in text for sentence in (*words.finding, *words.notes))
    return text, words


def _cells(words: ListWords) -> list[tuple[str, ...]]:
    assert words.table
    return [row[1:] for row in words.table.rows]


@pytest.mark.parametrize(("changes", "number"), [(PLAIN, 1), (COIN, 2)])
def test_each_number_of_the_page_is_the_cores(changes: dict[str, Any], number: int) -> None:
    survey = close_survey(survey=_survey(CONTROL, TREATMENT, **changes))
    designs = _designs(survey)
    estimate = estimate_list(CONTROL, TREATMENT, designs=designs)
    limits = estimate.difference.limits(0.95)
    codes = [*range(4), *range(5)]
    fit = fit_list(
        codes,
        [0] * 4 + [1] * 5,
        np.ones((9, 1)),
        designs=designs,
        weights=[*CONTROL, *TREATMENT],
        counts="beta_binomial",
    )
    within = fit.prevalence_interval(0.95)
    text, words = _words(survey, number=number)
    assert _cells(words) == [
        (tenths_of_100(estimate.point), interval_cell(*limits)),
        (tenths_of_100(estimate.constrained), "none"),
        (tenths_of_100(fit.prevalence), interval_cell(within.low, within.high)),
    ]
    assert all(" ".join(row) in text for row in _cells(words))
    compared, denial = _compared(survey), estimate_denial(estimate, ceiling=0.0)
    assert compared.effect
    assert compared.denial
    assert compared.estimate
    assert (compared.estimate.ceiling, compared.estimate.floor) == (estimate.ceiling, estimate.floor)
    assert compared.effect.p_value == find_design_effect(estimate).p_value
    assert compared.denial.largest == denial.largest
    assert compared.denial.bounds_interval(0.95) == denial.bounds_interval(0.95)
    assert words == list_words(compared, 0.95, 10)


@pytest.mark.parametrize("changes", [PLAIN, COIN], ids=["plain", "coin"])
def test_the_overview_has_what_both_lists_say_and_no_row_of_one_of_them(changes: dict[str, Any]) -> None:
    survey = _survey(CONTROL, TREATMENT, **changes)
    address = reverse("survey-results-question", args=[survey.code, 2])
    page = page_of("survey-results", close_survey(survey=survey))
    assert f'href="{address}?' in page
    assert f'href="{address.replace("/2/", "/1/")}?' not in page
    estimate = estimate_list(CONTROL, TREATMENT, designs=_designs(survey))
    limits = estimate.difference.limits(0.95)
    cells = interval_cell(*limits)
    if not says_too_little(*limits):
        cells = f"{tenths_of_100(estimate.point)} {cells}"
    assert f"“{SENSITIVE}” {cells} " in words_of(page)


def test_the_overview_tells_rare_numbers_in_steps_and_no_estimate_that_is_not_to_be_trusted() -> None:
    page, context = page_and_context("survey-results", close_survey(survey=_survey(*RARE, **PLAIN)), "?level=.80")
    row = _row(context)
    assert (row.claimed, row.value, row.point) == (True, "−50 to 100", None)
    # Always at this level, whatever is asked for.
    assert "95%" in row.detail
    assert says(page, row.detail)
    survey = close_survey(survey=_survey([10, 50, 100, 240], [120, 160, 60, 40, 20], **PLAIN))
    page, context = page_and_context("survey-results", survey)
    row = _row(context)
    assert (row.claimed, row.value, row.point) == (False, "–", None)
    assert says(page, row.detail)


def _row(context: ContextList) -> IntervalRow:
    """Return the overview's row of two lists."""
    added = summary(context["report"])
    assert added
    [(row, _cells)] = added.rows
    return row


def test_direct_answers_of_the_same_people_are_combined_with_both_lists() -> None:
    survey = make_open(
        *two_lists(**PLAIN), yes_no("Cheated?", quantity=1, **PLAIN), yes_no("All?", leave_out="no"), arms=ARMS
    )
    control, treatment = ([20, 70, 60, 15], [0, 18, 12, 10]), ([15, 55, 60, 30, 10], [0, 0, 14, 16, 12])
    fill(survey, {f"{code}-{direct}00": n for direct in (0, 1) for code, n in enumerate(control[direct])})
    fill(survey, {f"-{code}{direct}01": n for direct in (0, 1) for code, n in enumerate(treatment[direct])})
    survey = close_survey(survey=survey)
    combined = combine_with_direct(control, treatment)
    both, alone = combined.interval(0.95), combined.direct.limits(0.95)
    text, words = _words(survey)
    both_cells = (tenths_of_100(combined.point), interval_cell(both.low, both.high))
    assert _cells(words)[-2:] == [both_cells, (tenths_of_100(combined.direct.point), interval_cell(*alone))]
    assert all(" ".join(row) in text for row in _cells(words))
    shown = _compared(survey).combined
    assert shown
    assert shown.among_no.point == combined.among_no.point
    assert shown.among_yes.point == combined.among_yes.point
    assert shown.false_yes_p_value == combined.false_yes_p_value
    assert shown.effect_on_direct.point == combined.effect_on_direct.point
    assert shown.effect_on_direct_p_value == combined.effect_on_direct_p_value
    assert words == list_words(_compared(survey), 0.95, 10)
    assert 'id="lists"' not in page_of("survey-results-question", survey, number=3)


def test_two_lists_of_the_same_people_are_told_together_and_how_far_they_are_apart() -> None:
    others = ("I like tea", "I ski", "I have a twin")
    survey = make_open(
        *two_lists(**PLAIN),
        item_count(others, arms=[2], quantity=2, **COIN),
        item_count((*others, SENSITIVE), arms=[1], quantity=2, **COIN),
        yes_no("All?", leave_out="no"),
        arms=ARMS,
    )
    generator = np.random.default_rng(54)
    first, second = generator.integers(3, 9, (4, 5)), generator.integers(3, 9, (5, 4))
    for table, shape in ((first, "{0}--{1}00"), (second, "-{0}{1}-01")):
        fill(survey, {shape.format(*place): int(count) for place, count in np.ndenumerate(table)})
    survey = close_survey(survey=survey)
    asked = definition_of(survey).questions
    double = estimate_double_list(
        second,
        first,
        designs_a=(asked[0].design, asked[1].design),
        designs_b=(asked[2].design, asked[3].design),
    )
    text, words = _words(survey)
    cells = (tenths_of_100(double.point), interval_cell(*double.mean.limits(0.95)))
    assert cells in _cells(words)
    assert " ".join(cells) in text
    compared = _compared(survey)
    assert compared.double
    assert compared.mirror
    assert (compared.mirror.control.number, compared.mirror.treatment.number) == (3, 4)
    assert compared.double.by_b.point == double.by_b.point
    assert compared.double.apart.point == double.apart.point
    assert compared.double.apart_p_value == double.apart_p_value
    assert words == list_words(compared, 0.95, 10)
    assert double.by_a.point == pytest.approx(_compared(survey).estimate.point)  # type: ignore[union-attr]


def test_other_lists_of_too_few_or_of_another_statement_are_not_told_together() -> None:
    others = ("I like tea", "I ski", "I have a twin")
    for statement, few in (("I smoke", 15), (SENSITIVE, 4)):
        survey = make_open(
            *two_lists(**COIN),
            item_count(others, arms=[2], quantity=2, leave_out="visibly", **COIN),
            item_count((*others, statement), arms=[1], quantity=2, leave_out="visibly", **COIN),
            arms=ARMS,
        )
        fill(survey, {"1--10": few, "2---0": 20, "-11-1": 20, "-21-1": 20})
        compared = _compared(close_survey(survey=survey))
        assert compared.estimate is not None
        assert (compared.double, compared.mirror) == (None, None)


def test_direct_answers_of_too_few_are_not_combined() -> None:
    survey = make_open(*two_lists(**COIN), yes_no("Cheated?", quantity=1, **PLAIN), yes_no("All?"), arms=ARMS)
    fill(survey, {"1-000": 50, "2-000": 40, "1-100": 9, "-1001": 30, "-2001": 40, "-2101": 20})
    compared = _compared(close_survey(survey=survey))
    assert compared.estimate is not None
    assert compared.combined is None


def test_where_a_third_arm_is_too_small_to_be_told_the_lists_are_not() -> None:
    three = [*ARMS, {"name": "Third", "weight": 1}]
    survey = make_open(*two_lists(**COIN), yes_no("All?", leave_out="no"), arms=three)
    fill(survey, {"1-00": 50, "2-00": 40, "-101": 30, "-201": 40, "--02": 4})
    text = _text_of(page_of("survey-results-question", close_survey(survey=survey), number=1))
    assert not re.search(r"\d of 100", text)


def test_a_rehearsal_tells_what_its_made_up_people_say() -> None:
    draft = make_draft(*two_lists(**PLAIN), yes_no("All?"), arms=ARMS)
    copy = finished(rehearse(draft, respondents=80)).survey
    client = Client()
    client.force_login(draft.owner)
    page = text_of(client.get(reverse("survey-results-question", args=[copy.code, 2])))
    assert _compared(copy).estimate
    assert SENSITIVE in _text_of(page)
    assert re.search(r"\d of 100", _text_of(page))


def test_of_too_few_nothing_is_told() -> None:
    survey = close_survey(survey=_survey([40, 40, 30, 20], [2, 3, 4, 0, 0], **PLAIN))
    text, words = _words(survey)
    assert (len(words.finding), words.table, words.notes) == (1, None, ())
    assert not re.search(r"\d of 100", text)


RARE = [6, 14, 9, 1], [4, 11, 11, 3, 1]


def test_where_numbers_are_rare_only_the_difference_is_told_and_at_one_level() -> None:
    assert round(estimate_list(*RARE).point, 3) == 0.367
    survey = close_survey(survey=_survey(*RARE, **PLAIN))
    pages = [
        _text_of(page_of("survey-results-question", survey, query=f"?level={level}", number=2))
        for level in (".80", ".95", ".999")
    ]
    assert len(set(pages)) == 1
    [text, *_others] = pages
    # Of 30 in an arm 10 are 33 of 100, and the next step that divides 100 is 50.
    compared, (_text, words) = _compared(survey), _words(survey)
    assert compared.step == 50
    assert (compared.denial, compared.likelihood, compared.combined, compared.double) == (None, None, None, None)
    assert _cells(words) == [("50", "−50 to 100")]
    assert words == list_words(compared, 0.95, 10)
    for more in ("(ceiling)", "aximum likelihood", "p =", "80%", "99.9%"):
        assert more not in text
    # With a coin no number proves anything, however rare it is, and nobody can solve for one.
    survey = close_survey(survey=_survey(*RARE, **COIN))
    _text, words = _words(survey, "?level=.80", number=2)
    assert words.table
    assert words.table.headings[2] == "80% interval"


def test_a_design_effect_is_told_without_its_p_value_where_numbers_are_rare() -> None:
    survey = close_survey(survey=_survey([9, 50, 100, 240], [120, 160, 60, 40, 20], **PLAIN))
    text, _words_of_it = _words(survey)
    effect = _compared(survey).effect
    assert effect
    assert effect.suspicious
    assert re.findall(r"p [=<] [\d.]+", text) == ["p < 0.01"]


def test_direct_answers_are_not_combined_with_lists_where_numbers_are_rare() -> None:
    survey = make_open(
        *two_lists(**PLAIN), yes_no("Cheated?", quantity=1, **PLAIN), yes_no("All?", leave_out="no"), arms=ARMS
    )
    fill(survey, {"1-000": 50, "2-000": 40, "1-100": 15, "-1001": 30, "-2001": 40, "-2101": 20, "-4101": 2})
    compared = _compared(close_survey(survey=survey))
    assert compared.estimate is not None
    assert (compared.combined, compared.step) == (None, 20)


@pytest.mark.parametrize(
    ("control", "treatment"),
    [
        ([20, 80, 70, 30], [25, 80, 70, 25, 0]),
        ([10, 10, 20, 160], [90, 90, 20, 0, 0]),
        ([150, 40, 10, 0], [0, 0, 30, 90, 80]),
    ],
)
def test_what_no_share_can_be_is_shown_as_it_is_and_said_what_it_means(
    control: list[int], treatment: list[int]
) -> None:
    survey = close_survey(survey=_survey(control, treatment, **PLAIN))
    _text, words = _words(survey)
    estimate = estimate_list(control, treatment)
    assert not 0 <= estimate.point <= 1
    assert _cells(words)[0][0] == tenths_of_100(estimate.point)
    assert len(words.finding) == 2


def test_where_nobodys_number_differs_there_is_no_interval() -> None:
    survey = close_survey(survey=_survey([0, 0, 30, 0], [0, 0, 30, 0, 0], **PLAIN))
    text, words = _words(survey)
    assert _cells(words)[0] == ("0", "none")
    assert not re.search(r"sure|between 0 and 0|0 to 0", text)
    denial = _compared(survey).denial
    assert denial
    assert denial.largest == 0
    # One number that differs, and there is an interval again.
    _text, words = _words(close_survey(survey=_survey([0, 1, 30, 0], [0, 0, 30, 0, 0], **PLAIN)))
    assert _cells(words)[0][1] != "none"


def test_lists_that_changed_what_people_counted_are_not_trusted() -> None:
    control, treatment = [10, 50, 100, 240], [120, 160, 60, 40, 20]
    survey = close_survey(survey=_survey(control, treatment, **PLAIN))
    assert find_design_effect(estimate_list(control, treatment)).suspicious
    effect = _compared(survey).effect
    assert effect
    assert effect.suspicious
    _words(survey)


# Simulated surveys of 400 people an arm, seed fixed: the interval that the page prints holds the truth. The fault that
# is planted, a fifth of those with the sensitive statement denying it, moves the estimate away from it.

TRUTH = 0.3


def _reports(generator: np.random.Generator, design: Design, counts: np.ndarray) -> list[int]:
    matrix = np.array(design.matrix, dtype=float)
    return np.bincount(
        [generator.choice(design.m, p=matrix[:, count]) for count in counts], minlength=design.m
    ).tolist()


def _simulated(seed: int, changes: dict[str, Any], *, deny: float = 0.0) -> tuple[float, float, float]:
    generator = np.random.default_rng(seed)
    survey = make_open(*two_lists(**changes), yes_no("All?", leave_out="no"), arms=ARMS)
    designs = _designs(survey)
    innocuous = (generator.random((800, 3)) < (0.7, 0.4, 0.15)).sum(axis=1)
    holds = generator.random(400) < TRUTH * (1 - deny)
    control = _reports(generator, designs[0], innocuous[:400])
    treatment = _reports(generator, designs[1], innocuous[400:] + holds)
    fill(survey, {f"{code}-00": count for code, count in enumerate(control)})
    fill(survey, {f"-{code}01": count for code, count in enumerate(treatment)})
    survey = close_survey(survey=survey)
    share, limits = _cells(_words(survey)[1])[0]
    point, low, high = (float(number.replace("−", "-")) for number in (share, *limits.split(" to ")))
    return point, low, high


@pytest.mark.parametrize("changes", [PLAIN, COIN])
def test_a_simulated_share_is_found_within_the_interval_of_the_page(changes: dict[str, Any]) -> None:
    _point, low, high = _simulated(48, changes)
    assert low < 100 * TRUTH < high
    assert high - low < 60


@pytest.mark.slow
@pytest.mark.uncounted
def test_intervals_hold_the_truth_as_often_as_they_say_and_a_planted_denial_is_seen() -> None:
    # Of 60 surveys at least 46 hold it but for once in a million (binomial, .95); with denial of 2/3 fewer do.
    def held(deny: float) -> int:
        intervals = [_simulated(seed, PLAIN, deny=deny) for seed in range(60)]
        return sum(low < 100 * TRUTH < high for _point, low, high in intervals)

    assert held(0.0) >= 46
    assert held(2 / 3) < 46


def test_words_are_those_of_the_level_asked_for() -> None:
    survey = close_survey(survey=_survey(CONTROL, TREATMENT, **PLAIN))
    compared = _compared(survey)
    words = list_words(compared, 0.8, 10)
    assert "80%" in words.finding[0]
    assert words.table is not None
    assert words.table.headings[2] == "80% interval"
    definition = definition_of(survey)
    assert compare_lists(definition.questions[2], definition, snapshot_of(survey, definition)) is None
