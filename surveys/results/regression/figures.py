"""A logistic regression of a true answer on groups and on other true answers, all of them seen through chance.

The answers that predict were randomized as well as the one predicted: they are corrected for that by maximum likelihood
and not put in as if the reports were truths.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation import (
    AnchoredFit,
    RandomizedPredictorsFit,
    estimate_prevalence,
    fit_logistic_anchored,
    fit_logistic_randomized_predictors,
)
from surveys.models.definition import Item
from surveys.responses.selectors.small_numbers import parts_large_enough
from surveys.responses.selectors.snapshot import Reports, Snapshot

MOST_PREDICTORS = 4
# Combinations of true answers in all groups together: with these a fit and its tests take a second at most.
MOST_COMBINATIONS = 48
# Combinations times coefficients: up to here limits are by profile likelihood, half a second or more a coefficient.
MOST_PROFILED = 64
# Odds ratios above a thousand, and below a thousandth, are said to be that: their limits are not sought farther out.
FARTHEST = math.log(1_000)
STANDARD_ERRORS = ("observed", "expected", "opg", "sandwich")
NO_GROUP = 0
_ANCHORED_ERROR = "sandwich"
_ALL = 1 - 1e-4  # a share of followers that is fitted as a certainty

Masks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Term:
    """A coefficient: a log odds ratio against the reference of its block; None is what may not be told, or is not.

    Limits are those of the coefficient, infinite where the likelihood sets none; `why` says why there are no limits at
    all: `few` or `unknown`.
    """

    label: str
    coefficient: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    why: str = ""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval says which way the association goes."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True)
class TestResult:
    """A likelihood-ratio test."""

    statistic: float
    degrees_of_freedom: int
    p_value: float


@dataclass(frozen=True, slots=True)
class Block:
    """The terms of one question, or of the groups where `item` is None; the reference has none."""

    item: Item | None
    reference: str
    terms: tuple[Term, ...]
    test: TestResult | None

    def rejected(self, confidence_level: float) -> bool:
        """Whether the test says that the odds are not the same for all of them."""
        return self.test is not None and self.test.p_value <= 1 - confidence_level


@dataclass(frozen=True, slots=True)
class Followers:
    """How many follow the procedure, by an anchor, with the limits that their share has with the regression."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Regression:
    """What came of it; `problem` names why there are no terms. A separated fit still has the test of the whole.

    `nothing`: no predictor; `too_few` responses; `odd`: a procedure that was not followed, of `culprit`; `few`: too few
    people with the reference answer of `culprit`; `rare`: too few with, or without, the answer that is predicted;
    `too_many` combinations; `separated`; `unsteady`: no maximum found; `all_follow`: by the anchor
    nobody taps at random.
    """

    n: int
    dropped: int
    problem: str = ""
    culprit: Item | None = None
    left_out_groups: bool = False  # groups were asked for, but there are no two to compare
    intercept: Term | None = None
    blocks: tuple[Block, ...] = ()
    whole: TestResult | None = None
    log_likelihood: float = 0.0
    standard_error: str = "observed"
    higher_at_infinity: bool = False
    confidence_level: float = 0.95
    profiled: bool = False  # whether the intervals are those of the profile likelihood, or else Wald's
    followers: Followers | None = None  # where it is corrected by an anchor

    def concludes(self, block: Block, term: Term) -> bool:
        """Whether it is told which way an association goes.

        Terms beside each other are many tries, and Wald's interval of a strong association can be too wide or too
        narrow: the likelihood-ratio test of the block has to agree.
        """
        return term.excludes_zero and block.rejected(self.confidence_level)

    def only_tested(self, block: Block, term: Term) -> bool:
        """Whether the test shows an association of this one term that its interval cannot measure."""
        return len(block.terms) == 1 and not term.excludes_zero and block.rejected(self.confidence_level)

    @property
    def by_answers(self) -> bool:
        """Whether any predictor was randomized: groups, and what is sent as it is, are not."""
        return any(block.item is not None and block.item.protects for block in self.blocks)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms but the intercept."""
        return tuple(term for block in self.blocks for term in block.terms)


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """Which responses belong to which of the groups that may be told apart; the first is the reference."""

    labels: tuple[str, ...]
    members: tuple[Masks, ...]

    @property
    def columns(self) -> npt.NDArray[np.float64] | None:
        """Their indicators but the first, None where there is nothing to tell apart."""
        if len(self.labels) < 2:
            return None
        return np.column_stack(self.members[1:]).astype(np.float64)


def can_be_regressed(item: Item) -> bool:
    """Whether an item has true answers: the end that chance rounds a number to is none."""
    return item.range is None


def regression_of(
    snapshot: Snapshot,
    outcome: Item,
    option: int,
    predictors: Sequence[Item],
    groups: Mapping[int, str] | None,
    *,
    told: frozenset[int],
    other_groups: str,
    standard_error: str,
    confidence_level: float,
    anchor: tuple[Item, Fraction] | None = None,
) -> Regression:
    """Regress the log odds of one true answer on groups and on true answers.

    Parameters
    ----------
    snapshot : Snapshot
        The responses.
    outcome, option : Item, int
        What was asked, and the answer against all others.
    predictors : sequence of Items
        Other items, at most `MOST_PREDICTORS`.
    groups : mapping or None
        The names by primary key, in the order wanted, 0 for responses without a group; None leaves groups out.
    told : frozenset of int
        The groups that may be told apart, from `told_groups`.
    other_groups : str
        What the groups are called that are too small to be told apart.
    standard_error : str
        One of `STANDARD_ERRORS`; where it has no closed form, the observed one is given. With the observed ones the
        intervals are those of the profile likelihood, unless they would take too long; with others Wald's.
    confidence_level : float
        Of each interval by itself.
    anchor : (Item, Fraction), optional
        A question and how many truly answer Yes to it, by which those who tap at random are corrected for: where all
        predictors are sent as they are. Standard errors then are the sandwich's, which hold whether attention lasts.
    """
    items = (outcome, *predictors)
    answered = (*items, anchor[0]) if anchor else items
    every = snapshot.on(*(item.number for item in answered))
    reports = _complete(every, answered)
    n, dropped = reports.n, every.n - reports.n
    if n < max(1, snapshot.minimum_n):
        return Regression(n, 0, "too_few")
    levels = _levels(reports, told, groups, snapshot.minimum_n, other_groups) if groups is not None else _Levels((), ())
    x = levels.columns
    left_out = groups is not None and x is None
    if x is None and not predictors:
        return Regression(n, dropped, "nothing", left_out_groups=left_out)
    few, problem, culprit = _categories(reports, items, option, snapshot.minimum_n)
    truths = math.prod(item.design.k for item in predictors)
    if not problem and truths * max(1, len(levels.labels)) > MOST_COMBINATIONS:
        problem = "too_many"
    if problem:
        return Regression(n, dropped, problem, culprit, left_out_groups=left_out)
    if anchor:
        about = Regression(n, dropped, left_out_groups=left_out)
        return _anchored(
            reports, items, anchor, levels, few, option=option, about=about, confidence_level=confidence_level
        )
    fit = fit_logistic_randomized_predictors(
        reports.patterns[:, 0],
        outcome.design,
        [reports.patterns[:, place] for place in range(1, len(items))],
        [item.design for item in predictors],
        x,
        option=option,
        weights=reports.counts,
    )
    if not fit.converged:
        # Whether there is any association can be tested all the same: by the least upper bounds of the likelihoods.
        problem = "separated" if fit.separated else "unsteady"
        whole = _tested(fit, list(range(1, fit.coefficients.size))) if fit.separated and not any(few) else None
        return Regression(n, dropped, problem, left_out_groups=left_out, whole=whole)
    return _told(
        fit,
        Regression(n, dropped, left_out_groups=left_out),
        predictors,
        levels,
        few,
        standard_error=standard_error,
        confidence_level=confidence_level,
    )


def _complete(reports: Reports, items: Sequence[Item]) -> Reports:
    """Return the responses that answered all of these items."""
    answered = (reports.patterns < np.array([item.design.m for item in items])).all(axis=1)
    return Reports(reports.patterns[answered], reports.counts[answered], reports.groups[answered])


def _levels(
    reports: Reports, told: frozenset[int], groups: Mapping[int, str], minimum_n: int, other_groups: str
) -> _Levels:
    """Return the groups told apart that are large enough here, and all others as one, large enough or empty too."""
    sizes = {key: int(reports.counts[reports.groups == key].sum()) for key in told & groups.keys()}
    large: dict[int | None, int] = {key: size for key, size in sizes.items() if size >= minimum_n}
    large[None] = reports.n - sum(large.values())
    shown = parts_large_enough(large, minimum_n)
    named = [key for key in groups if key in shown]
    labels, members = [groups[key] for key in named], [reports.groups == key for key in named]
    others = ~np.isin(reports.groups, named)
    if others.any():
        labels.append(other_groups)
        members.append(others)
    return _Levels(tuple(labels), tuple(members))


def _categories(
    reports: Reports, items: Sequence[Item], option: int, minimum_n: int
) -> tuple[list[frozenset[int]], str, Item | None]:
    """Return the answers of each predictor that too few people truly have, and what forbids a regression altogether."""
    few: list[frozenset[int]] = []
    for place, item in enumerate(items):
        counts = np.bincount(reports.patterns[:, place], weights=reports.counts, minlength=item.design.m)
        estimate = estimate_prevalence(counts.astype(np.int64), item.design)
        if estimate.misfit.suspicious:
            return few, "odd", item
        people = estimate.constrained * reports.n
        if not place and min(people[option], reports.n - people[option]) < minimum_n:
            return few, "rare", item
        if place:
            rare = frozenset(code for code in range(item.design.k) if people[code] < minimum_n)
            if 0 in rare:
                return few, "few", item
            few.append(rare)
    return few, "", None


def _anchored(
    reports: Reports,
    items: Sequence[Item],
    anchor: tuple[Item, Fraction],
    levels: _Levels,
    few: list[frozenset[int]],
    *,
    option: int,
    about: Regression,
    confidence_level: float,
) -> Regression:
    """Return the regression corrected for those who tap at random, of predictors that are sent as they are."""
    outcome, *predictors = items
    columns = [np.ones((reports.counts.size, 1))] + ([] if levels.columns is None else [levels.columns])
    for place, item in enumerate(predictors, start=1):
        columns.append(reports.patterns[:, [place]] == np.arange(1, item.design.k))
    # Of two answers the odds of No are those of Yes turned round: so are the reports through the turned design.
    turned = tuple(row[::-1] for row in outcome.design.matrix)
    design = outcome.design if option == 1 else replace(outcome.design, matrix=turned)
    fit = fit_logistic_anchored(
        reports.patterns[:, 0],
        reports.patterns[:, -1],
        np.column_stack(columns).astype(np.float64),
        design,
        anchor[0].design,
        anchor_prevalence=anchor[1],
        weights=reports.counts,
    )
    share = float(fit.attentive[0])
    if share > _ALL:
        return replace(about, problem="all_follow")
    if not fit.converged:
        return replace(about, problem="separated" if fit.separated else "unsteady")
    limits = fit.interval(confidence_level, _ANCHORED_ERROR)
    low, high = (1 / (1 + math.exp(-float(ends[-1]))) for ends in (limits.low, limits.high))
    found = _told(
        fit, about, predictors, levels, few, standard_error=_ANCHORED_ERROR, confidence_level=confidence_level
    )
    return replace(found, followers=None if math.isnan(low + high) else Followers(share, low, high))


def _told(
    fit: RandomizedPredictorsFit | AnchoredFit,
    about: Regression,
    predictors: Sequence[Item],
    levels: _Levels,
    few: list[frozenset[int]],
    *,
    standard_error: str,
    confidence_level: float,
) -> Regression:
    """Return what a fit says, in the order of its coefficients: intercept, groups, answers of each predictor."""
    if standard_error == "expected" and fit.information.expected is None:
        standard_error = "observed"
    errors = fit.standard_errors(standard_error)
    wald = fit.interval(confidence_level, standard_error)
    profile_of = None
    if standard_error == "observed" and isinstance(fit, RandomizedPredictorsFit):
        few_enough = fit.truths.size * (fit.coefficients.size - 1) <= MOST_PROFILED
        profile_of = fit.profile_interval if few_enough else None

    def term(column: int, label: str, *, hidden: bool = False) -> Term:
        if hidden:
            return Term(label, None, None, None, None, "few")
        low, high = float(wald.low[column]), float(wald.high[column])
        if profile_of:
            profile = profile_of(column, confidence_level, FARTHEST)
            low, high = profile.low, profile.high
        found = (float(fit.coefficients[column]), float(errors[column]), low, high)
        known = [None if math.isnan(value) else value for value in found]
        return Term(label, known[0], known[1], known[2], known[3], "unknown" if None in known else "")

    parts: list[tuple[Item | None, str, tuple[Term, ...], list[int]]] = []
    column = 1
    if len(levels.labels) > 1:
        columns = list(range(column, column + len(levels.labels) - 1))
        terms = tuple(term(at, label) for at, label in zip(columns, levels.labels[1:], strict=True))
        parts.append((None, levels.labels[0], terms, columns))
        column += len(columns)
    for item, rare in zip(predictors, few, strict=True):
        columns = list(range(column, column + item.design.k - 1))
        terms = tuple(term(at, item.labels[code], hidden=code in rare) for code, at in enumerate(columns, start=1))
        parts.append((item, item.labels[0], terms, columns))
        column += len(columns)
    # A test that hidden terms take part in would tell of them.
    whole = None if any(few) else _tested(fit, list(range(1, column)))
    hidden = {item.key for item, rare in zip(predictors, few, strict=True) if rare}
    return replace(
        about,
        intercept=term(0, ""),
        blocks=tuple(
            Block(item, reference, terms, None if item and item.key in hidden else _tested(fit, columns))
            for item, reference, terms, columns in parts
        ),
        whole=whole,
        log_likelihood=fit.log_likelihood,
        standard_error=standard_error,
        higher_at_infinity=fit.higher_at_infinity,
        confidence_level=confidence_level,
        profiled=profile_of is not None,
    )


def _tested(fit: RandomizedPredictorsFit | AnchoredFit, columns: list[int]) -> TestResult | None:
    test = fit.likelihood_ratio_test(columns)
    if not (math.isfinite(test.statistic) and math.isfinite(test.p_value)):
        return None
    return TestResult(test.statistic, test.degrees_of_freedom, test.p_value)
