"""The overview: a row a question, of its largest share or its mean; where there is one question, all of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, Tick, share_axis
from surveys.estimation.claims import NumberEstimate
from surveys.numbers.words import Units, estimate_of_100, interval_cell, whole_number
from surveys.results.charts import estimate_row, interval_label, question_charts, share_row
from surveys.results.figures.largest import largest_share
from surveys.results.figures.means import MeanResult
from surveys.results.figures.questions import ItemResult, QuestionResult
from surveys.results.report import Report, method_words, too_many_forged
from surveys.results.sections import OF_A_QUESTION, OF_A_SURVEY
from surveys.results.sections.section import Line, Summary
from surveys.results.words import (
    answered_words,
    choice_words,
    finding_of,
    main_mean,
    mean_says,
    quoted,
    row_name,
)


def build(report: Report) -> dict[str, Any]:
    """Return what the overview shows: a page, and the part of it that changes while answers come in."""
    results = report.results
    # One question is shown in full; of several each has a row, and a page of its own.
    alone = results.questions[0] if len(results.questions) == 1 else None
    finding = finding_of(alone, report.options.confidence_level) if alone and alone.enough else None
    drawn = question_charts(alone, finding, report.options, report.survey.language) if alone and finding else []
    summaries = [summary for of in OF_A_SURVEY if (summary := of(report))] if results.enough else []
    overview = overview_charts(report, summaries) if len(results.questions) > 1 else []
    return {
        "results": results,
        "result": alone,
        "finding": finding,
        "drawn": drawn,
        "sections": [section for of in OF_A_QUESTION if alone and (section := of(report, alone))],
        "charts": [*overview, *drawn],
        "overview": overview,
        "notes": [note for summary in summaries for note in summary.notes],
        "notices": too_many_forged(report.options, results.received),
    }


def overview_charts(report: Report, summaries: Sequence[Summary]) -> list[IntervalChart]:
    """Return one row a question, shares on one axis and means on another, each between the ends of its own range.

    A design may have its own rows in place of questions that say nothing alone.
    """
    wanted = report.options.wanted
    replaced = frozenset().union(*(summary.replaces for summary in summaries))
    results = [result for result in report.results.questions if result.question.number not in replaced]
    shares: list[Line] = []
    means: list[Line] = []
    averaged: list[ItemResult] = []
    for result in results:
        name, link = report.definition.name_of(result.question), report.address_of(result.question)
        if result.enough and (main := main_mean(result.first)):
            row, cells = _mean_line(name, link, *main)
            means.append((_with_answers(row, result), cells))
            averaged.append(result.first)
        else:
            shares.append(_share_line(result, name, link, wanted.confidence_level))
    shares += [row for summary in summaries for row in summary.rows]
    shares.sort(key=lambda line: -1.0 if line[0].point is None else float(line[0].point), reverse=True)
    points, title = [row.point for row, _cells in shares if row.claimed], _("Shares")
    if points and all(point is None for point in points):
        title = _("%(n)s responses give only wide ranges") % {"n": whole_number(report.results.n)}
    share = share_axis(unit=_("of 100"))
    mean = Axis(0, 1, (Tick(0, _("minimum")), Tick(1, _("maximum"))))
    several = any(sum(len(item.shown) for item in result.items) > 1 for result in results)
    words = (
        _(
            "If a question has several answers, the largest estimate is shown. Its interval allows for this choice "
            "(Bonferroni)."
        )
        if wanted.simultaneous
        else _(
            "If a question has several answers, the largest estimate is shown. Its interval does not allow for this "
            "choice."
        )
    )
    chosen = [words] if several else []
    return [
        IntervalChart(
            name=name,
            asked=report.survey.title,
            title=title,
            text=". ".join(row.says for row, _cells in lines) + ".",
            table=Table(title, (_("Question"), _("Answer"), _("Estimate"), _("Interval")), tuple(c for _r, c in lines)),
            axis=axis,
            rows=[row for row, _cells in lines],
            language=report.survey.language,
            note=" ".join(dict.fromkeys(notes)),
            interval_label=interval_label(wanted.confidence_level, [row for row, _cells in lines]),
            raw_label=_("reported (randomized)"),
        )
        for name, title, axis, lines, notes in (
            ("overview-shares", title, share, shares, chosen),
            (
                "overview-means",
                _("Means"),
                mean,
                means,
                [words for item in averaged for words in method_words(item, wanted)],
            ),
        )
        if lines
    ]


def _share_line(result: QuestionResult, asked: str, link: str, level: float) -> Line:
    none = IntervalRow(asked, "", "–", None, None, None, claimed=False, link=link)
    if not result.enough:
        why = _("Too few responses") if result.is_shown else _("Not shown")
        return replace(none, says=f"{asked}: {why}", detail=why), (asked, "–", why, "–")
    largest = largest_share(result, level)
    if largest is None:
        why = finding_of(result, level).title
        return replace(none, says=f"{asked}: {why}", detail=why), (asked, "–", why, "–")
    option, item = largest.option, largest.item
    row, name = share_row(option, item), row_name(option, item)
    # Beside one Yes there is nothing to name; of several answers it is the largest share.
    label = asked if largest.chosen_from == 1 else f"{asked} {quoted(name)}"
    row = replace(row, label=label, says=f"{asked} {row.says}", detail=choice_words(largest), link=link)
    cells = (asked, name, estimate_of_100(option.estimate, option.low, option.high))
    return _with_answers(row, result), (*cells, interval_cell(option.low, option.high))


def _with_answers(row: IntervalRow, result: QuestionResult) -> IntervalRow:
    """Add how many answered, where not all are asked: of each arm it is another number."""
    if not result.question.arms:
        return row
    return replace(row, detail=" · ".join(filter(None, [row.detail, answered_words(result)])))


def _mean_line(asked: str, link: str, mean: NumberEstimate, units: Units, name: str) -> Line:
    raw = mean.observed if isinstance(mean, MeanResult) else None
    says = f"{asked} {mean_says(mean, units, name=name, trusted=True)}"
    detail, limits = _("%(low)s to %(high)s") % units.ends, (mean.low, mean.high)
    row = estimate_row(asked, says, mean.estimate, limits, units, claimed=True, raw=raw, detail=detail, link=link)
    point, *ends, raw = (
        None if at is None else (at - float(units.low)) / units.length for at in (row.point, *limits, raw)
    )
    cells = (asked, name, units.write(mean.estimate), interval_cell(*limits, units))
    return replace(row, point=point, low=ends[0], high=ends[1], raw=raw), cells
