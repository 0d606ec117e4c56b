"""Comparisons as they would be if not everyone followed the instructions: of groups, arms and pairs of questions.

It is about what is tapped in the head, as in `adherence.py`, whose curve is of one share. Those who do not follow tap
at random, or always what speaks most against a Yes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

from surveys.estimation.adherence.attention import attention_curve, dilute_design
from surveys.estimation.adherence.comparisons import difference_curve, odds_ratio_curve
from surveys.estimation.claims import FigureOptions
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.adherence import denial
from surveys.results.figures.arms import ArmComparison
from surveys.results.figures.groups import GroupResults
from surveys.results.figures.regression.answers import regression_of
from surveys.results.figures.regression.terms import Regression, RegressionData
from surveys.results.figures.relate import report_table

FOLLOWERS = (Fraction(9, 10), Fraction(7, 10))
MOST_PAIRS = 5  # of very many groups' pairs nobody looks through so many rows each


@dataclass(frozen=True, slots=True)
class Supposition:
    """Who follows the instructions, and what the others do."""

    followers: Fraction = Fraction(1)
    # The sides of a difference, or the questions of a pair, at which some do not follow.
    at: tuple[int, ...] = ()
    safe: bool | None = None  # whether the others always tap what denies, or at random; None where that changes nothing
    throughout: bool = False  # whether the same people do not follow at both questions


@dataclass(frozen=True, slots=True)
class Supposed:
    """What is estimated if that is so: a difference of shares, or an odds ratio."""

    supposition: Supposition
    estimate: float
    low: float
    high: float
    claimed: bool = True  # whether any possible value fits the reports then

    def side(self, of_none: float) -> int:
        """Return on which side of no difference the interval lies; 0 where it may be none, or nothing fits."""
        return 0 if not self.claimed else (self.low > of_none) - (self.high < of_none)


@dataclass(frozen=True, slots=True)
class SupposedPair:
    """Two groups, or two questions in different arms: their difference if all follow, and if some do not."""

    names: tuple[str, str]
    rows: tuple[Supposed, ...]


# Differences.


def of_groups(results: GroupResults, concluded: Sequence[int]) -> tuple[SupposedPair, ...]:
    """Return the difference of two groups, or of those of many of which one is `concluded`, by their places."""
    of, comparison = results.of, results.same
    if comparison is None or of.option is None or not of.item.chance.reports_on_both:
        return ()
    pairs = list(combinations(range(len(comparison.estimates)), 2))
    places = range(len(pairs)) if len(pairs) == 1 else concluded[:MOST_PAIRS]
    return tuple(
        SupposedPair(
            (results.pairs[place].first, results.pairs[place].second),
            _differences([(of.item, comparison.estimates[group]) for group in pairs[place]], of.option, of.wanted),
        )
        for place in places
    )


def of_arms(compared: ArmComparison, wanted: FigureOptions) -> tuple[SupposedPair, ...]:
    """Return the differences of questions that ask for the same in different arms, where one is tapped in the head."""
    trusted = [
        (answer.result.first.item, estimate)
        for answer in compared.answers
        if not answer.result.odd and (estimate := answer.result.first.prevalence)
    ]
    return tuple(
        SupposedPair(
            (str(first[0].question_number), str(second[0].question_number)),
            _differences([first, second], compared.code, replace(wanted, method="")),
        )
        for first, second in combinations(trusted, 2)
        if first[0].chance.reports_on_both or second[0].chance.reports_on_both
    )[:MOST_PAIRS]


def _differences(
    sides: Sequence[tuple[Item, PrevalenceEstimate]], option: int, wanted: FigureOptions
) -> tuple[Supposed, ...]:
    tapped = [item.chance.reports_on_both for item, _estimate in sides]
    # With one design on both sides the reports of the others cancel out.
    alike = sides[0][1].design.matrix == sides[1][1].design.matrix
    rows = []
    for supposition in _suppositions(tapped, alike=alike):
        first, second = (
            attention_curve(
                estimate.counts,
                estimate.design,
                [supposition.followers if side in supposition.at else 1],
                _reports_of_others(item, safe=supposition.safe),
            )
            for side, (item, estimate) in enumerate(sides)
        )
        [difference] = difference_curve(first, second, option)
        interval = difference.interval(wanted.confidence_level, wanted.at_one_look or None)
        rows.append(_supposed(supposition, difference.constrained, interval))
    return tuple(rows)


def _suppositions(tapped: Sequence[bool], *, alike: bool) -> Iterator[Supposition]:
    """Yield that all follow, and who does not: on both sides, or on one of them."""
    yield Supposition()
    for followers in FOLLOWERS:
        if all(tapped):
            for safe in (None,) if alike else (False, True):
                yield Supposition(followers, (0, 1), safe)
        for side in (side for side, in_the_head in enumerate(tapped) if in_the_head):
            for safe in (False, True):
                yield Supposition(followers, (side,), safe)


def _supposed(supposition: Supposition, estimate: float, interval: ScalarInterval) -> Supposed:
    # Likeliest with shares from 0 to 1, which the interval of moments may not hold.
    point = min(max(estimate, interval.low), interval.high)
    return Supposed(supposition, point, interval.low, interval.high, claimed=not interval.outside)


def _reports_of_others(item: Item, *, safe: bool | None) -> tuple[int, ...] | None:
    return tuple(int(code == denial(item)) for code in range(item.design.m)) if safe else None


# Odds ratios.


def of_a_pair(a: Item, b: Item, snapshot: Snapshot, wanted: FigureOptions) -> tuple[Supposed, ...]:
    """Return the odds ratio of two questions with two answers each, one of them tapped in the head at least."""
    table, items = report_table(a, b, snapshot), (a, b)
    at = tuple(place for place, item in enumerate(items) if item.chance.reports_on_both)
    kinds = [(False, False), (True, False), *([(False, True), (True, True)] if len(at) > 1 else [])]
    suppositions = [
        Supposition(),
        *(Supposition(followers, at, safe, throughout) for followers in FOLLOWERS for safe, throughout in kinds),
    ]
    rows = []
    for supposition in suppositions:
        shares = [supposition.followers if place in supposition.at else Fraction(1) for place in range(2)]
        [odds] = odds_ratio_curve(
            table,
            a.design,
            b.design,
            shares[:1],
            attentive_b=shares[1:],
            attention="throughout" if supposition.throughout else "at_each_question",
            random_reports=(
                _reports_of_others(a, safe=supposition.safe),
                _reports_of_others(b, safe=supposition.safe),
            ),
        )
        interval = odds.interval(wanted.confidence_level)
        rows.append(Supposed(supposition, odds.point, interval.low, interval.high))
    return tuple(rows)


def of_a_regression(
    data: RegressionData, outcome: Item, option: int, predictors: Sequence[Item]
) -> tuple[tuple[Supposition, Regression], ...]:
    """Refit a regression as if some did not follow, drawn anew at each question that is tapped in the head."""
    asked = (outcome, *predictors)
    at = tuple(place for place, item in enumerate(asked) if item.chance.reports_on_both)
    refitted = []
    for followers, safe in product(FOLLOWERS, (False, True)) if at else ():
        diluted = [_diluted(item, followers, safe=safe) if item.chance.reports_on_both else item for item in asked]
        supposition = Supposition(followers, at, safe)
        refitted.append((supposition, regression_of(data, diluted[0], option, diluted[1:])))
    return tuple(refitted)


def _diluted(item: Item, followers: Fraction, *, safe: bool) -> Item:
    """Return an item as it would be asked if the others were a part of its design."""
    matrix = dilute_design(item.design, followers, _reports_of_others(item, safe=safe)).matrix
    return replace(item, design=replace(item.design, matrix=matrix))
