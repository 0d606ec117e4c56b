"""Two questions related: the table of their reports, and what it says about the table of their true answers.

At the end two groups and two questions are worked through for the page of formulas.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import affine_map
from surveys.estimation.association.difference import Difference, difference_of, distances
from surveys.estimation.association.independence import IndependenceTest, drop_empty, test_independence
from surveys.estimation.association.joint import JointEstimate, estimate_joint
from surveys.estimation.association.within import mean_within
from surveys.estimation.claims import (
    FigureOptions,
    NumberEstimate,
    estimate_number,
    known_or_none,
    share_at,
    with_interval,
)
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.prevalence import estimate_prevalence
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.told import separable_groups
from surveys.results.figures.groups import reports_by_group
from surveys.results.figures.privacy import options_of

# Each cell has a likelihood-ratio interval of its own: all of 5 × 5 take under a tenth of a second, of 10 × 10 about
# one with the exact inverse.
MOST_PROFILED_CELLS = 25


@dataclass(frozen=True, slots=True)
class Among:
    """What the second question's answers are among those who share an answer to the first."""

    label: str
    people: tuple[int, int] | None  # limits; None: too few, or numbers that would tell how few others are
    shares: tuple[NumberEstimate | None, ...]  # one an answer to the second question; None: too few have that answer
    mean: NumberEstimate | None  # of the number, where the second question asks for one

    @property
    def too_few(self) -> bool:
        return not self.shares


@dataclass(frozen=True, slots=True)
class Relation:
    """All that a page may say about two items; below `minimum_n` how many answered both, and nothing else."""

    a: Item
    b: Item
    n: int
    minimum_n: int
    confidence_level: float
    reported: tuple[tuple[int, ...], ...] = ()
    odd: bool = False  # no distribution of true answers fits: respondents probably did not follow the instructions
    independence: IndependenceTest | None = None  # on the reported table; None: all reports to one question are alike
    method: str = ""  # of the intervals for cells and shares
    cells: tuple[tuple[NumberEstimate, ...], ...] = ()
    odds_ratio: NumberEstimate | None = None
    correlation: NumberEstimate | None = None
    among: tuple[Among, ...] = ()
    odds_may_be_1: bool = False  # for all that the interval of the odds ratio says, shown or not
    few: bool = False  # some answer is estimated to be that of fewer than `minimum_n`: shares and odds of it are hidden

    @property
    def enough(self) -> bool:
        """Whether enough answered both."""
        return self.n >= self.minimum_n

    @property
    def p_value(self) -> float | None:
        """The p-value to go by: the exact one; else that of χ² unless too few were expected somewhere."""
        test = self.independence
        if test is None:
            return None
        if test.exact_p_value is not None:
            return test.exact_p_value
        return None if test.approximation_poor else test.pearson_p_value

    @property
    def odds_exclude_1(self) -> bool:
        """Whether the interval of the odds ratio, by itself, says that the two go together."""
        return self.odds_ratio is not None and not self.odds_may_be_1

    @property
    def rounded(self) -> tuple[Item, ...]:
        """The items that ask for a number, which is rounded at random to an end before it comes into the table."""
        return tuple(item for item in (self.a, self.b) if item.range)


def relation_of(a: Item, b: Item, snapshot: Snapshot, wanted: FigureOptions) -> Relation:
    """Relate two different items, from the responses that answered both.

    Intervals are by likelihood ratio; where there are too many cells, Wald's with the standard errors of the fitted
    table, as most cells have no reports to take them from.
    """
    table = report_table(a, b, snapshot)
    n = int(table.sum())
    if n < max(1, snapshot.minimum_n):
        return Relation(a, b, n, snapshot.minimum_n, wanted.confidence_level)
    joint = estimate_joint(table, a.design, b.design)
    reported = tuple(tuple(row) for row in table.tolist())
    # Each question by itself too: the test of all cells together has less power against one that was not followed.
    if joint.misfit.suspicious or any(marginal.misfit.suspicious for marginal in joint.marginals):
        return Relation(a, b, n, snapshot.minimum_n, wanted.confidence_level, reported, odd=True)
    method = "fitted" if joint.cells.design.k > MOST_PROFILED_CELLS else "likelihood_ratio"
    chosen = FigureOptions(method, wanted.confidence_level)
    two_by_two = joint.shape == (2, 2) and not (a.range or b.range)
    odds = _odds_ratio(joint, chosen) if two_by_two else None
    rare = _rare(joint, a, b, snapshot.minimum_n)
    few = any(rare) and not a.range
    return Relation(
        a=a,
        b=b,
        n=n,
        minimum_n=snapshot.minimum_n,
        confidence_level=chosen.confidence_level,
        reported=reported,
        independence=_independence(table),
        method=chosen.method,
        cells=_cells(joint, chosen),
        odds_ratio=None if few else odds,
        odds_may_be_1=odds is not None and not (odds.claimed and (odds.low > 1 or odds.high < 1)),
        correlation=_correlation(joint, chosen) if two_by_two and not few else None,
        # Nobody's true answer is the end that a number was rounded to.
        among=() if a.range else _among(joint, a, b, rare, chosen, minimum_n=snapshot.minimum_n),
        few=few,
    )


