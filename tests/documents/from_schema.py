"""Documents drawn from the schema itself, for hypothesis: all that it allows, with what programs stumble over.

hypothesis-jsonschema, which does the same, had its last release in February 2024, knows JSON Schema up to draft 7 where
ours is 2020-12, and fails with today's hypothesis, into whose insides it reaches.
"""

import copy
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from hypothesis import strategies as st

from tests.documents.samples import Path as Place
from tests.documents.samples import sample_document
from tests.factories import every_kind

Json = Any
SCHEMA = json.loads((Path(settings.BASE_DIR) / "static/schemas/survey-1.schema.json").read_text(encoding="utf-8"))

# NUL, half a character, what turns the text, what nobody sees, line breaks, and what templates and formats read.
_TEXTS = (
    "\x00",
    "a\x00",
    "\ud800",
    "\u202e1",
    "\u2028",
    " ",
    "\u200b",
    "\n",
    "a\r\nb",
    "\t",
    "<b>",
    "{{ a }}",
    "%(a)s",
)
_WHOLE = (0, 1, 2, 3, 9, 10**6, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**39, 10**60, 10**60 + 1)
_KEPT = {"text": "Have you ever…?", "name": "North"}

whole_numbers = st.sampled_from(_WHOLE).flatmap(lambda number: st.sampled_from((number, -number))) | st.integers(-9, 99)
texts = st.sampled_from(_TEXTS) | st.text(st.characters(codec=None), max_size=8)
anything = st.recursive(
    st.none() | st.booleans() | whole_numbers | st.floats() | texts | st.sampled_from(["yes_no", "x" * 3000]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def from_schema(schema: Mapping[str, Any]) -> st.SearchStrategy[Json]:
    """Return what a part of the schema allows."""
    match schema:
        case {"$ref": name}:
            return st.deferred(lambda: from_schema(_defined(name)))
        case {"const": value}:
            return st.just(value)
        case {"enum": values}:
            return st.sampled_from(values)
        case {"anyOf": parts}:
            return st.one_of(*map(from_schema, parts))
        case {"type": [*types]}:
            return st.one_of(*(from_schema({**schema, "type": name}) for name in types))
    return _OF_TYPE[schema["type"]](schema)


def _defined(name: str) -> dict[str, Any]:
    definition: dict[str, Any] = SCHEMA["$defs"][name.removeprefix("#/$defs/")]
    return definition


def _object(schema: Mapping[str, Any]) -> st.SearchStrategy[Json]:
    if "properties" not in schema:
        return st.dictionaries(texts, texts | anything, max_size=3)
    parts = {name: from_schema(part) for name, part in schema["properties"].items()}
    required = {name: parts.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(required, optional=parts)


def _array(schema: Mapping[str, Any]) -> st.SearchStrategy[Json]:
    # Long lists take long and show nothing that short ones do not; their limits are tried by themselves.
    least = schema.get("minItems", 0)
    return st.lists(from_schema(schema["items"]), min_size=least, max_size=min(schema.get("maxItems", 4), least + 3))


def _string(schema: Mapping[str, Any]) -> st.SearchStrategy[Json]:
    if "pattern" in schema:
        return st.from_regex(re.compile(schema["pattern"]), fullmatch=True)
    least, most = schema.get("minLength", 0), schema.get("maxLength", 2_500)
    return (texts | st.sampled_from(["", "x" * most])).filter(lambda text: least <= len(text) <= most)


def _integer(schema: Mapping[str, Any]) -> st.SearchStrategy[Json]:
    low, high = schema.get("minimum"), schema.get("maximum")
    ends = [end for end in (low, high) if end is not None]
    allowed = [
        n for n in (*_WHOLE, *(-n for n in _WHOLE), *ends) if (low is None or n >= low) and (high is None or n <= high)
    ]
    return st.sampled_from(allowed) | st.integers(low if low is not None else -99, min(high or 99, (low or 0) + 99))


_OF_TYPE = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "boolean": lambda _schema: st.booleans(),
    "null": lambda _schema: st.none(),
}
by_schema = from_schema(SCHEMA)


# Documents that can be read, changed in a few places: what the schema allows there, or anything. Most drawn from the
# schema alone are refused at their first question, and show nothing of what happens to those that are taken.


QUESTIONS = [question.as_json for question in every_kind()]


@st.composite
def changed_documents(draw: st.DrawFn, *, odd: bool = True) -> Json:
    """A document that can be read, with up to three changes; `odd`: also such as the schema does not allow."""
    document = sample_document()
    # It can be opened on any day.
    document["survey"] |= {"opens_at": None, "closes_at": None}
    document["questions"] = copy.deepcopy(draw(st.lists(st.sampled_from(QUESTIONS), max_size=3)))
    for _change in range(draw(st.integers(0, 3))):
        place, schema = draw(st.sampled_from(list(_places(document, SCHEMA))))
        inner: Json = document
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = draw(from_schema(schema) | anything if odd else from_schema(schema))
    return document


def _places(value: Json, schema: Mapping[str, Any], at: Place = ()) -> list[tuple[Place, Mapping[str, Any]]]:
    """Return every place of a document where the schema says what may stand, what is not there yet included."""
    if "$ref" in schema:
        return _places(value, _defined(schema["$ref"]), at)
    places: list[tuple[Place, Mapping[str, Any]]] = [(at, schema)] if at else []
    for part in schema.get("anyOf", [schema]):
        if isinstance(value, dict):
            for name, inner in part.get("properties", {}).items():
                places += _places(value.get(name), inner, (*at, name))
        elif isinstance(value, list) and "items" in part:
            for number, entry in enumerate(value):
                places += _places(entry, part["items"], (*at, number))
    return places
