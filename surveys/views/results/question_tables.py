"""The tables of a question's own page: its reports, its matrix, its intervals by every method."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from surveys.charts import Table
from surveys.common.intervals import interval_cell, percent_cell
from surveys.common.numbers import Units, p_value_or_below, percent, whole
from surveys.models.definition import Item
from surveys.selectors.results.estimated import Estimated
from surveys.selectors.results.intervals import METHODS, method_label
from surveys.selectors.results.items import ItemResult, OptionResult
from surveys.selectors.results.means import MeanResult
from surveys.selectors.results.overview import Part, QuestionResult
from surveys.templatetags.respondent.matrix_words import exact
from surveys.templatetags.results.mean_words import mean_name, top_name, units_of
from surveys.templatetags.results.result_words import row_name


def reports_table(result: QuestionResult) -> Table:
    """Return how often each report came, chance included."""
    return Table(
        _("What was reported, with chance added"),
        (_("Report"), _("Reports"), _("Share of the reports")),
        tuple(
            (
                f"{item.item.option} – {option.report}" if item.item.option else option.report,
                whole(option.count),
                percent(option.observed, 1),
            )
            for item in result.items
            for option in item.options
        ),
    )


def parts_table(caption: str, heading: str, parts: tuple[Part, ...]) -> Table:
    """Return the numbers of parts of the responses."""
    return Table(
        caption,
        (heading, _("Answers")),
        tuple((part.name, whole(part.n)) for part in parts),
    )


def matrix_table(item: Item) -> Table:
    """Return the design matrix: a column a true answer, a row a report."""
    return Table(
        _("The probability of each report, by true answer"),
        (_("Report"), *(_("if “%(label)s”") % {"label": label} for label in item.labels)),
        tuple(
            (label, *(exact(entry) for entry in row))
            for label, row in zip(item.report_labels, item.design.matrix, strict=True)
        ),
    )


def misfit_table(result: QuestionResult) -> Table:
    """Return the p-value of every item."""
    return Table(
        _("Whether the procedure was followed"),
        (_("Item"), _("p-value")),
        tuple((item.item.option or _("All reports"), p_value_or_below(item.misfit)) for item in result.items),
    )


def methods_table(by_method: Mapping[str, tuple[ItemResult, ...]]) -> Table:
    """Return the intervals of everything shown by every method, a column a method."""
    columns = [[cell for item in by_method[method] for cell in _intervals(item, method)] for method in METHODS]
    names = [name for item in by_method[METHODS[0]] for name in _names(item)]
    return Table(
        _("Intervals by every method"),
        (_("Figure"), *map(method_label, METHODS)),
        tuple((name, *cells) for name, *cells in zip(names, *columns, strict=True)),
    )


def _names(item: ItemResult) -> list[str]:
    of_numbers = [result for result in (item.mean, item.scale, item.bands) if result]
    names = [mean_name(among_those_who_say=result.among_those_who_say) for result in of_numbers]
    if item.scale:
        names += [top_name(top, item.scale) for top in item.scale.tops]
    return names + [row_name(option, item) for option in item.shown]


def _intervals(item: ItemResult, method: str) -> list[str]:
    if item.oddities:
        return [_("none to trust")] * len(_names(item))
    cells = []
    if item.mean:
        cells.append(_of_mean(item.mean, units_of(item.mean), method))
    if item.scale:
        cells.append(_of_mean(item.scale.mean, units_of(item.scale), method))
        cells += [_of_share(top.share, top.share.method, method) for top in item.scale.tops]
    if item.bands:
        cells.append(_of_mean(item.bands.mean, units_of(item.bands), method))
    return cells + [_of_share(option, item.method, method) for option in item.shown]


def _of_mean(mean: Estimated | MeanResult, units: Units, method: str) -> str:
    if mean.method != method:
        return "–"
    if not mean.claimed:
        return _("none")
    return interval_cell(mean.low, mean.high, units)


def _of_share(share: Estimated | OptionResult, used: str, method: str) -> str:
    if used != method:
        return "–"
    if not share.claimed:
        return _("none")
    return percent_cell(share.low, share.high)