def report_table(a: Item, b: Item, snapshot: Snapshot) -> npt.NDArray[np.int64]:
    """Return how often each report to A came with each report to B, in all groups together."""
    return snapshot.table(a.number, b.number, (a.design.m, b.design.m))


def _independence(table: npt.NDArray[np.int64]) -> IndependenceTest | None:
    sent = drop_empty(table)
    if min(sent.shape) < 2:
        return None
    test = test_independence(sent)
    return replace(test, exact_p_value=None if test.exact_p_value is None else known_or_none(test.exact_p_value))


def _cells(joint: JointEstimate, wanted: FigureOptions) -> tuple[tuple[NumberEstimate, ...], ...]:
    interval = joint.interval(wanted.confidence_level, wanted.method)
    height, width = joint.shape
    return tuple(tuple(share_at((i, j), joint, interval) for j in range(width)) for i in range(height))


def _odds_ratio(joint: JointEstimate, wanted: FigureOptions) -> NumberEstimate:
    odds = joint.odds_ratio
    return _anywhere(odds.point, math.nan, odds.interval(wanted.confidence_level, wanted.method), (0.0, math.inf))


def _correlation(joint: JointEstimate, wanted: FigureOptions) -> NumberEstimate:
    phi = joint.correlation
    return _anywhere(phi.point, phi.standard_error, phi.interval(wanted.confidence_level), (-1.0, 1.0))


def _anywhere(
    point: float, standard_error: float, interval: ScalarInterval, possible: tuple[float, float]
) -> NumberEstimate:
    """Return an estimate that stands also where its interval is not known and so leaves nothing out."""
    known = with_interval(math.nan, point, standard_error, interval, possible)
    return replace(known, estimate=known_or_none(point))


