"""The charts of the tab that relates two questions: the joint table, and shares among those who share an answer."""

from django.utils.translation import gettext as _

from surveys.charts import HeatCell, HeatTable, IntervalChart, IntervalRow, Table, share_axis
from surveys.numbers.words import (
    estimate_of_100,
    interval_cell,
    level_words,
    percent,
    whole_number,
)
from surveys.results.charts.columns import estimate_cells, estimate_headings, units_axis
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.relate.figures import Among, Relation
from surveys.results.relate.words import among_words, limits_words, people_cell, people_words, together_words, units_of
from surveys.results.words.means import mean_words

_TWO = 2


def joint_chart(relation: Relation, language: str) -> HeatTable:
    """Return the joint distribution of the truths, with chance taken out."""
    title = (
        _("Both true answers together, numbers rounded to an end, of all %(n)s who answered both")
        if relation.rounded
        else _("Both true answers together, of all %(n)s who answered both")
    ) % {"n": whole_number(relation.n)}
    a, b = relation.a, relation.b
    return HeatTable(
        name="joint",
        title=title,
        text=together_words(relation),
        table=Table(
            caption=title,
            headings=(
                _("Both answers"),
                *estimate_headings(),
            ),
            rows=tuple(
                (f"{a.labels[i]} · {b.labels[j]}", *estimate_cells(cell))
                for i, row in enumerate(relation.cells)
                for j, cell in enumerate(row)
            ),
        ),
        row_title=a.title,
        column_title=b.title,
        row_labels=a.labels,
        column_labels=b.labels,
        cells=[[_heat_cell(cell) for cell in row] for row in relation.cells],
        language=language,
    )


def among_chart(relation: Relation, language: str) -> IntervalChart | None:
    """Return one row an answer to the first question: the second's share of its second answer, or its mean."""
    b, units = relation.b, units_of(relation.b)
    if not relation.among or not (units or b.design.k == _TWO):
        return None
    if units:
        title = _("Mean among those who share an answer")
        axis = units_axis(units)
    else:
        title = _("“%(answer)s” among those who share an answer") % {"answer": b.labels[1]}
        axis = share_axis(unit=_("of 100"))
    return IntervalChart(
        name="among",
        title=title,
        text=" ".join(among_words(among, relation) for among in relation.among),
        table=Table(
            caption=title,
            headings=(
                _("True answer"),
                _("People, estimated"),
                *estimate_headings(),
            ),
            rows=tuple(_among_cells(among, relation) for among in relation.among),
        ),
        axis=axis,
        rows=[_among_row(among, relation) for among in relation.among],
        interval_label=_("estimate and %(level)s interval") % {"level": level_words(relation.confidence_level)},
        language=language,
    )


def _figure(among: Among, relation: Relation) -> NumberEstimate | None:
    """Return what a row is about; None where too few are estimated to have the answer."""
    if among.too_few:
        return None
    return among.mean if relation.b.range else among.shares[1]


def _among_row(among: Among, relation: Relation) -> IntervalRow:
    found, units = _figure(among, relation), units_of(relation.b)
    if found is None:
        few = _("too few to say")
        return IntervalRow(among.label, f"{among.label}: {few}", "–", None, None, None, detail=few, claimed=False)
    words = mean_words(found, units) if units else limits_words(found)
    value = units.write(found.estimate) if units else estimate_of_100(found.estimate or 0.0, found.low, found.high)
    return IntervalRow(
        label=among.label,
        says=among_words(among, relation),
        value=value if found.claimed else "–",
        point=found.estimate if found.claimed else None,
        low=found.low if found.claimed else None,
        high=found.high if found.claimed else None,
        limits=interval_cell(found.low, found.high, units) if found.claimed else "",
        detail=people_words(among) if found.claimed else f"{words} · {people_words(among)}",
        claimed=found.claimed,
    )


def _among_cells(among: Among, relation: Relation) -> tuple[str, ...]:
    found, units = _figure(among, relation), units_of(relation.b)
    if found is None:
        return (among.label, _("too few to say"), *["–"] * 5)
    return (
        among.label,
        people_cell(among),
        *estimate_cells(found, units),
    )


def _heat_cell(cell: NumberEstimate) -> HeatCell:
    if not cell.claimed:
        return HeatCell(None, "–", _("no interval"))
    return HeatCell(
        max(0.0, cell.estimate or 0.0),
        percent(cell.estimate),
        interval_cell(cell.low, cell.high),
    )
