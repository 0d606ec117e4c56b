"""The numbers of a chart as a table: what cannot be seen can be read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as written; the first of a row names it."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
