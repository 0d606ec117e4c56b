"""What files for repositories and registries say of data: as YAML, and with a mark for what a survey does not hold."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

TO_BE_ADDED = "(:tba)"
"""What DataCite writes for a value that is to be announced: who made the data, no survey says."""

_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}


def yaml_of(value: Mapping[str, Any]) -> str:
    """Return mappings, sequences, texts and numbers as YAML 1.2, which readers of YAML 1.1 understand alike.

    Every text stands in double quotes: nothing in it can be read as anything else.
    """
    return "".join(f"{line}\n" for line in _lines(value, ""))


def _lines(value: Mapping[str, Any] | Sequence[Any], pad: str) -> Iterator[str]:
    entries = value.items() if isinstance(value, Mapping) else (("-", each) for each in value)
    for name, inner in entries:
        lead = f"{pad}-" if name == "-" else f"{pad}{name}:"
        if not isinstance(inner, Mapping | list | tuple):
            yield f"{lead} {_scalar(inner)}"
        elif name == "-":
            first, *others = _lines(inner, f"{pad}  ")
            yield f"{lead} {first.lstrip()}"
            yield from others
        else:
            yield lead
            yield from _lines(inner, f"{pad}  ")


def _scalar(value: str | float) -> str:
    if isinstance(value, str):
        return '"' + "".join(map(_character, value)) + '"'
    written = json.dumps(value, allow_nan=False)
    # Before an exponent YAML 1.1 wants a point, or the number is a text.
    return written.replace("e", ".0e") if "e" in written and "." not in written else written


def _character(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    return character if character.isprintable() else f"\\U{ord(character):08X}"
