"""The numbers that the page of formulas works through: those of each item, and what a mean is made of."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from surveys.estimation.affine import AffineMap, affine_map, require_affine_map
from surveys.estimation.claims import FigureOptions, known_or_none
from surveys.estimation.grid_mean import METHODS as GRID_METHODS
from surveys.estimation.grid_mean import GridMeanEstimate, estimate_grid_mean
from surveys.estimation.intervals.binomial import limits_within, normal_quantile
from surveys.estimation.intervals.interval import Interval, ScalarInterval
from surveys.estimation.intervals.sequence import mixture_loss
from surveys.estimation.numbers import estimate_distribution, estimate_mean
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.poisoning import PoisoningBand, poisoning_band
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.estimation.stated_distribution import estimate_stated_distribution
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import LeaveOut
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.privacy import options_of
from surveys.results.figures.questions import counts_of, shares_together


@dataclass(frozen=True, slots=True)
class MeanWorked:
    """Σ value·share, divided by Σ share where “prefer not to say” is one more answer."""

    values: tuple[float, ...]
    shares: tuple[float, ...]  # moment estimates, in the same order
    stated: bool  # of those who say
    point: float | None  # None: no more than nobody would say
    standard_error: float | None


def mean_worked(question: AskedQuestion, item: Item, estimate: PrevalenceEstimate) -> MeanWorked | None:
    """Return what a mean is made of; None for a question that has none."""
    counts, design, stated = estimate.counts, item.design, item.leave_out == LeaveOut.PROTECTED
    if item.range is not None:
        ends = float(item.range.low), float(item.range.high)
        number = (estimate_stated_mean if stated else estimate_mean)(counts, design, *ends)
        return _worked(ends, estimate, stated=stated, point=number.point, error=number.standard_error)
    if question.edges:
        edges = [float(edge) for edge in question.edges]
        bands = (estimate_stated_distribution if stated else estimate_distribution)(counts, design, edges)
        middles = tuple((low + high) / 2 for low, high in pairwise(edges))
        return _worked(middles, estimate, stated=stated, point=bands.mean, error=bands.mean_standard_error)
    if question.values:
        points = design.k - stated
        mean = estimate_scale(counts, design, points).mean
        values = tuple(float(point) for point in range(1, points + 1))
        return _worked(values, estimate, stated=stated, point=mean.point, error=mean.standard_error)
    return None


def _worked(
    values: tuple[float, ...], estimate: PrevalenceEstimate, *, stated: bool, point: float, error: float
) -> MeanWorked:
    shares = tuple(estimate.point[: len(values)].tolist())
    return MeanWorked(values, shares, stated, known_or_none(point), known_or_none(error))


# Every number that the formulas of the methods page are written with, question by question.


_LIMITS = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class WorkedExample:
    """One answer of one item, from its reports to its interval."""

    item: Item
    option: int
    estimate: PrevalenceEstimate
    intervals: Interval  # of all answers, as the results show it
    wanted: FigureOptions
    together: int  # how many shares of its question are shown

    @property
    def design(self) -> Design:
        return self.item.design

    @property
    def count(self) -> int:
        """How many reports are called as this answer."""
        return int(self.estimate.counts[self.option])

    @property
    def n(self) -> int:
        return self.estimate.n

    @property
    def observed(self) -> float:
        """λ̂, the share of these reports."""
        return float(self.estimate.observed[self.option])

    @property
    def offset(self) -> Fraction:
        """d: the probability of this report where another answer is true."""
        row = self.design.matrix[self.option]
        return row[0 if self.option else 1]

    @property
    def if_true(self) -> Fraction:
        """The probability of this report where this answer is true."""
        return self.design.matrix[self.option][self.option]

    @property
    def slope(self) -> Fraction:
        """c: by how much the truth changes the probability of this report."""
        return self.if_true - self.offset

    @property
    def point(self) -> float:
        """π̂, which may leave [0, 1]."""
        return float(self.estimate.point[self.option])

    @property
    def constrained(self) -> float:
        """The estimate within [0, 1]."""
        return min(1.0, float(self.estimate.constrained[self.option]))

    @property
    def variance(self) -> float | None:
        """Of π̂; None for a single response."""
        return known_or_none(float(self.estimate.covariance[self.option, self.option]))

    @property
    def standard_error(self) -> float | None:
        """Of π̂; None for a single response."""
        return known_or_none(float(self.estimate.standard_error[self.option]))

    @property
    def method(self) -> str:
        """How its interval is found."""
        return self.intervals.method

    @property
    def level(self) -> float:
        """The confidence level of this answer's interval by itself."""
        return self.wanted.each(self.together)

    @property
    def z(self) -> float:
        """The normal quantile of the level."""
        return normal_quantile(self.level)

    @property
    def limits(self) -> _LIMITS:
        """The limits for λ."""
        edges = require_affine_map(self.design).edges()
        low, high = limits_within(self.estimate.counts, self.n, self.level, self.method, edges)
        return float(low[self.option]), float(high[self.option])

    @property
    def loss_at_every_look(self) -> float:
        """How far the log-likelihood may fall for limits that hold at every look."""
        edges = require_affine_map(self.design).edges()
        return float(mixture_loss(self.estimate.counts, self.n, self.level, *edges)[self.option])

    @property
    def edges(self) -> tuple[Fraction, Fraction]:
        """Between what λ must lie."""
        row = self.design.matrix[self.option]
        return min(row), max(row)

    @property
    def mapped(self) -> _LIMITS:
        """The limits for π before they are cut to [0, 1], the lower one first."""
        low, high = ((limit - float(self.offset)) / float(self.slope) for limit in self.limits)
        return (low, high) if low <= high else (high, low)

    @property
    def interval(self) -> _LIMITS:
        """The limits that the results show."""
        return float(self.intervals.low[self.option]), float(self.intervals.high[self.option])

    @property
    def outside(self) -> bool:
        """Whether nothing was left of the interval after cutting."""
        return bool(self.intervals.outside[self.option])

    @property
    def tails(self) -> _LIMITS:
        """The probabilities of so few, and of so many, of these reports at the edges."""
        misfit = self.estimate.misfit
        return float(misfit.too_few[self.option]), float(misfit.too_many[self.option])

    @property
    def half_width(self) -> float:
        """What half the width of Wald's interval is expected to be from as many responses at this estimate."""
        share = self.estimate.constrained.tolist() if self.design.k > 2 else float(self.estimate.constrained[1])
        return expected_half_width(
            n=self.n, design=self.design, prevalence=share, option=self.option, confidence_level=self.level
        )


