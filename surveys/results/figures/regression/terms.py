"""The terms of a regression, as a fit with standard errors and likelihood-ratio tests has them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.patterns import MISSING
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.testing import LikelihoodRatioTest
from surveys.estimation.weighting.regression import WaldTest
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Reports, Snapshot
from surveys.responses.told import parts_large_enough
from surveys.results.figures.weights import WeightsInUse

STANDARD_ERRORS = ("observed", "sandwich")
# Odds ratios above a thousand, and below a thousandth, are said to be that: their limits are not sought farther out.
FARTHEST = math.log(1_000)

Masks = npt.NDArray[np.bool_]
TermTest = LikelihoodRatioTest | WaldTest


@dataclass(frozen=True, slots=True)
class Term:
    """A coefficient: a log odds ratio against the reference of its block, or of a mean a difference from it.

    None is what may not be shown, or is not.

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
class Block:
    """The terms of one question, or of the groups where `item` is None; the reference has none."""

    item: Item | None
    reference: str
    terms: tuple[Term, ...]
    test: TermTest | None

    def rejected(self, confidence_level: float) -> bool:
        """Whether the test says that the odds are not the same for all of them."""
        return self.test is not None and self.test.p_value <= 1 - confidence_level


@dataclass(frozen=True, slots=True)
class FittedShare:
    """A share that is estimated with a regression, or stands beside it, with its limits."""

    share: float
    low: float
    high: float

    @classmethod
    def of(cls, share: float, low: float, high: float) -> "FittedShare | None":
        """Return the share with limits cut to what can be, None where it has none."""
        return None if math.isnan(low + high) else cls(share, max(0.0, low), min(1.0, high))


@dataclass(frozen=True, slots=True)
class FittedNumber:
    """A number that is estimated with a regression, with its limits; the upper one may be infinite."""

    value: float
    low: float
    high: float

    def mapped(self, function: Callable[[float], float]) -> "FittedNumber":
        """Return a rising function of the number and of its limits."""
        return FittedNumber(*(function(number) for number in (self.value, self.low, self.high)))


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """How much people differ in what their answers have in common: σ of it, and what follows from σ."""

    sigma: FittedNumber
    intraclass_correlation: FittedNumber
    median_odds_ratio: FittedNumber
    p_value: float  # of the test that they do not differ


