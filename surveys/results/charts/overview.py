"""Several questions at once: a row each, of its largest share or its mean; all else is on the question's own page."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, Tick, share_axis
from surveys.numbers.words import (
    Units,
    interval_cell,
    level_words,
    people_of_100,
    spans,
    tenths_of_100,
    whole_number,
)
from surveys.results.charts.columns import interval_label
from surveys.results.charts.shares import share_row
from surveys.results.figures.intervals import FigureOptions, NumberEstimate
from surveys.results.figures.items import ItemResult
from surveys.results.figures.means import MeanResult
from surveys.results.figures.overview import QuestionResult
from surveys.results.lists.figures import ListComparison
from surveys.results.words.finding import finding_of, main_mean, quoted
from surveys.results.words.means import mean_says
from surveys.results.words.methods import method_words
from surveys.results.words.shares import answered_words, is_claimed, row_name


def overview_charts(
    results: Sequence[QuestionResult],
    links: Sequence[tuple[str, str]],
    lists: Sequence[tuple[ListComparison, str]] = (),
    *,
    asked: str,
    wanted: FigureOptions,
    language: str,
) -> list[IntervalChart]:
    """Return one row a question, shares on one axis and means on another, each between the ends of its own range.

    `links` are what each question is called, and where it is told in full; `lists` have a row a pair, of what both say
    together: one of them alone says nothing of the statement.
    """
    shares: list[tuple[IntervalRow, tuple[str, ...]]] = []
    means: list[tuple[IntervalRow, tuple[str, ...]]] = []
    averaged: list[ItemResult] = []
    for result, (name, link) in zip(results, links, strict=True):
        if result.enough and (found := main_mean(result.first)):
            row, cells = _mean_line(name, link, *found)
            means.append((_with_answers(row, result), cells))
            averaged.append(result.first)
        else:
            shares.append(_share_line(result, name, link))
    shares += [_list_line(compared, link, wanted.confidence_level) for compared, link in lists]
    # The largest first; those without an estimate last, each in the order of the questions.
    shares.sort(key=lambda line: -1.0 if line[0].point is None else float(line[0].point), reverse=True)
    values = [float(row.point) for row, _cells in shares if row.claimed and row.point is not None]
    told = {"least": people_of_100(min(values)), "most": people_of_100(max(values))} if values else {}
    title = _("Estimates from %(most)s down to %(least)s of 100") % told if len(values) > 1 else _("Shares")
    share = share_axis(unit=_("of 100"))
    mean = Axis(0, 1, (Tick(0, _("lowest")), Tick(1, _("highest allowed"))))
    several = any(sum(len(item.shown) for item in result.items) > 1 for result in results)
    words = _("Of several answers the largest estimate is shown. Its interval is for an answer chosen beforehand.")
    chosen = [words] if several else []
    return [
        IntervalChart(
            name=name,
            asked=asked,
            title=title,
            text=". ".join(row.says for row, _cells in lines) + ".",
            table=Table(title, (_("Question"), _("Answer"), _("Estimate"), _("Interval")), tuple(c for _r, c in lines)),
            axis=axis,
            rows=[row for row, _cells in lines],
            language=language,
            note=" ".join(dict.fromkeys(notes)),
            interval_label=interval_label(wanted.confidence_level),
            raw_label=_("reported, chance included; none where a report names no answer")
            if axis is share and any(row.claimed and row.raw is None for row, _cells in lines)
            else _("reported, chance included"),
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


def _share_line(result: QuestionResult, asked: str, link: str) -> tuple[IntervalRow, tuple[str, ...]]:
    none = IntervalRow(asked, "", "–", None, None, None, claimed=False, link=link)
    if not result.enough:
        why = _("Too few answered") if result.told else _("Not told")
        return replace(none, says=f"{asked}: {why}", detail=why), (asked, "–", why, "–")
    shown = [(option, item) for item in result.items for option in item.shown]
    claimed = [(option, item) for option, item in shown if is_claimed(option, item)]
    if not claimed:
        why = finding_of(result, 0.5).title
        return replace(none, says=f"{asked}: {why}", detail=why), (asked, "–", why, "–")
    option, item = max(claimed, key=lambda share: share[0].estimate)
    row, name = share_row(option, item), row_name(option, item)
    # Beside one Yes there is nothing to name; of several answers it is the largest share.
    label = asked if len(shown) == 1 else f"{asked} {quoted(name)}"
    why = "" if len(shown) == 1 else _("largest of %(answers)s estimates") % {"answers": whole_number(len(claimed))}
    row = replace(row, label=label, says=f"{asked} {row.says}", detail=why, link=link)
    return _with_answers(row, result), (asked, name, row.value, row.limits)


def _list_line(compared: ListComparison, link: str, level: float) -> tuple[IntervalRow, tuple[str, ...]]:
    """Return the row of a sensitive statement: the difference of two lists."""
    pair, estimate = compared.pair, compared.estimate
    asked, level = quoted(pair.sensitive), compared.level(level)
    numbers = spans(sorted([pair.control.number, pair.treatment.number]))
    detail = _("Lists of questions %(numbers)s") % {"numbers": numbers}
    none = IntervalRow(asked, "", "–", None, None, None, claimed=False, link=link)
    limits = compared.limits(estimate.difference, level) if estimate else None
    if estimate is None or limits is None or (compared.effect and compared.effect.suspicious):
        why = _("No reliable estimate")
        if estimate is None:
            why = _("Too few answered")
        elif limits is None:
            why = _("All of each arm sent the same number")
        return replace(none, says=f"{asked}: {why}", detail=f"{detail} · {why}"), (asked, "–", why, "–")
    point = compared.rounded(estimate.point)
    value, written = tenths_of_100(point), interval_cell(*limits)
    if compared.step:
        told = {"level": level_words(level), "step": compared.step}
        detail += " · " + _("%(level)s, in steps of %(step)s of 100") % told
    says = f"{asked}: {value} ({written}). {detail}"
    low, high = limits
    row = replace(none, says=says, value=value, point=point, low=low, high=high, limits=written, detail=detail)
    return replace(row, claimed=True), (asked, _("true"), value, written)


def _with_answers(row: IntervalRow, result: QuestionResult) -> IntervalRow:
    """Add how many answered, where not all are asked: of each arm it is another number."""
    if not result.question.arms:
        return row
    return replace(row, detail=" · ".join(filter(None, [row.detail, answered_words(result)])))


def _mean_line(
    asked: str, link: str, mean: NumberEstimate, units: Units, name: str
) -> tuple[IntervalRow, tuple[str, ...]]:
    low, length = float(units.low), float(units.high - units.low)
    raw = mean.observed if isinstance(mean, MeanResult) else None
    limits = interval_cell(mean.low, mean.high, units)
    row = IntervalRow(
        label=asked,
        says=f"{asked} {mean_says(mean, units, name=name, trusted=True)}",
        value=units.write(mean.estimate),
        point=None if mean.estimate is None else (mean.estimate - low) / length,
        low=(mean.low - low) / length,
        high=(mean.high - low) / length,
        raw=None if raw is None else (raw - low) / length,
        limits=limits,
        detail=_("%(low)s to %(high)s") % units.ends,
        link=link,
    )
    return row, (asked, name, row.value, limits)
