"""Write docs/api.md from the docstrings of all public names: `python -m tests.api_page`.

With --signatures, also write down their signatures anew, which are promised not to change.
"""

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from surveys.privacy.listing import modules_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
SIGNATURES = ROOT / "tests" / "golden" / "public_api.txt"
PACKAGES = ("surveys.privacy", "surveys.estimation", "surveys.learn.learners")
_WIDTH = 100
_HEAD = """# API of the library

Everything that can be imported from `surveys.privacy` (designs, mechanisms, accounting),
`surveys.estimation` (estimates, regression, planning) and `surveys.learn.learners` (private
learners). [For researchers](researchers.md) says how to install it, what is promised to stay as it
is, and how other packages do the same.

Probabilities and ε are exact: an integer, a `Fraction`, a text such as `"3/4"`; never a float,
unless the entry says so. Codes of answers start at 0, which is No where there are two. Counts are
in the order of the codes. ε is in nats.

This page is made from the docstrings by `python -m tests.api_page`.
"""


def public(package: str) -> dict[str, Any]:
    """Return all public names of a package, and what they are."""
    module = import_module(package)
    return {name: getattr(module, name) for name in modules_of(module.PUBLIC)}


def signature(name: str, thing: Any) -> str:  # noqa: ANN401
    """Return how something is called, without annotations and without `self`."""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_Default(parameter.default))
        if parameter.default is not inspect.Parameter.empty
        else parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.name != "self"
    ]
    return f"{name}{inspect.Signature(parameters)}"


class _Default:
    """A default as it is written in Python."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __repr__(self) -> str:
        return (
            str(self._value) if isinstance(self._value, Enum) else getattr(self._value, "__name__", repr(self._value))
        )


def members(cls: type) -> dict[str, Any]:
    """Return the fields, properties and methods of a class that are public, its bases' included."""
    described = fields_of(cls)
    own: dict[str, Any] = {
        field.name: None
        for field in (fields(cls) if is_dataclass(cls) else ())
        if field.init or field.name in described
    }
    own |= dict.fromkeys(getattr(cls, "_fields", ()))
    if issubclass(cls, Enum):
        own |= cls.__members__
    for base in _bases(cls):
        own |= {name: value for name, value in vars(base).items() if _is_asked(value) and name not in own}
    return {name: value for name, value in own.items() if not name.startswith("_")}


def fields_of(cls: type) -> dict[str, str]:
    """Return what the docstrings of a class and its bases say of fields."""
    described: dict[str, str] = {}
    for base in reversed(_bases(cls)):
        parts = sections(base)
        for item in _items(parts.get("Parameters", "") + "\n" + parts.get("Attributes", "")):
            names, _, words = item.partition("\n")
            described |= dict.fromkeys(names.partition(" : ")[0].split(", "), words)
    return described


def _bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.startswith("surveys.")]


def _is_asked(value: object) -> bool:
    return isinstance(value, property | cached_property | classmethod) or inspect.isfunction(value)


def promised() -> str:
    """Return the signatures of all public names, one a line, and below a class its fields, properties and methods."""
    return "".join(f"{line}\n" for package in PACKAGES for line in _promised(package))


def _promised(package: str) -> Iterator[str]:
    for name, thing in sorted(public(package).items()):
        if not inspect.isclass(thing):
            yield f"{package}.{signature(name, thing)}"
            continue
        yield f"{package}.{signature(name, thing) if _is_made(thing) else name}"
        for member, value in sorted(members(thing).items()):
            yield f"    {_called(member, value)}"


def _is_made(cls: type) -> bool:
    """Tell whether users make such objects: of results, which they get, fields are described as attributes."""
    return (
        is_dataclass(cls)
        and not inspect.isabstract(cls)
        and any("Parameters" in sections(base) for base in _bases(cls))
    )


def _called(name: str, value: Any) -> str:  # noqa: ANN401
    function = value.__func__ if isinstance(value, classmethod) else value
    return signature(name, function).replace("(cls, ", "(") if inspect.isfunction(function) else name


def sections(thing: object) -> dict[str, str]:
    """Return the parts of a numpydoc docstring by their headings, the first by none."""
    parts = re.split(r"^([A-Z]\w+)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.MULTILINE)
    return {"": parts[0].strip(), **{head: text.strip() for head, text in zip(parts[1::2], parts[2::2], strict=True)}}


def page() -> str:
    """Return the page."""
    return _HEAD + "".join(_package(package) for package in PACKAGES)


def _package(package: str) -> str:
    listing, things = import_module(package).PUBLIC, public(package)
    text = f"\n## {package}\n"
    for heading, modules in listing.items():
        names = [name for names in modules.values() for name in names]
        links = _wrap(" · ".join(f"[{name}](#{name.lower()})" for name in names))
        text += f"\n### {heading}\n\n{links}\n" + "".join(_entry(name, things[name]) for name in names)
    return text


def _entry(name: str, thing: Any) -> str:  # noqa: ANN401
    parts = sections(thing)
    text = f"\n#### {name}\n\n"
    is_called = not inspect.isclass(thing) or _is_made(thing)
    if is_called:
        text += f"```python\n{_call(signature(name, thing))}\n```\n\n"
    text += _prose(parts[""])
    for heading in ("Parameters", "Attributes", "Returns", "Raises"):
        if heading in parts:
            text += f"\n**{heading}**\n\n" + "".join(map(_item, _items(parts[heading])))
    if inspect.isclass(thing):
        said = parts.get("Parameters", "") + parts.get("Attributes", "")
        others = {name: value for name, value in members(thing).items() if not re.search(rf"\b{name}\b", said)}
        text += "\n**Members**\n\n" if others else ""
        text += "".join(_member(thing, name, value) for name, value in others.items())
    if "Examples" in parts:
        text += f"\n```python\n{parts['Examples']}\n```\n"
    source = parts.get("References") or sections(inspect.getmodule(thing)).get("References")
    return text + (f"\n**Source**\n\n{_prose(source)}" if source and is_called else "")


def _call(call: str) -> str:
    if len(call) <= _WIDTH:
        return call
    name, _, rest = call.partition("(")
    return f"{name}(\n" + "".join(f"    {part},\n" for part in re.split(r", (?![^(]*\))", rest[:-1])) + ")"


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"\n(?=\S)", text) if item.strip()]


def _item(text: str) -> str:
    head, _, words = text.partition("\n")
    names, _, kind = head.partition(" : ")
    return _wrap(f"- `{names}`{f' ({kind})' if kind else ''}: {_inline(words)}".removesuffix(": "), "  ") + "\n"


def _member(cls: type, name: str, value: Any) -> str:  # noqa: ANN401
    return _wrap(f"- `{_called(name, value)}`: {_inline(says(cls, name, value))}", "  ") + "\n"


def says(cls: type, name: str, value: Any) -> str:  # noqa: ANN401
    """Return what is said of a member of a class: of a property or method its first paragraph."""
    if value is None:
        return fields_of(cls).get(name, "")
    return str(value.value) if isinstance(value, Enum) else sections(value)[""].split("\n\n")[0]


def _prose(text: str) -> str:
    return "\n\n".join(_wrap(_inline(paragraph)) for paragraph in text.split("\n\n")) + "\n"


def _inline(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    if "--signatures" in sys.argv:
        SIGNATURES.write_text(promised(), encoding="utf-8")
