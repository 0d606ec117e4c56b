"""What is written of lessons. Whatever changes the steps forgets what phones found in them."""

from collections.abc import Callable, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.drafts.services.surveys import NotAllowedNow
from surveys.learn.pages import lab_pages
from surveys.lessons.ready import READY
from surveys.models import Lesson, LessonFinding, Survey
from surveys.models.lesson import LARGEST_FOUND

MOST_STEPS = 40
MOST_MINUTES = 90
# More dots than this have no place on a wall, and no class has so many phones.
MOST_FOUND = 500
MINUTES = 5

Step = dict[str, Any]


def take_ready(*, survey: Survey, name: str) -> None:
    """Make a ready lesson the survey's, in place of what it had."""
    if name not in READY:
        raise ValidationError({"name": _("Choose one of the ready-made lessons.")})
    steps = list(READY[name].steps_for(survey.question_count))
    _change(survey, lambda _steps: steps)


def add_page(*, survey: Survey, slug: str, minutes: int = MINUTES) -> None:
    """Add a page of the lab at the end; raises ValidationError naming the field."""
    if slug not in lab_pages():
        raise ValidationError({"page": _("Choose one of the lab’s pages.")})
    _change(survey, lambda steps: [*steps, {"page": slug, "controls": {}, "minutes": minutes}], "page")


def add_question(*, survey: Survey, number: int, minutes: int = MINUTES) -> None:
    """Add a question of the survey at the end; raises ValidationError naming the field."""
    if not 1 <= number <= survey.question_count:
        raise ValidationError({"question": _("Choose one of the survey’s questions.")})
    _change(survey, lambda steps: [*steps, {"question": number, "minutes": minutes}], "question")


def move_step(*, survey: Survey, number: int, by: int) -> None:
    """Move a step up or down; at the end of the list it stays."""

    def moved(steps: list[Step]) -> list[Step]:
        place = place_of(steps, number)
        to = min(len(steps) - 1, max(0, place + by))
        steps.insert(to, steps.pop(place))
        return steps

    _change(survey, moved)


def remove_step(*, survey: Survey, number: int) -> None:
    def without(steps: list[Step]) -> list[Step]:
        del steps[place_of(steps, number)]
        return steps

    _change(survey, without)


def set_step(*, survey: Survey, number: int, minutes: int, controls: dict[str, str] | None = None) -> None:
    """Give a step so many minutes, and a page of the lab what it begins with."""

    def written(steps: list[Step]) -> list[Step]:
        changed = {"minutes": minutes} | ({} if controls is None else {"controls": controls})
        steps[place_of(steps, number)].update(changed)
        return steps

    _change(survey, written)


@transaction.atomic
def show_step(*, survey: Survey, at: int | None) -> None:
    """Show a step to the class, from 1; 0 lets phones join, and None ends the lesson. Raises NotAllowedNow."""
    lesson = Lesson.objects.select_for_update().filter(survey_id=survey.pk).first()
    if lesson is None or not lesson.steps or (at is not None and not 0 <= at <= len(lesson.steps)):
        raise NotAllowedNow(_("This lesson does not have that step. Choose another step."))
    lesson.at = at
    lesson.save(update_fields=["at"])


def forget_findings(*, survey: Survey, step: int | None = None) -> None:
    """Forget what phones found, in one step or in all."""
    findings = LessonFinding.objects.filter(lesson_id=survey.pk)
    (findings if step is None else findings.filter(step=step)).delete()


@transaction.atomic
def keep_finding(*, lesson: Lesson, step: int, seed: int) -> bool:
    """Keep the seed of a phone's draw, and return whether there was room; the same seed again is the same dot.

    Nothing is kept beside it. Of two at the limit both may come in: it is there so that dots have a place.
    """
    if not 1 <= seed <= LARGEST_FOUND:
        raise ValueError(f"seed must be 1 to {LARGEST_FOUND}, got {seed!r}")
    if LessonFinding.objects.filter(lesson=lesson, step=step).count() >= MOST_FOUND:
        return False
    LessonFinding.objects.bulk_create([LessonFinding(lesson=lesson, step=step, seed=seed)], ignore_conflicts=True)
    return True


@transaction.atomic
def _change(survey: Survey, change: Callable[[list[Step]], list[Step]], field: str = "name") -> None:
    """Write the steps anew; what is shown stays shown, wherever it stands now."""
    # Two of one survey's editors at once: the second sees what the first has done.
    Survey.objects.select_for_update().get(pk=survey.pk)
    lesson, _made = Lesson.objects.get_or_create(survey_id=survey.pk)
    before = list(lesson.steps)
    steps = change(list(before))
    if len(steps) > MOST_STEPS:
        raise ValidationError(
            {field: _("A lesson can have at most %(most)s steps. Remove a step first.") % {"most": MOST_STEPS}}
        )
    shown = before[lesson.at - 1] if lesson.at else None
    if shown is not None:
        lesson.at = next((number for number, step in enumerate(steps, start=1) if step is shown), 0)
    lesson.steps = steps
    lesson.save()
    # They belong to steps by their numbers, and to what those begin with.
    forget_findings(survey=survey)


def place_of(steps: Sequence[object], number: int) -> int:
    """Return where a step stands, from 0; raises NotAllowedNow where there is none of this number."""
    if not 1 <= number <= len(steps):
        raise NotAllowedNow(_("This lesson does not have that step. Choose another step."))
    return number - 1
