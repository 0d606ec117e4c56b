"""The other versions of a survey, and a survey as a document: everything its owner wrote."""

import datetime as dt
import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.db.models import Q, QuerySet

from surveys.common.selectors import definition_of, surveys_of
from surveys.models import Group, Right, State, Survey
from surveys.models.membership import RIGHTS_OF
from surveys.privacy.designs import total_epsilon
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import COLUMNS, TEXTS
from surveys.questionnaire.kinds import Loss

# Up to the first version, then down to all that were made from it, however they branch.
_FAMILY = """
    WITH RECURSIVE up (id, previous_id) AS (
        SELECT id, previous_id FROM surveys_survey WHERE id = %s
        UNION SELECT s.id, s.previous_id FROM surveys_survey s JOIN up ON s.id = up.previous_id
    ), family (id) AS (
        SELECT id FROM up WHERE previous_id IS NULL
        UNION SELECT s.id FROM surveys_survey s JOIN family ON s.previous_id = family.id
    ) SELECT id FROM family
"""


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """The other versions of a survey that were opened: somebody may have answered each, with other coins."""

    hashes: tuple[str, ...]
    numbers: tuple[int, ...] = field(compare=False)  # as people count versions
    losses: tuple[Loss, ...] = field(compare=False)  # of all of them
    protects: bool = field(default=True, compare=False)  # False where one may ask somebody everything plainly

    @property
    def bounded_epsilon(self) -> float:
        """What one response to each of them gives away, but for proofs: the sum, rounded up."""
        return total_epsilon(loss.epsilon for loss in self.losses if loss.epsilon < math.inf)


def others_of(survey: Survey) -> OtherVersions | None:
    """Return what a survey's own reports add up with, and None where no other version was opened."""
    if not (others := other_versions(survey)):
        return None
    return OtherVersions(
        hashes=tuple(other.content_hash for other in others),
        numbers=tuple(other.edition for other in others),
        losses=tuple(loss for other in others for loss in _costliest_losses(definition_of(other))),
        protects=all(definition_of(other).protects for other in others),
    )


def _costliest_losses(definition: Definition) -> tuple[Loss, ...]:
    """Return what costs most of what one person meets; of arms with proofs, which have no order, all."""
    return (definition if definition.proving else definition.costliest).losses


def other_versions(survey: Survey) -> list[Survey]:
    """Return the versions beside this one that were opened, whatever has become of them, the first one first."""
    if survey.pk is None or not survey.may_have_versions:
        return []
    opened = Survey.objects.filter(pk__in=_family(survey)).exclude(pk=survey.pk).exclude(state=State.DRAFT)
    return list(opened.order_by("edition", "pk"))


def editions_of(survey: Survey, *, user: User | AnonymousUser) -> list[Survey]:
    """Return all versions of a survey that the user may see, the first one first."""
    return sorted(surveys_of(user=user).filter(pk__in=_family(survey)), key=lambda each: (each.edition, each.pk))


def last_edition(survey: Survey) -> int:
    """Return the highest number that a version of this survey has."""
    return max(Survey.objects.filter(pk__in=_family(survey)).values_list("edition", flat=True))


def next_draft(survey: Survey) -> Survey | None:
    """Return the draft that is to become the next version, if one has been begun."""
    # After a transfer the draft may be the former owner's, which the new one cannot see.
    drafts = survey.next_versions.filter(state=State.DRAFT, owner_id=survey.owner_id)
    return drafts.order_by("pk").first()


def _family(survey: Survey) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_FAMILY, [survey.pk])
        return [row[0] for row in cursor.fetchall()]


# A survey as a document: everything its owner wrote, and nothing else. docs/formats.md describes it for its readers.


FORMAT = "deniable-survey"
VERSION = 1
# Of the questionnaire and of `Survey`; who owns it, its code and its state are no part of what was written.
SURVEY_FIELDS = (
    *TEXTS,
    "language",
    "time_zone",
    "opens_at",
    "closes_at",
    "purge_on",
    "response_cap",
    "minimum_n",
    "by_invitation",
    "server_mode_allowed",
    "credit",
    "expected_n",
    "expected_share",
    "arms",
    "random_order",
    "translations",
)
GROUP_FIELDS = ("name", "slug")

# Older ones have their button on their own pages.
MOST_TO_DUPLICATE = 12
_EDITORS = [role for role, rights in RIGHTS_OF.items() if Right.EDIT in rights]
# Within a text a line break is written \n, so this never reaches into one.
_PAIR = re.compile(r"\[\n\s+(-?\d+),\n\s+(-?\d+)\n\s+\]")


def document_of(survey: Survey) -> dict[str, Any]:
    """Return the document of a survey; the same survey always gives the same document."""
    fields, questions = parts_of(survey)
    groups = [_group(group) for group in sorted(survey.groups.all(), key=lambda group: group.slug)]
    return {"format": FORMAT, "version": VERSION, "survey": fields, "groups": groups, "questions": questions}


def parts_of(survey: Survey) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a document says of a survey itself, and its questions."""
    written = survey.questionnaire.as_json
    values = written | {name: _value(survey, name) for name in SURVEY_FIELDS if name not in COLUMNS}
    return {name: values[name] for name in SURVEY_FIELDS if name in values}, written["questions"]


def write_document(document: dict[str, Any]) -> bytes:
    """Write a document as a file: UTF-8, indented, each exact number on one line."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return (_PAIR.sub(r"[\1, \2]", text) + "\n").encode()


def surveys_to_duplicate(user: User | AnonymousUser) -> QuerySet[Survey]:
    """Return the surveys that the user may make a copy of, the last ones first."""
    return (
        Survey.objects.filter(Q(owner_id=user.pk) | Q(memberships__user_id=user.pk, memberships__role__in=_EDITORS))
        .filter(rehearsal_of=None, archived=False)
        .distinct()
        .order_by("-created_at", "-pk")[:MOST_TO_DUPLICATE]
    )


def _value(survey: Survey, name: str) -> Any:  # noqa: ANN401 - a column's value
    value = getattr(survey, name)
    # As its owner reads it: in the survey's own time zone, with the offset that holds there on that day.
    if isinstance(value, dt.datetime):
        return value.astimezone(survey.zone).isoformat()
    return value.isoformat() if isinstance(value, dt.date) else value


def _group(group: Group) -> dict[str, Any]:
    return {name: getattr(group, name) for name in GROUP_FIELDS}
