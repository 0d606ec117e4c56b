"""The tab that relates two questions: whether their true answers go together, and how strongly."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.charts import Chart, HeatCell, HeatTable, IntervalChart, IntervalRow, Table, share_axis
from surveys.estimation.association.independence import IndependenceTest
from surveys.estimation.claims import NumberEstimate, known_or_none
from surveys.numbers.words import (
    between_limits,
    decimal,
    decimal_outwards,
    estimate_cell,
    estimate_of_100,
    interval_cell,
    interval_clause,
    level_words,
    limits_cell,
    limits_of_100,
    p_words,
    says_too_little,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.results.charts import estimate_cells, estimate_headings, estimate_row, interval_label, units_axis
from surveys.results.figures.not_followed import Supposed, of_a_pair
from surveys.results.figures.relate import MOST_PROFILED_CELLS, Among, Relation, relation_of
from surveys.results.forms import chosen_item
from surveys.results.report import Report, method_label
from surveys.results.sections import OF_A_PAIR, not_followed
from surveys.results.words import mean_words, never_asked_together, units_of_number

register = template.Library()

# What is asked for, from the query string.


@dataclass(frozen=True, slots=True)
class RelateQuery:
    """Two different items."""

    items: Sequence[Item]
    a: Item
    b: Item
    notices: tuple[str, ...]


def parse_relate(query: QueryDict, items: Sequence[Item], definition: Definition) -> RelateQuery | None:
    """Read `a` and `b`; what is unknown, or the same, becomes another item, with a notice; None of a single item."""
    if len(items) < 2:
        return None
    notices: list[str] = []
    a = chosen_item(query, "a", items, items[0], notices)
    others = [item for item in items if not item.is_about(a)]
    if not others:
        return None
    another = next((item for item in others if definition.asks_together(a, item)), others[0])
    b = chosen_item(query, "b", items, another, notices)
    if a.is_about(b):
        values = {"key": a.key if a.key == b.key else a.question_number, "shown": another.key}
        notices.append(
            _("Question %(key)s can’t be related to itself. Question %(shown)s was chosen instead.") % values
        )
        b = another
    return RelateQuery(items, a, b, tuple(notices))


# The page.


def build(report: Report) -> dict[str, Any]:
    """Show what the answers to one question have to do with those to another."""
    chosen = parse_relate(report.query, report.items_with_shares, report.definition)
    if chosen is None:
        return {"chosen": None}
    relation = relation_of(chosen.a, chosen.b, report.snapshot, report.options.wanted)
    language = report.definition.language
    drawn: dict[str, Chart] = {"joint": joint_chart(relation, language)} if relation.cells else {}
    if among := among_chart(relation, language):
        drawn["among"] = among
    supposed = supposed_odds(report, relation)
    numbers = {item.question_number for item in (chosen.a, chosen.b)}
    sections = [added for of in OF_A_PAIR if (added := of(report, chosen.a, chosen.b))]
    return {
        "chosen": chosen,
        "sections": sections,
        "of_some": [each.asked_if for each in report.definition.questions if each.asked_if and each.number in numbers],
        "relation": relation,
        "reported_rows": list(zip(chosen.a.report_labels, relation.reported, strict=False)),
        "drawn": drawn,
        "supposed": supposed,
        "charts": [*drawn.values(), *supposed["charts"]],
        # Of a number only not saying it is an answer; the ends that it was rounded to are none.
        "first_answer": "2:" if chosen.b.range else "0:",
        "answers": chosen.b.labels[2:] if chosen.b.range else chosen.b.labels,
        "notices": [
            *chosen.notices,
            *never_asked_together(report.definition, chosen.a, chosen.b),
            *(notice for section in sections for notice in section.notices),
        ],
    }


# Words.


_LARGEST, _SMALLEST = 1_000_000.0, 0.001
_MOST_DIGITS = 6


# The test of independence


@register.simple_tag
def together_words(relation: Relation) -> str:
    """Say first whether the two answers go together at all; the p-value stands below."""
    if relation.independence is None:
        return _("No test for an association is possible, because all reports on one of the questions are the same.")
    p = relation.p_value
    if p is None:
        return _("Too few answers to test for an association. No conclusion.")
    if p <= 1 - relation.confidence_level and relation.odds_may_be_1:
        return _(
            "The test finds that the true answers are associated. But the odds ratio, estimated with shares "
            "kept between 0 and 100%, could still be 1 (no association). No conclusion."
        )
    if p <= 1 - relation.confidence_level:
        return _("The true answers to the two questions are associated")
    words = ngettext(
        "%(n)s response is too few to show whether the two questions are associated",
        "%(n)s responses are too few to show whether the two questions are associated",
        relation.n,
    )
    return words % {"n": whole_number(relation.n)}


@register.filter
def independence_words(relation: Relation) -> str:
    """Say how likely such a table would be without a connection; nothing where that cannot be tested."""
    if relation.p_value is None:
        return ""
    return _("Test of independence: %(p)s") % {"p": p_words(relation.p_value)}


@register.simple_tag
def tests(test: IndependenceTest) -> list[tuple[str, str, str, str]]:
    """Return a row a test: its name, statistic, degrees of freedom and p-value."""
    freedom = str(test.degrees_of_freedom)
    rows = [
        (_("Pearson’s χ²"), decimal(test.pearson, 2), freedom, p_words(test.pearson_p_value)),
        (_("Likelihood ratio G"), decimal(test.likelihood_ratio, 2), freedom, p_words(test.likelihood_ratio_p_value)),
    ]
    if test.exact_p_value is not None:
        rows.append((_("Fisher’s exact test"), "–", "–", p_words(test.exact_p_value)))
    return rows


@register.filter
def poor_words(test: IndependenceTest) -> str:
    """Warn where too few reports were expected somewhere for χ² and G."""
    values = {"expected": decimal(test.smallest_expected, 1)}
    words = _(
        "If the two questions were independent, only %(expected)s reports would be expected in one cell of "
        "the table. With fewer than 5 expected reports, the p-values of χ² and G are unreliable, but "
        "Fisher’s is exact."
    )
    if test.exact_p_value is None:
        words = _(
            "If the two questions were independent, only %(expected)s reports would be expected in one "
            "cell of the table. With fewer than 5 expected reports, the p-values of χ² and G are "
            "unreliable."
        )
    return words % values


# Odds ratio and correlation


@register.filter
def odds(value: float | None) -> str:
    """2.31, or in words what is no number: an odds ratio above all bounds, or of nobody."""
    if value is None:
        return _("not determined")
    if value == 0:
        return "0"
    if value == math.inf:
        return _("infinite")
    if value > _LARGEST:
        return _("more than %(number)s") % {"number": whole_number(int(_LARGEST))}
    if 0 < value < _SMALLEST:
        return _("less than %(number)s") % {"number": decimal(_SMALLEST, 3)}
    return decimal(value, 3 if value < 1 else 2 if value < 100 else 0)


@register.filter
def odds_limits(odds_ratio: NumberEstimate) -> str:
    """Say between what the odds ratio is; without a limit above, from what on."""
    # A limit below all numbers that are written is 0, one above them is none: that is outwards.
    low, high = odds_ratio.low >= _SMALLEST, odds_ratio.high <= _LARGEST
    values = {
        "low": _odds_limit(min(odds_ratio.low, _LARGEST), math.floor),
        "high": _odds_limit(max(odds_ratio.high, _SMALLEST), math.ceil),
    }
    if high:
        return between_limits(values["low"] if low else "0", values["high"])
    return _("%(low)s or more") % values if low else _("unknown (any value is possible)")


def _odds_limit(limit: float, rounding: Callable[[float], int]) -> str:
    """Write a limit of an odds ratio rounded outwards; what leaves 1 out by a hair is not written as 1."""
    if not _SMALLEST <= limit <= _LARGEST:
        return odds(limit)
    digits = 3 if limit < 1 else 2 if limit < 100 else 0
    while digits < _MOST_DIGITS and limit != 1 and float(rounding(limit * 10**digits)) == 10**digits:
        digits += 1
    return whole_number(rounding(limit)) if not digits else decimal_outwards(limit, digits, rounding)


@register.simple_tag
def odds_words(relation: Relation) -> str:
    """Say what the odds ratio means, with its interval."""
    odds_ratio = relation.odds_ratio
    if odds_ratio is None:
        return ""
    values = {
        "a": relation.a.title,
        "yes_a": relation.a.labels[1],
        "b": relation.b.title,
        "yes_b": relation.b.labels[1],
        "limits": odds_limits(odds_ratio),
    }
    if odds_ratio.estimate is not None and odds_ratio.high <= _LARGEST:
        values["limits"] = f"{odds(odds_ratio.estimate)}, {values['limits']}"
    sentence = (
        _(
            "The odds that the true answer to “%(b)s” is “%(yes_b)s” among people whose true answer to “%(a)s” "
            "is “%(yes_a)s”, divided by the same odds among everyone else: %(limits)s. A value of 1 means no "
            "association."
        )
        % values
    )
    return f"{sentence} {_no_conclusion(relation)}".rstrip()


def _no_conclusion(relation: Relation) -> str:
    """Take back what the interval of the odds ratio says by itself where the test does not say it."""
    p = relation.p_value
    if not relation.odds_exclude_1 or (p is not None and p <= 1 - relation.confidence_level):
        return ""
    return _(
        "On its own, this interval excludes 1, but the test does not find an association. So there is no conclusion."
    )


@register.filter
def correlation_value(correlation: NumberEstimate) -> str:
    """−0.31, or words where one of the answers is nobody's."""
    return _("not determined") if correlation.estimate is None else decimal(correlation.estimate, 2)


