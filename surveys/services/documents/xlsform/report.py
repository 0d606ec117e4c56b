"""What became of each line of a form."""

from dataclasses import dataclass

from surveys.services.documents.content import SurveyContent


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a sheet: what it was, and what became of it or why nothing could."""

    sheet: str
    row: int
    type: str
    name: str
    taken: bool
    words: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read: the document, what that says, and of a form what became of each line."""

    document: object
    content: SurveyContent
    lines: tuple[Line, ...] = ()

    @property
    def left_out(self) -> int:
        """How many lines nothing could be made of."""
        return sum(not line.taken for line in self.lines)
