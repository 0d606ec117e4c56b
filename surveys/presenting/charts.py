"""A question's steps as slides: words, bars and formulas, each slide complete by itself."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from surveys.numbers.words import tenths_of_100
from surveys.presenting.selectors import CLASSES, Again, Reveal, SlideRow, SlideStep
from surveys.presenting.words import (
    asked_words,
    expected_words,
    formula,
    held_words,
    lead,
    limits_words,
    says,
    share_words,
    slide_title,
    variant_names,
    why_none,
)
from surveys.results.words import PeopleOf100, option_says, people_of, people_reported, row_name, units_of

_LESSON = frozenset({SlideStep.CHANCE, SlideStep.STRETCH, SlideStep.NUMBER, SlideStep.AGAIN})
_TICK = 25
_MOST_TICKS = 8
_Marks = Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a row's axis, in percent of it."""

    start: float
    width: float

    @property
    def end(self) -> float:
        return round(self.start + self.width, 3)


@dataclass(frozen=True, slots=True)
class SlideAxis:
    """What all rows of a slide are drawn along, in hundredths."""

    low: int = 0
    high: int = 100
    tick: int = _TICK

    @classmethod
    def holding(cls, shares: Iterable[float]) -> "SlideAxis":
        """Return an axis of nobody to everybody, longer where a share is less or more than that."""
        # As written: what rounds to nobody or to everybody is that.
        rounded = [round(share, 3) for share in shares]
        least, most = min(0.0, *rounded), max(1.0, *rounded)
        tick = _TICK
        while 100 * (most - least) > _MOST_TICKS * tick:
            tick *= 2
        return cls(math.floor(100 * least / tick) * tick, math.ceil(100 * most / tick) * tick, tick)

    def at(self, share: float) -> float:
        """Return where a share is, in percent of the axis; what is off it is at its end."""
        return round(min(100.0, max(0.0, 100 * (100 * share - self.low) / (self.high - self.low))), 3)

    def between(self, one: float, other: float) -> Span:
        start, end = sorted((self.at(one), self.at(other)))
        return Span(start, round(end - start, 3))

    @property
    def marks(self) -> _Marks:
        ticks = range(self.low, self.high + 1, self.tick)
        return [(self.at(tick / 100), tenths_of_100(tick / 100)) for tick in ticks]


_WHOLE = SlideAxis()


@dataclass(frozen=True, slots=True)
class SlideBar:
    """One row: where its bar is now, where it was a step before, its random part, and the interval."""

    label: str
    value: str
    detail: str = ""
    says: str = ""  # all of it in a sentence; empty where the row's texts are all there is
    bar: Span | None = None
    before: Span | None = None
    style: str = ""  # "raw", "left", "missing" (less than nobody), "found"
    chance: Span | None = None
    interval: Span | None = None
    reported: float | None = None  # the share of the (randomized) reports


@dataclass(frozen=True, slots=True, eq=False)
class Slide:
    """One step of one question, as it is shown and as it is read aloud."""

    reveal: Reveal
    step: SlideStep
    place: int  # of the step, from 1
    asked: str
    title: str
    says: Sequence[str]
    estimate: str
    between: str
    bars: Sequence[SlideBar]
    marks: _Marks
    formula: SafeString
    formula_of: str  # of several answers the one that the formula is about
    drawn_from: str = ""  # JSON: what the script draws the same class from
    expected: str = ""  # before the same class is drawn again, how many intervals should hold what was supposed
    held: str = ""  # afterwards
    people: PeopleOf100 | None = None  # where one share is all there is to say

    @property
    def lesson(self) -> bool:
        """Whether it explains how the estimate comes about, which is shown to those who ask."""
        return self.step in _LESSON

    @property
    def alone(self) -> bool:
        """Whether it says one thing of one answer."""
        return self.step in {SlideStep.RECEIVED, SlideStep.ESTIMATE} and (
            len(self.reveal.rows) == 1 or (self.reveal.mean is not None and self.step == SlideStep.ESTIMATE)
        )

    @property
    def reported(self) -> str:
        """The share of the (randomized) reports, of an answer that stands alone."""
        return tenths_of_100(self.reveal.rows[0].observed) if self.alone and self.bars[0].reported is not None else ""

    @property
    def marks_reports(self) -> bool:
        """Whether some row shows beside its result what was reported."""
        return self.step == SlideStep.ESTIMATE and any(bar.reported is not None for bar in self.bars)

    @property
    def name(self) -> str:
        """Its address within the page."""
        return f"reveal-{self.reveal.question.number}-{self.place}"

    @property
    def zero(self) -> float | None:
        """Where nobody is on an axis that begins below."""
        place = _axis(self.reveal, self.step).at(0)
        return place or None

    @property
    def classes(self) -> int:
        return CLASSES

    @property
    def steps(self) -> int:
        return len(self.reveal.steps)


def slides_of(reveals: Sequence[Reveal]) -> list[Slide]:
    """Return the slides of all questions, in the language in force."""
    return [_slide(reveal, place) for reveal in reveals for place in range(1, len(reveal.steps) + 1)]


