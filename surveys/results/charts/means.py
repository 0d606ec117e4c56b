"""The charts of a number or a scale: its mean, and what else there is to a distribution."""

from django.utils.translation import gettext as _

from surveys.charts import Axis, Chart, IntervalChart, IntervalRow, LargeInterval, Table, Tick, share_axis
from surveys.numbers.words import (
    Units,
    interval_cell,
    interval_sentence,
    localized,
    percent,
    percent_limits,
    says_too_little,
    with_unit,
)
from surveys.results.charts.columns import estimate_cells, estimate_headings, interval_label, share_of_100, units_axis
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.figures.items import ItemResult
from surveys.results.figures.means import BandsResult, Below, MeanResult, QuantileEstimate, ScaleResult, TopShare
from surveys.results.words.means import (
    mean_limited,
    mean_name,
    mean_says,
    mean_words,
    quantile_name,
    quantile_words,
    top_name,
    units_of,
)


def mean_charts(item: ItemResult, *, level: float) -> list[Chart]:
    """Return the charts of an item's mean and what goes with it; none where neither a number nor a scale was asked."""
    if item.mean:
        return [_number_chart(item, item.mean)]
    if item.scale:
        return [_scale_chart(item, item.scale), _top_chart(item, item.scale, level)]
    if item.bands:
        below = [_below_chart(item, item.bands, level)] if item.bands.below else []
        return [_bands_chart(item, item.bands, level), *below]
    return []


def _number_chart(item: ItemResult, mean: MeanResult) -> Chart:
    units, name = units_of(mean), mean_name(among_those_who_say=mean.among_those_who_say)
    row = _mean_row(mean, units, name=name, trusted=not item.oddities, raw=mean.observed)
    cells = estimate_cells(mean, units, trusted=not item.oddities, dashes=True)
    return LargeInterval(
        name=f"q{item.item.question_number}-mean",
        title=_("Question %(number)s: estimated mean") % {"number": item.item.question_number},
        text=f"{row.says}.",
        table=Table(
            _("Estimated mean"),
            (_("Figure"), _("With chance added"), *estimate_headings()),
            ((name, units.write(mean.observed), *cells),),
        ),
        axis=units_axis(units),
        row=row,
        **_ends(mean, units),
        raw=""
        if mean.observed is None
        else _("%(observed)s reported, chance included") % {"observed": _without_unit(units).write(mean.observed)},
    )


def _without_unit(units: Units) -> Units:
    """Return the same range without its unit, which the axis has."""
    return Units(units.low, units.high, "")


def _ends(mean: NumberEstimate, units: Units) -> dict[str, str]:
    """Return the numbers as they stand at a band's marks, without the unit."""
    bare = _without_unit(units)
    vague = says_too_little(mean.low, mean.high, float(units.high - units.low))
    return {"point": "" if vague else bare.write(mean.estimate), **bare.limits(mean.low, mean.high)}


def _scale_chart(item: ItemResult, scale: ScaleResult) -> Chart:
    units, name = units_of(scale), mean_name(among_those_who_say=scale.among_those_who_say)
    row = _mean_row(scale.mean, units, name=name, trusted=not item.oddities)
    marks = tuple(Tick(point, str(point)) for point in range(1, scale.points + 1))
    return LargeInterval(
        name=f"q{item.item.question_number}-mean",
        title=_("Question %(number)s: mean of the points") % {"number": item.item.question_number},
        text=f"{row.says}.",
        table=Table(
            _("Mean of the points"),
            (_("Figure"), *estimate_headings()),
            ((name, *estimate_cells(scale.mean, units, trusted=not item.oddities, dashes=True)),),
        ),
        axis=Axis(1, scale.points, marks, _("%(first)s to %(last)s") % {"first": scale.ends[0], "last": scale.ends[1]}),
        row=row,
        **_ends(scale.mean, units),
    )


def _top_chart(item: ItemResult, scale: ScaleResult, level: float) -> Chart:
    title = _("Share at the top, of those who say") if scale.among_those_who_say else _("Share at the top")
    rows = [_top_row(top, scale, trusted=not item.oddities) for top in scale.tops]
    return IntervalChart(
        name=f"q{item.item.question_number}-top",
        title=_("Question %(number)s: %(figure)s") % {"number": item.item.question_number, "figure": title},
        text=". ".join(row.says for row in rows) + ".",
        table=Table(
            title,
            (_("Figure"), *estimate_headings()),
            tuple(
                (top_name(top, scale), *estimate_cells(top.share, trusted=not item.oddities, dashes=True))
                for top in scale.tops
            ),
        ),
        axis=share_axis(unit=_("of 100")),
        rows=rows,
        interval_label=interval_label(level),
    )


def _top_row(top: TopShare, scale: ScaleResult, *, trusted: bool) -> IntervalRow:
    share, name = top.share, top_name(top, scale)
    shown = trusted and share.claimed
    words = _share_words(share)
    return IntervalRow(
        label=name,
        says=_("%(name)s: %(why)s") % {"name": name, "why": words if trusted else _("no estimate to trust")},
        value=share_of_100(share) if shown else "–",
        point=share.estimate,
        low=share.low,
        high=share.high,
        limits=interval_cell(share.low, share.high) if shown else "",
        detail=words if trusted and not shown else "",
        claimed=shown,
    )


