"""One answer compared between the groups of a survey."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.association.groups import GroupComparison, compare_groups
from surveys.estimation.claims import FigureOptions, known_or_none
from surveys.estimation.prevalence import estimate_prevalence
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.means import MeanResult, mean_result
from surveys.results.figures.questions import OptionResult, option_results

NO_GROUP = 0
ADJUSTMENTS = ("holm", "bonferroni", "none")


@dataclass(frozen=True, slots=True)
class GroupMeasure:
    """What is compared between groups, and how."""

    item: Item
    option: int | None  # the answer's code; None: the mean of a number
    wanted: FigureOptions  # each interval holds by itself
    adjustment: str = "holm"  # of the p-values of all pairs, one of `ADJUSTMENTS`

    @property
    def of_a_mean(self) -> bool:
        return self.option is None


@dataclass(frozen=True, slots=True)
class GroupPart:
    """A group that is large enough to be shown, or the responses without one."""

    key: int
    name: str
    n: int
    odd: bool  # its respondents probably did not follow the instructions: nothing here is to be trusted
    figure: OptionResult | MeanResult  # the share of the answer that is compared, or the mean of the number

    @property
    def claimed(self) -> bool:
        """Whether it has an estimate with an interval to show."""
        return not self.odd and self.figure.claimed


@dataclass(frozen=True, slots=True)
class PairDifference:
    """How much more the first of two parts has than the second; None stands for what these reports do not determine.

    Shares are between −1 and 1 and means in the numbers' units, except `moment`, which may leave what is possible.
    """

    first: str
    second: str
    moment: float
    estimate: float
    low: float
    high: float
    standard_error: float | None
    p_value: float | None
    adjusted_p_value: float | None
    outside: bool  # no difference at all is in the interval: the limits say nothing
    of_claimed: bool  # both parts have an interval of their own

    @property
    def claimed(self) -> bool:
        """Whether there is an interval to show."""
        return not self.outside

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval, by itself, says which of the two has more."""
        return self.claimed and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class GroupResults:
    """The parts that may be shown, and what they differ by."""

    of: GroupMeasure
    parts: tuple[GroupPart, ...]
    hidden: int  # how many are not shown, and nothing else about them
    same: GroupComparison | None  # the test of all answers in all parts; None: fewer than two parts to trust
    pairs: tuple[PairDifference, ...]

    @property
    def confidence_level(self) -> float:
        """The level of each interval by itself."""
        return self.of.wanted.confidence_level

    @property
    def trusted(self) -> tuple[GroupPart, ...]:
        """The parts whose reports fit the instructions."""
        return tuple(part for part in self.parts if not part.odd)

    @property
    def alike(self) -> bool:
        """Whether the test of all answers in all parts leaves open that there is no difference anywhere."""
        return self.same is None or self.same.p_value > 1 - self.confidence_level

    @property
    def without_pairs(self) -> bool:
        """Whether there is no interval for a difference: of means among those who say there is none."""
        return self.same is not None and not self.pairs


def group_results(
    of: GroupMeasure,
    snapshot: Snapshot,
    separable: frozenset[int],
    names: Mapping[int, str],
    *,
    without: str,
    by: Item | None = None,
) -> GroupResults:
    """Compare one answer, or the mean of a number, between all parts that are large enough.

    Parameters
    ----------
    of : GroupMeasure
        What is compared, and how.
    snapshot : Snapshot
        The responses.
    separable : frozenset of int
        The groups that may be shown separately, from `separable_groups`: for all questions the same.
    names : mapping
        Names of the survey's groups by primary key.
    without : str
        What the responses without a group are called.
    by : Item, optional
        What is not protected, whose answers are compared in place of groups.
    """
    # Where they are hidden, responses without a group are not shown either.
    called = dict(names) | ({NO_GROUP: without} if NO_GROUP in separable else {})
    counts = reports_by_group(of.item, snapshot)
    if by is not None:
        called, counts = dict(enumerate(by.labels)), reports_by_answer(of.item, by, snapshot)
        separable = frozenset(called)
    # A group that is shown separately has enough answers, or none; of a question with too few in all nothing is shown.
    shown = {key for key in separable if key in counts and counts[key].sum() >= snapshot.minimum_n}
    parts = tuple(_part(key, name, of, counts[key]) for key, name in called.items() if key in shown)
    trusted = [part for part in parts if not part.odd]
    comparison = compare_groups([counts[part.key] for part in trusted], of.item.design) if len(trusted) > 1 else None
    return GroupResults(
        of=of,
        parts=parts,
        hidden=len(called) - len(parts),
        same=comparison,
        pairs=() if comparison is None else _pairs(comparison, trusted, of),
    )


