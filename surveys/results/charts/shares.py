"""The chart of a question's shares: rows with intervals, or the bars of a distribution."""

from django.utils.translation import gettext as _

from surveys.charts import Bar, BarChart, Chart, IntervalChart, IntervalRow, LargeInterval, Table, share_axis
from surveys.numbers.words import (
    interval_cell,
    level_words,
    limits_of_100,
    percent,
    percent_limits,
    says_too_little,
    tenths_of_100,
    whole_number,
)
from surveys.results.charts.columns import estimate_cells, estimate_headings, share_of_100
from surveys.results.figures.items import ItemResult, OptionResult
from surveys.results.figures.overview import QuestionResult
from surveys.results.words.shares import interval_words, is_claimed, limited_to, option_says, row_name


def shares_chart(result: QuestionResult, *, level: float, language: str) -> Chart | None:
    """Return the chart of the shares worth a row; None for a number whose mean is all that was asked."""
    rows = [(option, item) for item in result.items for option in item.shown]
    if not rows:
        return None
    if len(rows) == 1 and result.first.item.traits.yes_or_no and not result.first.item.option:
        return _large_share(*rows[0], result)
    name = f"q{result.question.number}-shares"
    title = _("Question %(number)s: estimated shares") % {"number": result.question.number}
    text = ". ".join(option_says(option, item) for option, item in rows) + "."
    table, axis, told = shares_table(result), share_axis(unit=_("of 100")), {"level": level_words(level)}
    if result.question.values:
        return BarChart(
            name=name,
            title=title,
            text=text,
            table=table,
            language=language,
            axis=axis,
            bars=[_bar(option, item) for option, item in rows],
            interval_label=_("%(level)s interval") % told,
        )
    return IntervalChart(
        name=name,
        title=title,
        text=text,
        table=table,
        language=language,
        axis=axis,
        rows=[share_row(option, item) for option, item in rows],
        interval_label=_("estimate and %(level)s interval") % told,
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
        point="" if says_too_little(option.low, option.high) else row.value,
        low=limits["low"],
        high=limits["high"],
        raw=_("%(observed)s reported, chance included") % {"observed": tenths_of_100(option.observed)},
    )


def shares_table(result: QuestionResult) -> Table:
    """Return all numbers of a question's shares, those of the reports among them where they are called alike."""
    alike = result.first.reports_are_answers
    reports = (_("Reports"), _("With chance added")) if alike else ()
    forged = {"forged": whole_number(result.first.forged)}
    return Table(
        caption=_("Estimated shares of the true answers"),
        headings=(
            _("Answer"),
            *reports,
            *estimate_headings(),
            _("From, if %(forged)s forged") % forged,
            _("To, if %(forged)s forged") % forged,
        ),
        rows=tuple(_cells(option, item, alike=alike) for item in result.items for option in item.tabled),
    )


def _cells(option: OptionResult, item: ItemResult, *, alike: bool) -> tuple[str, ...]:
    reports = (whole_number(option.count), percent(option.observed, 1)) if alike else ()
    found = estimate_cells(option, trusted=not item.oddities, dashes=True)
    forged = percent_limits(option.forged_low, option.forged_high) if is_claimed(option, item) else ("–", "–")
    return (row_name(option, item), *reports, *found, *forged)


def share_row(option: OptionResult, item: ItemResult) -> IntervalRow:
    """Return the row of one share."""
    trusted = is_claimed(option, item)
    return IntervalRow(
        label=row_name(option, item),
        says=option_says(option, item),
        value=share_of_100(option) if trusted else "–",
        point=option.estimate,
        low=option.low,
        high=option.high,
        raw=option.observed if item.reports_are_answers and item.item.protects else None,
        limits=interval_cell(option.low, option.high) if trusted else "",
        detail=_detail(option, item),
        claimed=trusted,
    )


def _detail(option: OptionResult, item: ItemResult) -> str:
    """Say below a row only what its marks and numbers do not: why there is no estimate, or that it was limited."""
    if item.oddities:
        return ""
    return limited_to(option) if is_claimed(option, item) else interval_words(option)


def _bar(option: OptionResult, item: ItemResult) -> Bar:
    trusted = is_claimed(option, item)
    return Bar(
        label=row_name(option, item),
        says=option_says(option, item),
        value=share_of_100(option) if trusted else "–",
        limits=interval_cell(option.low, option.high) if trusted else "",
        share=option.estimate if trusted else None,
        low=option.low if trusted else None,
        high=option.high if trusted else None,
        raw=option.observed,
    )
