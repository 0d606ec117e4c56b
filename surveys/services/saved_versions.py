"""Keeping what a draft was at each save."""

from django.contrib.auth.models import User

from surveys.models import SavedVersion, Survey
from surveys.selectors.documents import document_of

# Some weeks of busy editing. Each is up to a few hundred kilobytes, so a draft cannot fill the disk by being saved.
KEPT = 200


def record(*, survey: Survey, by: User | None) -> None:
    """Keep the draft as it has just been saved, and drop what is older than the last 200 saves."""
    if survey.is_rehearsal:
        return
    # Questions that were read before the save would be kept in place of those that were saved.
    saved = Survey.objects.get(pk=survey.pk)
    SavedVersion.objects.create(survey=saved, number=saved.revision, document=document_of(saved), saved_by=by)
    SavedVersion.objects.filter(survey=saved, number__lte=saved.revision - KEPT).delete()
