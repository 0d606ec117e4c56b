"""What weights change: the charts of answers with weights and without, and of differences between groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, IntervalRow, Table, axis_around, most_telling, share_axis
from surveys.estimation.claims import NumberEstimate
from surveys.numbers.words import (
    Units,
    decimal,
    estimate_of_100,
    hundredths,
    interval_clause,
    interval_sentence,
    limits_cell,
    says_too_little,
    whole_number,
)
from surveys.results.charts import MeasureScale, estimate_row, interval_label, units_axis
from surveys.results.figures.means import MeanResult
from surveys.results.figures.questions import OptionResult
from surveys.results.figures.weighted_contrasts import WeightedPair
from surveys.results.figures.weights import WeightedAnswer, WeightedItem, WeightedQuestion, WeightedResults
from surveys.results.words import mean_name, row_name

_WITH = {
    "none": gettext_lazy("with weights"),
    "clusters": gettext_lazy("with groups as clusters"),
    "strata": gettext_lazy("with groups as strata"),
}


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer without and with weights, and what it is called."""

    item: WeightedItem
    answer: WeightedAnswer
    name: str

    @property
    def units(self) -> Units | None:
        """In what a mean is measured; shares have none."""
        return self.answer.units

    @property
    def claimed(self) -> bool:
        """Whether both estimates can be shown."""
        return self.answer in self.item.claimed

    @property
    def shift(self) -> float:
        """How far the weights move the estimate, as a share, or as a part of the number's range."""
        moved = (self.answer.weighted.estimate or 0.0) - (self.answer.unweighted.estimate or 0.0)
        return moved / self.units.length if self.units else moved


def compared_answers(results: WeightedResults) -> list[ComparedAnswer]:
    """Return all answers of all questions that enough people answered, in their order."""
    return [
        ComparedAnswer(
            item,
            answer,
            f"{question.question.number}. {question.question.text} – {_name(question, item, answer)}",
        )
        for question in results.questions
        for item in question.items
        for answer in item.answers
    ]


def _name(question: WeightedQuestion, item: WeightedItem, answer: WeightedAnswer) -> str:
    if isinstance(answer.unweighted, OptionResult):
        return row_name(answer.unweighted, item.unweighted)
    return mean_name(among_those_who_say=question.question.protects_leaving_out)


def with_words(results: WeightedResults) -> str:
    """Say in few words what the weighted estimates are."""
    return str(_WITH["none" if results.plan.known else results.plan.role])


def value_words(figure: OptionResult | MeanResult | NumberEstimate, units: Units | None) -> str:
    """Say an estimate with its interval within a sentence, 27 (between 15 and 40 of 100), or a wide interval alone."""
    low, high, estimate = figure.low, figure.high, figure.estimate
    limits = interval_sentence(low, high, units) if units else interval_clause(low, high)
    limits = limits[:1].lower() + limits[1:]
    if says_too_little(low, high, units.length if units else 1.0):
        return limits
    written = units.write(estimate) if units else estimate_of_100(estimate or 0.0, low, high)
    return _("%(estimate)s (%(limits)s)") % {"estimate": written, "limits": limits}


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
        compared[0].name
        if units
        else _("Shares of true answers, %(weighting)s and unadjusted") % {"weighting": weighted}
    )
    drawn, note = most_telling(compared, MOST_ANSWERS, lambda each: abs(each.shift) if each.claimed else -1.0), ""
    if len(drawn) < len(compared):
        note = _("The %(drawn)s of %(answers)s answers whose estimates changed most. The table lists all answers.") % {
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
                _("Weighted, constrained"),
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
        interval_label=interval_label(results.plan.wanted.confidence_level, rows),
    )


def groups_chart(question: WeightedQuestion, pairs: Sequence[WeightedPair], results: WeightedResults) -> IntervalChart:
    """Return the differences between groups; of very many those farthest from 0."""
    scale, item = MeasureScale(None), question.question.first
    title = _("%(question)s – %(answer)s: differences between groups, %(weighting)s") % {
        "question": item.key,
        "answer": item.labels[pairs[0].code],
        "weighting": with_words(results),
    }
    drawn = most_telling(pairs, MOST_ANSWERS, lambda pair: abs(pair.figure.estimate or 0.0))
    rows = [_pair_row(pair, scale) for pair in drawn]
    return IntervalChart(
        name="weights-groups",
        title=title,
        text=" ".join(f"{row.says}." for row in rows),
        table=Table(
            caption=title,
            headings=(
                _("First group minus second"),
                _("Raw difference"),
                _("Low"),
                _("High"),
                _("Standard error"),
            ),
            rows=tuple(
                (
                    _("%(first)s − %(second)s") % {"first": pair.first, "second": pair.second},
                    scale.difference(pair.figure.moment),
                    *scale.difference_limits(pair.figure.low, pair.figure.high),
                    scale.difference(pair.figure.standard_error),
                )
                for pair in pairs
            ),
        ),
        axis=axis_around(
            [0.0, *(limit for pair in drawn for limit in (pair.figure.low, pair.figure.high))],
            title=_("percentage points"),
            write=hundredths,
        ),
        rows=rows,
        reference=0.0,
        interval_label=interval_label(results.plan.wanted.confidence_level, rows),
    )


def _pair_row(pair: WeightedPair, scale: MeasureScale) -> IntervalRow:
    figure, name = pair.figure, _("%(first)s − %(second)s") % {"first": pair.first, "second": pair.second}
    limits = scale.limits(figure.low, figure.high)
    value = _("%(estimate)s (%(limits)s)") % {
        "estimate": scale.difference(figure.estimate),
        "limits": limits_cell(**limits),
    }
    return IntervalRow(
        label=name,
        says=_("%(name)s: %(why)s") % {"name": name, "why": value},
        value=scale.difference(figure.estimate),
        point=figure.estimate,
        low=figure.low,
        high=figure.high,
        claimed=True,
    )


def _rows(compared: ComparedAnswer, weighted: str) -> tuple[IntervalRow, IntervalRow]:
    n = whole_number(compared.item.unweighted.n)
    values = {"weighting": weighted, "n": n, "effective": whole_number(int(compared.item.effective_n))}
    first = _row(compared, compared.answer.weighted, weighted)
    second = _row(compared, compared.answer.unweighted, _("unadjusted"))
    return (
        replace(first, detail=_("%(weighting)s, n = %(n)s, effective n = %(effective)s") % values),
        replace(second, label=_("unadjusted, n = %(n)s") % values),
    )


def _row(compared: ComparedAnswer, figure: OptionResult | MeanResult | NumberEstimate, weighting: str) -> IntervalRow:
    values = {"name": compared.name, "weighting": weighting}
    if not compared.claimed:
        says = _("%(name)s, %(weighting)s: no reliable estimate") % values
        return IntervalRow(compared.name, says, "–", None, None, None, claimed=False)
    units = compared.units
    says = _("%(name)s, %(weighting)s: %(value)s") % {**values, "value": value_words(figure, units)}
    return estimate_row(compared.name, says, figure.estimate, (figure.low, figure.high), units, claimed=True)


def _cells(compared: ComparedAnswer) -> tuple[str, ...]:
    scale, item, answer = MeasureScale(compared.units), compared.item, compared.answer
    counts = compared.name, whole_number(item.unweighted.n), decimal(item.effective_n, 1)
    if not compared.claimed:
        return (*counts, *[_("not reliable")] * 9)
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