@dataclass(frozen=True, slots=True)
class Regression:
    """What came of it; `problem` names why there are no terms.

    `nothing`: no predictor; `no_weights`; `all_plain`: of a mean, no protected predictor; `too_few` responses; `odd`:
    instructions that were not followed, of `culprit`; `few`: too few people with the reference answer of `culprit`;
    `rare`: too few with, or without, the answer that is predicted; `too_many` combinations; `small`: a combination of
    what is sent as it is has too few people for weights; `separated`, of several answers, a trait alone or with
    weights: the likelihood has no finite maximum, and no penalized one is sought; `unsteady`: no maximum found;
    `all_follow`: by the anchor nobody taps at random; `collinear` predictors, of two arms in one of them. Of two arms,
    `too_few_in_arm`; `misfit`: no true answers make such reports of both; `one_arm`: too few of one of them have some
    answer to `culprit`.
    """

    n: int
    dropped: int
    problem: str = ""
    culprit: Item | None = None
    left_out_groups: bool = False  # groups were asked for, but there are no two to compare
    intercept: Term | None = None
    blocks: tuple[Block, ...] = ()
    overall: TermTest | None = None
    log_likelihood: float = 0.0
    standard_error: str = "observed"
    higher_at_infinity: bool = False
    confidence_level: float = 0.95
    profiled: bool = False  # whether the intervals are those of the profile likelihood, or else Wald's
    penalized: bool = False  # whether the likelihood has no usable maximum, so that a penalty was added
    followers: FittedShare | None = None  # who follow the instructions, where it is corrected by an anchor
    trait: Item | None = None  # the predictor whose log odds are taken to be linear in the others
    of_mean: bool = False  # whether coefficients are differences of a mean, and not log odds ratios
    weights: WeightsInUse | None = None  # those of a weighted regression, or why there are none
    # Of what two arms tell together: the mean over these people, what both arms say without predictors, and the other
    # share that a model of them estimates.
    prevalence: FittedShare | None = None
    beside: FittedShare | None = None
    second: FittedShare | None = None
    merged: bool = False  # whether numbers that a list was answered with are merged
    # Of a battery: the intercept of each item, and how much people differ.
    intercepts: tuple[Term, ...] = ()
    spread: Heterogeneity | None = None

    def concludes(self, block: Block, term: Term) -> bool:
        """Return whether the direction of an association is shown.

        Terms beside each other are many tries, and Wald's interval of a strong association can be too wide or too
        narrow: the likelihood-ratio test of the block has to agree.
        """
        return term.excludes_zero and block.rejected(self.confidence_level)

    def only_tested(self, block: Block, term: Term) -> bool:
        """Whether the test shows an association of this one term that its interval cannot measure."""
        return len(block.terms) == 1 and not term.excludes_zero and block.rejected(self.confidence_level)

    @property
    def shown_intercepts(self) -> tuple[Term, ...]:
        """The intercept of each item, or the one there is."""
        return self.intercepts or (() if self.intercept is None else (self.intercept,))

    @property
    def by_answers(self) -> bool:
        """Whether any predictor was randomized: groups, and what is sent as it is, are not."""
        return any(block.item is not None and block.item.protects for block in self.blocks)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms but the intercept."""
        return tuple(term for block in self.blocks for term in block.terms)


@dataclass(frozen=True, slots=True, eq=False)
class RegressionData:
    """The responses, and how a regression of them is shown.

    Attributes
    ----------
    snapshot, definition : Snapshot, Definition
        The responses and the questions as they may be shown, from `recode`.
    groups : mapping or None
        The names by primary key, in the order wanted, 0 for responses without a group; None leaves groups out.
    shown_groups : frozenset of int
        The groups that may be shown separately, from `separable_groups`.
    other_groups : str
        What the groups are called that are too small to be shown separately.
    standard_error : str
        One of `STANDARD_ERRORS`.
    confidence_level : float
        Of each interval by itself.
    """

    snapshot: Snapshot
    definition: Definition
    groups: Mapping[int, str] | None
    shown_groups: frozenset[int]
    other_groups: str
    standard_error: str
    confidence_level: float

    @property
    def minimum_n(self) -> int:
        """Nothing is shown about fewer."""
        return self.snapshot.minimum_n

    def complete(self, items: Sequence[Item]) -> Reports:
        """Return the responses that answered all of these items."""
        reports = self.snapshot.on(*(item.number for item in items))
        answered = (reports.patterns != MISSING).all(axis=1)
        return Reports(reports.patterns[answered], reports.counts[answered], reports.groups[answered])

    def left_out(self, answered: Reports, items: Sequence[Item]) -> int:
        """Return how many left one of these items out who were asked all of them."""
        questions = [self.definition.questions[item.question_number - 1] for item in items]
        return self.snapshot.asked(*questions) - answered.n


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Which responses belong to which of the groups that may be shown separately; the first is the reference."""

    labels: tuple[str, ...]
    members: tuple[Masks, ...]

    @property
    def columns(self) -> npt.NDArray[np.float64] | None:
        """Their indicators but the first, None where there is nothing to tell apart."""
        if len(self.labels) < 2:
            return None
        return np.column_stack(self.members[1:]).astype(np.float64)


