"""From what a document says to a new draft."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.models import Survey
from surveys.selectors.documents import document_of
from surveys.services.documents.content import SurveyContent
from surveys.services.documents.reading import read_document
from surveys.services.grouping import add_group
from surveys.services.surveys import create_survey


@transaction.atomic
def create_from(*, owner: User, content: SurveyContent, **fields: Any) -> Survey:
    """Create a draft with its questions and groups; `fields` are columns that are no part of a document."""
    survey = create_survey(owner=owner, questions=content.questions, **content.fields, **fields)
    for group in content.groups:
        add_group(survey=survey, name=group.name, slug=group.slug)
    return survey


def duplicate(*, survey: Survey, owner: User) -> Survey:
    """Create a draft that says all that this survey says; it has a code of its own, and belongs to whoever made it."""
    return create_from(owner=owner, content=read_document(document_of(survey)))
