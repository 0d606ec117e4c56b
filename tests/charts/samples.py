"""One chart of every kind, with everything that its kind can show."""

import math
from xml.etree import ElementTree as ET

from surveys.charts import (
    Axis,
    Bar,
    BarChart,
    Chart,
    CrowdChart,
    CrowdRow,
    Curve,
    CurveChart,
    DotPlot,
    HeatCell,
    HeatTable,
    IntervalChart,
    IntervalRow,
    LargeInterval,
    Mark,
    Pin,
    Region,
    Table,
    axis_around,
    log_axis_around,
    share_axis,
)
from surveys.numbers.words import hundredths


def words(name: str, rows: tuple[tuple[str, ...], ...] = (("first", "31%"),)) -> dict[str, object]:
    """Everything that charts of all kinds need."""
    return {
        "name": name,
        "title": f"What {name} shows",
        "text": f"{name}: a third, give or take.",
        "table": Table(f"Numbers of {name}", ("Of", "Share"), rows),
    }


def intervals(**changes: object) -> IntervalChart:
    rows = (
        IntervalRow("Never", "Never: 31%, 20 to 43", "31%", 0.31, 0.2, 0.43, 0.4, "Between 20 and 43 of 100 people"),
        IntervalRow(
            "Once or twice, but not lately", "Once: nothing to trust", "–", None, None, None, 0.2, claimed=False
        ),
        IntervalRow("Often", "Often: 2%", "2%", 0.02, 0, 0.09, 0.3, truth=0.04),
    )
    fields = words("intervals") | {"axis": share_axis("of 100 people"), "rows": rows}
    return IntervalChart(**(fields | changes))


def large(**changes: object) -> LargeInterval:
    row = IntervalRow(
        "Yes", "Yes: 27, 17 to 37", "27", 0.27, 0.17, 0.37, 0.385, "−4% before limiting", limits="17 to 37"
    )
    marks = {"point": "27", "low": "17", "high": "37", "raw": "38 reported, chance included"}
    fields = {"axis": share_axis(unit="of 100"), "row": row, "asked": "Did you?", "note": "390 answers · two coins"}
    return LargeInterval(**(words("large") | fields | marks | changes))


def forest(**changes: object) -> IntervalChart:
    rows = (
        IntervalRow("Group 1 against 2", "first", "−12", -0.12, -0.31, 0.07),
        IntervalRow("Group 1 against 3", "second", "21", 0.21, 0.02, 0.4),
        IntervalRow("Group 2 against 3", "third", "33", 0.33, 0.1, 0.56, detail="the interval leaves out 0"),
    )
    axis = axis_around([-0.31, 0.56], title="percentage points", write=hundredths)
    return IntervalChart(**(words("forest") | {"axis": axis, "rows": rows, "reference": 0.0} | changes))


def coefficients(**changes: object) -> IntervalChart:
    rows = (
        IntervalRow("Group 2", "first", "1.9", 1.9, 0.8, 4.4),
        IntervalRow("Cheated", "second", "7.2", 7.2, 1.4, math.inf, detail="no upper end"),
        IntervalRow("Never", "third", "0.01", 0.01, 0.0, 0.3),
    )
    axis = log_axis_around([0.1, 20], title="odds ratio")
    fields = {"axis": axis, "rows": rows, "reference": 1.0, "reference_label": "no effect"}
    return IntervalChart(**(words("coefficients") | fields | changes))


def bars(**changes: object) -> BarChart:
    rows = (
        Bar("Never", "Never: 52%", "52%", 0.52, 0.4, 0.64, 0.4),
        Bar("Sometimes", "Sometimes: 41%", "41%", 0.41, 0.28, 0.5, 0.35),
        Bar("Always", "Always: not enough", "–", None),
        Bar("Prefer not to say", "Prefer not to say: 7%", "7%", 0.07, 0, 0.15, 0.25),
    )
    return BarChart(**(words("bars") | {"axis": share_axis("of 100 people"), "bars": rows} | changes))


def heat(**changes: object) -> HeatTable:
    shares = ((0.4, 0.05, 0.0), (0.1, 0.22, None), (0.12, 0.09, 0.02))
    cells = tuple(
        tuple(
            HeatCell(share, "–" if share is None else f"{share:.0%}", "" if share is None else "2 to 44")
            for share in row
        )
        for row in shares
    )
    fields = {
        "row_title": "Cheated?",
        "column_title": "How often?",
        "row_labels": ("Yes", "No", "Prefer not to say"),
        "column_labels": ("Never", "Once", "Often"),
        "cells": cells,
    }
    return HeatTable(**(words("heat") | fields | changes))


def _bell(middle: float, width: float) -> list[tuple[float, float]]:
    return [(at / 100, math.exp(-(((at / 100 - middle) / width) ** 2))) for at in range(101)]


def curves(**changes: object) -> CurveChart:
    fields = {
        "x_axis": share_axis("Share of Yes, in hundredths"),
        "y_axis": Axis(0, 1.1, axis_around([0, 1]).ticks, "Density"),
        "curves": (Curve("Posterior", _bell(0.3, 0.1), 0, filled=True), Curve("Prior", _bell(0.5, 0.4), 1)),
        "marks": (Mark("Estimate", x=0.31), Mark("Level", y=0.5)),
    }
    return CurveChart(**(words("curves") | fields | changes))


def errors(**changes: object) -> CurveChart:
    fields = {
        "x_axis": share_axis("False positives"),
        "y_axis": share_axis("False negatives"),
        "curves": (Curve("Best test", [(0, 1), (0.25, 0.25), (1, 0)]), Curve("Coin", [(0, 1), (1, 0)], 2)),
        "regions": (Region("No test gets here", [(0, 0), (0, 1), (0.25, 0.25), (1, 0)]),),
    }
    return CurveChart(**(words("errors") | fields | changes))


def crowds(**changes: object) -> CrowdChart:
    rows = (
        CrowdRow("phones sent Yes", "3 of 12 phones sent Yes", "3 of 12", ["lit"] * 3 + ["ring"] * 9),
        CrowdRow("true answer Yes", "1 to 5 of 12", "2", ["yes", "lit", "ring", "no"] + ["empty"] * 8),
    )
    return CrowdChart(**(words("crowds") | {"crowds": rows} | changes))


def dots(**changes: object) -> DotPlot:
    fields = {
        "axis": share_axis("of 100 people"),
        "values": [0.0, 0.2, 0.21, 0.21, 0.3, 1.0],
        "pins": (Pin("truth", 0.25), Pin("low", 0.0), Pin("high", 1.0)),
        "within": (0.1, 0.9),
    }
    return DotPlot(**(words("dots") | fields | changes))


KINDS = (crowds, dots, intervals, large, forest, coefficients, bars, heat, curves, errors)


def every_chart() -> list[Chart]:
    return [make() for make in KINDS]


def parsed(document: str) -> ET.Element:
    """Read a file as it would be sent."""
    return ET.fromstring(document.encode())  # noqa: S314 - it is ours
