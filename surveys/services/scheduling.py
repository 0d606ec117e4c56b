"""When an opened survey takes answers, and how many: its frozen design says nothing about either."""

import datetime as dt

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys import selectors
from surveys.models import State, Survey
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def reschedule(
    *, survey: Survey, opens_at: dt.datetime | None, closes_at: dt.datetime | None, response_cap: int | None
) -> Survey:
    """Change when a survey that has been opened, and not closed, takes answers, and how many at most.

    Raises ValidationError naming the field, or NotAllowedNow; nothing is stored then.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_draft:
        raise NotAllowedNow(_("The times of a draft are written in the editor."))
    if survey.state not in {State.OPEN, State.PAUSED}:
        raise NotAllowedNow(_("This survey takes no more answers: its times are past."))
    now, problems = timezone.now(), {}
    if opens_at != survey.opens_at and (why := _why_not_open(survey, opens_at, now)):
        problems["opens_at"] = why
    if closes_at != survey.closes_at and closes_at is not None and closes_at <= now:
        problems["closes_at"] = _("This time has passed. To take no more answers from now on, close the survey.")
    if response_cap != survey.response_cap and (why := _why_no_cap(survey, response_cap)):
        problems["response_cap"] = why
    if problems:
        raise ValidationError(problems)
    survey.opens_at, survey.closes_at, survey.response_cap = opens_at, closes_at, response_cap
    survey.full_clean()
    survey.save()
    return survey


def has_begun(survey: Survey, now: dt.datetime) -> bool:
    """Whether an opened survey's opening time, if it has any, has come."""
    return survey.opens_at is None or survey.opens_at <= now


def _why_not_open(survey: Survey, opens_at: dt.datetime | None, now: dt.datetime) -> str:
    if has_begun(survey, now):
        return _("It has opened already. To take no answers for a while, pause it.")
    if opens_at is not None and opens_at <= now:
        return _("This time has passed. Leave it empty to open at once.")
    return ""


def _why_no_cap(survey: Survey, response_cap: int | None) -> str:
    received = selectors.response_count(survey)
    if response_cap is not None and response_cap < received:
        return ngettext(
            "%(received)s answer has come in already: fewer cannot be the most.",
            "%(received)s answers have come in already: fewer cannot be the most.",
            received,
        ) % {"received": received}
    return ""
