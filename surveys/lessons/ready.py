"""Lessons that are ready to teach: pages of the lab with the controls that they begin with, and minutes for each.

The class's own questions stand where the lesson has a place for them; each further one of them takes its own minutes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy


@dataclass(frozen=True, slots=True)
class ReadyStep:
    """A page of the lab, or without one the place where the class answers and sees what it said."""

    minutes: int
    page: str = ""
    controls: Mapping[str, str] = field(default_factory=dict)
    questions: int = 1  # so many of the survey's, where it has them


@dataclass(frozen=True, slots=True)
class ReadyLesson:
    """A lesson to take with one press."""

    name: str
    title: Promise
    about: Promise
    steps: tuple[ReadyStep, ...]

    @property
    def minutes(self) -> int:
        """How long it takes with one question; further questions are looked at in the same time."""
        return sum(step.minutes for step in self.steps)

    def steps_for(self, questions: int) -> Iterator[dict[str, Any]]:
        """Return its steps as they are stored, for a survey of so many questions."""
        for step in self.steps:
            if step.page:
                yield {"page": step.page, "controls": dict(step.controls), "minutes": step.minutes}
                continue
            asked = min(questions, step.questions)
            # The first takes what is left: that is where everybody answers.
            yield from (
                {"question": number, "minutes": step.minutes - 2 * (asked - 1) if number == 1 else 2}
                for number in range(1, asked + 1)
            )


_LESSONS = (
    ReadyLesson(
        "trust",
        gettext_lazy("Can I trust this survey?"),
        gettext_lazy(
            "For a class that should answer honestly: what one answer reveals, what all answers together "
            "reveal, and what you still have to trust."
        ),
        (
            ReadyStep(4, "coin", {"people": "100"}),
            ReadyStep(6, questions=2),
            ReadyStep(3, "two-histograms"),
            ReadyStep(3, "groups", {"count": "10"}),
            ReadyStep(4, "audit", {"mechanism": "forgetful", "runs": "100000"}),
        ),
    ),
    ReadyLesson(
        "by-hand",
        gettext_lazy("Differential privacy by hand"),
        gettext_lazy(
            "For a course: how a coin gives ε, how ε adds up, what noise costs, and what two harmless counts reveal."
        ),
        (
            ReadyStep(5, "coin", {"people": "100"}),
            ReadyStep(8, questions=3),
            ReadyStep(5, "two-histograms"),
            ReadyStep(4, "guesser"),
            ReadyStep(5, "groups"),
            ReadyStep(5, "sensitivity"),
            ReadyStep(5, "count-noise", {"counts": "100"}),
            ReadyStep(4, "differencing"),
            ReadyStep(4, "local-central"),
        ),
    ),
    ReadyLesson(
        "learning",
        gettext_lazy("Private learning"),
        gettext_lazy(
            "For students of statistics or machine learning: from one coin to a network that remembers no individual."
        ),
        (
            ReadyStep(6, "coin"),
            ReadyStep(10, questions=3),
            ReadyStep(6, "two-histograms"),
            ReadyStep(8, "smoking"),
            ReadyStep(8, "sensitivity", {"what": "mean"}),
            ReadyStep(8, "composition"),
            ReadyStep(10, "membership", {"people": "50", "traits": "500"}),
            ReadyStep(8, "losses"),
            ReadyStep(10, "race"),
            ReadyStep(10, "sgd"),
            ReadyStep(6, "model-selection"),
        ),
    ),
)
READY: Mapping[str, ReadyLesson] = {lesson.name: lesson for lesson in _LESSONS}
