"""What asks for the same in several arms, beside one another on one slide: the numbers of the question's page."""

import numpy as np
import pytest

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.estimation.claims import FigureOptions
from surveys.estimation.prevalence import estimate_prevalence
from surveys.models import Survey
from surveys.numbers.words import estimate_of_100, interval_cell
from surveys.presenting.charts import Slide, slides_of
from surveys.presenting.selectors import SlideStep
from surveys.privacy.designs import direct, forced_response
from surveys.questionnaire.question import Question
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.arms import compare_arms
from surveys.results.words import compared_caption, difference_words, together_words
from tests.factories import fill, make_open, one_of, yes_no
from tests.pages import words_of
from tests.presenting.presented import page_of, read, slide_names

pytestmark = pytest.mark.django_db

TWO = [{"name": "Coins", "weight": 1}, {"name": "Directly", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}, "leave_out": "no"}
COUNTS = {"1-00": 70, "0-00": 90, "-101": 30, "-001": 120}


def _open(counts: dict[str, int], *others: Question, text: str = "Have you cheated?") -> Survey:
    survey = make_open(
        yes_no("Have you cheated?", arms=[1], quantity=1),
        yes_no(text, arms=[2], quantity=1, **PLAIN),
        *(others or [one_of(text="Asked of both?")]),
        arms=TWO,
    )
    fill(survey, counts)
    return survey


def _beside(survey: Survey) -> Slide:
    """Return the one slide on which variants stand beside one another."""
    (slide,) = [slide for slide in slides_of(read(survey)[0]) if slide.step is SlideStep.COMPARED]
    return slide


def _without_markup(page: str, name: str) -> str:
    return words_of(page.split(f'id="{name}"')[1].split("</section>", maxsplit=1)[0].split(">", 1)[1])


def test_one_slide_after_the_last_way_of_asking_has_all_of_them() -> None:
    survey = close_survey(survey=_open(COUNTS))
    names = slide_names(page_of(survey))
    assert [name for name in names if name.startswith("reveal-2")] == ["reveal-2-1", "reveal-2-2", "reveal-2-3"]
    assert (_beside(survey).name, _beside(survey).lesson) == ("reveal-2-3", False)


def test_every_number_is_the_cores_and_the_question_pages() -> None:
    survey = close_survey(survey=_open(COUNTS))
    slide, definition = _beside(survey), definition_of(survey)
    compared = compare_arms(definition.questions[1], definition, snapshot_of(survey, definition), FigureOptions())
    assert compared is not None
    core = [estimate_prevalence([90, 70], forced_response()), estimate_prevalence([120, 30], direct())]
    for bar, estimate in zip(slide.bars, core, strict=True):
        limits = estimate.interval(0.95)
        low, high = float(limits.low[1]), float(limits.high[1])
        assert bar.value == estimate_of_100(float(estimate.constrained[1]), low, high)
        assert bar.detail == interval_cell(low, high)
        assert (bar.bar, bar.interval) != (None, None)
        assert bar.bar is not None
        assert bar.interval is not None
        assert (bar.bar.end, bar.interval.start) == (
            pytest.approx(100 * float(estimate.constrained[1]), abs=0.01),
            pytest.approx(100 * low, abs=0.01),
        )
    assert [bar.label for bar in slide.bars] == ["1. Coins", "2. Directly"]
    # Said first, but for the test, which the question's page has.
    assert slide.between == difference_words(compared.differences[0], tested=False)
    shown = _without_markup(page_of(survey), slide.name)
    assert shown.index(slide.between) < shown.index("1. Coins")
    assert slide.title == compared_caption(compared)


def test_a_slide_of_both_has_no_more_words_than_the_slides_of_each() -> None:
    survey = close_survey(survey=_open(COUNTS))
    page, slide = page_of(survey), _beside(survey)
    each = [_without_markup(page, one.name) for one in slides_of(read(survey)[0]) if one.step is SlideStep.ESTIMATE]
    assert len(_without_markup(page, slide.name).split()) <= sum(len(words.split()) for words in each[:2])


def test_nothing_stands_beside_another_while_an_arm_has_few() -> None:
    page = page_of(close_survey(survey=_open({"1-00": 70, "0-00": 90, "-101": 4, "-001": 3})))
    assert "reveal-2-1" in page
    assert 'data-step="compared"' not in page


def test_that_rule_is_the_one_that_the_page_reads_its_reports_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: read without it, the same open survey has the slide."""
    monkeypatch.setattr("surveys.results.report.recode", lambda definition, snapshot: (definition, snapshot))
    assert _beside(_open(COUNTS)).step is SlideStep.COMPARED


def test_what_was_not_answered_as_it_should_be_stands_there_with_nothing_to_trust() -> None:
    slide = _beside(close_survey(survey=_open({"1-00": 10, "0-00": 150, "-101": 30, "-001": 120})))
    assert (slide.bars[0].value, slide.bars[0].detail) == ("–", "not reliable")
    assert slide.bars[0].bar is None
    assert slide.between == ""


def test_other_words_are_written_beside_the_arm_that_asks_them() -> None:
    texts = "Have you cheated?", "Did you ever cheat?"
    slide = _beside(close_survey(survey=_open(COUNTS, text=texts[1])))
    assert slide.asked not in texts
    assert [bar.label for bar in slide.bars] == [f"1. Coins – {texts[0]}", f"2. Directly – {texts[1]}"]


def test_of_three_ways_it_is_said_what_one_share_for_all_would_be() -> None:
    survey = make_open(
        *(yes_no(arms=[arm], quantity=1) for arm in (1, 2, 3)), arms=[{"name": name, "weight": 1} for name in "ABC"]
    )
    fill(survey, {"1--0": 40, "0--0": 60, "-1-1": 50, "-0-1": 50, "--12": 60, "--02": 40})
    slide = _beside(close_survey(survey=survey))
    assert [bar.label for bar in slide.bars] == ["1. A", "2. B", "3. C"]
    assert slide.reveal.beside
    assert slide.reveal.beside.comparison.together
    assert slide.between == together_words(slide.reveal.beside.comparison.together)


def test_a_survey_without_variants_has_no_such_slide() -> None:
    survey = make_open(yes_no(arms=[1]), one_of(arms=[2]), arms=TWO)
    fill(survey, {"1-0": 30, "0-0": 30, "-01": 30, "-21": 30})
    assert all(slide.step is not SlideStep.COMPARED for slide in slides_of(read(close_survey(survey=survey))[0]))


def test_the_truth_of_a_simulated_survey_lies_in_each_of_its_intervals() -> None:
    """Of 600 people 30 in 100 have cheated in both arms; at this seed both intervals and the difference hold that."""
    rng = np.random.default_rng(20261126)
    matrix = np.array(forced_response().matrix, dtype=float)
    truths = rng.random(600) < 0.3
    coins = (rng.random(300) < np.where(truths[:300], matrix[1][1], matrix[1][0])).sum()
    plainly = truths[300:].sum()
    survey = _open({"1-00": int(coins), "0-00": 300 - int(coins), "-101": int(plainly), "-001": 300 - int(plainly)})
    slide = _beside(close_survey(survey=survey))
    for bar in slide.bars:
        assert bar.interval is not None
        assert bar.interval.start <= 30 <= bar.interval.end
    assert slide.reveal.beside
    [pair] = slide.reveal.beside.comparison.differences
    assert pair.interval.low <= 0 <= pair.interval.high
