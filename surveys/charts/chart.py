"""What every chart has besides its drawing; the kinds are in intervals, bars, heat, curves and crowds."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of a chart, as written: what cannot be seen can be read. The first cell of a row names it."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A mark of the legend as it is drawn, on the page and in the file, and what it means.

    Attributes
    ----------
    mark : str
        interval, point, bar, whisker, raw, truth, reference, curve, region, line (across) or mark (upright).
    label : str
        What it means.
    dash : int
        How a curve or the border of an area is dashed.
    filled : bool
        Whether a curve is filled down to the axis.
    """

    mark: str
    label: str
    dash: int = 0
    filled: bool = False


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart(ABC):
    """Words and numbers; each kind adds its geometry and the template that draws it, for the page and for the file.

    Attributes
    ----------
    name : str
        Letters, digits and hyphens, unique on its page: its anchor, and its name when it is downloaded.
    title : str
        What it shows, in one line.
    table : Table
        All of its numbers.
    text : str
        What it shows, in words, for people who cannot see it; the title, unless it is given.
    language : str
        Of the labels, where it is not the page's: they are the survey owner's words.
    asked : str
        The question, where the title is the finding: a file has it above, a page elsewhere.
    note : str
        How many, and how it was found, in a quiet line below.
    """

    template: ClassVar[str]

    name: str
    title: str
    table: Table
    text: str = ""
    language: str = ""
    asked: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"name must be letters, digits and hyphens, got {self.name!r}")
        if not self.text:
            object.__setattr__(self, "text", self.title)

    @property
    @abstractmethod
    def drawn(self) -> object:
        """The geometry."""
