"""The steps from the reports to the estimate: the dashboard's own numbers, in words and in bars."""

import re
from typing import Any

import pytest
from django.utils import translation

from surveys.presenting.charts import SlideAxis, slides_of
from surveys.presenting.selectors import Reveal, SlideStep, reveals_of
from surveys.presenting.words import lead, says
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import OutdatedError
from surveys.results.words import mean_words, outside_words, units_of
from tests.factories import (
    PROTECTED,
    crosswise,
    every_protected_kind,
    fill,
    make_open,
    number_bands,
    number_mean,
    scale,
    several_of,
    triangular,
    unrelated,
    warner,
    yes_no,
)
from tests.pages import words_of
from tests.presenting.presented import (
    answered_by_chance,
    page_and_context,
    page_of,
    read,
    reveal_of,
    slide_names,
)

pytestmark = pytest.mark.django_db
DRAFTS = [*every_protected_kind(), scale(points=2), scale(**PROTECTED), number_bands(**PROTECTED)]
EVERY = [
    pytest.param(seed, draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for seed, draft in enumerate(DRAFTS)
]


# The numbers.


@pytest.mark.parametrize(("seed", "draft"), EVERY)
def test_every_number_is_the_dashboards_and_the_page_says_every_step(seed: int, draft: Question) -> None:
    survey = answered_by_chance(draft, seed=seed)
    (reveal,), results = read(survey)
    (result,) = results.questions
    for row in reveal.rows:
        item = next(item for item in result.items if item.item == row.item.item)
        option = item.options[row.code]
        assert (row.observed, row.stretched) == (option.observed, option.moment)
        # What the steps take away and stretch is what the estimator inverts.
        assert row.rest / float(row.reach) == pytest.approx(option.moment)
        assert (row.option.estimate, row.option.low, row.option.high) == (option.estimate, option.low, option.high)
    page = page_of(survey)
    words = words_of(page)
    steps = [f"reveal-1-{place}" for place in range(1, len(reveal.steps) + 1)]
    assert slide_names(page) == ["lobby", "answering", *steps]
    assert reveal.steps[:3] == (SlideStep.RECEIVED, SlideStep.CHANCE, SlideStep.STRETCH)
    for step in reveal.steps:
        assert says(reveal, step)
        for sentence in says(reveal, step):
            assert sentence in words
            assert "%" not in re.sub(r"\d%", "", sentence)
    if result.first.mean:
        assert reveal.mean == result.first.mean
        assert reveal.mean_of is not None
        assert reveal.mean_of.point == pytest.approx(result.first.mean.moment)
        assert units_of(result.first.mean).write(result.first.mean.estimate) in words
    elif len(reveal.rows) == 1:
        assert lead(reveal, SlideStep.ESTIMATE)[1] in words


def test_the_formulas_of_the_page_can_be_computed_again() -> None:
    page = page_of(answered_by_chance(yes_no(leave_out="no")))
    for name in ("rest", "moment"):
        formula = page.split(f'data-formula="{name}"')[1].split("</p>")[0]
        numbers = [float(number) for number in re.findall(r'data-value="([^"]+)"', formula)]
        if name == "rest":
            assert numbers[0] - numbers[1] == pytest.approx(numbers[2])
        else:
            assert numbers[0] / numbers[1] == pytest.approx(numbers[2])


@pytest.mark.parametrize(
    ("draft", "yes", "floor", "ceiling", "stretched"),
    [
        (yes_no(leave_out="no"), 43, 25, 75, 36),
        (yes_no(leave_out="no"), 22, 25, 75, -6),
        (yes_no(leave_out="no"), 78, 25, 75, 106),
        (yes_no(leave_out="no"), 25, 25, 75, 0),
        (warner(leave_out="no"), 50, 25, 75, 50),
        (crosswise(leave_out="no"), 60, 75, 25, 30),
        (triangular(leave_out="no"), 40, 25, 100, 20),
        (unrelated(leave_out="no"), 25, 7.5, 77.5, 25),
    ],
)
def test_each_design_has_steps_of_its_own(
    draft: Question, yes: int, floor: float, ceiling: float, stretched: float
) -> None:
    """Of 100 reports so many say Yes, so many would if nobody's true answer were Yes, and if everybody's were."""
    [row] = reveal_of(draft, {"1": yes, "0": 100 - yes}).rows
    assert 100 * row.observed == pytest.approx(yes)
    assert (100 * row.floor, 100 * row.ceiling) == (floor, ceiling)
    assert (100 * row.rest, 100 * row.reach) == pytest.approx((yes - floor, ceiling - floor))
    assert 100 * row.stretched == pytest.approx(stretched)


def test_a_number_goes_from_the_share_at_the_top_to_its_mean() -> None:
    reveal = reveal_of(number_mean(leave_out="no"), {"1": 43, "0": 57})
    assert reveal.steps == (*list(SlideStep)[:6],)
    assert reveal.mean
    assert (reveal.rows[0].stretched, reveal.mean.moment) == pytest.approx((0.36, 4.32))


@pytest.mark.parametrize(
    ("reports", "low", "high", "bar"),
    [
        # Six fewer than nobody: from −6 to 0 on an axis of −25 to 100.
        ({"1": 22, "0": 78}, "−25", "100", (15.2, 20)),
        ({"1": 43, "0": 57}, "0", "100", (0, 36)),
        ({"1": 25, "0": 75}, "0", "100", (0, 0)),
        ({"1": 78, "0": 22}, "0", "125", (0, 84.8)),
    ],
)
def test_less_than_nobody_stands_left_of_zero(
    reports: dict[str, int], low: str, high: str, bar: tuple[float, float]
) -> None:
    with translation.override("en"):
        slides = slides_of([reveal_of(yes_no(leave_out="no"), reports)])
    received, _, stretched, estimate, *_ = slides
    assert [label for _, label in stretched.marks][:: len(stretched.marks) - 1] == [low, high]
    # Nothing jumps between the steps that lead there; what can be is from nobody to everybody.
    assert received.marks == stretched.marks
    assert [label for _, label in estimate.marks] == ["0", "25", "50", "75", "100"]
    (shown,) = stretched.bars
    assert shown.bar is not None
    assert (shown.bar.start, shown.bar.end) == pytest.approx(bar)
    assert (shown.style == "missing") == (stretched.zero is not None) == (low != "0")


@pytest.mark.parametrize("shares", [[-2.4, 0.3], [0.2, 9.0], [-0.3, 1.2]])
def test_an_axis_holds_every_share_and_is_marked_at_nobody_and_at_everybody(shares: list[float]) -> None:
    axis = SlideAxis.holding(shares)
    assert axis.low <= 100 * min(shares)
    assert 100 * max(shares) <= axis.high
    assert axis.at(0) in {at for at, _ in axis.marks}
    assert len(axis.marks) <= 11


def test_a_hundred_dots_say_what_the_sentence_says() -> None:
    with translation.override("en"):
        received, *_, estimate, _again = slides_of([reveal_of(yes_no(leave_out="no"), {"1": 43, "0": 57})])
    assert received.people is not None
    assert (received.people.lit, received.people.ring) == (43, 57)
    assert received.estimate == "43 of 100"
    people = estimate.people
    assert people is not None
    assert people.yes + people.may + people.could + people.empty == 100
    assert estimate.estimate == f"{people.likely} of 100"
    assert estimate.between == f"95% confidence interval: {people.yes} to {people.most}"


@pytest.mark.parametrize(
    ("counts", "figure"), [({"1": 23, "0": 27}, "15 to 70 of 100"), ({"1": 430, "0": 570}, "36 of 100")]
)
def test_what_the_answers_cannot_tell_is_shown_as_its_interval(counts: dict[str, int], figure: str) -> None:
    with translation.override("en"):
        *_, estimate, _again = slides_of([reveal_of(yes_no(leave_out="no"), counts)])
    assert estimate.estimate == figure
    assert (": " in estimate.between) is (" to " not in figure)


def test_what_was_reported_stands_beside_a_result_only_where_it_is_about_the_same_answer() -> None:
    with translation.override("en"):
        plain, crossed = (
            slides_of([reveal_of(draft, {"1": 60, "0": 40})])[3]
            for draft in (yes_no(leave_out="no"), crosswise(leave_out="no"))
        )
    assert (plain.reported, plain.marks_reports) == ("60", True)
    assert (crossed.reported, crossed.marks_reports) == ("", False)


# Too few, and those who did not follow.


def test_below_the_minimum_nothing_is_shown_but_the_count() -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 5, "0": 4})
    page, context = page_and_context(survey)
    assert slide_names(page) == ["lobby", "answering", "reveal"]
    assert (context["arrived"].n, context["slides"]) == (0, [])
    live = page.split('id="answering"')[1].split('id="said"')[0]
    assert set(re.findall(r"\d+", words_of(live.partition(">")[2]))) == {"10"} | set(re.findall(r"\d+", survey.code))


