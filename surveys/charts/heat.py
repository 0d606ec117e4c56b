"""Joint distributions: tables whose cells are the stronger coloured the larger the share written in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext as _

from surveys.charts.chart import Chart
from surveys.charts.numbers import share

# From no colour to the darkest, which the stylesheet and the file name the same.
DARKEST = 9
# How much of the accent each of them holds, as in the stylesheet.
SHADES = (0.0, 0.07, 0.14, 0.21, 0.28, 0.35, 0.42, 0.82, 0.9, 1.0)
# From here on ink is light: dark ink would no longer be legible.
LIGHT_INK_FROM = 7


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell: a share between 0 and 1, or None where there is no number to show, and what is written in it."""

    share: float | None
    value: str
    detail: str = ""

    def __post_init__(self) -> None:
        share("share", self.share)


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell with how dark it is, 0 to 9; None is hatched, for there is no number to show."""

    cell: HeatCell
    step: int | None


@dataclass(frozen=True, slots=True)
class PlacedHeatRow:
    label: str
    cells: tuple[PlacedCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatTable(Chart):
    """A joint distribution: rows of cells, the stronger coloured the more."""

    template: ClassVar[str] = "charts/_heat.html"

    row_title: str
    column_title: str
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    cells: Sequence[Sequence[HeatCell]]

    def __post_init__(self) -> None:
        Chart.__post_init__(self)
        if not (self.row_labels and self.column_labels):
            raise ValueError("row_labels and column_labels must not be empty")
        if len(self.cells) != len(self.row_labels):
            raise ValueError(f"cells must have {len(self.row_labels)} rows, got {len(self.cells)}")
        for row in self.cells:
            if len(row) != len(self.column_labels):
                raise ValueError(f"a row of cells must have {len(self.column_labels)} cells, got {len(row)}")

    @property
    def scale_words(self) -> str:
        """What darkness means."""
        return _("Shares per 100 people. The larger the share, the stronger the cell’s colour.")

    @property
    def drawn(self) -> tuple[PlacedHeatRow, ...]:
        """The rows with how dark their cells are; the largest share is the darkest."""
        largest = max((cell.share for row in self.cells for cell in row if cell.share is not None), default=0.0)
        return tuple(
            PlacedHeatRow(label, tuple(PlacedCell(cell, _step(cell.share, largest)) for cell in row))
            for label, row in zip(self.row_labels, self.cells, strict=True)
        )


def _step(share: float | None, largest: float) -> int | None:
    if share is None:
        return None
    return round(DARKEST * share / largest) if largest > 0 else 0
