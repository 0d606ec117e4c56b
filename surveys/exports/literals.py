"""Data as literals of another language: whatever a text holds, it stays a text and never becomes program."""

import json
import re
from typing import Any

_WIDTH = 110
_UNSAFE_IN_R = re.compile(r"[^ !#-\[\]-~]")  # all but printable ASCII without quotation mark and backslash
_R_WORDS = {True: "TRUE", False: "FALSE", None: "NULL"}


def python_literal(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - data of any shape
    """Return a Python expression of nothing but literals with this value."""
    # What repr leaves as it is can be read; what cannot be seen (a change of direction, a line separator) it escapes.
    short = repr(value)
    if not isinstance(value, dict | list) or len(short) + indent <= _WIDTH:
        return short
    pad, within = " " * (indent + 4), indent + 4
    if isinstance(value, dict):
        lines = [f"{pad}{key!r}: {python_literal(item, within)},\n" for key, item in value.items()]
        return "{\n" + "".join(lines) + " " * indent + "}"
    return "[\n" + "".join(f"{pad}{python_literal(item, within)},\n" for item in value) + " " * indent + "]"


def r_literal(value: Any, indent: int = 0) -> str:  # noqa: ANN401
    """Return an R expression: texts in ASCII, so that no locale changes them; lists of numbers or texts as vectors."""
    if isinstance(value, dict):
        entries = [f"{r_text(key)} = {r_literal(item, indent + 2)}" for key, item in value.items()]
        return _r_call("list", entries, indent)
    if not isinstance(value, list):
        return _r_scalar(value)
    alike = bool(value) and (_all(value, int, float) or _all(value, str))
    return _r_call("c" if alike else "list", [r_literal(item, indent + 2) for item in value], indent)


def _all(values: list[Any], *types: type) -> bool:
    return all(type(value) in types for value in values)


def _r_scalar(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, str):
        return r_text(value)
    return _R_WORDS[value] if isinstance(value, bool | None) else json.dumps(value, allow_nan=False)


def r_text(text: str) -> str:
    """Return a text as a string of R; NUL, which R cannot hold, is left out."""
    return '"' + _UNSAFE_IN_R.sub(lambda found: _r_character(found[0]), text) + '"'


def _r_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    # Braces end the number: what follows it may be a digit too.
    return f"\\U{{{ord(character):X}}}" if character != "\0" else ""


def _r_call(name: str, arguments: list[str], indent: int) -> str:
    short = f"{name}({', '.join(arguments)})"
    if len(short) + indent <= _WIDTH and "\n" not in short:
        return short
    pad = " " * (indent + 2)
    return f"{name}(\n" + ",\n".join(pad + argument for argument in arguments) + "\n" + " " * indent + ")"
