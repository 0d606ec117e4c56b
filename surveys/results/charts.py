"""The charts of a question, their tables, and the notes below them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from django import template
from django.utils.translation import gettext as _

from surveys.charts import (
    Axis,
    Bar,
    BarChart,
    Chart,
    IntervalChart,
    IntervalRow,
    LargeInterval,
    Table,
    Tick,
    share_axis,
)
from surveys.common.words import epsilon_words
from surveys.estimation.claims import NumberEstimate
from surveys.numbers.words import (
    NARROW,
    Units,
    decimal,
    decimal_outwards,
    estimate_of_100,
    interval_cell,
    interval_sentence,
    level_words,
    limits_of_100,
    localized,
    percent,
    percent_limits,
    says_too_little,
    tenths_of_100,
    whole_number,
    with_unit,
)
from surveys.results.figures.groups import GroupMeasure
from surveys.results.figures.means import BandsResult, Below, MeanResult, QuantileEstimate, ScaleResult, TopShare
from surveys.results.figures.questions import ItemResult, OptionResult, QuestionResult, shares_together
from surveys.results.report import ResultsOptions, coverage_words, method_label, method_words, simultaneous_words
from surveys.results.words import (
    Headline,
    answered_words,
    bounds_words,
    interval_words,
    is_claimed,
    limited_to,
    main_mean,
    mean_limited,
    mean_name,
    mean_says,
    mean_words,
    method_of,
    option_says,
    quantile_name,
    quantile_words,
    row_name,
    top_name,
    units_of,
    units_of_number,
)

register = template.Library()


def question_charts(result: QuestionResult, finding: Headline, options: ResultsOptions, language: str) -> list[Chart]:
    """Return all charts of a question that enough answered; the first one is about its finding."""
    level = options.confidence_level
    shares = shares_chart(result, level=level, language=language)
    means = [chart for item in result.items for chart in mean_charts(item, level=level)]
    # What the headline is about comes first, then the distribution, then what else is said of it.
    charts = [*means[:1], *([shares] if shares else []), *means[1:]]
    note = f"{answered_words(result)} · {result.question.chance.label} · {epsilon_words(result.question)}"
    # As a file it stands alone: with the question, the finding, and how that was found.
    charts[0] = replace(
        charts[0],
        asked=result.question.text,
        title=finding.alone or finding.title,
        # What is a symbol and its number stays on one line.
        note=f"{note} · {method_label(method_of(result))}, {level_words(level)}".replace(
            "ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
        ),
    )
    return charts


@register.simple_tag
def question_notes(result: QuestionResult, options: ResultsOptions) -> list[str]:
    """Say below a question that enough answered how its figures were found, and what they leave open."""
    first = result.first
    notes = method_words(first, options.wanted)
    together = shares_together(result.question)
    notes.append(simultaneous_words(together, options.wanted))
    if sum(len(item.shown_codes) for item in result.items) > 1 and not main_mean(first):
        chosen = (
            _("So the one at the top of the page allows for the choice of the largest estimate.")
            if options.simultaneous
            else _("The one at the top of the page does not allow for the choice of the largest estimate.")
        )
        rivals = _("Answers that could be more common are named there, at the same level.")
        notes.append(f"{chosen} {rivals}")
    if not first.oddities:
        notes.append(coverage_words(first.item, first.n, first.method, options.wanted.each(together)))
    if first.too_few_say:
        notes.append(
            _("The estimated number of people who gave an answer is too small, so no results are shown for them alone.")
        )
    if first.scale and not first.oddities:
        notes.append(_("The mean treats the scale points as equally spaced numbers."))
    if first.bands and not first.oddities:
        notes.append(bounds_words(first.bands))
    if first.bands and first.bands.below and first.bands.simultaneous:
        notes.append(_("The intervals for the shares below each limit hold simultaneously for all limits."))
    if not first.item.protects:
        notes.append(
            _("If too few people in a group gave the same unprotected answers, their answers are combined with others.")
        )
    if (first.options[0].standard_error is None) if first.options else first.n == 1:
        notes.append(_("A single answer has no standard error."))
    return [note for note in notes if note]


# The axis, headings and cells that charts of shares and of numbers have in common.


def estimate_headings() -> tuple[str, ...]:
    """Head the columns of `estimate_cells`."""
    return _("Raw estimate"), _("Constrained estimate"), _("Low"), _("High"), _("Standard error")


def estimate_cells(
    estimate: NumberEstimate, units: Units | None = None, *, trusted: bool = True, dashes: bool = False
) -> tuple[str, ...]:
    """Write an estimate for a table, of a share in percent; where there is none, once with dashes or thrice."""
    write, limits = (units.write, units.write_limits) if units else (partial(percent, digits=1), percent_limits)
    none = _("not reliable")
    shown = (none, "–", "–") if dashes else (none, none, none)
    if trusted and estimate.claimed:
        shown = (write(estimate.estimate), *limits(estimate.low, estimate.high))
    return write(estimate.moment), *shown, write(estimate.standard_error)


def units_axis(units: Units) -> Axis:
    """Return the axis over the range of a number."""
    ticks = tuple(Tick(at, label) for at, label in units.marks)
    return Axis(float(units.low), float(units.high), ticks, unit=units.unit)


def interval_label(level: float, rows: Sequence[IntervalRow]) -> str:
    """Say what the bar of a row is, and the dot where any has one."""
    words = _("%(level)s interval")
    if any(row.claimed and row.point is not None for row in rows):
        words = _("estimate and %(level)s interval")
    return words % {"level": level_words(level)}


def estimate_row(
    label: str,
    says: str,
    estimate: float | None,
    limits: tuple[float, float],
    units: Units | None = None,
    *,
    claimed: bool,
    raw: float | None = None,
    detail: str = "",
    link: str = "",
    truth: float | None = None,
) -> IntervalRow:
    """Return the row of a share, or of a number in its units; where its interval says too little, without a number."""
    low, high = limits
    value, point, interval = "–", None, ""
    if claimed and estimate is not None:
        value, point = units.write(estimate) if units else estimate_of_100(estimate, low, high), estimate
        interval = interval_cell(low, high, units)
        if says_too_little(low, high, units.length if units else 1.0):
            value, point, interval = interval, None, ""
    return IntervalRow(label, says, value, point, low, high, raw, detail, claimed, truth, interval, link)


@dataclass(frozen=True, slots=True)
class MeasureScale:
    """How what is compared is written: shares in hundredths, differences of shares in points, means in their units."""

    units: Units | None

    @classmethod
    def of(cls, compared: GroupMeasure) -> "MeasureScale":
        """Return how the figures of a comparison are written."""
        return cls(units_of_number(compared.item) if compared.of_a_mean else None)

    def value(self, value: float | None) -> str:
        """31.0% for 0.31, or 4.31 hours."""
        return self.units.write(value) if self.units else percent(value, 1)

    def difference(self, value: float | None) -> str:
        """−12.3 points for −0.123, or −1.50 hours; a dash for a number there is not."""
        if self.units or value is None:
            return self.units.write(value) if self.units else "–"
        return _("%(number)s points") % {"number": decimal(100 * value, 1)}

    def value_limits(self, low: float, high: float) -> tuple[str, str]:
        """Write both limits of a part for a table, rounded outwards."""
        return self.units.write_limits(low, high) if self.units else percent_limits(low, high)

    def difference_limits(self, low: float, high: float) -> tuple[str, str]:
        """Write both limits of a difference for a table, rounded outwards."""
        if self.units:
            return self.units.write_limits(low, high)
        digits = 2 if _near_0(low, high) else 1
        limits = decimal_outwards(100 * low, digits, math.floor), decimal_outwards(100 * high, digits, math.ceil)
        return _("%(number)s points") % {"number": limits[0]}, _("%(number)s points") % {"number": limits[1]}

    def limits(self, low: float, high: float) -> dict[str, str]:
        """Return limits of a difference, rounded outwards, the upper one with its unit."""
        if self.units:
            return self.units.limits(low, high)
        digits = 2 if _near_0(low, high) else int(high - low < NARROW)
        return {
            "low": decimal_outwards(100 * low, digits, math.floor),
            "high": _("%(number)s points") % {"number": decimal_outwards(100 * high, digits, math.ceil)},
        }


def _near_0(low: float, high: float) -> bool:
    """Whether an interval of shares leaves 0 out by a hair, which must not be written as 0."""
    return min(abs(low), abs(high)) < NARROW / 5 and low * high > 0


# The chart of a question's shares: rows with intervals, or the bars of a distribution.


def shares_chart(result: QuestionResult, *, level: float, language: str) -> Chart | None:
    """Return the chart of the shares worth a row; None for a number whose mean is all that was asked."""
    rows = [(option, item) for item in result.items for option in item.shown]
    if not rows:
        return None
    if len(rows) == 1 and result.first.item.answers.yes_or_no and not result.first.item.option:
        return _large_share(*rows[0], result)
    name = f"q{result.question.number}-shares"
    title = _("Question %(number)s: estimated shares") % {"number": result.question.number}
    text = ". ".join(option_says(option, item) for option, item in rows) + "."
    table, axis, values = shares_table(result), share_axis(unit=_("of 100")), {"level": level_words(level)}
    if result.question.values:
        return BarChart(
            name=name,
            title=title,
            text=text,
            table=table,
            language=language,
            axis=axis,
            bars=[_bar(option, item) for option, item in rows],
            interval_label=_("%(level)s interval") % values,
        )
    drawn = [share_row(option, item) for option, item in rows]
    return IntervalChart(
        name=name,
        title=title,
        text=text,
        table=table,
        language=language,
        axis=axis,
        rows=drawn,
        interval_label=interval_label(level, drawn),
    )


def _large_share(option: OptionResult, item: ItemResult, result: QuestionResult) -> LargeInterval:
    row = share_row(option, item)
    limits = limits_of_100(option.low, option.high)
    return LargeInterval(
        name=f"q{result.question.number}-shares",
        title=_("Question %(number)s: estimated shares") % {"number": result.question.number},
        text=f"{row.says}.",
        table=shares_table(result),
        axis=share_axis(unit=_("of 100")),
        row=row,
        point="" if row.point is None else row.value,
        low=limits["low"],
        high=limits["high"],
        raw=_("%(observed)s reported (randomized)") % {"observed": tenths_of_100(option.observed)},
    )


def shares_table(result: QuestionResult) -> Table:
    """Return all numbers of a question's shares, those of the reports among them where they are called alike."""
    alike = result.first.item.reports_are_answers
    reports = (_("Reports"), _("Reported (randomized)")) if alike else ()
    forged = {"forged": whole_number(result.first.forged)}
    return Table(
        caption=_("Estimated shares of the true answers"),
        headings=(
            _("Answer"),
            *reports,
            *estimate_headings(),
            _("Low (forged reports: %(forged)s)") % forged,
            _("High (forged reports: %(forged)s)") % forged,
        ),
        rows=tuple(_cells(option, item, alike=alike) for item in result.items for option in item.tabled),
    )


