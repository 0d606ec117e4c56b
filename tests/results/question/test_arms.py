"""What asks for the same in different arms, beside each other on a question's page: every number is the core's."""

import re

import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.adherence.arms import estimate_arms
from surveys.estimation.association.difference import difference_of
from surveys.estimation.claims import FigureOptions
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.arms import ArmComparison, arm_sizes, compare_arms
from surveys.results.sections.arms import arm_sizes_words, arm_words, comparison_of, uncompared_words
from surveys.results.words import HIGHER_IS_NO_PROOF, compared_caption, difference_words
from tests.factories import fill, make_open, one_of, plain, yes_no
from tests.pages import page_of, presentation_of, words_of
from tests.results.seen import context_of, page_and_context, says

pytestmark = pytest.mark.django_db
TWO = [{"name": "Coins", "weight": 1}, {"name": "Directly", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}, "leave_out": "no"}


def _survey(counts: dict[str, int]) -> Survey:
    survey = make_open(
        yes_no("Have you cheated?", arms=[1], quantity=1),
        yes_no("Have you cheated?", arms=[2], quantity=1, **PLAIN),
        one_of(text="Asked of both?"),
        arms=TWO,
    )
    fill(survey, counts)
    return close_survey(survey=survey)


def test_differences_the_test_and_one_share_for_all_are_the_cores() -> None:
    survey = _survey({"1-00": 70, "0-00": 90, "-101": 30, "-001": 120})
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    coins, plainly = estimate_prevalence([90, 70], forced_response()), estimate_prevalence([120, 30], direct())
    difference, arms = difference_of(coins, plainly, 1), estimate_arms([[90, 70], [120, 30]], [coins.design, direct()])
    (pair,) = compared.differences
    limits = arms.interval(0.95)
    assert [answer.result.n for answer in compared.answers] == [160, 150]
    assert (pair.point, pair.interval) == (difference.constrained, difference.interval(0.95))
    assert pair.p_value == difference.equality_test().exact_p_value
    together = compared.together
    assert together is not None
    assert (together.low, together.high, together.fits) == (limits.low[1], limits.high[1], arms.fit.p_value)
    # 3/8 of 160 less a fifth.
    assert pair.point == pytest.approx(0.175)
    page = page_of("survey-results-question", survey, number=2)
    sentences = arm_words(compared)
    assert difference_words(pair) in sentences
    assert str(HIGHER_IS_NO_PROOF) in sentences
    assert all(says(_of_arms(page), sentence) for sentence in sentences)


def test_what_was_not_answered_as_it_should_be_is_shown_and_compared_with_nothing() -> None:
    # Of 160 who throw two coins a quarter say Yes whatever is true: 10 are too few.
    survey = _survey({"1-00": 10, "0-00": 150, "-101": 30, "-001": 120})
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    assert [answer.result.odd for answer in compared.answers] == [True, False]
    assert (compared.differences, compared.together) == ((), None)
    page = page_of("survey-results-question", survey, number=2)
    assert "not reliable" in page


