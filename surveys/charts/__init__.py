"""From numbers to geometry, with words and a table."""

from surveys.charts.axis import Axis, Tick, axis_around, log_axis_around, share_axis
from surveys.charts.bars import Bar, BarChart
from surveys.charts.chart import Chart, Table
from surveys.charts.crowds import CrowdChart, CrowdRow, DotPlot, Pin
from surveys.charts.curves import Curve, CurveChart, Mark, Region
from surveys.charts.heat import HeatCell, HeatTable
from surveys.charts.intervals import IntervalChart, IntervalRow, LargeInterval, most_telling

__all__ = [
    "Axis",
    "Bar",
    "BarChart",
    "Chart",
    "CrowdChart",
    "CrowdRow",
    "Curve",
    "CurveChart",
    "DotPlot",
    "HeatCell",
    "HeatTable",
    "IntervalChart",
    "IntervalRow",
    "LargeInterval",
    "Mark",
    "Pin",
    "Region",
    "Table",
    "Tick",
    "axis_around",
    "log_axis_around",
    "most_telling",
    "share_axis",
]