def _cells(option: OptionResult, item: ItemResult, *, alike: bool) -> tuple[str, ...]:
    reports = (whole_number(option.count), percent(option.observed, 1)) if alike else ()
    estimate = estimate_cells(option, trusted=not item.oddities, dashes=True)
    forged = percent_limits(option.forged_low, option.forged_high) if is_claimed(option, item) else ("–", "–")
    return (row_name(option, item), *reports, *estimate, *forged)


def share_row(option: OptionResult, item: ItemResult) -> IntervalRow:
    return estimate_row(
        row_name(option, item),
        option_says(option, item),
        option.estimate,
        (option.low, option.high),
        claimed=is_claimed(option, item),
        raw=option.observed if item.item.reports_are_answers else None,
        detail=_detail(option, item),
    )


def _detail(option: OptionResult, item: ItemResult) -> str:
    """Say below a row only what its marks and numbers do not: why there is no estimate, or that it was limited."""
    if item.oddities:
        return ""
    return limited_to(option) if is_claimed(option, item) else interval_words(option)


def _bar(option: OptionResult, item: ItemResult) -> Bar:
    row, trusted = share_row(option, item), is_claimed(option, item)
    return Bar(
        label=row.label,
        says=row.says,
        value=row.value,
        limits=row.limits,
        share=option.estimate if trusted else None,
        low=option.low if trusted else None,
        high=option.high if trusted else None,
        raw=option.observed if item.item.reports_are_answers else None,
    )