@pytest.mark.parametrize(("coins", "plainly"), [(27, 60), (30, 90), (40, 10), (90, 100)])
def test_the_difference_lies_in_its_interval(coins: int, plainly: int) -> None:
    survey = _survey({"1-00": coins, "0-00": 160 - coins, "-101": plainly, "-001": 150 - plainly})
    definition = definition_of(survey)
    compared = compare_arms(definition.questions[0], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    for pair in compared.differences:
        assert pair.interval.low <= pair.point <= pair.interval.high
    assert compared.differences or any(answer.result.odd for answer in compared.answers)


def test_of_several_pairs_together_each_interval_is_wider() -> None:
    survey = make_open(
        *(yes_no(arms=[arm], quantity=1) for arm in (1, 2, 3)),
        arms=[{"name": name, "weight": 1} for name in "ABC"],
    )
    fill(survey, {"1--0": 40, "0--0": 60, "-1-1": 50, "-0-1": 50, "--12": 60, "--02": 40})
    definition, closed = definition_of(survey), close_survey(survey=survey)
    one, all_of_them = (
        compare_arms(definition.questions[0], definition, snapshot_of(closed, definition), wanted)
        for wanted in (FigureOptions(simultaneous=False), FigureOptions())
    )
    assert one is not None
    assert all_of_them is not None
    for alone, together in zip(one.differences, all_of_them.differences, strict=True):
        assert together.interval.low < alone.interval.low < alone.interval.high < together.interval.high
        assert alone.p_value == together.p_value
    page = page_of("survey-results-question", closed, number=1)
    assert all(says(_of_arms(page), sentence) for sentence in arm_words(all_of_them))


# A direct question of one arm after three plain ones that all are asked.


def _validated(counts: dict[str, int], *, first: bool = False, closed: bool = True) -> Survey:
    """Coins and the same asked directly, below or above year, subject and gender; counts have both answers first."""
    asked = [yes_no("Have you cheated?", arms=[1], quantity=1), yes_no("Cheated?", arms=[2], quantity=1, **PLAIN)]
    others = [
        plain(text="Year?"),
        plain(("Law", "Arts", "Science", "None"), "Subject?"),
        plain(("Female", "Male", "Other"), "Gender?"),
    ]
    survey = make_open(*(asked + others if first else others + asked), arms=TWO)
    fill(survey, {(key[:2] + key[2:5] if first else key[2:5] + key[:2]) + key[5]: n for key, n in counts.items()})
    return close_survey(survey=survey) if closed else survey


def _class(yes: dict[int, int]) -> dict[str, int]:
    """315 answer by coins, 285 directly; of these so many say Yes of each of 36 combinations."""
    cells = [f"{year}{subject}{gender}" for year in range(3) for subject in range(4) for gender in range(3)]
    sizes = [n // 36 + (place < n % 36) for n in (315, 285) for place in range(36)]
    counts = {}
    for place, cell in enumerate(cells):
        coins, directly, directly_yes = sizes[place], sizes[36 + place], yes.get(place, 0)
        counts |= {f"1-{cell}0": coins // 3, f"0-{cell}0": coins - coins // 3}
        counts |= {f"-1{cell}1": directly_yes, f"-0{cell}1": directly - directly_yes}
    return {key: n for key, n in counts.items() if n}


def _of_arms(page: str) -> str:
    return words_of(page.partition('aria-labelledby="arms"')[2].partition("</section>")[0])


def _compared(survey: Survey, number: int) -> ArmComparison | None:
    """Return what a question's page compares."""
    context = context_of("survey-results-question", survey, number=number)
    return comparison_of(context["report"], context["question"])


def test_a_direct_question_is_compared_wherever_it_stands() -> None:
    counts = _class(dict.fromkeys(range(29), 1))
    late, early = (_validated(counts, first=first) for first in (False, True))
    of_late, of_early = _compared(late, 4), _compared(early, 1)
    assert of_late
    assert of_early
    for pair, same in zip(of_late.differences, of_early.differences, strict=True):
        assert (pair.point, pair.interval, pair.p_value) == (same.point, same.interval, same.p_value)
    assert [question.number for question in of_late.only_here] == [5]
    assert of_early.only_here == ()
    section = _of_arms(page_of("survey-results-question", late, number=4))
    assert all(says(section, sentence) for sentence in arm_words(of_late))
    # The page of the direct question shows nothing of it but this.
    page, context = page_and_context("survey-results-question", late, number=5)
    assert not context["result"].is_shown
    assert _of_arms(page) == section
    assert compared_caption(of_late) in presentation_of(late)


def test_who_said_yes_directly_cannot_be_told_from_any_comparison() -> None:
    """Of the same 29 it makes no difference on any page, nor in the file, which combinations they are of."""
    pages = []
    for yes in (dict.fromkeys(range(29), 1), dict.fromkeys(range(7, 36), 1), {0: 7, 9: 7, 20: 7, 33: 7, 35: 1}):
        survey = _validated(_class(yes))
        shown = [page_of("survey-results", survey), presentation_of(survey)]
        shown += [page_of("survey-results-question", survey, number=number) for number in range(1, 6)]
        shown.append(page_of("survey-results-relate", survey, "?a=1&b=4"))
        names = f"{survey.code}|{survey.owner.username}"
        pages.append([re.sub(names, "", words_of(page)) for page in shown])
    assert pages[0] == pages[1] == pages[2]


@pytest.mark.parametrize("yes", [1, 9])
def test_a_direct_answer_that_few_gave_is_compared_with_nothing_and_that_is_said(yes: int) -> None:
    survey = _validated(_class(dict.fromkeys(range(yes), 1)))
    assert _compared(survey, 4) is None
    section = _of_arms(page_of("survey-results-question", survey, number=4))
    assert says(section, uncompared_words([definition_of(survey).questions[4]], 10))
    assert 'id="arms"' not in page_of("survey-results-question", survey, number=5)


def test_while_answers_may_come_no_direct_question_is_compared() -> None:
    survey = _validated(_class(dict.fromkeys(range(29), 1)), closed=False)
    for number in (4, 5):
        assert 'id="arms"' not in page_of("survey-results-question", survey, number=number)


@pytest.mark.parametrize(
    ("counts", "sizes", "uneven"),
    [
        ({"1-00": 70, "0-00": 90, "-101": 30, "-001": 120}, (160, 150), False),
        # Chance alone hardly deals so.
        ({"1-00": 130, "0-00": 170, "-101": 30, "-001": 70}, (300, 100), True),
    ],
)
def test_the_sizes_of_the_arms_stand_beside_what_they_were_drawn_by(
    counts: dict[str, int], sizes: tuple[int, int], uneven: bool
) -> None:
    survey = _survey(counts)
    definition = definition_of(survey)
    dealt = arm_sizes(definition, snapshot_of(survey, definition))
    assert dealt
    assert (dealt.sizes, dealt.uneven) == (sizes, uneven)
    for page in (page_of("survey-results-question", survey, number=1), page_of("survey-results", survey)):
        assert says(page, arm_sizes_words(dealt))
    assert not says(page_of("survey-results-question", survey, number=3), arm_sizes_words(dealt))


def test_arms_that_may_not_be_told_have_no_sizes() -> None:
    for survey in (
        _survey({"1-00": 70, "0-00": 90, "-101": 4, "-001": 3}),
        _validated(_class({0: 12, 1: 12}), closed=False),
    ):
        assert "Responses by arm" not in page_of("survey-results", survey)


def test_who_left_it_out_is_counted_beside_who_answered() -> None:
    survey = _survey({"1-00": 70, "0-00": 90, "--00": 12, "-101": 30, "-001": 120})
    assert "160 (12 skipped)" in page_of("survey-results-question", survey, number=1)


def test_where_an_arm_has_too_few_or_nothing_asks_for_the_same_nothing_is_compared() -> None:
    survey = _survey({"1-00": 70, "0-00": 90, "-101": 4, "-001": 3})
    assert 'id="arms"' not in page_of("survey-results-question", survey, number=1)
    survey = _survey({"1-00": 70, "0-00": 90, "-101": 30, "-001": 120})
    assert 'id="arms"' not in page_of("survey-results-question", survey, number=3)
