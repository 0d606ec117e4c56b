"""The charts of a release: what was drawn, with the interval for both kinds of chance."""

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, Tick, axis_around, share_axis
from surveys.common.numbers import Units, level_words, localized, percent, percent_limits
from surveys.selectors.releases.found import Counts, Found, Median, Number, Quantile
from surveys.selectors.releases.found.figure import Figure
from surveys.selectors.releases.terms import CONFIDENCE_LEVEL
from surveys.templatetags.release.release_numbers import high_of, low_of, value_of
from surveys.templatetags.release.release_words import answer_words, figure_name, figure_of, median_words, quantile_rows

_WIDEST = 1000
"""An axis over all that is possible shows nothing of an interval that is a thousandth of it."""


def chart_of(found: Found, *, name: str, table: Table) -> IntervalChart | None:
    """Return the chart of a finding that is a number or several; choices are lists, and have none."""
    told = {"level": level_words(CONFIDENCE_LEVEL)}
    interval_label = _("estimate and %(level)s interval") % told
    if isinstance(found, Counts) and found.mean is None:
        title, axis, rows = _("How people would truly answer"), share_axis(_("Of 100 people")), _shares(found)
    elif isinstance(found, Counts | Number):
        figure, title = figure_of(found), figure_name(found)
        axis, rows = _axis(figure), [_figure_row(figure, title)]
    elif isinstance(found, Quantile) and not found.among_those_who_say:
        interval_label = _("where the share is, with %(level)s confidence") % told
        title, axis = _("People below it, and up to it"), share_axis(_("Of 100 people"))
        rows = [_limits_row(words, low, high) for words, low, high in quantile_rows(found)]
    elif isinstance(found, Median):
        title, axis, rows = _("Median"), _values_axis(found), [_median_row(found)]
    else:
        return None
    return IntervalChart(
        name=name,
        title=title,
        text=" ".join(f"{row.says}." for row in rows),
        axis=axis,
        rows=rows,
        interval_label=interval_label,
        raw_label=_("share of the reports as released, with chance added"),
        table=table,
    )


def _shares(found: Counts) -> list[IntervalRow]:
    rows = []
    for estimate in found.estimates:
        low, high = percent_limits(estimate.low, estimate.high)
        said = {"answer": answer_words(estimate), "share": percent(estimate.share, 1), "low": low, "high": high}
        rows.append(
            IntervalRow(
                label=answer_words(estimate),
                says=_("%(answer)s: estimate %(share)s, interval %(low)s to %(high)s") % said,
                value=percent(estimate.share),
                point=estimate.share,
                low=estimate.low,
                high=estimate.high,
                raw=estimate.reported,
            )
        )
    return rows


def _figure_row(figure: Figure, name: str) -> IntervalRow:
    said = {"name": name, "value": value_of(figure), "low": low_of(figure), "high": high_of(figure)}
    return IntervalRow(
        label=name,
        says=_("%(name)s: estimate %(value)s, interval %(low)s to %(high)s") % said,
        value=value_of(figure),
        point=figure.value,
        low=figure.low,
        high=figure.high,
    )


def _axis(figure: Figure) -> Axis:
    """Return an axis over all that is possible, or around the interval where that would be lost on it."""
    scale = figure.scale
    if (figure.high - figure.low) * _WIDEST < float(scale.high - scale.low):
        values = [figure.low, figure.high, *([] if figure.value is None else [figure.value])]
        return axis_around(values, title=scale.unit)
    ticks = tuple(Tick(value, label) for value, label in Units(scale.low, scale.high, scale.unit).marks)
    return Axis(float(scale.low), float(scale.high), ticks, scale.unit)


def _limits_row(words: str, low: float, high: float) -> IntervalRow:
    limits = percent_limits(low, high)
    return IntervalRow(
        label=words,
        says=_("%(what)s: %(low)s to %(high)s") % {"what": words, "low": limits[0], "high": limits[1]},
        value="",
        point=None,
        low=low,
        high=high,
    )


def _median_row(found: Median) -> IntervalRow:
    low, high, value = low_of(found), high_of(found), median_words(found)
    return IntervalRow(
        label=_("Median"),
        says=_("%(name)s: estimate %(value)s, interval %(low)s to %(high)s")
        % {"name": _("Median"), "value": value, "low": low, "high": high},
        value=value,
        point=float(found.value),
        low=found.low,
        high=found.high,
    )


def _values_axis(found: Median) -> Axis:
    ends = (found.scale.low, (found.scale.low + found.scale.high) / 2, found.scale.high)
    ticks = tuple(Tick(float(value), localized(value)) for value in ends)
    return Axis(float(found.scale.low), float(found.scale.high), ticks, found.scale.unit)
