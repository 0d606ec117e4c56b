"""Two people who edited one draft at once: what the other one saved, and how it differs from what was typed here."""

import datetime as dt
from dataclasses import asdict, dataclass, replace

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from surveys.forms.authoring.differences import Difference, differences
from surveys.forms.authoring.editor import SurveyEditor
from surveys.models import Survey
from surveys.selectors.documents import SURVEY_FIELDS, document_of


@dataclass(frozen=True, slots=True)
class Conflict:
    """Who saved what, and how `theirs` (before) differs from mine (after)."""

    revision: int
    by: User | None
    own: bool
    at: dt.datetime
    differences: list[Difference]


def conflict_of(editor: SurveyEditor, stored: Survey, reader: User) -> Conflict:
    """Return what stands in the way of saving what is typed, which must be valid, over what is stored."""
    theirs = stored.saved_versions.select_related("saved_by").first()
    typed = Survey(**editor.survey.columns())
    mine = {
        "survey": {name: _written(getattr(typed, name), typed) for name in SURVEY_FIELDS},
        "questions": [asdict(draft) for draft in editor.drafts()],
    }
    found = differences(document_of(stored), mine)
    if base := stored.saved_versions.filter(number=editor.revision).first():
        found = _told_apart(found, differences(base.document, document_of(stored)), differences(base.document, mine))
    return Conflict(
        revision=stored.revision,
        by=theirs.saved_by if theirs else None,
        own=bool(theirs and theirs.saved_by_id == reader.pk),
        at=theirs.saved_at if theirs else stored.updated_at,
        differences=found,
    )


def _told_apart(found: list[Difference], theirs: list[Difference], mine: list[Difference]) -> list[Difference]:
    """Say of each difference who of the two made it since the version that both of them began with."""
    by_them, by_me = {change.what for change in theirs}, {change.what for change in mine}
    words = {
        (True, True): _("in both"),
        (True, False): _("only there"),
        (False, True): _("only here"),
        (False, False): "",
    }
    return [replace(change, who=words[change.what in by_them, change.what in by_me]) for change in found]


def _written(value: object, survey: Survey) -> object:
    """Write a value as a document does."""
    return value.astimezone(survey.zone).isoformat() if isinstance(value, dt.datetime) else value
