"""The parts of a release as pages show them, to everybody and in the admin."""

from dataclasses import dataclass

from surveys.charts import IntervalChart, Table
from surveys.presenters.release_charts import chart_of
from surveys.presenters.release_tables import Candidate, candidates_of, tables_of
from surveys.selectors.releases.reading import PartReading, Reading


@dataclass(frozen=True, slots=True)
class ShownPart:
    """One part: what it says, its chart or what could have been drawn, and its numbers."""

    number: int
    reading: PartReading
    chart: IntervalChart | None
    candidates: list[Candidate]
    tables: list[Table]

    @property
    def sentence(self) -> str:
        """The template of what it says."""
        return f"release/found/_{self.reading.found.family}.html"


def shown_parts(reading: Reading) -> list[ShownPart]:
    """Return what is shown of each part, in the language that is active."""
    return [_shown(number, part) for number, part in enumerate(reading.parts, 1)]


def _shown(number: int, reading: PartReading) -> ShownPart:
    tables = tables_of(reading.found)
    chart = chart_of(reading.found, name=f"part-{number}", table=tables[0])
    return ShownPart(number, reading, chart, candidates_of(reading.found), tables)