# The charts of a number or a scale: its mean, and what else there is to a distribution.


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
    headings, raw = (_("Figure"), *estimate_headings()), ""
    if mean.observed is not None:
        headings = (_("Figure"), _("Reported (randomized)"), *estimate_headings())
        cells = (units.write(mean.observed), *cells)
        raw = _("%(observed)s reported (randomized)") % {"observed": _without_unit(units).write(mean.observed)}
    return LargeInterval(
        name=f"q{item.item.question_number}-mean",
        title=_("Question %(number)s: estimated mean") % {"number": item.item.question_number},
        text=f"{row.says}.",
        table=Table(_("Estimated mean"), headings, ((name, *cells),)),
        axis=units_axis(units),
        row=row,
        **_ends(row, mean, units),
        raw=raw,
    )


def _without_unit(units: Units) -> Units:
    """Return the same range without its unit, which the axis has."""
    return Units(units.low, units.high, "")


def _ends(row: IntervalRow, mean: NumberEstimate, units: Units) -> dict[str, str]:
    """Return the numbers as they stand at a band's marks, without the unit."""
    bare = _without_unit(units)
    return {"point": "" if row.point is None else bare.write(row.point), **bare.limits(mean.low, mean.high)}


def _scale_chart(item: ItemResult, scale: ScaleResult) -> Chart:
    units, name = units_of(scale), mean_name(among_those_who_say=scale.among_those_who_say)
    row = _mean_row(scale.mean, units, name=name, trusted=not item.oddities)
    marks = tuple(Tick(point, str(point)) for point in range(1, scale.points + 1))
    return LargeInterval(
        name=f"q{item.item.question_number}-mean",
        title=_("Question %(number)s: mean of the scale points") % {"number": item.item.question_number},
        text=f"{row.says}.",
        table=Table(
            _("Mean of the scale points"),
            (_("Figure"), *estimate_headings()),
            ((name, *estimate_cells(scale.mean, units, trusted=not item.oddities, dashes=True)),),
        ),
        axis=Axis(1, scale.points, marks, _("%(first)s to %(last)s") % {"first": scale.ends[0], "last": scale.ends[1]}),
        row=row,
        **_ends(row, scale.mean, units),
    )