@dataclass(frozen=True, slots=True, eq=False)
class ItemMethods:
    """One item's matrix and, where enough answered, its numbers."""

    item: Item
    n: int
    estimate: PrevalenceEstimate | None
    intervals: Interval | None
    wanted: FigureOptions
    together: int  # how many shares of its question are shown
    values: GridMeanEstimate | None = None  # of a number whose reports stand for values, in place of shares

    @property
    def design(self) -> Design:
        return self.item.design

    @property
    def line(self) -> AffineMap | None:
        """The straight lines from shares to reports, where there are some."""
        return affine_map(self.design)

    @property
    def main(self) -> WorkedExample | None:
        """The answer that is worked through in full."""
        return self.worked(options_of(self.item)[0]) if self.estimate and self.line is not None else None

    def worked(self, option: int) -> WorkedExample:
        if self.estimate is None or self.intervals is None:
            raise ValueError(f"too few answered item {self.item.key}")
        return WorkedExample(self.item, option, self.estimate, self.intervals, self.wanted, self.together)

    @property
    def interval_of_values(self) -> ScalarInterval | None:
        """The interval that the results show of the mean of values."""
        if self.values is None:
            return None
        return self.values.interval(self.wanted.confidence_level, self.wanted.one_of(GRID_METHODS))

    @property
    def forged(self) -> PoisoningBand | None:
        """How far forged reports can have moved the estimates."""
        return poisoning_band(self.estimate, self.wanted.forged_of(self.n)) if self.estimate else None

    @property
    def tests(self) -> int:
        """How many tests the misfit alarm is made of."""
        number = 2 if self.design.m == 2 else 2 * self.design.m
        return number + (self.estimate is not None and not math.isnan(self.estimate.misfit.fit))

    @property
    def smallest_tail(self) -> float:
        """The smallest of their p-values."""
        if self.estimate is None:
            raise ValueError(f"too few answered item {self.item.key}")
        misfit = self.estimate.misfit
        return float(np.nanmin([misfit.too_few.min(), misfit.too_many.min(), misfit.fit]))


@dataclass(frozen=True, slots=True, eq=False)
class QuestionMethods:
    """One question's items."""

    question: AskedQuestion
    items: tuple[ItemMethods, ...]
    is_shown: bool  # whether anything of it may be shown, however few answered


def methods_of(
    definition: Definition, snapshot: Snapshot, wanted: FigureOptions, *, question: int | None
) -> tuple[QuestionMethods, ...]:
    """Return the numbers of all questions, or of the one with this number."""
    asked = [each for each in definition.questions if question in {None, each.number}]
    return tuple(
        QuestionMethods(
            each,
            tuple(item_methods(item, snapshot, wanted, shares_together(each)) for item in each.items),
            each.protects and snapshot.shows(each.first.number),
        )
        for each in asked
    )


def item_methods(item: Item, snapshot: Snapshot, wanted: FigureOptions, together: int) -> ItemMethods:
    """Return one item's numbers, one of so many shares; without estimates where too few answered it."""
    counts = counts_of(item, snapshot)
    n = int(counts.sum())
    if n < snapshot.minimum_n:
        return ItemMethods(item, n, None, None, wanted, together)
    if grid := item.grid:
        return ItemMethods(item, n, None, None, wanted, together, estimate_grid_mean(counts, grid))
    estimate = estimate_prevalence(counts, item.design)
    method = wanted.one_of(estimate.interval_methods)
    interval = estimate.interval(wanted.each(together), method)
    return ItemMethods(item, n, estimate, interval, wanted, together)