def _slide(reveal: Reveal, place: int) -> Slide:
    step = reveal.steps[place - 1]
    written = formula(reveal, step)
    several = len(reveal.rows) > 1 and step != SlideStep.NUMBER
    estimate, between = lead(reveal, step)
    again = reveal.again if step == SlideStep.AGAIN else None
    return Slide(
        reveal=reveal,
        step=step,
        place=place,
        asked=asked_words(reveal, step),
        title=slide_title(reveal, step),
        says=says(reveal, step),
        estimate=estimate,
        between=between,
        bars=_bars(reveal, step),
        marks=_marks(reveal, step),
        formula=written,
        formula_of=row_name(reveal.rows[0].option, reveal.rows[0].item) if written and several else "",
        drawn_from=json.dumps(again.browser) if again else "",
        expected=expected_words(again) if again else "",
        held=held_words(again) if again else "",
        people=_people(reveal, step),
    )


def _people(reveal: Reveal, step: SlideStep) -> PeopleOf100 | None:
    if len(reveal.rows) != 1 or reveal.mean:
        return None
    row = reveal.rows[0]
    if step == SlideStep.RECEIVED:
        return people_reported(row.observed)
    if step != SlideStep.ESTIMATE or not row.option.claimed or row.item.oddities:
        return None
    return people_of(row.option)


def _axis(reveal: Reveal, step: SlideStep) -> SlideAxis:
    """Return one axis for all steps to the share that may be less than nobody, and that of what can be for the rest."""
    if (
        step in {SlideStep.RECEIVED, SlideStep.CHANCE, SlideStep.STRETCH, SlideStep.NUMBER}
        and SlideStep.STRETCH in reveal.steps
    ):
        return SlideAxis.holding(row.stretched for row in reveal.rows)
    return _WHOLE


def _bars(reveal: Reveal, step: SlideStep) -> list[SlideBar]:
    if step == SlideStep.AGAIN and reveal.again:
        return [_again(reveal, reveal.again)]
    if step == SlideStep.COMPARED and reveal.beside:
        return [
            replace(_bar(row, SlideStep.ESTIMATE, _WHOLE), label=label, before=None, reported=None)
            for row, label in zip(reveal.beside.rows, variant_names(reveal.beside), strict=True)
        ]
    if step == SlideStep.ESTIMATE and reveal.mean:
        return [_mean(reveal)]
    axis = _axis(reveal, step)
    return [_bar(row, step, axis) for row in reveal.rows]


def _bar(row: SlideRow, step: SlideStep, axis: SlideAxis) -> SlideBar:
    # A report may be called otherwise than the answer that it is counted for.
    reports = step in {SlideStep.RECEIVED, SlideStep.MISFIT} and not row.item.item.reports_are_answers
    label = row.option.report if reports else row_name(row.option, row.item)
    value = share_words(row, step)
    received, estimated = axis.between(0, row.observed), axis.between(0, row.option.estimate)
    apart, stretched = axis.between(float(row.floor), row.observed), axis.between(0, row.stretched)
    less = row.stretched < 0
    if step in {SlideStep.RECEIVED, SlideStep.MISFIT}:
        return SlideBar(
            label, share_words(row, SlideStep.RECEIVED), bar=received, before=axis.between(0, 0), style="raw"
        )
    if step == SlideStep.CHANCE:
        chance = axis.between(0, float(row.floor))
        return SlideBar(label, value, bar=apart, before=received, style="missing" if less else "left", chance=chance)
    if step in {SlideStep.STRETCH, SlideStep.NUMBER}:
        before = apart if step == SlideStep.STRETCH else stretched
        return SlideBar(label, value, bar=stretched, before=before, style="missing" if less else "left")
    shown = row.option.claimed and not row.item.oddities
    return SlideBar(
        label,
        value,
        detail=why_none(row) or limits_words(row),
        says=option_says(row.option, row.item),
        bar=estimated if shown else None,
        before=stretched,
        style="found",
        interval=axis.between(row.option.low, row.option.high) if shown else None,
        reported=axis.at(row.observed) if shown and row.item.item.reports_are_answers else None,
    )


def _mean(reveal: Reveal) -> SlideBar:
    mean = reveal.mean
    if mean is None or mean.estimate is None or not mean.claimed:
        return SlideBar("", "–")
    units = units_of(mean)
    low, span = float(units.low), float(units.high - units.low)
    at, *limits = ((value - low) / span for value in (mean.estimate, mean.low, mean.high))
    bar, interval = _WHOLE.between(0, at), _WHOLE.between(*limits)
    return SlideBar("", units.write(mean.estimate), bar=bar, style="found", interval=interval)


def _again(reveal: Reveal, again: Again) -> SlideBar:
    """Return this class's own result, above those that are drawn."""
    return _mean(reveal) if reveal.mean else _bar(again.row, SlideStep.ESTIMATE, _WHOLE)


def _marks(reveal: Reveal, step: SlideStep) -> _Marks:
    if not reveal.mean or step not in {SlideStep.ESTIMATE, SlideStep.AGAIN}:
        return _axis(reveal, step).marks
    units = units_of(reveal.mean)
    span = float(units.high - units.low)
    return [(round(100 * (at - float(units.low)) / span, 3), written) for at, written in units.marks]
