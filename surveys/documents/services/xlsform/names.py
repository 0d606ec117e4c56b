"""Names of the format: everything that forms call a column, a type of question or a yes, and what it means here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# What a column may be called besides its own name. Each sheet has its own table: a column of choices that is called
# `tag` or `count` belongs to somebody's filter.
SURVEY_COLUMNS: dict[str, str] = {
    "calculate": "calculation",
    "caption": "label",
    "command": "type",
    "constraining_message": "constraint_message",
    "count": "repeat_count",
    "jr:constraintmsg": "constraint_message",
    "jr:count": "repeat_count",
    "jr:noapperrorstring": "no_app_error_string",
    "jr:requiredmsg": "required_message",
    "noapperrorstring": "no_app_error_string",
    "readonly": "read_only",
    "relevance": "relevant",
    "requiredmsg": "required_message",
    "tag": "name",
    "value": "name",
}
CHOICES_COLUMNS: dict[str, str] = {"caption": "label", "value": "name"}
SETTINGS_COLUMNS: dict[str, str] = {
    "id_string": "form_id",
    "set_form_id": "form_id",
    "set_form_title": "form_title",
    "title": "form_title",
}
COLUMNS: dict[str, Mapping[str, str]] = {
    "survey": SURVEY_COLUMNS,
    "choices": CHOICES_COLUMNS,
    "settings": SETTINGS_COLUMNS,
}
# `media::image` is the column `image`, and `bind::relevant` the column `relevant`.
_AROUND = frozenset({"bind", "body", "control", "media"})
_COLONS = re.compile(" *::? *")


def column_key(header: str, aliases: Mapping[str, str]) -> str:
    """Return what a column is called here: `relevant`, or `label::deutsch (de)` in a language."""
    first, *rest = _COLONS.split(" ".join(header.lower().split()).replace("jr:", "jr\0"))
    name, *rest = [first.replace(" ", "_"), *rest]
    if name in _AROUND and rest:
        name, *rest = rest
    name = name.replace("\0", ":")
    return "::".join([aliases.get(name, name), *rest])


# Types of rows. Words may have spaces or underscores between them, and any case.


TYPES: dict[str, tuple[str, ...]] = {
    "one": (
        "select one",
        "select1",
        "select one from",
        "select one using",
        "add select one prompt using",
        "q select1",
    ),
    "several": (
        "select multiple",
        "select",
        "select multiple from",
        "select multiple using",
        "select all that apply",
        "select all that apply from",
        "add select multiple prompt using",
        "q select",
    ),
    "integer": (
        "integer",
        "int",
        "q int",
        "add integer prompt",
        "percentage",
        "number of days in last month",
        "number of days in last six months",
        "number of days in last year",
    ),
    "decimal": ("decimal", "q decimal", "add decimal prompt"),
    "range": ("range",),
    "note": ("note", "q note", "add note prompt"),
    "begin group": ("begin group",),
    "end group": ("end group",),
    "begin repeat": ("begin repeat", "begin lgroup", "begin looped group", "begin loop", "begin loop over"),
    "end repeat": ("end repeat", "end lgroup", "end looped group", "end loop"),
    "text": ("text", "string", "q string", "add text prompt", "phone number"),
    "moment": (
        "date",
        "time",
        "datetime",
        "date time",
        "q date",
        "q datetime",
        "q date time",
        "add date prompt",
        "add datetime prompt",
        "add date time prompt",
    ),
    "place": (
        "geopoint",
        "geotrace",
        "geoshape",
        "gps",
        "location",
        "osm",
        "q geopoint",
        "q geotrace",
        "q geoshape",
        "q location",
        "add location prompt",
    ),
    "file": (
        "image",
        "photo",
        "audio",
        "video",
        "file",
        "barcode",
        "q picture",
        "q image",
        "q audio",
        "q video",
        "q barcode",
        "add image prompt",
        "add photo prompt",
        "add audio prompt",
        "add video prompt",
        "add file prompt",
        "add barcode prompt",
    ),
    "person": (
        "start",
        "start time",
        "get start time",
        "end",
        "end time",
        "get end time",
        "today",
        "get today",
        "deviceid",
        "device id",
        "get device id",
        "imei",
        "subscriberid",
        "subscriber id",
        "get subscriber id",
        "simserial",
        "sim id",
        "get sim id",
        "phonenumber",
        "get phone number",
        "username",
        "email",
        "uri:deviceid",
        "uri:subscriberid",
        "uri:simserial",
        "uri:phonenumber",
        "uri:username",
        "uri:email",
        "audit",
        "start-geopoint",
        "background-audio",
        "background-geopoint",
    ),
    "calculation": (
        "calculate",
        "q calculate",
        "add calculate prompt",
        "hidden",
        "xml-external",
        "csv-external",
    ),
    "order": ("rank",),
    "elsewhere": (
        "select one from file",
        "select multiple from file",
        "select one external",
        "cascading select",
    ),
    "agreement": ("acknowledge", "q acknowledge", "add acknowledge prompt", "trigger"),
    "setting": ("form title", "set form title", "form id", "set form id", "prefix"),
}
_KINDS = {name: kind for kind, names in TYPES.items() for name in names}
_MOST_WORDS = max(name.count(" ") + 1 for name in _KINDS)
# Types that set limits by themselves.
CONSTRAINTS = {
    "percentage": ". >= 0 and . <= 100",
    "number of days in last month": ". >= 0 and . <= 31",
    "number of days in last six months": ". >= 0 and . <= 183",
    "number of days in last year": ". >= 0 and . <= 365",
}
_OTHER = frozenset({"or other", "or specify other"})


@dataclass(frozen=True, slots=True)
class RowType:
    """What stands under `type`: the kind ("" for an unknown one), its name, the list of choices, and “or other”."""

    kind: str
    name: str = ""
    list_name: str = ""
    or_other: bool = False


def row_type(text: str) -> RowType:
    """Read the cell under `type`, such as `select one from fruit or other`."""
    words = text.split()
    for count in range(min(len(words), _MOST_WORDS), 0, -1):
        name = " ".join(" ".join(words[:count]).lower().replace("_", " ").split())
        if name in _KINDS:
            list_name, other = "".join(words[count : count + 1]), " ".join(words[count + 1 :]).lower()
            other = other.replace("_", " ")
            # What is neither a list nor “or other” belongs to a type that nobody knows.
            known = not other or other in _OTHER
            return RowType(_KINDS[name] if known else "", name, list_name, bool(other) and known)
    return RowType("")


_TRUE = frozenset({"yes", "true", "true()"})
_FALSE = frozenset({"no", "false", "false()"})


def is_yes(text: str) -> bool | None:
    """Return whether a cell says yes or no, in the words of the format; None where it says anything else."""
    small = text.lower()
    return True if small in _TRUE else False if small in _FALSE else None