@register.filter
def correlation_limits(correlation: NumberEstimate) -> str:
    """Say between what the correlation is, where there is a standard error to say it by."""
    if correlation.standard_error is None:
        return _("no interval, because the raw estimate of the table is not a valid distribution")
    # What leaves 0 out by a hair is not written as 0.
    near = min(abs(correlation.low), abs(correlation.high)) < 0.01 and correlation.low * correlation.high > 0
    low, high = (
        decimal_outwards(correlation.low, 2 + 2 * near, math.floor),
        decimal_outwards(correlation.high, 2 + 2 * near, math.ceil),
    )
    return between_limits(low, high)


def supposed_odds(report: Report, relation: Relation) -> dict[str, Any]:
    """Return how the odds ratio moves if not everyone followed the instructions, which is found if it is asked for."""
    a, b = relation.a, relation.b
    tapped = any(item.chance.reports_on_both for item in (a, b))
    asked = report.query.get("followed") == "1" and tapped and relation.odds_ratio is not None
    charts = []
    if asked:
        rows = [
            not_followed.NamedRow(not_followed.of_questions(row.supposition, (a.key, b.key)), row)
            for row in of_a_pair(a, b, report.snapshot, report.options.wanted)
        ]
        chart = not_followed.odds_chart(
            rows,
            name="followed",
            title=_("Odds ratio, if not everyone followed the instructions"),
            level=relation.confidence_level,
            write=_write_odds,
            concluded=relation.odds_exclude_1 and not _no_conclusion(relation),
        )
        charts.append(chart)
    return not_followed.fold_context(charts, asked=asked, can_be_asked=tapped and relation.odds_ratio is not None)


