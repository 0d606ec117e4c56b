"""The charts of the tab that weights: every answer with its weights, and below it without."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from surveys.charts import IntervalChart, IntervalRow, Table, most_telling, share_axis
from surveys.numbers.words import decimal, estimate_of_100, interval_cell, level_words, whole_number
from surveys.results.charts.columns import units_axis
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.figures.items import OptionResult
from surveys.results.figures.means import MeanResult
from surveys.results.groups.words import MeasureScale
from surveys.results.weights.figures import WeightedResults
from surveys.results.weights.words import ComparedAnswer, compared_answers, value_words, with_words

# So many answers are drawn, in two rows each: of more, those that moved farthest.
MOST_ANSWERS = 20


def weights_charts(results: WeightedResults, language: str) -> list[IntervalChart]:
    """Return one chart of all shares, and one of each mean."""
    compared = compared_answers(results)
    shares = [each for each in compared if not each.units]
    parts = [("weights", shares)] if shares else []
    parts += [(f"weights-{each.item.unweighted.item.key}", [each]) for each in compared if each.units]
    return [_chart(name, part, results, language) for name, part in parts]


def _chart(name: str, compared: Sequence[ComparedAnswer], results: WeightedResults, language: str) -> IntervalChart:
    units, weighted = compared[0].units, with_words(results)
    title = (
        compared[0].name if units else _("Shares of true answers, %(weighting)s and without") % {"weighting": weighted}
    )
    drawn, note = most_telling(compared, MOST_ANSWERS, lambda each: abs(each.shift) if each.claimed else -1.0), ""
    if len(drawn) < len(compared):
        note = _("The %(drawn)s of %(answers)s answers that moved farthest; the table has them all.") % {
            "drawn": MOST_ANSWERS,
            "answers": len(compared),
        }
    rows = [row for each in drawn for row in _rows(each, weighted)]
    return IntervalChart(
        name=name,
        title=title,
        text=" ".join(f"{row.says}." for row in rows),
        note=note,
        table=Table(
            caption=title,
            headings=(
                _("Answer"),
                _("n"),
                _("Effective n"),
                _("Unweighted"),
                _("Low"),
                _("High"),
                _("Weighted, raw"),
                _("Weighted, limited"),
                _("Low"),
                _("High"),
                _("Standard error"),
                _("Design effect"),
            ),
            rows=tuple(_cells(each) for each in compared),
        ),
        axis=units_axis(units) if units else share_axis(unit=_("of 100")),
        rows=rows,
        language=language,
        interval_label=_("estimate and %(level)s interval")
        % {"level": level_words(results.plan.wanted.confidence_level)},
    )


def _rows(compared: ComparedAnswer, weighted: str) -> tuple[IntervalRow, IntervalRow]:
    n = whole_number(compared.item.unweighted.n)
    told = {"weighting": weighted, "n": n, "effective": whole_number(int(compared.item.effective_n))}
    first = _row(compared, compared.answer.weighted, weighted)
    second = _row(compared, compared.answer.unweighted, _("without"))
    return (
        replace(first, detail=_("%(weighting)s, n = %(n)s, effective %(effective)s") % told),
        replace(second, label=_("the same without, n = %(n)s") % told),
    )


def _row(compared: ComparedAnswer, figure: OptionResult | MeanResult | NumberEstimate, weighting: str) -> IntervalRow:
    told = {"name": compared.name, "weighting": weighting}
    if not compared.claimed:
        says = _("%(name)s, %(weighting)s: no estimate to trust") % told
        return IntervalRow(compared.name, says, "–", None, None, None, claimed=False)
    units = compared.units
    share = estimate_of_100(figure.estimate or 0.0, figure.low, figure.high)
    return IntervalRow(
        label=compared.name,
        says=_("%(name)s, %(weighting)s: %(value)s") % {**told, "value": value_words(figure, units)},
        value=units.write(figure.estimate) if units else share,
        limits=interval_cell(figure.low, figure.high, units),
        point=figure.estimate,
        low=figure.low,
        high=figure.high,
    )


def _cells(compared: ComparedAnswer) -> tuple[str, ...]:
    scale, item, answer = MeasureScale(compared.units), compared.item, compared.answer
    counts = compared.name, whole_number(item.unweighted.n), decimal(item.effective_n, 1)
    if not compared.claimed:
        return (*counts, *[_("none to trust")] * 9)
    unweighted, weighted = answer.unweighted, answer.weighted
    return (
        *counts,
        scale.value(unweighted.estimate),
        *scale.value_limits(unweighted.low, unweighted.high),
        scale.value(weighted.moment),
        scale.value(weighted.estimate),
        *scale.value_limits(weighted.low, weighted.high),
        scale.value(weighted.standard_error),
        "–" if answer.design_effect is None else decimal(answer.design_effect, 2),
    )