def levels_of(reports: Reports, data: RegressionData) -> Levels:
    """Return the separate groups that are large enough here, and all others as one, large enough or empty too."""
    groups = data.groups
    if groups is None:
        return Levels((), ())
    sizes = {key: int(reports.counts[reports.groups == key].sum()) for key in data.shown_groups & groups.keys()}
    large: dict[int | None, int] = {key: size for key, size in sizes.items() if size >= data.minimum_n}
    large[None] = reports.n - sum(large.values())
    shown = parts_large_enough(large, data.minimum_n)
    named = [key for key in groups if key in shown]
    labels, members = [groups[key] for key in named], [reports.groups == key for key in named]
    others = ~np.isin(reports.groups, named)
    if others.any():
        labels.append(data.other_groups)
        members.append(others)
    return Levels(tuple(labels), tuple(members))


@dataclass(frozen=True, slots=True)
class Effects:
    """What one question, or the groups where `item` is None, has in a model: the column of each of its terms.

    A term without a column is about too few people to be shown. A test that includes these would reveal them: then
    `tested` is empty.
    """

    item: Item | None
    reference: str
    columns: tuple[tuple[str, int | None], ...]
    tested: tuple[int, ...]


AnyFit = TypeVar("AnyFit", bound=BoundedFit)


def usable_fit(fit_it: Callable[..., AnyFit]) -> AnyFit:
    """Return the maximum of a likelihood; the penalized one's where it has none that can be used."""
    fit = fit_it()
    return fit if fit.usable else fit_it(penalized=True)


def tell_effects(
    fit: BoundedFit,
    about: Regression,
    effects: Sequence[Effects],
    *,
    standard_error: str,
    confidence_level: float,
    profile_of: Callable[[int], ScalarInterval] | None = None,
) -> Regression:
    """Return what a fit says whose first column is the intercept's; with limits by `profile_of`, or else Wald's.

    Limits of a penalized fit are always its profile's: where true answers are fitted as near certainties, no score is
    far from 0, and a sandwich would be far too small.
    """
    if fit.penalized is not None:
        standard_error = "observed"
        profile_of = partial(fit.penalized_interval, confidence_level=confidence_level, farthest=FARTHEST)
    errors, wald = fit.standard_errors(standard_error), fit.interval(confidence_level, standard_error)

    def numbers(column: int) -> tuple[float, ...]:
        limits = wald.low[column], wald.high[column]
        if profile_of:
            profile = profile_of(column)
            limits = profile.low, profile.high
        return fit.coefficients[column], errors[column], *limits

    return replace(
        tell_terms(about, effects, numbers, partial(ratio_test_of, fit)),
        log_likelihood=fit.log_likelihood,
        standard_error=standard_error,
        higher_at_infinity=fit.higher_at_infinity,
        confidence_level=confidence_level,
        profiled=profile_of is not None,
        penalized=fit.penalized is not None,
    )


def tell_terms(
    about: Regression,
    effects: Sequence[Effects],
    numbers: Callable[[int], tuple[float, ...]],
    test_of: Callable[[Sequence[int]], TermTest | None],
) -> Regression:
    """Return what coefficients say: each one's estimate, standard error and limits, and the tests of some of them."""

    def term(label: str, column: int | None) -> Term:
        if column is None:
            return Term(label, None, None, None, None, "few")
        known = [None if math.isnan(value) else float(value) for value in numbers(column)]
        return Term(label, known[0], known[1], known[2], known[3], "unknown" if None in known else "")

    blocks = tuple(
        Block(
            each.item,
            each.reference,
            tuple(term(label, column) for label, column in each.columns),
            test_of(each.tested),
        )
        for each in effects
    )
    every = [column for each in effects for column in each.tested] if all(each.tested for each in effects) else []
    return replace(
        about,
        intercept=term("", 0),
        blocks=blocks,
        overall=blocks[0].test if len(blocks) == 1 else test_of(every),
    )


def ratio_test_of(fit: BoundedFit, columns: Sequence[int]) -> LikelihoodRatioTest | None:
    """Return the likelihood-ratio test of these columns, where there are any and it exists."""
    if not columns:
        return None
    test = fit.likelihood_ratio_test(list(columns))
    return test if math.isfinite(test.statistic) and math.isfinite(test.p_value) else None
