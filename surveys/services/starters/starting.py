"""From a starter to a draft in the language chosen."""

from django.contrib.auth.models import User
from django.utils import translation

from surveys.models import Survey
from surveys.services.documents import create_from, read_document
from surveys.services.starters.starter import Starter


def start_from(starter: Starter, *, owner: User, language: str) -> Survey:
    """Create a draft whose texts are in this language, which the pages must speak."""
    with translation.override(language):
        content = read_document(starter.document)
    return create_from(owner=owner, content=content)
