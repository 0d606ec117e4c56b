"""A logistic regression of a true answer on groups and on other true answers, all of them randomized.

The answers that predict were randomized as well as the one predicted: they are corrected for that by maximum likelihood
and not put in as if the reports were true answers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from surveys.estimation.adherence.logistic import AnchoredFit, fit_logistic_anchored
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.estimation.regression.trait_predictor import TraitFit, fit_on_trait
from surveys.estimation.validation import Floats
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import Reports
from surveys.results.figures.regression.terms import (
    FARTHEST,
    Effects,
    FittedShare,
    Levels,
    Regression,
    RegressionData,
    levels_of,
    tell_effects,
    usable_fit,
)

MOST_PREDICTORS = 4
# Combinations of true answers in all groups together: with these a fit and its tests take a second at most.
MOST_COMBINATIONS = 48
# Combinations times coefficients: up to here limits are by profile likelihood, half a second or more a coefficient.
MOST_PROFILED = 64
# Different responses times columns: with these a fit on what is sent as it is takes a second or two.
MOST_ENTRIES = 20_000
_ANCHORED_ERROR = "sandwich"
_ALL = 1 - 1e-4  # a share of followers that is fitted as a certainty


def trait_of(outcome: Item, predictors: Sequence[Item]) -> Item | None:
    """Return the predictor whose reports can be fitted together with an outcome that is sent as it is, if it is one.

    It is the only one that is protected, and its answers and reports are two.
    """
    protected = [item for item in predictors if item.protects]
    if outcome.protects or len(protected) != 1 or (protected[0].design.k, protected[0].design.m) != (2, 2):
        return None
    return protected[0]


def can_be_regressed(item: Item) -> bool:
    """Whether an item has true answers: the end that a number is rounded to is none."""
    return item.range is None


def regression_of(
    data: RegressionData,
    outcome: Item,
    option: int,
    predictors: Sequence[Item],
    *,
    anchor: tuple[Item, Fraction] | None = None,
) -> Regression:
    """Regress the log odds of one true answer on groups and on true answers.

    Parameters
    ----------
    data : RegressionData
        The responses. With observed standard errors the intervals are those of the profile likelihood, unless they
        would take too long; with others Wald's.
    outcome, option : Item, int
        What was asked, and the answer against all others.
    predictors : sequence of Items
        Other items, at most `MOST_PREDICTORS`.
    anchor : (Item, Fraction), optional
        A question and how many truly answer Yes to it, by which those who tap at random are corrected for: in the
        outcome where all predictors are sent as they are, or in the one `trait_of` the predictors. Standard errors then
        are the sandwich's, which hold whether attention lasts.
    """
    trait = trait_of(outcome, predictors)
    if trait:
        predictors = (*(item for item in predictors if item != trait), trait)
    items = (outcome, *predictors)
    answered = (*items, anchor[0]) if anchor else items
    reports = data.complete(answered)
    n = reports.n
    if n < max(1, data.minimum_n):
        return Regression(n, 0, "too_few")
    dropped = data.left_out(reports, answered)
    levels = levels_of(reports, data)
    x = levels.columns
    left_out = data.groups is not None and x is None
    if x is None and not predictors:
        return Regression(n, dropped, "nothing", left_out_groups=left_out)
    few, problem, culprit = check_categories(reports, items, option, data.minimum_n)
    truths = math.prod(item.design.k for item in predictors)
    too_many = truths * max(1, len(levels.labels)) > MOST_COMBINATIONS
    if not problem and too_many and not trait:
        problem = "too_many"
    about = Regression(n, dropped, left_out_groups=left_out)
    if problem:
        return replace(about, problem=problem, culprit=culprit)
    if anchor or (trait and too_many):
        return _of_known(reports, items, anchor, levels, few, option=option, about=about, data=data, trait=trait)
    fit = usable_fit(
        partial(
            fit_logistic_randomized_predictors,
            reports.patterns[:, 0],
            outcome.design,
            [reports.patterns[:, place] for place in range(1, len(items))],
            [item.design for item in predictors],
            x,
            option=option,
            weights=reports.counts,
        )
    )
    if not fit.converged:
        return replace(about, problem="unsteady")
    profiled = data.standard_error == "observed" and fit.truths.size * (fit.coefficients.size - 1) <= MOST_PROFILED
    return tell_effects(
        fit,
        about,
        effects_of(predictors, levels, few, [frozenset(range(1, item.design.k)) for item in predictors]),
        standard_error=data.standard_error,
        confidence_level=data.confidence_level,
        profile_of=partial(fit.profile_interval, confidence_level=data.confidence_level, farthest=FARTHEST)
        if profiled
        else None,
    )


def check_categories(
    reports: Reports, items: Sequence[Item], option: int | None, minimum_n: int
) -> tuple[list[frozenset[int]], str, Item | None]:
    """Return the answers of each predictor that too few people truly have, and what forbids a regression altogether.

    The first item is predicted: one of its answers, or their mean if `option` is None.
    """
    few: list[frozenset[int]] = []
    for place, item in enumerate(items):
        counts = np.bincount(reports.patterns[:, place], weights=reports.counts, minlength=item.design.m)
        estimate = estimate_prevalence(counts.astype(np.int64), item.design)
        if estimate.misfit.suspicious:
            return few, "odd", item
        people = estimate.constrained * reports.n
        if not place and option is not None and min(people[option], reports.n - people[option]) < minimum_n:
            return few, "rare", item
        if place:
            rare = frozenset(code for code in range(item.design.k) if people[code] < minimum_n)
            if 0 in rare:
                return few, "few", item
            few.append(rare)
    return few, "", None


def _of_known(
    reports: Reports,
    items: Sequence[Item],
    anchor: tuple[Item, Fraction] | None,
    levels: Levels,
    few: list[frozenset[int]],
    *,
    option: int,
    about: Regression,
    data: RegressionData,
    trait: Item | None,
) -> Regression:
    """Return the regression on predictors that are sent as they are, and on one trait that is not, if it is the last.

    With an anchor the reports of the trait, or else of the outcome, are corrected for those who tap at random.
    """
    outcome, *predictors = items
    x, given = known_columns(reports, predictors, levels)
    if x.size > MOST_ENTRIES or np.linalg.matrix_rank(x) < x.shape[1]:
        return replace(about, problem="too_many" if x.size > MOST_ENTRIES else "collinear")
    anchored: dict[str, Any] = {"weights": reports.counts}
    if anchor:
        anchored |= {
            "anchor_reports": reports.patterns[:, -1],
            "anchor_design": anchor[0].design,
            "anchor_prevalence": anchor[1],
        }
    fit: AnchoredFit | TraitFit
    penalized: Callable[[], AnchoredFit] | None = None
    if trait:
        yes = (reports.patterns[:, 0] == option).astype(np.int64)
        fit = fit_on_trait(yes, x, reports.patterns[:, len(predictors)], trait.design, **anchored)
    else:
        # Of two answers the odds of No are those of Yes turned round: so are the reports through the turned design.
        turned = tuple(row[::-1] for row in outcome.design.matrix)
        design = outcome.design if option == 1 else replace(outcome.design, matrix=turned)
        anchored |= {"X": x, "design_or_slope_offset": design}
        fit = fit_logistic_anchored(reports.patterns[:, 0], **anchored)
        penalized = partial(fit_logistic_anchored, reports.patterns[:, 0], **anchored, penalized=True)
    if anchor and float(fit.attentive[0]) > _ALL:
        return replace(about, problem="all_follow")
    if penalized and not fit.usable:
        fit = penalized()
    if not fit.usable:
        return replace(about, problem="separated" if trait and (fit.converged or fit.separated) else "unsteady")
    kind = _ANCHORED_ERROR if anchor else data.standard_error
    effects = effects_of(predictors, levels, few, given)
    regression = tell_effects(fit, about, effects, standard_error=kind, confidence_level=data.confidence_level)
    if not anchor:
        return replace(regression, trait=trait)
    limits = fit.interval(data.confidence_level, kind)
    low, high = (1 / (1 + math.exp(-float(ends[-1]))) for ends in (limits.low, limits.high))
    return replace(regression, trait=trait, followers=FittedShare.of(float(fit.attentive[0]), low, high))


def known_columns(
    reports: Reports, predictors: Sequence[Item], levels: Levels, *, first: int = 1
) -> tuple[Floats, list[frozenset[int]]]:
    """Return the columns of what is sent as it is, and which answers to each predictor have a coefficient.

    `first` is the place of the first predictor in the reports.
    """
    columns, given = [np.ones((reports.counts.size, 1))], list[frozenset[int]]()
    if levels.columns is not None:
        columns.append(levels.columns)
    for place, item in enumerate(predictors, start=first):
        if item.protects:
            given.append(frozenset(range(1, item.design.k)))
            continue
        # An answer that nobody gave has no column.
        answers = np.intersect1d(reports.patterns[:, place], np.arange(1, item.design.k))
        given.append(frozenset(answers.tolist()))
        columns.append(reports.patterns[:, [place]] == answers)
    return np.column_stack(columns).astype(np.float64), given


def effects_of(
    predictors: Sequence[Item],
    levels: Levels,
    few: list[frozenset[int]],
    given: Sequence[frozenset[int]],
    *,
    first: int = 1,
) -> list[Effects]:
    """Return the effects in the order of the coefficients: groups, then the answers of each predictor that are given.

    Of all other answers there are too few people. `first` is the column of the first effect.
    """
    parts: list[tuple[Item | None, tuple[str, ...], frozenset[int], frozenset[int]]] = []
    if len(levels.labels) > 1:
        parts.append((None, levels.labels, frozenset(), frozenset(range(1, len(levels.labels)))))
    for predictor, rare, codes in zip(predictors, few, given, strict=True):
        parts.append((predictor, predictor.labels[: predictor.design.k], rare, codes))
    effects, column = [], first
    for item, labels, rare, codes in parts:
        columns = dict(zip(sorted(codes), range(column, column + len(codes)), strict=True))
        named = tuple(
            (label, None if code in rare else columns.get(code)) for code, label in enumerate(labels[1:], start=1)
        )
        effects.append(Effects(item, labels[0], named, () if rare else tuple(columns.values())))
        column += len(codes)
    return effects
