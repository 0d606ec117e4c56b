"""The published releases of one survey, for everybody."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from surveys.models import Release, Survey
from surveys.models.definition import Definition
from surveys.selectors.releases.doors import published_releases
from surveys.selectors.surveys import definition_of

INDEX_SCHEMA = "deniable-releases/1"

_KEY_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Index:
    """A survey and its published releases, newest first; there is at least one."""

    key: str
    definition: Definition
    releases: tuple[Release, ...]


def index_key(survey: Survey) -> str:
    """Return what names a survey in the address of its releases.

    It is the beginning of the hash of all that respondents agreed to, which every release names as well. It is not
    the survey's code: with that anybody could answer.
    """
    return survey.content_hash[:_KEY_LENGTH]


def published_index(key: str) -> Index:
    """Return the published releases of a survey.

    Where none is published it does not exist, whatever else there is of the survey (raises `Release.DoesNotExist`).
    """
    if len(key) == _KEY_LENGTH:
        for survey in Survey.objects.filter(content_hash__startswith=key):
            releases = tuple(published_releases(survey))
            # SQLite takes capital and small letters for the same.
            if releases and index_key(survey) == key:
                return Index(key, definition_of(survey), releases)
    raise Release.DoesNotExist


def index_document(index: Index) -> dict[str, Any]:
    """Return the list as JSON holds it."""
    return {
        "schema": INDEX_SCHEMA,
        "survey": index.definition.title,
        "releases": [
            {
                "id": release.pk,
                "page": reverse("release", args=[release.pk]),
                "document": reverse("release-json", args=[release.pk]),
                "released_on": release.created_at.date().isoformat(),
                "mechanism": release.mechanism,
                "questions": [part.question.text for part in release.parts.all()],
                "epsilon": str(release.epsilon),
                "delta": str(release.delta),
            }
            for release in index.releases
        ],
    }
