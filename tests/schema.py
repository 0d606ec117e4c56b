"""Writes the schema of survey documents from what declares their fields: `python -m tests.schema`."""

import json
import os
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from surveys.documents.services.parsing import LARGEST_NUMBER
from surveys.drafts.selectors import FORMAT, SURVEY_FIELDS, VERSION
from surveys.drafts.services.groups import MOST_GROUPS
from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.models import Group, Survey
from surveys.privacy.designs.family import INTEGER, PAIRS
from surveys.privacy.designs.grid import LARGEST_REPORTS
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.arms import LARGEST_WEIGHT, LONGEST_NAME, MOST_ARMS
from surveys.questionnaire.designs.plain import MOST_ANSWERS
from surveys.questionnaire.document import COLUMNS
from surveys.questionnaire.kinds import Typed
from surveys.questionnaire.question import QUESTION_COLUMNS, Column
from surveys.questionnaire.translations import LONGEST_TEXT

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "static/schemas/survey-1.schema.json"
Schema = dict[str, Any]

# What no declaration says.
_SAYS = {
    "language": "Of all that the pages say themselves.",
    "time_zone": "An IANA name such as Europe/Berlin; times are written in it.",
    "purge_on": "The day on which all answers are destroyed, in the survey's time zone.",
    "expected_n": "For planning only.",
    "expected_share": "In percent; for planning only.",
    "arms": "Random arms, none or at least two: each respondent is dealt to one, with its share of the weights.",
    "random_order": "Whether the respondent's device asks the questions in an order that it draws; reports keep the "
    "order here.",
    "translations": "The languages in which the survey is offered besides its own.",
}
_TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{6})?)?(Z|[+-][0-9]{2}:[0-9]{2})$"


def made() -> Schema:
    """Return the schema."""
    columns = {name: COLUMNS.get(name) or Survey._meta.get_field(name) for name in SURVEY_FIELDS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{FORMAT}/{VERSION}",
        "title": "A survey as its owner wrote it: all that a draft holds, without its owner’s name, its code, its "
        "state and any answer",
        "description": "Exact numbers are [numerator, denominator]. Omitted names stand for what a new survey has. "
        "Beyond this schema the rules of the editor hold: docs/formats.md names them.",
        **_object(
            {
                "format": {"const": FORMAT},
                "version": {"const": VERSION},
                "survey": _ref("survey"),
                "groups": {"type": "array", "maxItems": MOST_GROUPS, "items": _ref("group")},
                "questions": {"type": "array", "maxItems": MAX_QUESTIONS, "items": _ref("question")},
            },
            "format",
            "version",
            "survey",
        ),
        "$defs": {
            "survey": _object({name: _field(name, column) for name, column in columns.items()}, "title"),
            **_shared(),
            "question": _question(),
            "details": _details(),
            "parameters": {"anyOf": _parameters()},
        },
    }


def written() -> str:
    """Return the schema as the file holds it."""
    return json.dumps(made(), ensure_ascii=False, indent=2) + "\n"


def _object(properties: Schema, *required: str, **more: Any) -> Schema:
    named = {"required": list(required)} if required else {}
    return {"type": "object", "additionalProperties": False, **named, "properties": properties, **more}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _field(name: str, column: Column) -> Schema:
    """Return what a field may hold."""
    says = {"description": _SAYS[name]} if name in _SAYS else {}
    return (_special().get(name) or _value(column)) | says


