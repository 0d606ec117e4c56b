"""One question's results in full."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.answering.words.designs import exact
from surveys.charts import Axis, Chart, Curve, CurveChart, Mark, Table, axis_around
from surveys.estimation.sampling import SamplingDistribution, direct_sampling, sampling_distribution
from surveys.numbers.words import (
    Units,
    decimal,
    hundredths,
    level_words,
    p_value_or_below,
    percent,
    share_of_100,
    tenths_of_100,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.results.charts import question_charts
from surveys.results.figures.largest import largest_share
from surveys.results.figures.questions import (
    ItemResult,
    NamedPart,
    QuestionResult,
    parts_by_group,
    parts_by_mode,
    question_result,
)
from surveys.results.report import Report, too_many_forged
from surveys.results.sections import OF_A_QUESTION
from surveys.results.words import finding_of, main_mean, mean_name, row_name, units_of

# Tabs that are about one item or more, by the name of their address, and the name of an item in their query strings.
_OF_ONE_PERSON, _REGRESSION, _PLAN = "survey-results-bayes", "survey-results-regression", "survey-results-plan"
_ABOUT_AN_ITEM = (
    ("survey-results-relate", "a", gettext_lazy("Relate this question to another")),
    (_REGRESSION, "outcome", gettext_lazy("Explain the answers by groups and other questions")),
    (_OF_ONE_PERSON, "item", gettext_lazy("Evidence about one person from a report")),
    (_PLAN, "item", gettext_lazy("Sample size for the next survey")),
)


def build(report: Report, number: int) -> dict[str, Any]:
    """Return all that is known about one question; `number` is as people count, from 1."""
    questions = report.definition.questions
    if not 1 <= number <= len(questions):
        raise Http404
    question, options, snapshot = questions[number - 1], report.options, report.snapshot
    result = question_result(question, snapshot, options.wanted, in_full=True)
    finding = finding_of(result, options.confidence_level) if result.enough else None
    drawn = question_charts(result, finding, options, report.survey.language) if finding else []
    sections = [added for of in OF_A_QUESTION if (added := of(report, result))]
    modes = parts_by_mode(snapshot, report.definition, report.separable_groups)
    context: dict[str, Any] = {
        "question": question,
        "questions": questions,
        "result": result,
        "finding": finding,
        "drawn": drawn,
        "sections": sections,
        "charts": [*drawn, *(chart for section in sections for chart in section.charts)],
        "notices": [
            *too_many_forged(options, snapshot.n),
            *(notice for section in sections for notice in section.notices),
        ],
        "modes": parts_table(
            _("All responses to the survey, by where they were randomized"), _("Randomized by"), modes
        ),
        "matrix": matrix_table(question.first),
    }
    if not result.enough:
        return context
    groups = parts_by_group(report.answered_by_group(question), report.group_names, report.separable_groups)
    context |= {
        "groups": parts_table(_("Respondents to this question, by group"), _("Group"), groups),
        "reports": reports_table(result),
        "misfit": misfit_table(result),
    }
    _add_scatter(context, report)
    return context


def _add_scatter(context: dict[str, Any], report: Report) -> None:
    """Add the sampling distribution of the row asked for, and the links to what other tabs say of its item."""
    result, level = context["result"], report.options.confidence_level
    rows = [(item, code) for item in result.items for code in item.shown_codes]
    names = [row_name(item.options[code], item) for item, code in rows]
    units = None
    if result.first.item.grid:
        _add_links(context, result.first.item, [_PLAN])
        return
    if result.first.mean and not rows:
        # A rounded number is high or low: the share of the high ones is where the mean lies in the range.
        rows, names, units = [(result.first, 1)], [mean_name(among_those_who_say=False)], units_of(result.first.mean)
    # The curve is of the share that the headline names, where it names one.
    named = None if main_mean(result.first) else largest_share(result, level)
    usual = next((place for place, row in enumerate(rows) if named and row == (named.item, named.code)), 0)
    place, notices = parse_row(report.query, names, usual)
    item, code = rows[place]
    context["rows"] = list(enumerate(names, 1))
    context["row"] = place + 1
    context["notices"] += notices
    # An unprotected answer says all about one person, and no randomization makes it scatter.
    protects = item.item.protects
    tabs = [name for name, _parameter, _label in _ABOUT_AN_ITEM if protects or name != _OF_ONE_PERSON]
    _add_links(context, item.item, tabs)
    if protects and (scatter := scatter_of(item, code, level)):
        name = f"q{result.question.number}-repeated"
        chart = scatter_chart(scatter, name=name, label=names[place], level=level, units=units)
        context |= {"scatter": chart, "scatter_title": scatter_title(scatter, units)}
        context["charts"].append(chart)


def parse_row(query: QueryDict, rows: Sequence[str], usual: int = 0) -> tuple[int, list[str]]:
    """Return which of these rows is asked for, by its number from 1, and what to say where it does not exist."""
    text = query.get("row", str(usual + 1))
    numbers = {str(number): number - 1 for number in range(1, len(rows) + 1)}
    if text in numbers or not rows:
        return numbers.get(text, 0), []
    return 0, [_("Answer number “%(row)s” not found. The first answer is shown instead.") % {"row": text[:40]}]


def _add_links(context: dict[str, Any], item: Item, tabs: Sequence[str]) -> None:
    outcome = next((section.outcome for section in context["sections"] if section.outcome), item.key)
    context["links"] = [
        (name, parameter, label, outcome if name == _REGRESSION else item.key)
        for name, parameter, label in _ABOUT_AN_ITEM
        if name in tabs
    ]


# If the survey were repeated: how its estimate would scatter, beside that of a direct question.


@dataclass(frozen=True, slots=True)
class Spread:
    """One design: where its estimates would lie."""

    points: tuple[tuple[float, float], ...]  # estimates and how densely they lie there
    standard_deviation: float
    low: float
    high: float  # the estimates are between these with the confidence level's probability, at least


@dataclass(frozen=True, slots=True)
class Scatter:
    """Both designs for the same number of people, if the true share were the one estimated."""

    n: int
    share: float
    asked: Spread
    direct: Spread
    worth: int | None  # so many direct answers would scatter as much; None where they would not scatter at all


def scatter_of(result: ItemResult, code: int, confidence_level: float) -> Scatter | None:
    """Return how the estimate for one answer scatters; None where none is to be trusted, or nothing scatters."""
    if result.prevalence is None or result.oddities or result.options[code].outside:
        return None
    shares = [min(1.0, float(share)) for share in result.prevalence.constrained]
    asked = sampling_distribution(result.n, shares, result.item.design, code)
    if not asked.standard_deviation:
        return None
    direct = direct_sampling(result.n, shares[code])
    worth = result.n * (direct.standard_deviation / asked.standard_deviation) ** 2
    return Scatter(
        n=result.n,
        share=shares[code],
        asked=_spread(asked, confidence_level),
        direct=_spread(direct, confidence_level),
        worth=math.floor(worth) if worth else None,
    )


def _spread(distribution: SamplingDistribution, confidence_level: float) -> Spread:
    estimates, densities = distribution.density()
    low, high = distribution.central(confidence_level)
    return Spread(
        tuple(zip(estimates.tolist(), densities.tolist(), strict=True)), distribution.standard_deviation, low, high
    )


def scatter_chart(scatter: Scatter, *, name: str, label: str, level: float, units: Units | None) -> Chart:
    """Return the chart of where the estimate would lie if the survey were repeated: a share, or a mean in units."""
    shown = [(_("this survey (randomized)"), scatter.asked, 0)]
    if scatter.direct.standard_deviation:
        shown.append((_direct(units), scatter.direct, 1))
    curves = [
        Curve(words, [(_place(x, units), y) for x, y in _visible(spread.points)], dash, filled=not dash)
        for words, spread, dash in shown
    ]
    points = [point for curve in curves for point in curve.points]
    return CurveChart(
        name=name,
        title=_("Estimates for “%(label)s” in repeated surveys") % {"label": label},
        text=scatter_words(scatter, level=level, units=units),
        table=Table(
            _("Estimates for a true value of %(value)s") % {"value": _write(scatter.share, units)},
            (_("Type of question"), _("Standard deviation"), _("Low"), _("High")),
            tuple((words, *_scatter_cells(spread, units)) for words, spread, _dash in shown),
        ),
        x_axis=axis_around(
            [x for x, _y in points],
            title=units.unit if units else _("estimate (out of 100 people)"),
            write=decimal if units else hundredths,
            within=(float(units.low), float(units.high)) if units else (0, 1),
        ),
        y_axis=Axis(0, max(y for _x, y in points), (), _("probability density")),
        curves=curves,
        marks=[Mark(_("the estimate, taken as the true value"), x=_place(scatter.share, units))],
    )


def scatter_words(scatter: Scatter, *, level: float, units: Units | None) -> str:
    """Say how far the estimate would scatter."""
    numbers = {"n": whole_number(scatter.n), "level": level_words(level)}
    sentences = [
        _(
            "Suppose the true value is %(value)s and the survey is repeated many times with %(n)s people. Then "
            "at least %(level)s of the estimates lie between %(low)s and %(high)s."
        )
        % {**numbers, "value": _said(scatter.share, units), **_said_limits(scatter.asked, units)},
        (
            _("With random rounding only, the estimates would lie between %(low)s and %(high)s.")
            if units
            else _("Truthful direct answers would give %(low)s to %(high)s.")
        )
        % _said_limits(scatter.direct, units),
    ]
    return " ".join(sentences)


def scatter_title(scatter: Scatter, units: Units | None) -> str:
    """Say what randomizing costs in answers."""
    if scatter.worth is None:
        return _("Price of randomizing")
    values = {"n": whole_number(scatter.n), "worth": whole_number(scatter.worth)}
    if units:
        return _("Numbers, only rounded at random, that are worth as much as %(n)s reports: %(worth)s") % values
    return _("True direct answers that are worth as much as %(n)s reports: %(worth)s") % values


_TOO_LOW = 1 / 500
"""So low a part of the highest is less than a line is thick."""


def _visible(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    least = _TOO_LOW * max(y for _x, y in points)
    seen = [place for place, (_x, y) in enumerate(points) if y >= least]
    # With one to each side: where it leaves the axis is seen too, and no curve is a single point.
    return points[max(0, seen[0] - 1) : seen[-1] + 2]


def _direct(units: Units | None) -> str:
    return _("random rounding only") if units else _("a direct question")


def _place(share: float, units: Units | None) -> float:
    return units.at(share) if units else share


def _write(share: float, units: Units | None) -> str:
    return units.write(_place(share, units)) if units else percent(share, 1)


def _said(share: float, units: Units | None) -> str:
    return _write(share, units) if units else share_of_100(share)


def _said_limits(spread: Spread, units: Units | None) -> dict[str, str]:
    """Write both limits for a sentence, which says once what they are of."""
    return {"low": _write(spread.low, units) if units else tenths_of_100(spread.low), "high": _said(spread.high, units)}


def _limits(spread: Spread, units: Units | None) -> dict[str, str]:
    return {"low": _write(spread.low, units), "high": _write(spread.high, units)}


def _scatter_cells(spread: Spread, units: Units | None) -> tuple[str, ...]:
    deviation = spread.standard_deviation
    length = units.length if units else 1.0
    written_deviation = units.write(deviation * length) if units else percent(deviation, 1)
    return (written_deviation, *_limits(spread, units).values())


# The tables: its reports, its matrix.


def reports_table(result: QuestionResult) -> Table:
    """Return how often each report came."""
    first = result.first
    if first.item.grid and first.prevalence:
        counts = zip(first.item.report_labels, first.prevalence.counts.tolist(), strict=True)
        rows = tuple((label, whole_number(count), percent(count / first.n, 1)) for label, count in counts)
        return Table(
            _("Numbers tapped for the sensitive or the innocuous question")
            if first.item.tapped
            else _("Numbers reported (randomized)"),
            (_("Report"), _("Reports"), _("Share of reports")),
            rows,
        )
    return Table(
        _("Reports"),
        (_("Report"), _("Reports"), _("Share of reports")),
        tuple(
            (
                f"{item.item.option} – {option.report}" if item.item.option else option.report,
                whole_number(option.count),
                percent(option.observed, 1),
            )
            for item in result.items
            for option in item.options
        ),
    )


def parts_table(caption: str, heading: str, parts: tuple[NamedPart, ...]) -> Table:
    """Return the numbers of parts of the responses."""
    return Table(
        caption,
        (heading, _("Answers")),
        tuple((part.name, whole_number(part.n)) for part in parts),
    )


def matrix_table(item: Item) -> Table:
    """Return the design matrix: a column per true answer, a row a report."""
    return Table(
        _("Probability of each report, by true answer"),
        (_("Report"), *(_("if “%(label)s”") % {"label": label} for label in item.labels)),
        tuple(
            (label, *(exact(entry) for entry in row))
            for label, row in zip(item.report_labels, item.design.matrix, strict=True)
        ),
    )


def misfit_table(result: QuestionResult) -> Table:
    """Return the p-value of every item."""
    return Table(
        _("Adherence to the instructions"),
        (_("Item"), _("p-value")),
        tuple((item.item.option or _("All reports"), p_value_or_below(item.misfit)) for item in result.items),
    )
