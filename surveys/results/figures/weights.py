"""Estimates weighted to known shares of the population, beside the unweighted ones of the same respondents.

Where a survey has random arms, each arm's respondents are a sample of their own: those who were asked a question are
weighted among themselves.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from surveys.estimation.claims import FigureOptions, NumberEstimate, known_or_none, with_interval
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.likelihood import most_likely
from surveys.estimation.patterns import MISSING, item_counts
from surveys.estimation.weighting.design_based import WeightedEstimate, estimate_weighted
from surveys.estimation.weighting.means import WeightedMean, estimate_weighted_grid_mean
from surveys.estimation.weighting.raking import Margin, effective_n, heaviest, rake
from surveys.estimation.weighting.trimming import trim_weights
from surveys.numbers.words import Units
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import Range
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.groups import NO_GROUP
from surveys.results.figures.means import MeanResult
from surveys.results.figures.questions import ItemResult, OptionResult, figures_of

OTHER_GROUPS = -1
ROLES = ("none", "clusters", "strata")
_NOBODY = 1e-12  # a share of so few is one of nobody, but for rounding

_Codes = npt.NDArray[np.int64]
_Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GroupCategories:
    """The groups that may be shown separately, all others as one; the code of each is its place."""

    keys: tuple[int, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(
        cls, snapshot: Snapshot, separable: frozenset[int], names: Mapping[int, str], *, without: str, others: str
    ) -> "GroupCategories":
        """Return those in which anybody answered; `separable` is from `separable_groups`."""
        called = {key: name for key, name in (dict(names) | {NO_GROUP: without}).items() if key in separable}
        if not snapshot.n_by_group.keys() <= separable:
            called[OTHER_GROUPS] = others
        return cls(tuple(called), tuple(called.values()))

    def codes(self, groups: _Codes) -> _Codes:
        """Return the category of each row by its group's primary key."""
        codes = np.full(groups.shape, len(self.keys) - 1, dtype=np.int64)
        for place, key in enumerate(self.keys):
            codes[groups == key] = place
        return codes


@dataclass(frozen=True, slots=True)
class KnownShares:
    """Which part of the population gives each answer to an unprotected question, or is in each group."""

    item: Item | None  # None: the groups
    title: str
    labels: tuple[str, ...]
    shares: tuple[float | None, ...]  # they add up to 1; None stands for what nobody here answered

    @property
    def kept(self) -> tuple[int, ...]:
        """The categories that have a share."""
        return tuple(code for code, share in enumerate(self.shares) if share is not None)

    def margin(self, categories: _Codes, n: int) -> Margin:
        """Return the margin of these rows' categories, of n people in all."""
        table = np.zeros(len(self.shares), dtype=np.int64)
        table[list(self.kept)] = np.arange(len(self.kept))
        return Margin(self.title, table[categories], np.array([n * share for share in self.shares if share]))


@dataclass(frozen=True, slots=True)
class WeightingPlan:
    """What is weighted to, what part the groups play, and how weights are cut."""

    known: tuple[KnownShares, ...]
    role: str  # of the groups, one of `ROLES`: none, drawn as a whole, or each drawn from by itself
    largest: float | None  # the largest weight, as a multiple of the mean; None: not cut
    groups: GroupCategories
    wanted: FigureOptions  # each interval holds by itself


@dataclass(frozen=True, slots=True)
class WeightsInUse:
    """The weights, of mean 1, of everybody who was asked the same questions; `problem` names why there are none.

    `too_few` answered all that is weighted by; `small`: a combination of it holds fewer than may be shown; `nobody`
    gave the answer that `culprit` names with its question; `contradiction`: no weights meet all shares; `one_cluster`.
    """

    arms: tuple[int, ...]  # in which the questions are asked; none named are all
    n: int
    left_out: int  # who skipped a question that is weighted by
    problem: str = ""
    culprit: tuple[str, str] = ("", "")
    effective_n: float = 0.0
    largest: float = 1.0
    heaviest: tuple[int, float] = (0, 0.0)  # how few people carry half of the weight or more, and what part of it
    trimmed: int = 0
    clusters: int = 0
    margins_met: bool = True  # whether the weights were raked, and none was cut afterwards
    by_cell: Mapping[tuple[int, ...], float] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class WeightedAnswer:
    """An answer's share, or a number's mean, without and with weights."""

    unweighted: OptionResult | MeanResult | NumberEstimate
    weighted: NumberEstimate
    design_effect: float | None  # the variance over that of as many respondents of equal weight; None where 0
    units: Units | None = None  # of a mean; shares have none


