"""Programs that compute the results again: for R, for Python with numpy, and the latter as a Jupyter notebook.

Each is text from templates/exports/ with this survey's questions and matrices written in as literals. Texts that people
wrote stand in literals only, never in a comment, a name or a cell of text.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from surveys.exports.columns import GroupNames
from surveys.exports.described import described_groups, described_items
from surveys.exports.literals import python_literal, r_literal
from surveys.models import kinds
from surveys.models.definition import Definition

_FOLDER = Path(__file__).resolve().parent.parent.parent / "templates" / "exports"
_PLACE = re.compile("@@([A-Z]+)@@")
_CELL = re.compile(r"^# %%.*\n", re.MULTILINE)
_TEXT_CELL = "# %% [markdown]\n"


def responses_name(definition: Definition) -> str:
    """Return the name of the CSV file that the programs read, where they are not told another."""
    return f"responses-{definition.code}.csv"


def python_program(definition: Definition, groups: GroupNames, *, confidence_level: float) -> str:
    """Return the Python program; its cells begin with "# %%", which editors know too."""
    survey = python_literal(_survey(definition, groups))
    name, points = f"analysis-{definition.code}.py", _points("in {}", json.dumps)
    return _filled("python", definition, confidence_level, PROGRAM=name, SURVEY=survey, POINTS=points)


def r_program(definition: Definition, groups: GroupNames, *, confidence_level: float) -> str:
    """Return the R program."""
    survey = r_literal(_survey(definition, groups))
    name, points = f"analysis-{definition.code}.R", _points("%in% {}", r_literal)
    return _filled("r", definition, confidence_level, PROGRAM=name, SURVEY=survey, POINTS=points)


def notebook(definition: Definition, groups: GroupNames, *, confidence_level: float) -> str:
    """Return the Python program as a Jupyter notebook (nbformat 4.5), cell by cell."""
    program = python_program(definition, groups, confidence_level=confidence_level)
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


def _survey(definition: Definition, groups: GroupNames) -> dict[str, Any]:
    return {
        "code": definition.code,
        "title": definition.title,
        "content_hash": definition.version,
        "minimum_n": definition.minimum_n,
        "groups": described_groups(groups),
        "items": described_items(definition),
    }


def _points(among: str, literal: Callable[[Any], str]) -> str:
    """Return how a program tells the kinds whose answers count as 1, 2, … from the others."""
    names = [str(kind.name) for kind in kinds.every() if kind.figures is kinds.Figures.POINTS]
    return f"== {literal(names[0])}" if len(names) == 1 else among.format(literal(names))


def _filled(language: str, definition: Definition, confidence_level: float, **more: str) -> str:
    values = {"RESPONSES": responses_name(definition), "LEVEL": repr(float(confidence_level)), **more}
    # One pass: what is filled in is not searched for places.
    return _PLACE.sub(lambda place: values[place[1]], _template(language))


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
