"""The parts of a release as pages show them, to everybody and in the admin, and all of them as one picture."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import strip_tags

from surveys.charts import IntervalChart, Table
from surveys.charts.intervals import PlacedIntervals
from surveys.charts.svg import page_to_svg
from surveys.releases.families.figure import KeyFigure
from surveys.releases.families.finding import Candidate
from surveys.releases.selectors.reading import PartReading, ReadRelease


@dataclass(frozen=True)
class PartOnPage:
    """One part: what it says, its chart or what could have been drawn, and its numbers."""

    number: int
    reading: PartReading

    @cached_property
    def chart(self) -> IntervalChart | None:
        return self.reading.finding.chart(name=f"part-{self.number}")

    @cached_property
    def candidates(self) -> list[Candidate]:
        return self.reading.finding.candidates()

    @cached_property
    def tables(self) -> list[Table]:
        return self.reading.finding.tables()

    @property
    def key(self) -> KeyFigure | None:
        """The number that is shown largest; none where nothing follows from it."""
        finding = self.reading.finding
        return None if finding.is_uninformative else finding.key_figure()

    @property
    def lane(self) -> PlacedIntervals | None:
        """The interval of that number alone, on its axis."""
        key = self.key
        if key is None:
            return None
        return self.reading.finding.interval_chart(
            "key", title="", axis=replace(key.axis, unit=key.of), rows=[key.row]
        ).drawn

    @property
    def says_more(self) -> bool:
        """Whether the chart has more rows than the number shown largest and what is left of it."""
        if self.chart is None:
            return False
        return self.key is None or not self.reading.finding.second_follows or len(self.chart.rows) > 2

    @property
    def further(self) -> list[Table]:
        return self.reading.plan.further(self.reading.part.output)

    @property
    def has_synthetic(self) -> bool:
        return self.reading.plan.synthesizes

    @property
    def stored(self) -> list[tuple[str, str]]:
        """The draw as it is stored: what each part of it is called, and its value, exactly."""
        names = self.reading.plan.stored_names
        return [(str(names.get(name, name)), stored_value(value)) for name, value in self.reading.part.output.items()]


def parts_on_page(reading: ReadRelease) -> list[PartOnPage]:
    """Return what is shown of each part, in the language that is active."""
    return [PartOnPage(number, part) for number, part in enumerate(reading.parts, 1)]


def picture_of(context: Mapping[str, Any]) -> str:
    """Return a release as an SVG document, from what its page and its frame on other sites are made of."""
    described = strip_tags(render_to_string("releases/_described.html", dict(context)))
    page = render_to_string("releases/_picture.html", dict(context))
    return page_to_svg(page, name="release", title=context["headline"], text=unescape(described))


def stored_value(value: object) -> str:
    """Write a stored value exactly; a dash stands for what was refused."""
    if value is None:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
