"""From what a document says to a new draft."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.documents.services.parsing import parse_json
from surveys.documents.services.reading import SurveyContent, read_document
from surveys.documents.services.recognizing import foreign
from surveys.documents.services.xlsform.converting import read_xlsform
from surveys.documents.services.xlsform.rows import ImportReport
from surveys.documents.services.xlsform.workbook import is_package
from surveys.drafts.selectors import document_of
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import create_survey, save_draft
from surveys.models import SavedVersion, Survey


@transaction.atomic
def create_from(*, owner: User, content: SurveyContent, **fields: Any) -> Survey:
    """Create a draft with its questions and groups; `fields` are columns that are no part of a document."""
    survey = create_survey(owner=owner, questions=content.questions, **content.fields, **fields)
    for group in content.groups:
        add_group(survey=survey, name=group.name, slug=group.slug)
    return survey


def duplicate(*, survey: Survey, owner: User) -> Survey:
    """Create a draft with all texts of this survey; it has its own code, and belongs to the person who made it."""
    return create_from(owner=owner, content=read_document(document_of(survey)))


# Any uploaded file, recognized by its content, never by its name.


def read_import(raw: bytes) -> ImportReport:
    """Read a survey's document or an XLSForm; raises DocumentRefused with all that is wrong."""
    if refused := foreign(raw):
        raise refused
    if is_package(raw):
        return read_xlsform(raw)
    data = parse_json(raw)
    return ImportReport(document=data, content=read_document(data))


# Going back to what a draft was at an earlier save.


@transaction.atomic
def restore_version(*, survey: Survey, version: SavedVersion, revision: int, by: User) -> Survey:
    """Save an earlier version once more, as the draft's next revision; what stands there now stays among the versions.

    Groups are links that may have been given out already, so they stay as they are. Raises like `save_draft`, and
    DocumentRefused for a version whose questions could not be asked any more.
    """
    content = read_document(version.document)
    return save_draft(
        survey=survey, questions=content.questions, revision=revision, by=by, keeps_stored=True, **content.fields
    )
