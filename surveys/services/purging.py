"""Purging: what respondents sent is destroyed, down to the last count; what was asked and what was released stay."""

from django.db import transaction
from django.utils.translation import gettext as _

from surveys.models import CellCount, FoldedPart, Invitation, PatternCount, Response, SpentNonce, State, Survey
from surveys.models.survey import TRANSITIONS
from surveys.selectors import cells, responses
from surveys.services import erasing
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def purge_survey(*, survey: Survey) -> Survey:
    """Destroy a closed or sealed survey's reports and counts, then write the files anew; cannot be taken back.

    Its definition, its releases and their ledger stay. Where others keep the files as they are, writing them anew stays
    due. Raises `NotAllowedNow` in any other state.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if State.PURGED not in TRANSITIONS[survey.state]:
        raise NotAllowedNow(_why_not(survey))
    erasing.overwrite_what_is_deleted()
    for rows in (Response, SpentNonce, Invitation):
        rows.objects.filter(survey=survey).delete()
    survey.state = State.PURGED
    survey.save()
    # The database lets go of what a sealed survey has counted only now.
    for counts in (PatternCount, FoldedPart, CellCount):
        counts.objects.filter(survey=survey).delete()
    transaction.on_commit(_forget)
    erasing.erase_when_committed(survey, rewriting=True)
    return survey


def _forget() -> None:
    """Let go of it in memory, where other surveys' counts are soon back."""
    responses.forget()
    cells.forget()


def _why_not(survey: Survey) -> str:
    if survey.is_draft:
        return _("Nothing was collected by a draft: delete it instead.")
    if survey.state == State.PURGED:
        return _("The reports of this survey are deleted already.")
    return _("Only a survey that is closed can be purged: close it first.")
