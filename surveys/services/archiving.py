"""What its owner no longer needs: put out of the way, or deleted while nothing has been collected."""

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from surveys.models import State, Survey
from surveys.services.copies import discard_of
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def archive_survey(*, survey: Survey) -> Survey:
    """Keep a survey out of the list; one that may take answers again stays in sight (raises NotAllowedNow)."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.state in {State.OPEN, State.PAUSED}:
        raise NotAllowedNow(_("A survey that may still take answers stays in the list: close it first."))
    if survey.archived:
        raise NotAllowedNow(_("This survey is in the archive already."))
    return _archived(survey, archived=True)


@transaction.atomic
def unarchive_survey(*, survey: Survey) -> Survey:
    """Put a survey back into the list; raises NotAllowedNow where it is there."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.archived:
        raise NotAllowedNow(_("This survey is not in the archive."))
    return _archived(survey, archived=False)


@transaction.atomic
def delete_draft(*, survey: Survey) -> None:
    """Delete a draft with its questions, groups, roles and saved versions; raises NotAllowedNow once it was opened."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_draft:
        raise NotAllowedNow(
            _(
                "This survey has been opened, so what it asked stays on record. Once it is closed, its reports can be "
                "purged."
            )
        )
    for copy in survey.rehearsal_copies.select_related("owner"):
        discard_of(user=copy.owner, survey=survey)
    try:
        survey.delete()
    except ProtectedError:
        raise NotAllowedNow(
            _("A privacy budget has been set for this draft, and its ledger stays. Archive it instead.")
        ) from None


def _archived(survey: Survey, *, archived: bool) -> Survey:
    survey.archived = archived
    survey.save(update_fields=["archived", "updated_at"])
    return survey
