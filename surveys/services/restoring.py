"""Going back to what a draft was at an earlier save."""

from django.contrib.auth.models import User
from django.db import transaction

from surveys.models import SavedVersion, Survey
from surveys.services.documents import read_document
from surveys.services.surveys import save_draft


@transaction.atomic
def restore_version(*, survey: Survey, version: SavedVersion, revision: int, by: User) -> Survey:
    """Save an earlier version once more, as the draft's next revision; what stands there now stays among the versions.

    Groups are links that may have been given out already, so they stay as they are. Raises like `save_draft`, and
    DocumentRefused for a version whose questions could not be asked any more.
    """
    content = read_document(version.document)
    return save_draft(survey=survey, questions=content.questions, revision=revision, by=by, **content.fields)