@dataclass(frozen=True, slots=True)
class WeightedItem:
    """One item of those who can be weighted; without answers where too few of them answered it."""

    unweighted: ItemResult
    effective_n: float = 0.0
    answers: tuple[WeightedAnswer, ...] = ()

    @property
    def claimed(self) -> tuple[WeightedAnswer, ...]:
        """The answers that have both estimates."""
        if self.unweighted.oddities:
            return ()
        return tuple(answer for answer in self.answers if answer.unweighted.claimed and answer.weighted.claimed)


@dataclass(frozen=True, slots=True)
class WeightedQuestion:
    """A question that is weighted, with the weights of those who were asked it."""

    question: AskedQuestion
    weights: WeightsInUse
    items: tuple[WeightedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class WeightedResults:
    """All that the page may say."""

    plan: WeightingPlan
    questions: tuple[WeightedQuestion, ...]

    @property
    def weights(self) -> tuple[WeightsInUse, ...]:
        """The weights of each set of arms, in the order of the questions."""
        return tuple({question.weights.arms: question.weights for question in self.questions}.values())


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRows:
    """Respondents who answered all that is weighted by: its categories, a column each, and the reports to one item."""

    categories: _Codes
    reports: npt.NDArray[np.uint8]  # 255 where the item was skipped
    beside: npt.NDArray[np.uint8]  # the reports to other items that were asked for, a column each
    counts: npt.NDArray[np.int64]
    groups: _Codes
    left_out: int

    @property
    def answered(self) -> npt.NDArray[np.bool_]:
        """Whether the item was answered."""
        return np.asarray(self.reports != MISSING)

    @property
    def cells(self) -> list[tuple[int, ...]]:
        """The combination that each row is in."""
        return [tuple(row) for row in self.categories.tolist()]

    def smallest_cell(self, among: npt.NDArray[np.bool_], *, by_group: bool, by_report: bool = False) -> int:
        """Return how many of these the smallest combination holds that holds any, with groups and reports if wanted."""
        more = [column for column, wanted in ((self.groups, by_group), (self.reports, by_report)) if wanted]
        keys = np.column_stack((self.categories, *more))
        place = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
        sums = np.bincount(place, np.where(among, self.counts, 0))
        return int(sums[sums > 0].min(initial=self.counts.sum()))


class SampleArguments(TypedDict):
    """What all weighted estimates take beside the reports."""

    counts: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    strata: _Codes | None
    clusters: _Codes | None
    margins: list[Margin]


def weighted_results(definition: Definition, snapshot: Snapshot, plan: WeightingPlan) -> WeightedResults:
    """Weight the answers to every protected question, and to unprotected ones that ask for the same."""
    weights: dict[tuple[int, ...], WeightsInUse] = {}
    questions = []
    for question in definition.questions:
        if not (
            is_weighted(question, definition, plan) and (question.protects or snapshot.shows(question.first.number))
        ):
            continue
        used = weights.get(question.arms) or weights_in_use(question, snapshot, plan)
        weights[question.arms] = used
        items = () if used.problem else tuple(_item(question, item, used, snapshot, plan) for item in question.items)
        questions.append(WeightedQuestion(question, used, items))
    return WeightedResults(plan, tuple(questions))


def is_weighted(question: AskedQuestion, definition: Definition, plan: WeightingPlan) -> bool:
    """Whether a question is protected, or compared with one that is, and is not what is weighted by."""
    known = [each.item.number for each in plan.known if each.item]
    compared = any(other.protects for other in definition.variants_of(question))
    return question.protects or (compared and question.first.number not in known)


def rows_of(question: AskedQuestion, snapshot: Snapshot, plan: WeightingPlan, *items: int) -> WeightedRows:
    by = [known.item for known in plan.known if known.item]
    arm = [question.arm_column] if question.arms else []
    reports = snapshot.on(*(item.number for item in by), *arm, *items)
    asked = np.ones(len(reports.counts), dtype=bool)
    if arm:
        asked = np.isin(reports.patterns[:, len(by)], [number - 1 for number in question.arms])
    complete = asked & (reports.patterns[:, : len(by)] < np.array([item.design.k for item in by], dtype=int)).all(
        axis=1
    )
    patterns, groups = reports.patterns[complete].astype(np.int64), plan.groups.codes(reports.groups[complete])
    columns = iter(patterns.T)
    categories = [next(columns) if known.item else groups for known in plan.known]
    return WeightedRows(
        categories=np.column_stack(categories) if categories else np.zeros((len(groups), 0), dtype=np.int64),
        reports=reports.patterns[complete, -1] if items else np.zeros(len(groups), dtype=np.uint8),
        beside=reports.patterns[complete, len(by) + len(arm) : -1],
        counts=reports.counts[complete],
        groups=groups,
        left_out=int(reports.counts[asked & ~complete].sum()),
    )


def _margins_of(rows: WeightedRows, plan: WeightingPlan, n: int) -> list[Margin]:
    return [known.margin(rows.categories[:, place], n) for place, known in enumerate(plan.known)]


def sample_arguments(plan: WeightingPlan, *parts: tuple[WeightedRows, WeightsInUse]) -> SampleArguments:
    """Return how people were chosen who are in rows below each other, each part weighted to the margins by itself."""
    groups = np.concatenate([rows.groups for rows, _used in parts])
    margins: list[Margin] = []
    if all(used.margins_met for _rows, used in parts):
        of_parts = [_margins_of(rows, plan, used.n) for rows, used in parts]
        margins = [_apart(alike) for alike in zip(*of_parts, strict=True)]
    return {
        "counts": np.concatenate([rows.counts for rows, _used in parts]),
        "weights": np.array([used.by_cell[cell] for rows, used in parts for cell in rows.cells]),
        "strata": groups if plan.role == "strata" else None,
        "clusters": groups if plan.role == "clusters" else None,
        "margins": margins,
    }


def _apart(margins: Sequence[Margin]) -> Margin:
    """Return one margin of several parts, each of which was weighted to it by itself."""
    size = len(margins[0].targets)
    return Margin(
        margins[0].name,
        np.concatenate([size * place + margin.categories for place, margin in enumerate(margins)]),
        np.concatenate([margin.targets for margin in margins]),
    )


def weights_in_use(question: AskedQuestion, snapshot: Snapshot, plan: WeightingPlan) -> WeightsInUse:
    rows = rows_of(question, snapshot, plan)
    n = int(rows.counts.sum())
    used = WeightsInUse(question.arms, n, rows.left_out, margins_met=bool(plan.known))
    if n < max(1, snapshot.minimum_n):
        return replace(used, problem="too_few")
    # Shares chosen far apart would make of a small combination nearly all that an estimate is of.
    if rows.smallest_cell(rows.counts > 0, by_group=plan.role != "none") < snapshot.minimum_n:
        return replace(used, problem="small")
    for place, known in enumerate(plan.known):
        empty = set(known.kept) - set(rows.categories[:, place].tolist())
        if empty:
            return replace(used, problem="nobody", culprit=(known.title, known.labels[min(empty)]))
    clusters = len(set(rows.groups.tolist()))
    if plan.role == "clusters" and clusters < 2:
        return replace(used, problem="one_cluster")
    weights = np.ones(len(rows.counts))
    if plan.known:
        try:
            weights = np.array(rake(rows.counts, _margins_of(rows, plan, n)).weights)
        except ValueError:  # with no category empty, and all margins of n people, it is that no weights meet them all
            return replace(used, problem="contradiction")
    trimmed = 0
    if plan.largest:
        cut = trim_weights(weights, rows.counts, largest=plan.largest)
        weights, trimmed = np.array(cut.weights), cut.trimmed
    return replace(
        used,
        effective_n=effective_n(weights, rows.counts),
        largest=float(weights.max()),
        heaviest=heaviest(weights, rows.counts),
        trimmed=trimmed,
        clusters=clusters,
        margins_met=bool(plan.known) and not trimmed,
        by_cell=dict(zip(rows.cells, weights.tolist(), strict=True)),
    )


def _item(
    question: AskedQuestion, item: Item, weights: WeightsInUse, snapshot: Snapshot, plan: WeightingPlan
) -> WeightedItem:
    rows = rows_of(question, snapshot, plan, item.number)
    answered = rows.answered
    counts, missing = item_counts(rows.reports[:, np.newaxis], rows.counts, 0, item.design.m)
    smallest = rows.smallest_cell(answered, by_group=plan.role != "none")
    if min(int(counts.sum()), smallest) < max(1, snapshot.minimum_n):
        return WeightedItem(ItemResult(item, int(counts.sum()), missing))
    sample = sample_arguments(plan, (rows, weights))
    wanted, level = plan.wanted, plan.wanted.confidence_level
    unweighted = figures_of(question, item, counts, wanted, missing=missing, minimum_n=snapshot.minimum_n)
    if item.grid and unweighted.mean:
        mean = estimate_weighted_grid_mean(rows.reports, grid=item.grid, **sample)
        likely = min(max(mean.point, mean.low), mean.high)
        answer = _mean(question, unweighted.mean, mean, likely, mean.interval(level))
        return WeightedItem(unweighted, mean.effective_n, (answer,))
    estimate = estimate_weighted(rows.reports, design=item.design, **sample)
    reports = np.bincount(rows.reports[answered], (rows.counts * sample["weights"])[answered], item.design.m)
    limited = most_likely(reports / reports.sum(), item.design, estimate.point)
    shares = _numbers(estimate, limited, level)
    effects = [known_or_none(float(effect)) for effect in estimate.design_effects]
    answers = [WeightedAnswer(unweighted.options[code], shares[code], effects[code]) for code in unweighted.shown_codes]
    if item.range and unweighted.mean and not question.protects_leaving_out:
        units = Units(item.range.low, item.range.high, item.range.unit)
        answers.insert(0, WeightedAnswer(unweighted.mean, _within(shares[1], item.range), effects[1], units))
    elif unweighted.stated_mean:
        answers.insert(0, _mean_of_answers(question, unweighted.stated_mean, estimate, limited, level))
    return WeightedItem(unweighted, estimate.effective_n, tuple(answers))


def mean_values(question: AskedQuestion) -> tuple[Fraction, ...]:
    """Return the numbers that the first answers stand for, whose mean is shown; any further answer is not saying."""
    limits = question.first.range
    return (limits.low, limits.high) if limits else question.values


def _mean_of_answers(
    question: AskedQuestion,
    unweighted: MeanResult | NumberEstimate,
    estimate: WeightedEstimate,
    limited: _Shares,
    level: float,
) -> WeightedAnswer:
    """Return the mean of numbers that answers stand for; of bands, as everywhere, wherever in its band each is."""
    values = lows = highs = mean_values(question)
    if edges := question.edges:
        lows, highs = edges[:-1], edges[1:]
    among = range(len(values))
    mean, first, last = (estimate.mean(numbers, among) for numbers in (values, lows, highs))
    low, high = first.interval(level), last.interval(level)
    interval = ScalarInterval(low.low, high.high, level, low.method, low.outside and high.outside)
    stated = limited[: len(values)]
    likely = float(np.array(values, dtype=float) @ stated / stated.sum()) if stated.sum() > _NOBODY else math.nan
    return _mean(question, unweighted, mean, likely, interval)


def _mean(
    question: AskedQuestion,
    unweighted: MeanResult | NumberEstimate,
    mean: WeightedMean,
    likely: float,
    interval: ScalarInterval,
) -> WeightedAnswer:
    values = question.edges or mean_values(question)
    units = Units(values[0], values[-1], question.answers.unit)
    weighted = with_interval(mean.point, likely, mean.standard_error, interval, (float(values[0]), float(values[-1])))
    return WeightedAnswer(unweighted, weighted, known_or_none(mean.design_effect), units)


def _numbers(estimate: WeightedEstimate, limited: _Shares, level: float) -> list[NumberEstimate]:
    interval = estimate.interval(level)
    columns = estimate.point, limited, estimate.standard_error, interval.low, interval.high, interval.outside
    numbers = []
    for point, likely, error, low, high, outside in zip(*(column.tolist() for column in columns), strict=True):
        within = ScalarInterval(low, high, level, interval.method, outside)
        numbers.append(with_interval(point, min(1.0, likely), error, within, (0.0, 1.0)))
    return numbers


def _within(share: NumberEstimate, limits: Range) -> NumberEstimate:
    """Return the mean of a number rounded at random to an end: as far up the range as the higher end is frequent."""
    low, length = float(limits.low), float(limits.high - limits.low)
    return replace(
        share,
        moment=None if share.moment is None else low + length * share.moment,
        estimate=None if share.estimate is None else low + length * share.estimate,
        low=low + length * share.low,
        high=low + length * share.high,
        standard_error=None if share.standard_error is None else length * share.standard_error,
    )
