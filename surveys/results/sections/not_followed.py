"""Differences and odds ratios if not everyone follows the instructions: one row for each way not to follow them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, axis_around, log_axis_around
from surveys.estimation.claims import FigureOptions
from surveys.numbers.words import hundredths, limits_of_100, of_100
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.results.charts import interval_label
from surveys.results.figures.arms import ArmComparison
from surveys.results.figures.not_followed import Supposed, Supposition, of_arms
from surveys.results.sections.anchor import ANCHOR_SOURCE

FOLD = "results/sections/not_followed.html"
_FARTHEST = 1e9  # a limit beyond is none: it is drawn open
_LONGEST_AXIS = 100.0  # an odds ratio beyond this, or its inverse, is drawn at the edge

# An estimate and its limits as a page writes them.
Write = Callable[[Supposed], tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class NamedRow:
    """What is estimated if some do not follow, under a name of who does."""

    name: str
    of: Supposed


def of_a_question(question: AskedQuestion, compared: ArmComparison, wanted: FigureOptions) -> list[IntervalChart]:
    """Return the differences of questions that ask for the same in different arms, for the page of one of them."""
    charts = []
    for place, pair in enumerate(of_arms(compared, wanted), start=1):
        first, second = (_("question %(number)s") % {"number": number} for number in pair.names)
        name = f"q{question.number}-followed-{place}"
        charts.append(difference_chart((first, second), pair.rows, name=name, level=wanted.confidence_level))
    return charts


def write_points(of: Supposed) -> tuple[str, str, str]:
    """Write a difference of shares in percentage points, and its limits outwards."""
    limits = limits_of_100(of.low, of.high)
    return hundredths(of.estimate, 0), limits["low"], limits["high"]


def difference_chart(
    names: tuple[str, str],
    rows: Sequence[Supposed],
    *,
    name: str,
    level: float,
    write: Write = write_points,
    concluded: bool = True,
) -> IntervalChart:
    """Return the difference of two groups, or of two questions, a row for each way not to follow.

    What becomes of its direction is said if the page has `concluded` on one.
    """
    values = {"first": names[0], "second": names[1]}
    ends = [end for row in rows if row.claimed for end in (row.low, row.high)]
    return _chart(
        [NamedRow(_of_sides(row.supposition, names), row) for row in rows],
        name=name,
        title=_("%(first)s − %(second)s, if not everyone followed the instructions") % values,
        heading=_("Difference"),
        axis=axis_around([0.0, *ends], title=_("percentage points"), write=hundredths),
        reference=0.0,
        level=level,
        write=write,
        verdict=direction_words(rows, of_none=0.0) if concluded else "",
    )


def odds_chart(
    rows: Sequence[NamedRow], *, name: str, title: str, level: float, write: Write, concluded: bool
) -> IntervalChart:
    """Return odds ratios, a row for each way not to follow."""
    ends = [end for row in rows if row.of.claimed for end in (row.of.low, row.of.high)]
    return _chart(
        rows,
        name=name,
        title=title,
        heading=_("Odds ratio"),
        axis=log_axis_around(
            [1.0, *(min(_LONGEST_AXIS, max(1 / _LONGEST_AXIS, end)) for end in ends)], title=_("Odds ratio")
        ),
        reference=1.0,
        reference_label=_("no association"),
        level=level,
        write=write,
        verdict=direction_words([row.of for row in rows], of_none=1.0) if concluded else "",
    )


def direction_words(rows: Sequence[Supposed], *, of_none: float) -> str:
    """Say whether a difference or an association stays on its side in all rows; nothing of one that shows no side.

    What nothing possible fits cannot be so, and says nothing of the direction.
    """
    side = rows[0].side(of_none)
    if not side:
        return ""
    lost = [row.supposition.followers for row in rows if row.claimed and row.side(of_none) != side]
    if not lost:
        fewest = min(row.supposition.followers for row in rows)
        return _("The direction stays the same even if only %(followers)s of 100 follow the instructions") % {
            "followers": of_100(fewest)
        }
    return _("If only %(followers)s of 100 follow the instructions, the direction is no longer certain") % {
        "followers": of_100(max(lost))
    }


def of_questions(supposition: Supposition, keys: Sequence[str]) -> str:
    """Say who follows the instructions of two or more questions, of which these are the keys."""
    if not supposition.at:
        return _("Everyone")
    values = {"followers": of_100(supposition.followers), "key": keys[supposition.at[0]]}
    if len(supposition.at) == 1:
        return _("%(followers)s of 100 at question %(key)s") % values
    words = (
        _("%(followers)s of 100, the same people at both questions")
        if supposition.throughout
        else _("%(followers)s of 100 at each question")
    )
    return words % values


def _of_sides(supposition: Supposition, names: Sequence[str]) -> str:
    if not supposition.at:
        return _("Everyone")
    values = {"followers": of_100(supposition.followers), "name": names[supposition.at[0]]}
    if len(supposition.at) == 1:
        return _("%(name)s: %(followers)s of 100") % values
    return _("Both: %(followers)s of 100") % values


def others_words(supposition: Supposition) -> str:
    """Say what those do who do not follow; nothing where that changes nothing."""
    if supposition.safe is None:
        return ""
    return _("others always tap the safest report") if supposition.safe else _("others tap at random")


def _chart(
    rows: Sequence[NamedRow],
    *,
    name: str,
    title: str,
    heading: str,
    axis: Axis,
    reference: float,
    level: float,
    write: Write,
    verdict: str,
    reference_label: str = "",
) -> IntervalChart:
    drawn = [_row(row, write) for row in rows]
    return IntervalChart(
        name=name,
        title=title,
        text=verdict,
        table=Table(
            title,
            (_("Followed the instructions"), _("The others"), heading, _("Low"), _("High")),
            tuple((row.name, others_words(row.of.supposition) or "–", *_cells(row.of, write)) for row in rows),
        ),
        axis=axis,
        rows=drawn,
        reference=reference,
        reference_label=reference_label,
        interval_label=interval_label(level, drawn),
    )


def _cells(of: Supposed, write: Write) -> tuple[str, ...]:
    return write(of) if of.claimed else (_("not reliable"), "–", "–")


def _row(row: NamedRow, write: Write) -> IntervalRow:
    of, others = row.of, others_words(row.of.supposition)
    value, low, high = _cells(of, write)
    name = ", ".join(filter(None, [row.name, others]))
    if not of.claimed:
        detail = " · ".join(filter(None, [others, value]))
        return IntervalRow(row.name, f"{name}: {value}", "–", None, None, None, detail=detail, claimed=False)
    values = {"name": name, "value": value, "low": low, "high": high}
    return IntervalRow(
        label=row.name,
        says=_("%(name)s: %(value)s, between %(low)s and %(high)s") % values,
        value=value,
        point=None if math.isnan(of.estimate) else _drawn(of.estimate),
        low=_drawn(of.low),
        high=_drawn(of.high),
        detail=others,
        limits=_("%(low)s to %(high)s") % values,
    )


def fold_context(charts: Sequence[IntervalChart], *, asked: bool = False, can_be_asked: bool = False) -> dict[str, Any]:
    """Return what the fold shows: the charts, or how to ask for them."""
    return {"charts": charts, "asked": asked, "can_be_asked": can_be_asked, "source": ANCHOR_SOURCE}


def _drawn(value: float) -> float:
    """Return a number that can be drawn: an odds ratio may be infinite."""
    return min(_FARTHEST, value)
