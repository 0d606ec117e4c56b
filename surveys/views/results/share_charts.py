"""The chart of a question's shares: rows with intervals, or the bars of a distribution."""

from django.utils.translation import gettext as _

from surveys.charts import Bar, BarChart, Chart, IntervalChart, IntervalRow, Table, share_axis
from surveys.common.numbers import level_words, percent, percent_limits, whole
from surveys.selectors.results.items import ItemResult, OptionResult
from surveys.selectors.results.overview import QuestionResult
from surveys.templatetags.results.forged_words import forged_range
from surveys.templatetags.results.result_words import claimed, interval_words, limited_to, option_says, row_name


def shares_chart(result: QuestionResult, *, level: float, language: str) -> Chart | None:
    """Return the chart of the shares worth a row; None for a number whose mean is all that was asked."""
    rows = [(option, item) for item in result.items for option in item.shown]
    if not rows:
        return None
    name = f"q{result.question.number}-shares"
    title = _("Question %(number)s: estimated shares") % {"number": result.question.number}
    text = ". ".join(option_says(option, item) for option, item in rows) + "."
    table, axis, told = shares_table(result), share_axis(_("of 100 people")), {"level": level_words(level)}
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
        rows=[_row(option, item) for option, item in rows],
        interval_label=_("estimate and %(level)s interval") % told,
    )


def shares_table(result: QuestionResult) -> Table:
    """Return all numbers of a question's shares, those of the reports among them where they are called alike."""
    alike = result.first.reports_are_answers
    reports = (_("Reports"), _("With chance added")) if alike else ()
    forged = {"forged": whole(result.first.forged)}
    return Table(
        caption=_("Estimated shares of the true answers"),
        headings=(
            _("Answer"),
            *reports,
            _("Estimate, raw"),
            _("Estimate, limited"),
            _("Low"),
            _("High"),
            _("Standard error"),
            _("From, if %(forged)s forged") % forged,
            _("To, if %(forged)s forged") % forged,
        ),
        rows=tuple(_cells(option, item, alike=alike) for item in result.items for option in item.tabled),
    )


def _cells(option: OptionResult, item: ItemResult, *, alike: bool) -> tuple[str, ...]:
    reports = (whole(option.count), percent(option.observed, 1)) if alike else ()
    found: tuple[str, ...] = (_("none to trust"), "–", "–")
    forged: tuple[str, ...] = ("–", "–")
    if claimed(option, item):
        found = (percent(option.estimate, 1), *percent_limits(option.low, option.high))
        forged = tuple(forged_range(option).values())
    return (
        row_name(option, item),
        *reports,
        percent(option.moment, 1),
        *found,
        percent(option.standard_error, 1),
        *forged,
    )


def _row(option: OptionResult, item: ItemResult) -> IntervalRow:
    trusted = claimed(option, item)
    return IntervalRow(
        label=row_name(option, item),
        says=option_says(option, item),
        value=percent(option.estimate) if trusted else "–",
        point=option.estimate,
        low=option.low,
        high=option.high,
        raw=option.observed if item.reports_are_answers else None,
        detail=_detail(option, item),
        claimed=trusted,
    )


def _detail(option: OptionResult, item: ItemResult) -> str:
    said = []
    if not item.oddities:
        before = limited_to(option)
        words = interval_words(option)
        said.append(_("%(words)s (%(before)s)") % {"words": words, "before": before} if before else words)
    if item.reports_are_answers:
        said.append(_("with chance added %(observed)s") % {"observed": percent(option.observed)})
    return " · ".join(said)


def _bar(option: OptionResult, item: ItemResult) -> Bar:
    trusted = claimed(option, item)
    return Bar(
        label=row_name(option, item),
        says=option_says(option, item),
        value=percent(option.estimate) if trusted else "–",
        share=option.estimate if trusted else None,
        low=option.low if trusted else None,
        high=option.high if trusted else None,
        raw=option.observed,
    )