def _top_chart(item: ItemResult, scale: ScaleResult, level: float) -> Chart:
    title = (
        _("Share at the top of the scale, among people who gave an answer")
        if scale.among_those_who_say
        else _("Share at the top of the scale")
    )
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
        interval_label=interval_label(level, rows),
    )


def _top_row(top: TopShare, scale: ScaleResult, *, trusted: bool) -> IntervalRow:
    share, name = top.share, top_name(top, scale)
    shown = trusted and share.claimed
    words = _share_words(share)
    return estimate_row(
        name,
        _("%(name)s: %(why)s") % {"name": name, "why": words if trusted else _("no reliable estimate")},
        share.estimate,
        (share.low, share.high),
        claimed=shown,
        detail=words if trusted and not shown else "",
    )


def _share_words(share: NumberEstimate) -> str:
    if share.estimate is None:
        return _("No estimate, because all reports may come from people who prefer not to say.")
    if share.outside:
        return _("No interval, because no share fits the reports.")
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
        interval_label=interval_label(level, rows),
    )


def _quantile_row(quantile: QuantileEstimate, units: Units, *, trusted: bool) -> IntervalRow:
    name, shown = quantile_name(quantile.probability), trusted and quantile.value is not None
    words = quantile_words(quantile, units) if trusted else _("no reliable estimate")
    return estimate_row(
        name,
        _("%(name)s: %(why)s") % {"name": name, "why": words},
        quantile.value,
        (quantile.low, quantile.high),
        units,
        claimed=shown,
        detail=words if trusted and not shown else "",
    )


def _quantile_cells(quantile: QuantileEstimate, units: Units, *, trusted: bool) -> tuple[str, ...]:
    cells: tuple[str, ...] = (_("not reliable"), "–", "–")
    if trusted and quantile.value is not None:
        cells = (units.write(quantile.value), *units.write_limits(quantile.low, quantile.high))
    return (quantile_name(quantile.probability), "–", *cells, "–")


def _below_chart(item: ItemResult, bands: BandsResult, level: float) -> Chart:
    title = (
        _("Share below each limit, among people who gave a number")
        if bands.among_those_who_say
        else _("Share below each limit")
    )
    trusted = not item.oddities
    rows = [_below_row(below, bands, trusted=trusted) for below in bands.below]
    return IntervalChart(
        name=f"q{item.item.question_number}-below",
        title=_("Question %(number)s: %(figure)s") % {"number": item.item.question_number, "figure": title},
        text=". ".join(row.says for row in rows) + ".",
        table=Table(
            title,
            (_("Below"), _("Constrained estimate"), _("Low"), _("High")),
            tuple(
                (_edge_name(below, bands), percent(below.share, 1), *percent_limits(below.low, below.high))
                if trusted and _claimed(below)
                else (_edge_name(below, bands), _("not reliable"), "–", "–")
                for below in bands.below
            ),
        ),
        axis=share_axis(unit=_("of 100")),
        rows=rows,
        interval_label=interval_label(level, rows),
    )


def _below_row(below: Below, bands: BandsResult, *, trusted: bool) -> IntervalRow:
    name = _("Below %(edge)s") % {"edge": _edge_name(below, bands)}
    shown = trusted and _claimed(below)
    words = _("no reliable estimate")
    if shown:
        words = interval_sentence(below.low, below.high)
    says = _("%(name)s: %(why)s") % {"name": name, "why": words}
    return estimate_row(name, says, below.share, (below.low, below.high), claimed=shown)


def _claimed(below: Below) -> bool:
    return below.share is not None and not below.outside


def _edge_name(below: Below, bands: BandsResult) -> str:
    return with_unit(localized(below.edge), bands.unit)


def _mean_row(mean: NumberEstimate, units: Units, *, name: str, trusted: bool, raw: float | None = None) -> IntervalRow:
    shown = trusted and mean.claimed
    return estimate_row(
        name,
        mean_says(mean, units, name=name, trusted=trusted),
        mean.estimate,
        (mean.low, mean.high),
        units,
        claimed=shown,
        raw=raw,
        detail=(mean_limited(mean, units) if shown else mean_words(mean, units)) if trusted else "",
    )
