"""A survey as a document: all that its author wrote, and nothing else. docs/formats.md describes it for its readers."""

import datetime as dt
import json
import re
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Q, QuerySet

from surveys.models import Group, Question, Right, Survey
from surveys.models.membership import RIGHTS_OF

FORMAT = "deniable-survey"
VERSION = 1
# Columns of the models under their own names; who owns it, its code and its state are no part of what was written.
SURVEY_FIELDS = (
    "title",
    "introduction",
    "consent",
    "support",
    "language",
    "time_zone",
    "opens_at",
    "closes_at",
    "response_cap",
    "minimum_n",
    "by_invitation",
    "server_mode_allowed",
    "expected_n",
    "expected_share",
)
QUESTION_FIELDS = ("kind", "text", "options", "details", "design", "parameters", "leave_out", "accepts_infinite")
GROUP_FIELDS = ("name", "slug")

# Older ones have their button on their own pages.
MOST_TO_DUPLICATE = 12
_EDITORS = [role for role, rights in RIGHTS_OF.items() if Right.EDIT in rights]
# Within a text a line break is written \n, so this never reaches into one.
_PAIR = re.compile(r"\[\n\s+(-?\d+),\n\s+(-?\d+)\n\s+\]")


def document_of(survey: Survey) -> dict[str, Any]:
    """Return the document of a survey; the same survey always gives the same document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "survey": {name: _value(survey, name) for name in SURVEY_FIELDS},
        "groups": [_group(group) for group in sorted(survey.groups.all(), key=lambda group: group.slug)],
        "questions": [_question(question) for question in survey.questions.all()],
    }


def written(document: dict[str, Any]) -> bytes:
    """Write a document as a file: UTF-8, indented, each exact number on one line."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return (_PAIR.sub(r"[\1, \2]", text) + "\n").encode()


def surveys_to_duplicate(user: User | AnonymousUser) -> QuerySet[Survey]:
    """Return the surveys that the user may make a copy of, the last ones first."""
    return (
        Survey.objects.filter(Q(owner_id=user.pk) | Q(memberships__user_id=user.pk, memberships__role__in=_EDITORS))
        .filter(rehearsal_of=None, archived=False)
        .annotate(question_count=Count("questions", distinct=True))
        .distinct()
        .order_by("-created_at", "-pk")[:MOST_TO_DUPLICATE]
    )


def _value(survey: Survey, name: str) -> Any:  # noqa: ANN401 - a column's value
    value = getattr(survey, name)
    # As its author reads it: in the survey's own time zone, with the offset that holds there on that day.
    return value.astimezone(survey.zone).isoformat() if isinstance(value, dt.datetime) else value


def _group(group: Group) -> dict[str, Any]:
    return {name: getattr(group, name) for name in GROUP_FIELDS}


def _question(question: Question) -> dict[str, Any]:
    values = {name: getattr(question, name) for name in QUESTION_FIELDS}
    # One of the two databases keeps no order of names.
    return {name: dict(sorted(value.items())) if isinstance(value, dict) else value for name, value in values.items()}
