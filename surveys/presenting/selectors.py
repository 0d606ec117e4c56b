"""What is shown to a class: how many answered, in batches, and each question's way from the reports to the estimate."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from surveys.common.tags import MOST_DOTS
from surveys.common.totals import ResponseTotals
from surveys.estimation.claims import FigureOptions
from surveys.estimation.same_class import SameClass, same_class, same_numbers, supposed_truths
from surveys.models import Survey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.results.figures.arms import ArmComparison, compare_arms
from surveys.results.figures.means import MeanResult
from surveys.results.figures.methods import MeanWorked, mean_worked
from surveys.results.figures.privacy import options_of
from surveys.results.figures.questions import (
    ItemResult,
    OptionResult,
    QuestionResult,
    question_result,
    shares_together,
)
from surveys.results.report import Report

CLASSES = 200
# 200 larger classes take a browser longer to draw than a class waits.
LARGEST_CLASS = 2_000


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """How many answered; while more may, rounded down to full batches, so that nobody is seen to answer."""

    n: int
    batch: int
    exact: bool
    cap: int = 0  # of as many as are wanted, if that is limited

    @property
    def dots(self) -> int:
        """How many dots stand for them; none for a mass, which its number says better."""
        return self.n if self.n <= MOST_DOTS else 0

    @property
    def to_come(self) -> int:
        """How many more are wanted."""
        return max(0, self.cap - self.n) if 0 < self.cap <= MOST_DOTS and not self.exact else 0


class SlideStep(StrEnum):
    """A step from the reports to what they say."""

    RECEIVED = "received"
    CHANCE = "chance"
    STRETCH = "stretch"
    NUMBER = "number"  # from shares of the ends to a mean
    ESTIMATE = "estimate"
    AGAIN = "again"
    COMPARED = "compared"
    MISFIT = "misfit"
    TOO_FEW = "too_few"


@dataclass(frozen=True, slots=True)
class SlideRow:
    """One answer on its way; all are shares of 1."""

    item: ItemResult
    code: int

    @property
    def option(self) -> OptionResult:
        return self.item.options[self.code]

    @property
    def observed(self) -> float:
        """The share of the (randomized) reports that say so."""
        return self.option.observed

    @property
    def floor(self) -> Fraction:
        """The share of the reports that would say so if nobody had this answer."""
        row = self.item.item.design.matrix[self.code]
        return row[0 if self.code else 1]

    @property
    def ceiling(self) -> Fraction:
        """And if everybody had it."""
        return self.item.item.design.matrix[self.code][self.code]

    @property
    def reach(self) -> Fraction:
        """By how much the truth can change the share: negative where it makes these reports rarer."""
        return self.ceiling - self.floor

    @property
    def rest(self) -> float:
        """What is left after subtracting the random part."""
        return self.observed - float(self.floor)

    @property
    def stretched(self) -> float:
        """The rest as a share of all: the unbiased estimate, which may leave [0, 1]."""
        return self.option.moment


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """The same class 200 times over: who is supposed to answer what, and how every result would be read."""

    row: SlideRow
    people: int  # how many have the answer; of a number, all
    truths: tuple[int, ...]  # how many people have each true answer; empty for a number
    steps_to: int | None  # of a number that everybody has: its place on its range
    read: SameClass
    level: float  # of each interval by itself

    @property
    def expected(self) -> float:
        """How many of the intervals are expected to hold what is supposed."""
        return CLASSES * self.read.held

    @property
    def number(self) -> Fraction | None:
        """The number that everybody is supposed to have."""
        limits = self.row.item.item.range
        return limits.low + self.steps_to * limits.step if limits and self.steps_to is not None else None

    @property
    def browser(self) -> dict[str, Any]:
        """What the browser draws from, and what each number of reports would be read as."""
        design, limits = self.row.item.item.design, self.row.item.item.range
        return {
            "classes": CLASSES,
            "n": self.read.n,
            "columns": design.columns,
            "denominator": design.denominator,
            "option": self.row.code,
            "truths": self.truths,
            "steps": limits.steps if limits else None,
            "stepsTo": self.steps_to,
            "share": self.read.share,
            "first": self.read.first,
            "read": [
                [round(value, 5) for value in values] + [bool(holds)]
                for *values, holds in zip(
                    self.read.estimate.tolist(),
                    self.read.low.tolist(),
                    self.read.high.tolist(),
                    self.read.holds,
                    strict=True,
                )
            ],
        }


@dataclass(frozen=True, slots=True)
class VariantsBeside:
    """Questions that ask for the same in different arms, to stand beside one another on one slide."""

    comparison: ArmComparison
    arms: tuple[str, ...]  # the names of each one's arms

    @property
    def rows(self) -> tuple[SlideRow, ...]:
        """The answer that is compared, as each of them has it."""
        return tuple(SlideRow(answer.result.first, self.comparison.code) for answer in self.comparison.answers)

    @property
    def text(self) -> str:
        """What all of them ask, where they ask it in the same words; else ""."""
        texts = {answer.result.question.text for answer in self.comparison.answers}
        return texts.pop() if len(texts) == 1 else ""


@dataclass(frozen=True, slots=True, eq=False)
class Reveal:
    """One question's way from the reports to the estimate."""

    result: QuestionResult
    rows: tuple[SlideRow, ...]
    steps: tuple[SlideStep, ...]
    again: Again | None
    beside: VariantsBeside | None = None  # after the last of several ways to ask for the same

    @property
    def question(self) -> AskedQuestion:
        return self.result.question

    @property
    def mean(self) -> MeanResult | None:
        """Of a number whose mean was asked for, the mean."""
        return self.result.first.mean

    @property
    def mean_of(self) -> MeanWorked | None:
        """What that mean is made of."""
        first = self.result.first
        return mean_worked(self.question, first.item, first.prevalence) if self.mean and first.prevalence else None


