"""The JSON file: the survey's definition with its exact matrices, and the reports counted by distinct row.

docs/formats.md documents every name in it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from surveys.exporting.selectors import (
    BLOCK,
    NOT_GIVEN,
    WITHHELD,
    ExportRows,
    GroupNames,
    described_groups,
    described_items,
)
from surveys.models import Mode
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.tally import MISSING

SCHEMA = "deniable-export/1"

_NUMBERS = tuple("null" if code == MISSING else str(code) for code in range(256))
_MODES = {number: json.dumps(mode) for number, mode in enumerate(Mode.values)} | {WITHHELD: json.dumps(NOT_GIVEN)}


@dataclass(frozen=True, slots=True, eq=False)
class JsonFile:
    """A file that is not there yet; what it holds is fixed, so it is the same each time it is written."""

    rows: ExportRows
    head: bytes
    groups: dict[int, str]  # as JSON, by primary key
    dealt: bool  # whether the last report is the arm's code

    @property
    def length(self) -> int:
        """The exact number of bytes."""
        return sum(map(len, self.chunks()))

    def chunks(self) -> Iterator[bytes]:
        """Yield the file piece by piece: one line a distinct row, at most `BLOCK` of them in memory."""
        yield self.head
        number = self.rows.counts.size
        for start in range(0, number, BLOCK):
            yield ",\n".join(self._lines(slice(start, start + BLOCK))).encode()
            yield b",\n" if start + BLOCK < number else b"\n"
        yield b"]}\n"

    def _lines(self, which: slice) -> list[str]:
        rows = self.rows
        reports = zip(*([_NUMBERS[code] for code in column.tolist()] for column in rows.patterns[which].T), strict=True)
        others = zip(rows.groups[which].tolist(), rows.modes[which].tolist(), rows.counts[which].tolist(), strict=True)
        return [
            f'{{"reports":{self._reports(codes)},"group":{self.groups[group]},"mode":{_MODES[mode]},"count":{count}}}'
            for codes, (group, mode, count) in zip(reports, others, strict=True)
        ]

    def _reports(self, codes: Sequence[str]) -> str:
        """Return a row's reports, and its arm after them where there are arms."""
        if not self.dealt:
            return f"[{','.join(codes)}]"
        return f'[{",".join(codes[:-1])}],"arm":{codes[-1]}'


def with_everything(
    definition: Definition, rows: ExportRows, groups: GroupNames, *, options: dict[str, Any]
) -> JsonFile:
    """Return the file; `options` are those of the results, such as the confidence level."""
    head = {
        "schema": SCHEMA,
        "definition": definition.content,
        "content_hash": definition.version,
        "items": described_items(definition),
        "groups": described_groups(groups),
        "options": options,
        "n": rows.n,
    }
    start = _written(head).removesuffix("}") + ',"responses":[\n'
    called = {WITHHELD: NOT_GIVEN, 0: None, **groups.slugs}
    return JsonFile(
        rows, start.encode(), {key: json.dumps(slug) for key, slug in called.items()}, bool(definition.arms)
    )


def _written(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