def _rare(joint: JointEstimate, a: Item, b: Item, minimum_n: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the answers to each question that fewer than the minimum are estimated to have; ends are no answers."""
    people = joint.n * joint.constrained
    first, second = np.round(people.sum(axis=1), 9), np.round(people.sum(axis=0), 9)
    return (
        frozenset(code for code in range(2 if a.range else 0, joint.shape[0]) if first[code] < minimum_n),
        frozenset(code for code in range(2 if b.range else 0, joint.shape[1]) if second[code] < minimum_n),
    )


def _among(
    joint: JointEstimate,
    a: Item,
    b: Item,
    rare: tuple[frozenset[int], frozenset[int]],
    wanted: FigureOptions,
    *,
    minimum_n: int,
) -> tuple[Among, ...]:
    width = joint.shape[1]
    rows, columns = rare
    # Of two answers one share is the rest of the other.
    no_shares = width == 2 and bool(columns)
    parts = []
    # People who answered both, by the answer to the first.
    first = estimate_prevalence(joint.table.sum(axis=1), joint.designs[0])
    limits = first.interval(wanted.confidence_level, wanted.one_of(first.interval_methods))
    if wanted.method == "fitted":
        joint, wanted = joint.fitted, FigureOptions("wald", wanted.confidence_level)
    for code, label in enumerate(a.labels):
        if no_shares or code in rows:
            parts.append(Among(label, None, (), None))
            continue
        shares = tuple(None if other in columns else _share(joint, code, other, wanted) for other in range(width))
        # Those who prefer not to say have no part in the mean: the others must be enough by themselves.
        mean = _mean(joint, code, b, wanted) if b.range and _people(joint, code, 2) >= minimum_n else None
        # All but one row would tell how many are in that one.
        between = math.floor(joint.n * limits.low[code]), math.ceil(joint.n * limits.high[code])
        people = None if len(rows) == 1 else between
        parts.append(Among(label, people, shares, mean))
    return tuple(parts)


def _people(joint: JointEstimate, code: int, answers: int) -> float:
    """Return how many people are estimated in the first cells of a row."""
    return round(joint.n * float(joint.constrained[code, :answers].sum()), 9)


def _share(joint: JointEstimate, code: int, other: int, wanted: FigureOptions) -> NumberEstimate:
    share = joint.conditional(code, other)
    interval = share.interval(wanted.confidence_level, wanted.method)
    return with_interval(share.point, min(1.0, share.constrained), share.standard_error, interval, (0.0, 1.0))


def _mean(joint: JointEstimate, code: int, b: Item, wanted: FigureOptions) -> NumberEstimate | None:
    if b.range is None:
        return None
    first = code * joint.shape[1]
    return estimate_number(mean_within(joint.cells, [b.range.low, b.range.high], (first, first + 1)), wanted)


# Two groups, and two questions, worked through as the tabs that compare and relate them do it.


_MOST_CELLS = 9


@dataclass(frozen=True, slots=True, eq=False)
class GroupsWorked:
    """The difference of two groups' shares of one answer."""

    item: Item
    option: int
    names: tuple[str, str]
    difference: Difference
    wanted: FigureOptions

    @property
    def points(self) -> tuple[float, float]:
        """The groups' moment estimates."""
        return float(self.difference.first.point[self.option]), float(self.difference.second.point[self.option])

    @property
    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The groups' limits before they are cut."""
        level, limits = self.wanted.confidence_level, []
        for point, estimate in zip(self.points, (self.difference.first, self.difference.second), strict=True):
            below, above = distances(estimate, self.option, level, self.wanted.at_one_look)
            limits.append((point - below, point + above))
        return limits[0], limits[1]

    @property
    def interval(self) -> tuple[float, float]:
        """The limits for the difference, as the results show them."""
        interval = self.difference.interval(self.wanted.confidence_level, self.wanted.at_one_look)
        return interval.low, interval.high


@dataclass(frozen=True, slots=True, eq=False)
class PairWorked:
    """The joint distribution of two questions."""

    a: Item
    b: Item
    joint: JointEstimate
    level: float
    minimum_n: int

    @property
    def z(self) -> float:
        """The normal quantile of the level."""
        return normal_quantile(self.level)

    @property
    def cell(self) -> tuple[int, int]:
        """The pair of answers that is worked through."""
        return options_of(self.a)[0], options_of(self.b)[0]

    @property
    def terms(self) -> list[tuple[float, float]]:
        """Weight and observed share of every pair of reports; their products add up to the cell's share."""
        i, j = self.cell
        weights = (
            float(first * second) for first in self.a.design.left_inverse[i] for second in self.b.design.left_inverse[j]
        )
        return list(zip(weights, self.joint.cells.observed.tolist(), strict=True))

    @property
    def point(self) -> float:
        """The cell's moment estimate."""
        return float(self.joint.point[self.cell])

    @property
    def standard_error(self) -> float:
        """Of the cell's moment estimate."""
        return float(self.joint.standard_error[self.cell])

    @property
    def constrained(self) -> list[float]:
        """The shares of the pairs of true answers under which the reports are likeliest, row by row."""
        return [float(share) for share in self.joint.constrained.ravel()]

    @property
    def conditional(self) -> tuple[list[float], float, float] | None:
        """The shares of all with the cell's first answer, the cell's, and its part of them; None of too few people."""
        i, j = self.cell
        among = [float(share) for share in self.joint.constrained[i]]
        enough = sum(among) * self.joint.n >= max(1, self.minimum_n)
        return (among, among[j], among[j] / sum(among)) if enough else None

    @property
    def two_by_two(self) -> bool:
        """Whether there is an odds ratio, and a correlation φ."""
        return self.joint.shape == (2, 2)

    @property
    def odds_ratio(self) -> float | None:
        """From the constrained shares; None where one of them makes it no number."""
        point = self.joint.odds_ratio.point
        return point if 0 < point < math.inf else None

    @property
    def correlation(self) -> tuple[float, float | None, tuple[float, float] | None] | None:
        """φ, its standard error and its limits; None where one of the answers is nobody's."""
        phi = self.joint.correlation
        limits = phi.interval(self.level)
        if math.isnan(phi.point):
            return None
        return phi.point, known_or_none(phi.standard_error), _limits_or_none(limits.low, limits.high)


def groups_worked(
    definition: Definition, snapshot: Snapshot, names: Mapping[int, str], wanted: FigureOptions
) -> GroupsWorked | None:
    """Return the first question that two separate groups have answered; None where there is none."""
    separable = separable_groups(snapshot, definition)
    for item in definition.items if len(separable & names.keys()) > 1 else ():
        if affine_map(item.design) is None or item.grid:
            continue
        counts = reports_by_group(item, snapshot)
        enough = {key for key, reports in counts.items() if reports.sum() >= snapshot.minimum_n}
        keys = [key for key in names if key in separable & enough][:2]
        if len(keys) == 2:
            option = options_of(item)[0]
            first, second = (estimate_prevalence(counts[key], item.design) for key in keys)
            called = names[keys[0]], names[keys[1]]
            return GroupsWorked(item, option, called, difference_of(first, second, option), wanted)
    return None


def pair_worked(items: Sequence[Item], snapshot: Snapshot, level: float) -> PairWorked | None:
    """Return the first two questions with few answers each, where enough answered both; None where there are none."""
    few = [item for item in items if item.design.m * item.design.m <= _MOST_CELLS and not item.grid]
    a, b = next((pair for pair in combinations(few, 2) if not pair[0].is_about(pair[1])), (None, None))
    if a is None or b is None:
        return None
    table = report_table(a, b, snapshot)
    if table.sum() < snapshot.minimum_n:
        return None
    return PairWorked(a, b, estimate_joint(table, a.design, b.design), level, snapshot.minimum_n)


def _limits_or_none(low: float, high: float) -> tuple[float, float] | None:
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None