def answer_count(survey: Survey, standing: ResponseTotals) -> AnswerCount:
    """Return how many answered, as a class may see it while others watch it."""
    n, exact = survey.as_others_see(standing.received), not survey.may_collect_more
    return AnswerCount(n, survey.minimum_n, exact, survey.response_cap or 0)


def reveals_of(report: Report, of: int | None = None) -> Iterator[Reveal]:
    """Yield the ways of all questions, or of one by its number; none where too few responded to show any figure."""
    wanted = FigureOptions()
    for asked in report.definition.questions if report.snapshot.enough else ():
        if of in {None, asked.number}:
            result = question_result(asked, report.snapshot, wanted)
            yield _with_variants(_reveal(result, wanted), report, wanted)


def _with_variants(reveal: Reveal, report: Report, wanted: FigureOptions) -> Reveal:
    """Return the same with one step more, where this is the last of several questions that ask for the same."""
    stored = report.stored
    question = stored.questions[reveal.question.number - 1]
    alike = stored.variants_of(question)
    if not alike or question != alike[-1] or not (compared := compare_arms(question, stored, report.snapshot, wanted)):
        return reveal
    names = tuple(stored.arm_names(answer.result.question) for answer in compared.answers)
    return replace(reveal, steps=(*reveal.steps, SlideStep.COMPARED), beside=VariantsBeside(compared, names))


def _reveal(result: QuestionResult, wanted: FigureOptions) -> Reveal:
    if not result.enough:
        return Reveal(result, (), (SlideStep.TOO_FEW,), None)
    rows = tuple(SlideRow(item, code) for item in result.items for code in _codes(item))
    if result.first.item.grid:
        # Values undo the randomization in one step: there is no share to subtract from or to scale up.
        return Reveal(result, (), (SlideStep.MISFIT if result.all_odd else SlideStep.ESTIMATE,), None)
    if result.all_odd:
        return Reveal(result, rows, (SlideStep.RECEIVED, SlideStep.MISFIT), None)
    if not result.question.protects:
        return Reveal(result, rows, (SlideStep.RECEIVED, SlideStep.ESTIMATE), None)
    again = _again(result, wanted)
    number = (SlideStep.NUMBER,) if result.first.mean else ()
    last = (SlideStep.AGAIN,) if again else ()
    return Reveal(
        result,
        rows,
        (SlideStep.RECEIVED, SlideStep.CHANCE, SlideStep.STRETCH, *number, SlideStep.ESTIMATE, *last),
        again,
    )


def _codes(item: ItemResult) -> tuple[int, ...]:
    """Return the answers that get a bar: of a number, the ends that its mean is made of."""
    if item.item.range:
        stated = (2,) if item.too_few_say else (0, 1, 2)
        return (1,) if item.item.design.k == 2 else stated
    # Of several options each is one bar: its Yes.
    return (1,) if item.item.answers.by_option else item.shown_codes


def _again(result: QuestionResult, wanted: FigureOptions) -> Again | None:
    """Return the class to draw again: by the answer that most people have, where an answer's interval is shown."""
    if not result.n <= LARGEST_CLASS:
        return None
    if result.first.item.range:
        return _numbers_again(result.first, wanted)
    rows = [SlideRow(item, code) for item in result.items if not item.oddities for code in _asked(item)]
    row = max((row for row in rows if row.option.claimed), key=lambda row: row.option.estimate, default=None)
    if row is None or row.item.prevalence is None:
        return None
    truths = supposed_truths(row.item.prevalence)
    level = wanted.each(shares_together(result.question))
    read = same_class(truths, row.item.item.design, row.code, confidence_level=level)
    return Again(row, truths[row.code], truths, None, read, level)


def _asked(item: ItemResult) -> tuple[int, ...]:
    return options_of(item.item)[:1] if item.item.answers.yes_or_no else _codes(item)


def _numbers_again(item: ItemResult, wanted: FigureOptions) -> Again | None:
    """Return a class in which everybody has the mean; where not saying is an answer, a mean has no such interval."""
    limits, mean = item.item.range, item.mean
    if limits is None or mean is None or mean.estimate is None or not mean.claimed or item.item.design.k != 2:
        return None
    at = (mean.estimate - float(limits.low)) / float(limits.high - limits.low)
    steps_to = math.floor(at * limits.steps + 0.5)
    height = Fraction(steps_to, limits.steps)
    read = same_numbers(item.n, height, item.item.design, confidence_level=wanted.confidence_level)
    return Again(SlideRow(item, 1), item.n, (), steps_to, read, wanted.confidence_level)
