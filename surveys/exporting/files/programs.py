"""Programs in R and Python that compute the results again, with a survey's data written into them as literals."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.exporting.figures import described_survey
from surveys.exporting.selectors import GroupNames, described_groups, described_items
from surveys.questionnaire import kinds
from surveys.questionnaire.definition import Definition

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
    """Return a text as a string of R; NUL, which R cannot hold, is dropped."""
    return '"' + _UNSAFE_IN_R.sub(lambda match: _r_character(match[0]), text) + '"'


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


# Programs that compute the results again: for R, for Python with numpy, and the latter as a Jupyter notebook.
#
# Each is text from templates/exporting/ with this survey's questions and matrices written in as literals. Texts that
# people wrote stand in literals only, never in a comment, a name or a cell of text.


_FOLDER = settings.BASE_DIR / "templates" / "exporting"
_PLACE = re.compile("@@([A-Z]+)@@")
_CELL = re.compile(r"^# %%.*\n", re.MULTILINE)
_TEXT_CELL = "# %% [markdown]\n"


# What the programs find again, by the parts that they are made of, and what else pages of results say.
FOUND = {
    "shares": _("the share of each answer, with simultaneous intervals by seven methods"),
    "means": _("means of numbers and scales, and shares at the top of a scale or below a limit"),
    "comparisons": _("differences between groups, the test across all groups, and tests for pairs of questions"),
    "arms": _(
        "differences between questions that measure the same thing in different random arms, and the test of arm sizes"
    ),
    "lists": _(
        "list experiments: differences in means, double lists, lists with direct answers, and bounds that "
        "allow for denial"
    ),
    "anchors": _("shares corrected using an anchor question"),
}
ABSENT = (
    _("regressions"),
    _("how much one report reveals"),
    _("planning, and the variation of estimates across repeated surveys"),
    _("exact tests, and p-values adjusted for multiple comparisons"),
    _("joint intervals for two questions, odds ratios, correlations, and shares by true answer to the first question"),
    _("quartiles, and intervals for weighted means"),
    _("a common share for several arms, its goodness-of-fit test, and two-arm models"),
    _("maximum-likelihood estimates for lists, and the test for design effects in lists"),
    _(
        "the share of people who always tap the same answer, the effect of forged reports, and estimates "
        "if not everyone followed the instructions"
    ),
)


def parts_computed(language: str) -> dict[str, Promise]:
    """Return what the programs in a language find again, by the parts that they are made of."""
    parts = {part.name.split(".")[0].partition("_")[2] for part in (_FOLDER / language).iterdir()}
    return {part: label for part, label in FOUND.items() if part in parts}


def figures_name(definition: Definition) -> str:
    """Return the name of the CSV file that the programs read, unless given another."""
    return f"figures-{definition.code}.csv"


def responses_name(definition: Definition) -> str:
    """Return the name of the CSV file that the programs that weight read, unless given another."""
    return f"responses-{definition.code}.csv"


def python_program(stored: Definition, definition: Definition, groups: GroupNames, confidence_level: float) -> str:
    """Return the Python program; its cells begin with "# %%", which editors know too."""
    survey = python_literal(_survey(stored, definition, groups))
    name, points = f"analysis-{definition.code}.py", _points("in {}", json.dumps)
    return _filled("python", definition, confidence_level, PROGRAM=name, SURVEY=survey, POINTS=points)


def r_program(stored: Definition, definition: Definition, groups: GroupNames, confidence_level: float) -> str:
    survey = r_literal(_survey(stored, definition, groups))
    name, points = f"analysis-{definition.code}.R", _points("%in% {}", r_literal)
    return _filled("r", definition, confidence_level, PROGRAM=name, SURVEY=survey, POINTS=points)


def notebook(stored: Definition, definition: Definition, groups: GroupNames, confidence_level: float) -> str:
    """Return the Python program as a Jupyter notebook (nbformat 4.5), cell by cell."""
    program = python_program(stored, definition, groups, confidence_level)
    heads = _CELL.findall(program)
    sources = _CELL.split(program)[1:]
    cells = [
        _text_cell(number, source) if head == _TEXT_CELL else _code_cell(number, source)
        for number, (head, source) in enumerate(zip(heads, sources, strict=True), start=1)
    ]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _survey(stored: Definition, definition: Definition, groups: GroupNames) -> dict[str, Any]:
    """Return what a program holds; `stored` is what was asked, `definition` how it may be shown."""
    return {
        "code": definition.code,
        "title": definition.title,
        "content_hash": definition.version,
        "minimum_n": definition.minimum_n,
        "groups": described_groups(groups),
        "items": described_items(definition),
        **described_survey(stored, definition),
    }


def _points(among: str, literal: Callable[[Any], str]) -> str:
    """Return how a program distinguishes the kinds whose answers count as 1, 2, … from the others."""
    names = [str(kind.name) for kind in kinds.every() if kind.figures is kinds.Figures.POINTS]
    return f"== {literal(names[0])}" if len(names) == 1 else among.format(literal(names))


def _filled(language: str, definition: Definition, confidence_level: float, **more: str) -> str:
    values = {"FIGURES": figures_name(definition), "LEVEL": repr(float(confidence_level)), **more}
    return fill_in(_template(language), values)


def fill_in(template: str, values: Mapping[str, str]) -> str:
    """Return a template with these values in their places."""
    # One pass: what is filled in is not searched for places.
    return _PLACE.sub(lambda place: values[place[1]], template)


@cache
def _template(language: str) -> str:
    """Return the parts of a program in the order of their names."""
    parts: Iterable[Path] = sorted((_FOLDER / language).iterdir())
    between = "\n\n" if language == "python" else ""
    return between.join(part.read_text(encoding="utf-8") for part in parts)


def _text_cell(number: int, source: str) -> dict[str, Any]:
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in source.strip().split("\n"))
    return {"cell_type": "markdown", "id": f"text-{number}", "metadata": {}, "source": _lines(text)}


def _code_cell(number: int, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"code-{number}",
        "metadata": {},
        "outputs": [],
        "source": _lines(source.strip()),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
