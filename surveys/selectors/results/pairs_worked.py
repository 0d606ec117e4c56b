"""Two groups, and two questions, worked through as the tabs that compare and relate them do it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surveys.estimation import JointEstimate, estimate_joint, estimate_prevalence
from surveys.estimation.affine import affine_map
from surveys.estimation.association.difference import Difference, difference_of, distances
from surveys.estimation.intervals import normal_quantile
from surveys.models.definition import Definition, Item
from surveys.selectors.results.beliefs import options_of
from surveys.selectors.results.estimated import known_or_none
from surveys.selectors.results.groups import reports_by_group
from surveys.selectors.results.intervals import Wanted
from surveys.selectors.results.relations import report_table
from surveys.selectors.results.snapshot import Snapshot
from surveys.selectors.results.telling_apart import told_groups

_BINOMIAL = ("wilson", "clopper_pearson", "jeffreys", "agresti_coull")
_MOST_CELLS = 9


@dataclass(frozen=True, slots=True, eq=False)
class GroupsWorked:
    """The difference of two groups' shares of one answer."""

    item: Item
    option: int
    names: tuple[str, str]
    difference: Difference
    wanted: Wanted

    @property
    def method(self) -> str:
        """Of the groups' own limits: MOVER takes any but Wald's."""
        return self.wanted.one_of(_BINOMIAL)

    @property
    def points(self) -> tuple[float, float]:
        """The groups' moment estimates."""
        return float(self.difference.first.point[self.option]), float(self.difference.second.point[self.option])

    @property
    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The groups' limits before they are cut."""
        level, found = self.wanted.confidence_level, []
        for point, estimate in zip(self.points, (self.difference.first, self.difference.second), strict=True):
            below, above = distances(estimate, self.option, level, self.method)
            found.append((point - below, point + above))
        return found[0], found[1]

    @property
    def interval(self) -> tuple[float, float]:
        """The limits for the difference, as the results show them."""
        found = self.difference.interval(self.wanted.confidence_level, self.method)
        return found.low, found.high


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
        found = self.joint.correlation
        limits = found.interval(self.level)
        if math.isnan(found.point):
            return None
        return found.point, known_or_none(found.standard_error), _limits_or_none(limits.low, limits.high)


def groups_worked(
    definition: Definition, snapshot: Snapshot, names: Mapping[int, str], wanted: Wanted
) -> GroupsWorked | None:
    """Return the first question that two groups told apart have answered; None where there is none."""
    told = told_groups(snapshot, definition)
    for item in definition.items if len(told & names.keys()) > 1 else ():
        if affine_map(item.design) is None:
            continue
        counts = reports_by_group(item, snapshot)
        enough = {key for key, found in counts.items() if found.sum() >= snapshot.minimum_n}
        keys = [key for key in names if key in told & enough][:2]
        if len(keys) == 2:
            option = options_of(item)[0]
            first, second = (estimate_prevalence(counts[key], item.design) for key in keys)
            called = names[keys[0]], names[keys[1]]
            return GroupsWorked(item, option, called, difference_of(first, second, option), wanted)
    return None


def pair_worked(items: Sequence[Item], snapshot: Snapshot, level: float) -> PairWorked | None:
    """Return the first two questions with few answers each, where enough answered both; None where there are none."""
    few = [item for item in items if item.design.m * item.design.m <= _MOST_CELLS][:2]
    if len(few) < 2:
        return None
    table = report_table(few[0], few[1], snapshot)
    if table.sum() < snapshot.minimum_n:
        return None
    return PairWorked(few[0], few[1], estimate_joint(table, few[0].design, few[1].design), level, snapshot.minimum_n)


def _limits_or_none(low: float, high: float) -> tuple[float, float] | None:
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None
