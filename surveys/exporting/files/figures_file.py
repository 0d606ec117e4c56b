"""The figures as files: one long table as CSV, and as JSON with the designs beside it.

docs/formats.md documents every name in it.
"""

import json
from collections.abc import Iterable
from typing import Any

from surveys.common.spreadsheets import quoted_cell
from surveys.exporting.figures import ExportFigure, described_survey
from surveys.exporting.selectors import GroupNames, described_groups, described_items
from surveys.questionnaire.definition import Definition

SCHEMA = "deniable-figures/1"

_COLUMNS = ("figure", "item", "report", "with_item", "with_report", "group", "arm", "number")


def figures_csv(figures: Iterable[ExportFigure]) -> bytes:
    """Return the table in plain ASCII, with commas and CRLF (RFC 4180)."""
    lines = [",".join(_COLUMNS)]
    for figure in figures:
        texts = (quoted_cell(getattr(figure, name)) for name in _COLUMNS[:-1])
        lines.append(",".join(texts) + f",{figure.number!r}")
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def figures_json(
    figures: Iterable[ExportFigure],
    stored: Definition,
    definition: Definition,
    groups: GroupNames,
    *,
    options: dict[str, Any],
) -> bytes:
    """Return the same with what was asked; in an entry of the table what does not apply is omitted."""
    table = [
        {name: value for name in _COLUMNS if (value := getattr(figure, name)) or name == "number"} for figure in figures
    ]
    document = {
        "schema": SCHEMA,
        "content_hash": stored.version,
        "items": described_items(definition),
        **described_survey(stored, definition),
        "groups": described_groups(groups),
        "options": options,
    }
    head = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    lines = ",\n".join(json.dumps(figure, separators=(",", ":"), allow_nan=False) for figure in table)
    return (head.removesuffix("}") + f',"figures":[\n{lines}\n]}}\n').encode()