def _write_odds(of: Supposed) -> tuple[str, str, str]:
    return odds(known_or_none(of.estimate)), _odds_limit(of.low, math.floor), _odds_limit(of.high, math.ceil)


# Shares among those who share an answer


def limits_words(share: NumberEstimate) -> str:
    """Say what the interval for a share says of 100 people."""
    if share.no_width:
        return _("no interval, because a width of 0 would be misleading")
    if share.outside:
        return _("no interval, because no share fits the reports")
    if share.estimate is None:
        return _("no interval")
    return interval_clause(share.low, share.high)


@register.simple_tag
def share_cell(share: NumberEstimate | None) -> str:
    """Write a share with its limits into a cell: 31 (12 to 55)."""
    if share is None:
        return _("too few people")
    if not share.claimed or share.estimate is None:
        return _("not reliable")
    return estimate_cell(share.estimate, share.low, share.high)


@register.filter
def people_cell(among: Among) -> str:
    """Say it in a cell: 76 to 157."""
    return "–" if among.people is None else limits_cell(*map(whole_number, among.people))


def people_words(among: Among) -> str:
    """Say between what the number of people is who have an answer."""
    if among.too_few:
        return _("too few people")
    if among.people is None:
        return _("number not shown")
    fewest, most = among.people
    return _("%(fewest)s to %(most)s people") % {"fewest": whole_number(fewest), "most": whole_number(most)}


@register.simple_tag
def among_words(among: Among, relation: Relation) -> str:
    """Say what is known of those whose true answer to the first question is this: of a number, its mean."""
    values = {"answer": among.label}
    share = None if among.too_few else among.shares[1]
    if share is None or (relation.b.range and among.mean is None):
        return _("People whose true answer to the first question is “%(answer)s”: too few for an estimate.") % values
    units = units_of_number(relation.b)
    if among.mean and units:
        values["words"] = mean_words(among.mean, units)
        words = _("Mean for people whose true answer to the first question is “%(answer)s”: %(words)s.")
        return words % values
    values["other"] = relation.b.labels[1]
    if not share.claimed:
        words = _("People whose true answer to the first question is “%(answer)s”: %(words)s.")
        return words % (values | {"words": limits_words(share)})
    words = _(
        "Of 100 people whose true answer to the first question is “%(answer)s”, between %(low)s and %(high)s have the "
        "true answer “%(other)s” to the second."
    )
    return words % (values | limits_of_100(share.low, share.high))


