"""Writing surveys: drafts are edited whole, then opened and frozen, then closed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from surveys import selectors
from surveys.models import Question, State, Survey, kinds
from surveys.models.definition import items_of
from surveys.models.response import MAX_ITEMS
from surveys.models.survey import TRANSITIONS
from surveys.services import folding

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
    details: dict[str, Any] = field(default_factory=dict)
    accepts_infinite: bool = False


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
                raise ValidationError({"code": _("This join code is taken.")}) from None
    _replace_questions(survey, questions)
    return survey


@transaction.atomic
def save_draft(*, survey: Survey, questions: Sequence[QuestionDraft], **fields: Any) -> Survey:
    """Write the whole draft anew; raises ValidationError (nothing stored) or NotAllowedNow when it has been opened."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_draft:
        raise NotAllowedNow(_("This survey has been opened: its design is frozen."))
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
            raise ValidationError(_("A survey needs at least one question before it opens."))
        survey.full_clean()
        for question in questions:
            question.full_clean()
        survey.content_hash = selectors.draft_of(survey).version
        if shown and shown != survey.content_hash:
            raise NotAllowedNow(
                _("The draft has changed since this page was shown. Look at it again before you open it.")
            )
    return _move(survey, State.OPEN)


@transaction.atomic
def pause_survey(*, survey: Survey) -> Survey:
    """Accept no answers for a while."""
    return _move(Survey.objects.select_for_update().get(pk=survey.pk), State.PAUSED)


@transaction.atomic
def close_survey(*, survey: Survey) -> Survey:
    """Accept no more answers, for good."""
    closed = _move(Survey.objects.select_for_update().get(pk=survey.pk), State.CLOSED)
    folding.fold(survey=closed, everything=True)
    return closed


def _move(survey: Survey, state: State) -> Survey:
    if state not in TRANSITIONS[survey.state]:
        raise NotAllowedNow(
            _("A survey that is %(state)s cannot become %(wanted)s.")
            % {"state": survey.get_state_display(), "wanted": state.label}
        )
    survey.state = state
    survey.save()
    return survey


def _replace_questions(survey: Survey, drafts: Sequence[QuestionDraft]) -> None:
    survey.questions.all().delete()
    items = 0
    facts: dict[str, int] = {}
    for position, draft in enumerate(drafts, start=1):
        question = Question(survey=survey, position=position, **asdict(draft))
        question.full_clean()
        items += len(items_of(question))
        if items > MAX_ITEMS:
            raise ValidationError(
                _("A survey can have %(most)s items at most; each of several options is one.") % {"most": MAX_ITEMS}
            )
        _require_facts_of_its_own(question, facts)
        question.save()


def _require_facts_of_its_own(question: Question, facts: dict[str, int]) -> None:
    """Refuse one innocuous fact for two questions: from it, their reports together can prove what neither does alone.

    Losses add up only where chance falls anew for each report. From one birthday, two crosswise reports prove whether
    the two true answers agree.
    """
    for fact in kinds.facts_in(question.details):
        if earlier := facts.get(fact):
            raise ValidationError(
                _(
                    "Questions %(earlier)s and %(later)s lean on the same innocuous question: together their reports "
                    "would prove something. Give each its own."
                )
                % {"earlier": earlier, "later": question.position}
            )
        facts[fact] = question.position
