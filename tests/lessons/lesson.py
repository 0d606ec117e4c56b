"""Lessons for tests, and phones that follow them."""

from django.test import Client

from surveys.lessons.selectors import GivenLesson, lesson_of
from surveys.lessons.services import show_step, take_ready
from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.factories import make_open

# In the lesson of twenty minutes, with one question.
COIN, QUESTION = 1, 2


def taught(*questions: Question, at: int | None = COIN, name: str = "trust", **fields: object) -> Survey:
    """Return an open survey with a ready lesson that shows this step."""
    survey = make_open(*questions, **fields)
    take_ready(survey=survey, name=name)
    show_step(survey=survey, at=at)
    return survey


def given(survey: Survey) -> GivenLesson:
    lesson = lesson_of(survey)
    assert lesson is not None
    return lesson


def draws_of(survey: Survey) -> list[tuple[int, int]]:
    """Return what is kept: steps and seeds."""
    return sorted(given(survey).stored.findings.values_list("step", "seed"))


def send_draw(survey: Survey, seed: object, *, step: int = COIN) -> str:
    """Send what a phone sends, and return where that leads."""
    answered = Client().post(f"/lesson/{survey.code}/found/?step={step}", {"seed": seed})
    assert answered.status_code == 303, answered.status_code
    return str(answered["Location"])
