"""Charts of a rehearsal: each estimate with its interval, and a pin where the truth is."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, Tick, share_axis
from surveys.numbers.words import percent, percent_limits, share_of_100
from surveys.rehearsing.selectors import TrueFigure, TrueMean, TrueOption
from surveys.results.charts import estimate_row, interval_label
from surveys.results.words import mean_name, mean_says, option_says, row_name, units_of


def charts_of(figures: Sequence[TrueFigure], *, level: float, language: str) -> list[IntervalChart]:
    """Return the charts of a question's means and shares; none where too few answered it."""
    means = [_mean_chart(figure, level=level) for figure in figures if isinstance(figure, TrueMean)]
    options = [figure for figure in figures if isinstance(figure, TrueOption)]
    return [*means, _share_chart(options, level=level, language=language)] if options else means


@dataclass(frozen=True, slots=True)
class TruthLine:
    """One figure beside what is true, as a band on the whole axis; places are in percent."""

    row: IntervalRow
    truth: str
    holds: bool
    low: str
    width: str
    point: str
    true_at: str


def lines_of(figures: Sequence[TrueFigure], charts: list[IntervalChart]) -> list[TruthLine]:
    """Return the figures of a question's charts in one line each."""
    placed = [(chart.axis, row) for chart in charts for row in chart.rows]
    return [_line(axis, row, figure) for (axis, row), figure in zip(placed, figures, strict=True)]


def _line(axis: Axis, row: IntervalRow, figure: TrueFigure) -> TruthLine:
    def place(value: float | None) -> float:
        at = axis.low if value is None else value
        return 100 * min(1.0, max(0.0, (at - axis.low) / (axis.high - axis.low)))

    low, high = place(row.low), place(row.high)
    return TruthLine(
        row=row,
        truth=_truth_words(figure),
        holds=figure.holds,
        low=f"{low:.1f}%",
        width=f"{high - low:.1f}%",
        point="" if row.point is None else f"{place(row.point):.1f}%",
        true_at=f"{place(row.truth):.1f}%",
    )


def _truth_words(figure: TrueFigure) -> str:
    return units_of(figure.of).write(figure.truth) if isinstance(figure, TrueMean) else share_of_100(figure.truth)


def holds_words(figure: TrueFigure) -> str:
    if not figure.claimed:
        return _("no interval")
    return _("yes") if figure.holds else _("no")


def _share_chart(options: Sequence[TrueOption], *, level: float, language: str) -> IntervalChart:
    number = options[0].item.item.question_number
    title = _("Question %(number)s: true values and estimates") % {"number": number}
    rows = [_share_row(option) for option in options]
    return IntervalChart(
        name=f"q{number}-truth",
        title=title,
        text=". ".join(row.says for row in rows) + ".",
        table=Table(title, _headings(), tuple(_share_cells(option) for option in options)),
        language=language,
        axis=share_axis(_("of 100 people")),
        rows=rows,
        interval_label=interval_label(level, rows),
        truth_label=_truth_label(),
    )


def _share_row(option: TrueOption) -> IntervalRow:
    estimate = option.estimate
    truth = _truth_words(option)
    return estimate_row(
        row_name(estimate, option.item),
        _says(option_says(estimate, option.item), truth, option),
        estimate.estimate,
        (estimate.low, estimate.high),
        claimed=option.claimed,
        detail=_detail(truth, option),
        truth=option.truth,
    )


def _share_cells(option: TrueOption) -> tuple[str, ...]:
    estimate = option.estimate
    shown: tuple[str, ...] = (_("not reliable"), "–", "–")
    if option.claimed:
        shown = (percent(estimate.estimate, 1), *percent_limits(estimate.low, estimate.high))
    return (row_name(estimate, option.item), percent(option.truth, 1), *shown, holds_words(option))


def _mean_chart(mean: TrueMean, *, level: float) -> IntervalChart:
    estimate, units = mean.estimate, units_of(mean.of)
    name = mean_name(among_those_who_say=mean.of.among_those_who_say)
    number = mean.item.item.question_number
    title = _("Question %(number)s: true mean and estimated mean") % {"number": number}
    truth = units.write(mean.truth)
    shown: tuple[str, ...] = (_("not reliable"), "–", "–")
    if mean.claimed:
        shown = (units.write(estimate.estimate), *units.write_limits(estimate.low, estimate.high))
    row = estimate_row(
        name,
        _says(mean_says(estimate, units, name=name, trusted=not mean.item.oddities), truth, mean),
        estimate.estimate,
        (estimate.low, estimate.high),
        units,
        claimed=mean.claimed,
        detail=_detail(truth, mean),
        truth=mean.truth,
    )
    return IntervalChart(
        name=f"q{number}-true-mean",
        title=title,
        text=f"{row.says}.",
        table=Table(title, _headings(), ((name, truth, *shown, holds_words(mean)),)),
        axis=Axis(float(units.low), float(units.high), tuple(Tick(at, label) for at, label in units.marks), units.unit),
        rows=[row],
        interval_label=interval_label(level, [row]),
        truth_label=_truth_label(),
    )


def _says(words: str, truth: str, figure: TrueFigure) -> str:
    if not figure.claimed:
        return _("%(words)s, and the true value is %(truth)s") % {"words": words, "truth": truth}
    if figure.holds:
        return _("%(words)s, and the true value %(truth)s is inside the interval") % {"words": words, "truth": truth}
    return _("%(words)s, and the true value %(truth)s is outside the interval") % {"words": words, "truth": truth}


def _detail(truth: str, figure: TrueFigure) -> str:
    if not figure.claimed:
        return _("True value: %(truth)s. There is no interval.") % {"truth": truth}
    if figure.holds:
        return _("True value: %(truth)s. The interval contains it.") % {"truth": truth}
    return _("True value: %(truth)s. The interval misses it.") % {"truth": truth}


def _headings() -> tuple[str, ...]:
    return (_("Figure"), _("True value"), _("Estimate"), _("Low"), _("High"), _("True value in interval?"))


def _truth_label() -> str:
    return _("true value among the simulated people")