def test_of_a_question_that_too_few_answered_nothing_is_shown_but_how_many() -> None:
    survey = make_open(yes_no(), yes_no("And now?"))
    fill(survey, {"1-": 20, "01": 5, "00": 4})
    page, context = page_and_context(survey)
    assert slide_names(page)[-1] == "reveal-2-1"
    slide = context["slides"][-1]
    assert (slide.step, slide.bars, slide.estimate) == (SlideStep.TOO_FEW, [], "")
    assert re.findall(r"\d+", " ".join(slide.says)) == ["9", "20"]
    assert all(sentence in words_of(page) for sentence in slide.says)


def test_where_the_procedure_was_not_followed_there_is_no_estimate() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 100})
    page, context = page_and_context(survey)
    assert [slide.step for slide in context["slides"]] == [SlideStep.RECEIVED, SlideStep.MISFIT]
    assert re.findall(r"\d+", " ".join(context["slides"][-1].says)) == ["100", "100", "75", "100"]
    assert all(sentence in words_of(page) for sentence in context["slides"][-1].says)
    assert {(slide.estimate, slide.between) for slide in context["slides"][1:]} == {("", "")}
    assert "confidence interval" not in words_of(page)


def test_of_several_options_the_one_that_cannot_be_trusted_has_no_estimate() -> None:
    survey = make_open(several_of(leave_out="no"))
    fill(survey, {"001": 40, "011": 30, "101": 30})
    (reveal,), _ = read(survey)
    assert reveal.steps[-2:] == (SlideStep.ESTIMATE, SlideStep.AGAIN)
    page, context = page_and_context(survey)
    slide = context["slides"][3]
    assert [bar.label for bar in slide.bars if bar.detail == "not reliable"] == ["Something illegal"]
    estimates = words_of(page.split('id="reveal-1-4"')[1].split("</section>", maxsplit=1)[0])
    assert all(sentence in estimates for sentence in slide.says)
    # What is drawn again is an option whose estimate can be trusted.
    assert "Something illegal" not in page.split('id="reveal-1-5"')[1].split("</section>", maxsplit=1)[0]


