"""The charts of the tab that compares groups: its groups, and the differences of all pairs."""

from django.utils.translation import gettext as _

from surveys.charts import IntervalChart, IntervalRow, Table, axis_around, most_telling, share_axis
from surveys.numbers.words import (
    decimal,
    estimate_of_100,
    hundredths,
    interval_cell,
    level_words,
    p_value,
    whole_number,
)
from surveys.results.charts.columns import estimate_headings, units_axis
from surveys.results.groups.figures import GroupPart, GroupResults, PairDifference
from surveys.results.groups.words import (
    MeasureScale,
    headline,
    n_words,
    pair_detail,
    pair_words,
    part_value,
    part_words,
    same_words,
)

# Of 31 groups there are 465 pairs: so many rows nobody looks through. The table has them all.
MOST_ROWS = 45


def group_chart(results: GroupResults) -> IntervalChart:
    """Return the groups' estimates below each other."""
    of, scale = results.of, MeasureScale.of(results.of)
    title = _("Mean by group") if of.option is None else _("“%(answer)s” by group") % {"answer": _answer(results)}
    axis = units_axis(scale.units) if scale.units else share_axis(unit=_("of 100"))
    return IntervalChart(
        name="groups",
        title=title,
        text=headline(results),
        table=Table(
            caption=title,
            headings=(
                _("Group"),
                _("n"),
                _("With chance added"),
                *estimate_headings(),
            ),
            rows=tuple(_part_cells(part, results, scale) for part in results.parts),
        ),
        axis=axis,
        rows=[_part_row(part, results, scale) for part in results.parts],
        interval_label=_interval_label(results),
        raw_label=_("the reports themselves, with chance added") if scale.units else "",
    )


def difference_chart(results: GroupResults) -> IntervalChart:
    """Return the differences of all pairs; of very many those with the smallest p-values."""
    scale = MeasureScale.of(results.of)
    drawn = most_telling(results.pairs, MOST_ROWS, lambda pair: -1.0 if pair.p_value is None else -pair.p_value)
    text, note = same_words(results), ""
    if len(drawn) < len(results.pairs):
        text = note = _("The %(drawn)s pairs with the smallest p-values of %(pairs)s; the table has them all.") % {
            "drawn": MOST_ROWS,
            "pairs": len(results.pairs),
        }
    title = _("Differences between groups")
    limits = [0.0, *(limit for pair in drawn for limit in (pair.low, pair.high))]
    return IntervalChart(
        name="differences",
        title=title,
        text=text,
        note=note,
        table=Table(
            caption=title,
            headings=(
                _("First group less second"),
                _("Difference, raw"),
                _("Difference, limited"),
                _("Low"),
                _("High"),
                _("Standard error"),
                _("p, by itself"),
                _("p, adjusted"),
            ),
            rows=tuple(_pair_cells(pair, scale) for pair in results.pairs),
        ),
        axis=axis_around(
            limits,
            title=scale.units.unit if scale.units else _("points of 100"),
            write=decimal if scale.units else hundredths,
        ),
        rows=[_pair_row(pair, results, scale) for pair in drawn],
        reference=0.0,
        interval_label=_interval_label(results),
    )


def _answer(results: GroupResults) -> str:
    return results.of.item.labels[results.of.option or 0]


def _interval_label(results: GroupResults) -> str:
    return _("estimate and %(level)s interval") % {"level": level_words(results.confidence_level)}


def _part_row(part: GroupPart, results: GroupResults, scale: MeasureScale) -> IntervalRow:
    figure, shown = part.mean or part.share, part.claimed
    words = part_words(part, scale)
    return IntervalRow(
        label=part.name,
        says=_("%(name)s: estimate %(value)s; %(words)s")
        % {"name": part.name, "value": part_value(part, scale), "words": words},
        value=_value(part, scale),
        limits=interval_cell(figure.low, figure.high, scale.units) if shown and figure else "",
        point=figure.estimate if shown and figure else None,
        low=figure.low if shown and figure else None,
        high=figure.high if shown and figure else None,
        raw=_raw(part, results),
        detail=n_words(part.n) if shown else f"{words} · {n_words(part.n)}",
        claimed=shown,
    )


def _value(part: GroupPart, scale: MeasureScale) -> str:
    """Write an estimate as a row has it: so many of 100, which the axis says, or a mean with its unit."""
    share = part.share
    if scale.units or not part.claimed or share is None or share.estimate is None:
        return part_value(part, scale)
    return estimate_of_100(share.estimate, share.low, share.high)


def _raw(part: GroupPart, results: GroupResults) -> float | None:
    """Return what stands beside the estimate with chance added, where a report is called as an answer is."""
    if part.mean:
        return part.mean.observed
    same = results.of.item.report_labels == results.of.item.labels
    return part.share.observed if part.share and same else None


def _part_cells(part: GroupPart, results: GroupResults, scale: MeasureScale) -> tuple[str, ...]:
    figure, none = part.mean or part.share, _("none to trust")
    shown = (none, none, none)
    if figure and part.claimed:
        shown = (scale.value(figure.estimate), *scale.value_limits(figure.low, figure.high))
    return (
        part.name,
        whole_number(part.n),
        scale.value(_raw(part, results)),
        scale.value(figure.moment if figure else None),
        *shown,
        scale.value(figure.standard_error if figure else None),
    )


def _pair_row(pair: PairDifference, results: GroupResults, scale: MeasureScale) -> IntervalRow:
    words = pair_words(pair, results)
    return IntervalRow(
        label=_pair_name(pair),
        says=words,
        value=_signed(pair, scale),
        point=pair.estimate if pair.claimed else None,
        low=pair.low if pair.claimed else None,
        high=pair.high if pair.claimed else None,
        detail=pair_detail(pair, results),
        claimed=pair.claimed,
    )


def _pair_cells(pair: PairDifference, scale: MeasureScale) -> tuple[str, ...]:
    none = _("none to trust")
    shown = (none, none, none)
    if pair.claimed:
        shown = (scale.difference(pair.estimate), *scale.difference_limits(pair.low, pair.high))
    return (
        _pair_name(pair),
        scale.difference(pair.moment),
        *shown,
        scale.difference(pair.standard_error),
        p_value(pair.p_value),
        p_value(pair.adjusted_p_value),
    )


def _pair_name(pair: PairDifference) -> str:
    return _("%(first)s − %(second)s") % {"first": pair.first, "second": pair.second}


def _signed(pair: PairDifference, scale: MeasureScale) -> str:
    if not pair.claimed:
        return "–"
    return scale.difference(pair.estimate) if scale.units else decimal(100 * pair.estimate, 0)
