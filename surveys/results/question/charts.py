"""The sampling distribution of an estimate, beside that of a direct question."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from surveys.charts import Axis, Chart, Curve, CurveChart, Mark, Table, axis_around
from surveys.numbers.words import Units, decimal, hundredths, level_words, percent, whole_number
from surveys.results.question.figures import Scatter, Spread


def scatter_chart(scatter: Scatter, *, name: str, label: str, level: float, units: Units | None) -> Chart:
    """Return the chart of where the estimate would lie if the survey were repeated: a share, or a mean in units."""
    shown = [(_("this survey, with chance added"), scatter.asked, 0)]
    if scatter.direct.standard_deviation:
        shown.append((_direct(units), scatter.direct, 1))
    curves = [
        Curve(words, [(_place(x, units), y) for x, y in _visible(spread.points)], dash, filled=not dash)
        for words, spread, dash in shown
    ]
    points = [point for curve in curves for point in curve.points]
    return CurveChart(
        name=name,
        title=_("If the survey were repeated: estimates for “%(label)s”") % {"label": label},
        text=scatter_words(scatter, level=level, units=units),
        table=Table(
            _("Where the estimates would lie, with %(value)s as the truth") % {"value": _write(scatter.share, units)},
            (_("Way of asking"), _("Standard deviation"), _("Low"), _("High")),
            tuple((words, *_scatter_cells(spread, units)) for words, spread, _dash in shown),
        ),
        x_axis=axis_around(
            [x for x, _y in points],
            title=units.unit if units else _("estimate, of 100 people"),
            write=decimal if units else hundredths,
            within=(float(units.low), float(units.high)) if units else (0, 1),
        ),
        y_axis=Axis(0, max(y for _x, y in points), (), _("how likely")),
        curves=curves,
        marks=[Mark(_("what was estimated, taken to be the truth"), x=_place(scatter.share, units))],
    )


def scatter_words(scatter: Scatter, *, level: float, units: Units | None) -> str:
    """Say how far the estimate would scatter."""
    numbers = {"n": whole_number(scatter.n), "level": level_words(level)}
    said = [
        _(
            "Asked again of %(n)s people, with %(value)s as the truth, at least %(level)s of the estimates "
            "would lie between %(low)s and %(high)s."
        )
        % {**numbers, "value": _write(scatter.share, units), **_limits(scatter.asked, units)},
        (
            _("Had chance only rounded the numbers, they would lie between %(low)s and %(high)s.")
            if units
            else _("Those of a direct question would lie between %(low)s and %(high)s, were all answers true.")
        )
        % _limits(scatter.direct, units),
    ]
    return " ".join(said)


def scatter_title(scatter: Scatter, units: Units | None) -> str:
    """Say what chance costs in answers."""
    if scatter.worth is None:
        return _("What chance costs")
    told = {"n": whole_number(scatter.n), "worth": whole_number(scatter.worth)}
    if units:
        return _("%(n)s reports tell as much as %(worth)s that chance had only rounded") % told
    return _("%(n)s reports tell as much as %(worth)s true answers to a direct question") % told


_TOO_LOW = 1 / 500
"""So low a part of the highest is less than a line is thick."""


def _visible(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    least = _TOO_LOW * max(y for _x, y in points)
    seen = [place for place, (_x, y) in enumerate(points) if y >= least]
    # With one to each side: where it leaves the axis is seen too, and no curve is a single point.
    return points[max(0, seen[0] - 1) : seen[-1] + 2]


def _direct(units: Units | None) -> str:
    return _("if chance had only rounded the numbers") if units else _("a direct question")


def _place(share: float, units: Units | None) -> float:
    return float(units.low) + share * float(units.high - units.low) if units else share


def _write(share: float, units: Units | None) -> str:
    return units.write(_place(share, units)) if units else percent(share, 1)


def _limits(spread: Spread, units: Units | None) -> dict[str, str]:
    return {"low": _write(spread.low, units), "high": _write(spread.high, units)}


def _scatter_cells(spread: Spread, units: Units | None) -> tuple[str, ...]:
    deviation = spread.standard_deviation
    length = float(units.high - units.low) if units else 1.0
    written_deviation = units.write(deviation * length) if units else percent(deviation, 1)
    return (written_deviation, *_limits(spread, units).values())
