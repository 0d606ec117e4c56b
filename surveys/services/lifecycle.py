"""A survey's course from draft to closed: opened, which freezes it, paused, resumed, closed."""

import math

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys import selectors
from surveys.models import State, Survey
from surveys.models.definition import Definition
from surveys.models.survey import TRANSITIONS
from surveys.services import folding
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def open_survey(*, survey: Survey, shown: str = "", typed: str = "") -> Survey:
    """Freeze the design and accept answers; raises ValidationError when nobody could answer it, or nobody should.

    `shown` is the version that the author looked at: another one, saved meanwhile elsewhere, is not opened. `typed` is
    the join code, which somebody has to have typed where a report can prove an answer.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.closes_at is not None and survey.closes_at <= timezone.now() and State.OPEN in TRANSITIONS[survey.state]:
        raise ValidationError(
            {"closes_at": _("Its closing time has passed: nobody could answer. Set another one first.")}
        )
    if survey.is_draft:
        questions = list(survey.questions.all())
        if not questions:
            raise ValidationError(_("A survey needs at least one question before it opens."))
        survey.full_clean()
        for question in questions:
            question.full_clean()
        definition = selectors.draft_of(survey)
        if not survey.is_rehearsal:
            _require_protection(definition, typed)
        survey.content_hash = definition.version
        if shown and shown != survey.content_hash:
            raise NotAllowedNow(
                _("The draft has changed since this page was shown. Look at it again before you open it.")
            )
    # Whatever takes answers stands in the list where its author looks first.
    survey.archived = False
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


def _require_protection(definition: Definition, typed: str) -> None:
    """Refuse a survey that gives away more than this server allows, or more than any number says unless it is meant.

    Reports that prove something have no ε to add up: they are asked about apart.
    """
    if definition.bounded_epsilon > settings.EPSILON_CAP:
        raise ValidationError(
            _(
                "All reports of one response together have ε = %(total)s; %(most)s is the most that this server opens "
                "a survey with. Ask fewer questions, or send the truth less often."
            )
            % {"total": f"{math.ceil(100 * definition.bounded_epsilon) / 100:.2f}", "most": f"{settings.EPSILON_CAP:g}"}
        )
    if definition.proving and typed.strip().upper() != definition.code:
        raise ValidationError(
            {"code": _("A report can prove an answer. Type the join code if you mean to open it like that.")}
        )


def _move(survey: Survey, state: State) -> Survey:
    if state not in TRANSITIONS[survey.state]:
        raise NotAllowedNow(
            _("A survey that is %(state)s cannot become %(wanted)s.")
            % {"state": survey.get_state_display(), "wanted": state.label}
        )
    survey.state = state
    survey.save()
    return survey
