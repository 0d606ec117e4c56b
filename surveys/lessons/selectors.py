"""A lesson as it stands: its steps, and which of them is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from surveys.common.selectors import definition_of
from surveys.learn.forms import PageForm
from surveys.learn.page import LabPage
from surveys.learn.pages import lab_pages
from surveys.models import Lesson, Survey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition


@dataclass(frozen=True)
class LessonStep:
    """A page of the lab, or a question; neither where a draft has lost the question, or the lab the page."""

    number: int
    minutes: int
    page: LabPage | None = None
    question: AskedQuestion | None = None
    controls: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it is called; nothing where it is lost."""
        if self.page:
            return str(self.page.title)
        return self.question.text if self.question else ""

    @property
    def takes_findings(self) -> bool:
        """Whether phones draw something in it that can be shown beside each other."""
        return self.page is not None and bool(self.page.watched)

    @cached_property
    def values(self) -> dict[str, Any]:
        """What its page begins with; what phones found is computed with these."""
        return PageForm(self.page.controls, self.controls).values if self.page else {}


@dataclass(frozen=True)
class GivenLesson:
    """A survey's lesson at one moment."""

    stored: Lesson
    steps: Sequence[LessonStep]

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.steps)

    @property
    def step(self) -> LessonStep | None:
        """What is shown now; nothing while phones join, or while it is not given."""
        at = self.stored.at
        return self.steps[at - 1] if at is not None and 0 < at <= len(self.steps) else None

    @property
    def at(self) -> int:
        """Where it stands on the wall: 0 while phones join."""
        return self.step.number if self.step else 0

    @property
    def before(self) -> int | None:
        """Where it was a step before."""
        return self.at - 1 if self.at else None

    @property
    def following(self) -> LessonStep | None:
        """What comes next."""
        return self.steps[self.at] if self.at < len(self.steps) else None


def lesson_of(survey: Survey, definition: Definition | None = None) -> GivenLesson | None:
    stored = Lesson.objects.filter(survey_id=survey.pk).first()
    if stored is None or not stored.steps:
        return None
    questions = (definition or definition_of(survey)).questions
    steps = [_read(number, step, questions) for number, step in enumerate(stored.steps, start=1)]
    return GivenLesson(stored, steps)


def seeds_of(lesson: GivenLesson, step: LessonStep) -> list[int]:
    """Return what phones found in a step, in the order of the numbers."""
    findings = lesson.stored.findings.filter(step=step.number).order_by("seed")
    return list(findings.values_list("seed", flat=True))


def _read(number: int, step: Mapping[str, Any], questions: Sequence[AskedQuestion]) -> LessonStep:
    minutes = step["minutes"]
    if "page" in step:
        return LessonStep(number, minutes, page=lab_pages().get(step["page"]), controls=step["controls"])
    asked = next((question for question in questions if question.number == step["question"]), None)
    return LessonStep(number, minutes, question=asked)