def _share_words(share: NumberEstimate) -> str:
    if share.estimate is None:
        return _("No estimate: the reports can all come from people who prefer not to say.")
    if share.outside:
        return _("No interval: no share fits the reports.")
    return interval_sentence(share.low, share.high)


def _bands_chart(item: ItemResult, bands: BandsResult, level: float) -> Chart:
    units, trusted = units_of(bands), not item.oddities
    name = mean_name(among_those_who_say=bands.among_those_who_say)
    rows = [
        _mean_row(bands.mean, units, name=name, trusted=trusted),
        *(_quantile_row(quantile, units, trusted=trusted) for quantile in bands.quantiles),
    ]
    table = [
        (name, *estimate_cells(bands.mean, units, trusted=trusted, dashes=True)),
        *(_quantile_cells(quantile, units, trusted=trusted) for quantile in bands.quantiles),
    ]
    return IntervalChart(
        name=f"q{item.item.question_number}-mean",
        title=_("Question %(number)s: estimated mean and quartiles") % {"number": item.item.question_number},
        text=". ".join(row.says for row in rows) + ".",
        table=Table(_("Estimated mean and quartiles"), (_("Figure"), *estimate_headings()), tuple(table)),
        axis=units_axis(units),
        rows=rows,
        interval_label=interval_label(level),
    )


def _quantile_row(quantile: QuantileEstimate, units: Units, *, trusted: bool) -> IntervalRow:
    name, shown = quantile_name(quantile.probability), trusted and quantile.value is not None
    words = quantile_words(quantile, units) if trusted else _("no estimate to trust")
    return IntervalRow(
        label=name,
        says=_("%(name)s: %(why)s") % {"name": name, "why": words},
        value=units.write(quantile.value) if shown else "–",
        point=quantile.value,
        low=quantile.low,
        high=quantile.high,
        limits=interval_cell(quantile.low, quantile.high, units) if shown else "",
        detail=words if trusted and not shown else "",
        claimed=shown,
    )


def _quantile_cells(quantile: QuantileEstimate, units: Units, *, trusted: bool) -> tuple[str, ...]:
    found: tuple[str, ...] = (_("none to trust"), "–", "–")
    if trusted and quantile.value is not None:
        found = (units.write(quantile.value), *units.write_limits(quantile.low, quantile.high))
    return (quantile_name(quantile.probability), "–", *found, "–")


def _below_chart(item: ItemResult, bands: BandsResult, level: float) -> Chart:
    title = _("Share below each limit, of those who say") if bands.among_those_who_say else _("Share below each limit")
    trusted = not item.oddities
    rows = [_below_row(below, bands, trusted=trusted) for below in bands.below]
    return IntervalChart(
        name=f"q{item.item.question_number}-below",
        title=_("Question %(number)s: %(figure)s") % {"number": item.item.question_number, "figure": title},
        text=". ".join(row.says for row in rows) + ".",
        table=Table(
            title,
            (_("Below"), _("Estimate, limited"), _("Low"), _("High")),
            tuple(
                (_edge_name(below, bands), percent(below.share, 1), *percent_limits(below.low, below.high))
                if trusted and _claimed(below)
                else (_edge_name(below, bands), _("none to trust"), "–", "–")
                for below in bands.below
            ),
        ),
        axis=share_axis(unit=_("of 100")),
        rows=rows,
        interval_label=interval_label(level),
    )


def _below_row(below: Below, bands: BandsResult, *, trusted: bool) -> IntervalRow:
    name = _("Below %(edge)s") % {"edge": _edge_name(below, bands)}
    shown = trusted and _claimed(below)
    words = _("no estimate to trust")
    if shown:
        words = interval_sentence(below.low, below.high)
    return IntervalRow(
        label=name,
        says=_("%(name)s: %(why)s") % {"name": name, "why": words},
        value=share_of_100(below) if shown else "–",
        point=below.share,
        low=below.low,
        high=below.high,
        limits=interval_cell(below.low, below.high) if shown else "",
        claimed=shown,
    )


def _claimed(below: Below) -> bool:
    return below.share is not None and not below.outside


def _edge_name(below: Below, bands: BandsResult) -> str:
    return with_unit(localized(below.edge), bands.unit)


def _mean_row(mean: NumberEstimate, units: Units, *, name: str, trusted: bool, raw: float | None = None) -> IntervalRow:
    shown = trusted and mean.claimed
    return IntervalRow(
        label=name,
        says=mean_says(mean, units, name=name, trusted=trusted),
        value=units.write(mean.estimate) if shown else "–",
        point=mean.estimate,
        low=mean.low,
        high=mean.high,
        raw=raw,
        limits=interval_cell(mean.low, mean.high, units) if shown else "",
        detail=(mean_limited(mean, units) if shown else mean_words(mean, units)) if trusted else "",
        claimed=shown,
    )
