"""Writing surveys: drafts are edited whole, then opened and frozen, then closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from surveys import selectors
from surveys.models import Question, State, Survey
from surveys.models.response import MAX_ITEMS
from surveys.models.survey import TRANSITIONS

_CODE_TRIES = 5


class NotAllowedNow(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The survey's state does not allow this; the message says so to people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDraft:
    """One question as an editor hands it over."""

    kind: str
    text: str
    options: list[str]
    design: str
    parameters: dict[str, list[int]]
    leave_out: str


@transaction.atomic
def create_survey(*, owner: User, questions: Sequence[QuestionDraft] = (), **fields: Any) -> Survey:
    """Create a draft with its questions; raises ValidationError naming the field and stores nothing then."""
    for attempt in range(_CODE_TRIES):
        survey = Survey(owner_id=owner.pk, **fields)
        survey.full_clean(validate_unique=False)
        try:
            with transaction.atomic():
                survey.save()
            break
        except IntegrityError:
            # One code in 887 million is taken; a code given by hand is refused at once.
            if "code" in fields or attempt == _CODE_TRIES - 1:
                raise ValidationError({"code": "This join code is taken."}) from None
    _replace_questions(survey, questions)
    return survey


@transaction.atomic
def save_draft(*, survey: Survey, questions: Sequence[QuestionDraft], **fields: Any) -> Survey:
    """Write the whole draft anew; raises ValidationError (nothing stored) or NotAllowedNow when it has been opened."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_draft:
        raise NotAllowedNow("This survey has been opened: its design is frozen.")
    for name, value in fields.items():
        setattr(survey, name, value)
    survey.full_clean()
    survey.save()
    _replace_questions(survey, questions)
    return survey


@transaction.atomic
def open_survey(*, survey: Survey, shown: str = "") -> Survey:
    """Freeze the design and accept answers; raises ValidationError when the draft cannot be asked.

    `shown` is the version that the author looked at: another one, saved meanwhile elsewhere, is not opened.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_draft:
        questions = list(survey.questions.all())
        if not questions:
            raise ValidationError("A survey needs at least one question before it opens.")
        survey.full_clean()
        for question in questions:
            question.full_clean()
        survey.content_hash = selectors.draft_of(survey).version
        if shown and shown != survey.content_hash:
            raise NotAllowedNow("The draft has changed since this page was shown. Look at it again before you open it.")
    return _move(survey, State.OPEN)


@transaction.atomic
def pause_survey(*, survey: Survey) -> Survey:
    """Accept no answers for a while."""
    return _move(Survey.objects.select_for_update().get(pk=survey.pk), State.PAUSED)


@transaction.atomic
def close_survey(*, survey: Survey) -> Survey:
    """Accept no more answers, for good."""
    return _move(Survey.objects.select_for_update().get(pk=survey.pk), State.CLOSED)


def _move(survey: Survey, state: State) -> Survey:
    if state not in TRANSITIONS[survey.state]:
        raise NotAllowedNow(
            f"A survey that is {survey.get_state_display().lower()} cannot become {state.label.lower()}."
        )
    survey.state = state
    survey.save()
    return survey


def _replace_questions(survey: Survey, drafts: Sequence[QuestionDraft]) -> None:
    if len(drafts) > MAX_ITEMS:
        raise ValidationError(f"A survey can have {MAX_ITEMS} questions at most.")
    survey.questions.all().delete()
    for position, draft in enumerate(drafts, start=1):
        question = Question(
            survey=survey,
            position=position,
            kind=draft.kind,
            text=draft.text,
            options=draft.options,
            design=draft.design,
            parameters=draft.parameters,
            leave_out=draft.leave_out,
        )
        question.full_clean()
        question.save()