def reports_by_group(item: Item, snapshot: Snapshot) -> dict[int, npt.NDArray[np.int64]]:
    """Return how often each report to an item came in each group that somebody answered it in; 0 is no group."""
    reports = snapshot.on(item.number)
    codes, answered = reports.patterns[:, 0], reports.patterns[:, 0] < item.design.m
    by_group: dict[int, npt.NDArray[np.int64]] = {}
    for key in np.unique(reports.groups[answered]).tolist():
        here = answered & (reports.groups == key)
        counts = np.zeros(item.design.m, dtype=np.int64)
        np.add.at(counts, codes[here], reports.counts[here])
        by_group[key] = counts
    return by_group


def reports_by_answer(item: Item, by: Item, snapshot: Snapshot) -> dict[int, npt.NDArray[np.int64]]:
    """Return the same by the answers to an item that is not protected."""
    reports = snapshot.on(by.number, item.number)
    answered = (reports.patterns < [by.design.m, item.design.m]).all(axis=1)
    by_answer: dict[int, npt.NDArray[np.int64]] = {}
    for code in np.unique(reports.patterns[answered, 0]).tolist():
        here = answered & (reports.patterns[:, 0] == code)
        counts = np.zeros(item.design.m, dtype=np.int64)
        np.add.at(counts, reports.patterns[here, 1], reports.counts[here])
        by_answer[code] = counts
    return by_answer


def _part(key: int, name: str, of: GroupMeasure, counts: npt.NDArray[np.int64]) -> GroupPart:
    estimate, wanted = estimate_prevalence(counts, of.item.design), of.wanted
    figure: OptionResult | MeanResult
    if of.option is None:
        figure = mean_result(of.item, counts, wanted)
    else:
        figure = option_results(of.item, estimate, wanted)[of.option]
    return GroupPart(key, name, estimate.n, estimate.misfit.suspicious, figure)


def _pairs(comparison: GroupComparison, parts: list[GroupPart], of: GroupMeasure) -> tuple[PairDifference, ...]:
    limits = of.item.range if of.option is None else None
    if limits and of.item.design.k != 2:
        return ()  # the mean of those who say is a quotient, no straight line of shares
    # A number was rounded to one of its ends: its mean is as far up the range as the higher end is frequent.
    scale = float(limits.high - limits.low) if limits else 1.0
    differences = []
    for pair in comparison.pairs(1 if of.option is None else of.option, of.adjustment):
        difference = pair.difference
        interval = difference.interval(of.wanted.confidence_level, of.wanted.at_one_look)
        differences.append(
            PairDifference(
                first=parts[pair.i].name,
                second=parts[pair.j].name,
                moment=scale * difference.point,
                estimate=scale * difference.constrained,
                low=scale * interval.low,
                high=scale * interval.high,
                standard_error=known_or_none(scale * difference.standard_error),
                p_value=known_or_none(difference.p_value),
                adjusted_p_value=known_or_none(pair.adjusted_p_value),
                outside=interval.outside,
                of_claimed=parts[pair.i].claimed and parts[pair.j].claimed,
            )
        )
    return tuple(differences)