def test_where_no_interval_holds_any_share_the_reason_is_said() -> None:
    survey = make_open(yes_no(leave_out="no"), minimum_n=5)
    fill(survey, {"0": 14, "1": 0})
    (reveal,), results = read(survey)
    (result,) = results.questions
    assert result.first.options[1].outside
    assert not result.odd
    assert outside_words(result.first.options[1]) in words_of(page_of(survey))
    assert SlideStep.AGAIN not in reveal.steps


def test_a_mean_that_no_number_fits_is_not_drawn() -> None:
    survey = make_open(number_mean(leave_out="no"), minimum_n=5)
    fill(survey, {"0": 14})
    (reveal,), _ = read(survey)
    assert reveal.steps[-1] == SlideStep.ESTIMATE
    page = page_of(survey)
    assert reveal.mean
    assert mean_words(reveal.mean, units_of(reveal.mean)) in words_of(page)
    assert 'class="found"' not in page


def test_a_fold_in_between_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    survey, asked = answered_by_chance(yes_no(leave_out="no")), []

    def outdated_once(*given: Any) -> tuple[Reveal, ...]:
        asked.append(given)
        if len(asked) == 1:
            raise OutdatedError
        return reveals_of(*given)

    monkeypatch.setattr("surveys.presenting.views.reveals_of", outdated_once)
    assert "reveal-1-5" in slide_names(page_of(survey))
    assert len(asked) == 2