def _special() -> dict[str, Schema]:
    """Return what no column says."""
    codes = [code for code, _language in settings.RESPONDENTS_LANGUAGES]
    arm = {"name": _text(LONGEST_NAME, least=1), "weight": _whole(1, LARGEST_WEIGHT)}
    return {
        "language": {"enum": codes},
        "translations": _object({code: _ref("texts") for code in codes}),
        "arms": {"type": "array", "maxItems": MOST_ARMS, "items": _object(arm, *arm)},
        "purge_on": {"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    }


def _value(column: Column) -> Schema:
    if isinstance(column, models.BooleanField):
        return {"type": "boolean"}
    if isinstance(column, models.DateTimeField):
        return _ref("time")
    if isinstance(column, models.IntegerField):
        # A database adds the limits of its column.
        least, most = 0, LARGEST_NUMBER
        for limit in column._validators:
            least = limit.limit_value if isinstance(limit, MinValueValidator) else least
            most = limit.limit_value if isinstance(limit, MaxValueValidator) else most
        return _whole(least, most) | ({"type": ["integer", "null"]} if column.null else {})
    return _text(column.max_length or 0, least=not column.blank)


def _text(most: int, *, least: int = 0) -> Schema:
    return {"type": "string", **({"minLength": int(least)} if least else {}), "maxLength": most}


def _whole(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _shared() -> Schema:
    pair = {"type": "array", "minItems": 2, "maxItems": 2}
    slug = _text(Group._meta.get_field("slug").max_length)
    return {
        "texts": {
            "type": "object",
            "description": "What the texts of this document are called in a language, each by the text itself, of 1 to "
            f"{LONGEST_TEXT:,} characters; the options of a question are one text, a line each.",
        },
        "time": {"type": ["string", "null"], "pattern": _TIME},
        "group": _object(
            {
                "name": _text(Group._meta.get_field("name").max_length, least=1),
                "slug": slug
                | {
                    "pattern": "^([A-Za-z0-9]+(-[A-Za-z0-9]+)*)?$",
                    "description": "The end of the group's link; made from the name where it is omitted.",
                },
            },
            "name",
        ),
        "probability": pair
        | {"items": _whole(0, LARGEST_NUMBER), "description": "[numerator, denominator], from 0 to 1."},
        "number": pair
        | {
            "items": _whole(-LARGEST_NUMBER, LARGEST_NUMBER),
            "description": "[numerator, denominator] with a denominator above 0 that divides 1,000,000.",
        },
    }


def _question() -> Schema:
    option = _text(kinds.OPTION_LENGTH, least=1)
    answers = {"type": "array", "maxItems": MOST_ANSWERS, "items": _whole(0, MOST_ANSWERS - 1)}
    properties = {name: _value(column) for name, column in QUESTION_COLUMNS.items()} | {
        "kind": {"enum": [str(kind.name) for kind in kinds.every()]},
        "options": {"type": "array", "maxItems": kinds.MAX_OPTIONS, "items": option},
        "details": _ref("details"),
        "design": {"enum": [str(design.name) for design in designs.every()]},
        "parameters": _ref("parameters"),
        "leave_out": {"enum": kinds.LeaveOut.values},
        "arms": {
            "type": "array",
            "maxItems": MOST_ARMS,
            "items": _whole(1, MOST_ARMS),
            "description": "The arms in which it is asked, as numbers from 1, in their order; none named are all.",
        },
        "asked_if": _object({"question": _whole(1, MAX_QUESTIONS), "answers": answers})
        | {
            "description": "Whom it is asked: those who gave one of these answers (codes from 0) to this earlier "
            "question (a number from 1), which is sent as it is; empty where everybody is asked."
        },
    }
    properties["quantity"]["description"] = "Questions of one number above 0 ask for the same, each in arms of its own."
    properties["random_order"]["description"] = (
        "Whether the respondent's device shows the options in an order that it draws; only of a list of options."
    )
    return _object(properties, "kind", "text", "design", "parameters")


def _details() -> Schema:
    """Return what kinds and designs need besides; which of them needs which is said in words."""
    properties: Schema = {}
    for detail in kinds.all_details():
        match detail.typed:
            case Typed.LINE:
                properties[detail.name] = _text(detail.longest, least=not detail.may_be_empty)
            case Typed.WHOLE:
                properties[detail.name] = _whole(detail.least, detail.most)
            case Typed.NUMBER:
                properties[detail.name] = _ref("number")
            case Typed.NUMBERS:
                some = {"type": "array", "minItems": detail.least, "maxItems": detail.most}
                properties[detail.name] = some | {"items": _ref("number")}
    for design in designs.every():
        for name, longest in design.details.items():
            # What one design may leave empty the schema lets all.
            may_be_empty = any(name in each.may_be_empty for each in designs.every())
            properties[name] = _text(longest, least=not may_be_empty)
    needs = [
        f"{each.name}: {', '.join(names)}"
        for each in (*kinds.every(), *designs.every())
        if (names := [detail if isinstance(detail, str) else detail.name for detail in each.details])
    ]
    return _object(properties) | {"description": "; ".join(needs) + "."}


def _parameters() -> list[Schema]:
    """Return the parameters of each design."""
    shapes = {
        INTEGER: _whole(1, LARGEST_REPORTS),
        PAIRS: {"type": "array", "minItems": 2, "maxItems": LARGEST_REPORTS, "items": _ref("probability")},
    }
    return [
        _object(
            {name: shapes.get(shape, _ref("probability")) for name, shape in design.matrices.stored.items()},
            *(name for name in design.matrices.stored if name not in design.matrices.optional),
        )
        | {"description": str(design.name)}
        for design in designs.every()
    ]


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