@register.filter
def relation_method(relation: Relation) -> str:
    """Name the method of the intervals."""
    return method_label("wald" if relation.method == "fitted" else relation.method)


@register.simple_tag
def relate_method(relation: Relation) -> str:
    """Say how the intervals were found, and why not otherwise."""
    words = {
        "likelihood_ratio": _(
            "Intervals: likelihood ratio, %(level)s, individual (not simultaneous). Binomial intervals "
            "are not available for a table of two questions."
        ),
        "fitted": _(
            "Intervals: Wald, %(level)s, individual (not simultaneous), with the standard errors of the "
            "constrained estimates, because most pairs of reports were rare or absent. With more than %(most)s "
            "cells, likelihood-ratio intervals would take too long to compute."
        ),
    }[relation.method]
    return words % {"level": level_words(relation.confidence_level), "most": MOST_PROFILED_CELLS}


# Charts.


_TWO = 2


def joint_chart(relation: Relation, language: str) -> HeatTable:
    """Return the joint distribution of the true answers, with the randomization taken out."""
    title = (
        _(
            "True answers to both questions, with numbers rounded to an end of the range, for all %(n)s people "
            "who answered both questions"
        )
        if relation.rounded
        else _("True answers to both questions, for all %(n)s people who answered both questions")
    ) % {"n": whole_number(relation.n)}
    a, b = relation.a, relation.b
    return HeatTable(
        name="joint",
        title=title,
        text=together_words(relation),
        table=Table(
            caption=title,
            headings=(
                _("Both answers"),
                *estimate_headings(),
            ),
            rows=tuple(
                (f"{a.labels[i]} · {b.labels[j]}", *estimate_cells(cell))
                for i, row in enumerate(relation.cells)
                for j, cell in enumerate(row)
            ),
        ),
        row_title=a.title,
        column_title=b.title,
        row_labels=a.labels,
        column_labels=b.labels,
        cells=[[heat_cell(cell) for cell in row] for row in relation.cells],
        language=language,
    )


def among_chart(relation: Relation, language: str) -> IntervalChart | None:
    """Return one row an answer to the first question: the second's share of its second answer, or its mean."""
    b, units = relation.b, units_of_number(relation.b)
    if not relation.among or not (units or b.design.k == _TWO):
        return None
    if units:
        title = _("Mean, by true answer to the first question")
        axis = units_axis(units)
    else:
        title = _("“%(answer)s”, by true answer to the first question") % {"answer": b.labels[1]}
        axis = share_axis(unit=_("of 100"))
    rows = [_among_row(among, relation) for among in relation.among]
    return IntervalChart(
        name="among",
        title=title,
        text=" ".join(among_words(among, relation) for among in relation.among),
        table=Table(
            caption=title,
            headings=(
                _("True answer"),
                _("People (estimated)"),
                *estimate_headings(),
            ),
            rows=tuple(_among_cells(among, relation) for among in relation.among),
        ),
        axis=axis,
        rows=rows,
        interval_label=interval_label(relation.confidence_level, rows),
        language=language,
    )


def _figure(among: Among, relation: Relation) -> NumberEstimate | None:
    """Return what a row is about; None where too few are estimated to have the answer."""
    if among.too_few:
        return None
    return among.mean if relation.b.range else among.shares[1]


def _among_row(among: Among, relation: Relation) -> IntervalRow:
    figure, units = _figure(among, relation), units_of_number(relation.b)
    if figure is None:
        few = _("too few people")
        return IntervalRow(among.label, f"{among.label}: {few}", "–", None, None, None, detail=few, claimed=False)
    words = mean_words(figure, units) if units else limits_words(figure)
    return estimate_row(
        among.label,
        among_words(among, relation),
        figure.estimate,
        (figure.low, figure.high),
        units,
        claimed=figure.claimed,
        detail=people_words(among) if figure.claimed else f"{words} · {people_words(among)}",
    )


def _among_cells(among: Among, relation: Relation) -> tuple[str, ...]:
    figure, units = _figure(among, relation), units_of_number(relation.b)
    if figure is None:
        return (among.label, _("too few people"), *["–"] * 5)
    return (
        among.label,
        people_cell(among),
        *estimate_cells(figure, units),
    )


def heat_cell(cell: NumberEstimate) -> HeatCell:
    if not cell.claimed:
        return HeatCell(None, "–", _("no interval"))
    share, limits = max(0.0, cell.estimate or 0.0), interval_cell(cell.low, cell.high)
    if says_too_little(cell.low, cell.high):
        return HeatCell(None, limits)
    return HeatCell(share, estimate_of_100(share, cell.low, cell.high), limits)
