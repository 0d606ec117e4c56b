"""A small validator for JSON Schema, of the keywords that the application's schemas use and no others.

It raises for a keyword it does not know, so that no rule of a schema can be passed over in silence.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Json = Any

_ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def faults(value: Json, schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, at: str = "$") -> list[str]:
    """Return what is wrong with a value, each fault with its place."""
    return list(_faults(value, schema, schema if root is None else root, at))


def _faults(value: Json, schema: Mapping[str, Any], root: Mapping[str, Any], at: str) -> Iterator[str]:
    for keyword, wanted in schema.items():
        if keyword in _ANNOTATIONS:
            continue
        yield from _KEYWORDS[keyword](value, wanted, schema, root, at)


def _is(value: Json, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _type(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    names = wanted if isinstance(wanted, list) else [wanted]
    if not any(_is(value, name) for name in names):
        yield f"{at}: {value!r} is no {' or '.join(names)}"


def _const(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
        yield f"{at}: {value!r} is not {wanted!r}"


def _enum(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if value not in wanted:
        yield f"{at}: {value!r} is none of {wanted!r}"


def _pattern(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if isinstance(value, str) and not re.search(wanted, value):
        yield f"{at}: {value!r} does not match {wanted}"


def _min_length(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if isinstance(value, str) and len(value) < wanted:
        yield f"{at}: shorter than {wanted}"


def _max_length(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if isinstance(value, str) and len(value) > wanted:
        yield f"{at}: longer than {wanted}"


def _minimum(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if _is(value, "number") and not value >= wanted:
        yield f"{at}: {value!r} is below {wanted}"


def _maximum(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if _is(value, "number") and not value <= wanted:
        yield f"{at}: {value!r} is above {wanted}"


def _min_items(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if isinstance(value, list) and len(value) < wanted:
        yield f"{at}: fewer than {wanted}"


def _max_items(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if isinstance(value, list) and len(value) > wanted:
        yield f"{at}: more than {wanted}"


def _items(value: Json, wanted: Json, _schema: Json, root: Json, at: str) -> Iterator[str]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _faults(item, wanted, root, f"{at}[{place}]")


def _required(value: Json, wanted: Json, _schema: Json, _root: Json, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{at}: {name} is missing" for name in wanted if name not in value)


def _properties(value: Json, wanted: Json, _schema: Json, root: Json, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in value.keys() & wanted.keys():
            yield from _faults(value[name], wanted[name], root, f"{at}.{name}")


def _additional(value: Json, wanted: Json, schema: Json, _root: Json, at: str) -> Iterator[str]:
    assert wanted is False
    if isinstance(value, dict):
        yield from (f"{at}: {name} is not described" for name in value.keys() - schema["properties"].keys())


def _any_of(value: Json, wanted: Json, _schema: Json, root: Json, at: str) -> Iterator[str]:
    tried = [faults(value, one, root, at) for one in wanted]
    if all(tried):
        yield f"{at}: fits none of {len(wanted)}; nearest: {min(tried, key=len)}"


def _ref(value: Json, wanted: Json, _schema: Json, root: Json, at: str) -> Iterator[str]:
    yield from _faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, at)


_KEYWORDS = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "minLength": _min_length,
    "maxLength": _max_length,
    "minimum": _minimum,
    "maximum": _maximum,
    "minItems": _min_items,
    "maxItems": _max_items,
    "items": _items,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "anyOf": _any_of,
    "$ref": _ref,
}
