"""A logistic regression of a true answer on groups and on other true answers, all of them randomized.

The answers that predict were randomized as well as the one predicted: they are corrected for that by maximum likelihood
and not put in as if the reports were true answers.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from surveys.estimation.adherence.logistic import fit_logistic_anchored
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import Reports
from surveys.results.figures.regression.terms import (
    FARTHEST,
    Effects,
    FittedShare,
    Levels,
    Regression,
    RegressionData,
    complete_reports,
    levels_of,
    tell_effects,
    usable_fit,
)

MOST_PREDICTORS = 4
# Combinations of true answers in all groups together: with these a fit and its tests take a second at most.
MOST_COMBINATIONS = 48
# Combinations times coefficients: up to here limits are by profile likelihood, half a second or more a coefficient.
MOST_PROFILED = 64
_ANCHORED_ERROR = "sandwich"
_ALL = 1 - 1e-4  # a share of followers that is fitted as a certainty


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
        A question and how many truly answer Yes to it, by which those who tap at random are corrected for: where all
        predictors are sent as they are. Standard errors then are the sandwich's, which hold whether attention lasts.
    """
    items = (outcome, *predictors)
    answered = (*items, anchor[0]) if anchor else items
    reports = complete_reports(data.snapshot.on(*(item.number for item in answered)), answered)
    n = reports.n
    if n < max(1, data.minimum_n):
        return Regression(n, 0, "too_few")
    dropped = data.left_out(reports, answered)
    levels = levels_of(reports, data)
    x = levels.columns
    left_out = data.groups is not None and x is None
    if x is None and not predictors:
        return Regression(n, dropped, "nothing", left_out_groups=left_out)
    few, problem, culprit = _categories(reports, items, option, data.minimum_n)
    truths = math.prod(item.design.k for item in predictors)
    if not problem and truths * max(1, len(levels.labels)) > MOST_COMBINATIONS:
        problem = "too_many"
    if problem:
        return Regression(n, dropped, problem, culprit, left_out_groups=left_out)
    if anchor:
        about = Regression(n, dropped, left_out_groups=left_out)
        return _anchored(
            reports, items, anchor, levels, few, option=option, about=about, confidence_level=data.confidence_level
        )
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
        return Regression(n, dropped, "unsteady", left_out_groups=left_out)
    profiled = data.standard_error == "observed" and fit.truths.size * (fit.coefficients.size - 1) <= MOST_PROFILED
    return tell_effects(
        fit,
        Regression(n, dropped, left_out_groups=left_out),
        _effects(predictors, levels, few),
        standard_error=data.standard_error,
        confidence_level=data.confidence_level,
        profile_of=partial(fit.profile_interval, confidence_level=data.confidence_level, farthest=FARTHEST)
        if profiled
        else None,
    )


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
    levels: Levels,
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
    fit_it = partial(
        fit_logistic_anchored,
        reports.patterns[:, 0],
        reports.patterns[:, -1],
        np.column_stack(columns).astype(np.float64),
        design,
        anchor[0].design,
        anchor_prevalence=anchor[1],
        weights=reports.counts,
    )
    fit = fit_it()
    if fit.attentive[0] > _ALL:
        return replace(about, problem="all_follow")
    if not fit.usable:
        fit = fit_it(penalized=True)
    if not fit.converged:
        return replace(about, problem="unsteady")
    share = float(fit.attentive[0])
    limits = fit.interval(confidence_level, _ANCHORED_ERROR)
    low, high = (1 / (1 + math.exp(-float(ends[-1]))) for ends in (limits.low, limits.high))
    effects = _effects(predictors, levels, few)
    regression = tell_effects(fit, about, effects, standard_error=_ANCHORED_ERROR, confidence_level=confidence_level)
    return replace(regression, followers=FittedShare.of(share, low, high))


def _effects(predictors: Sequence[Item], levels: Levels, few: list[frozenset[int]]) -> list[Effects]:
    """Return the effects in the order of the coefficients: groups, then the answers of each predictor."""
    parts: list[tuple[Item | None, tuple[str, ...], frozenset[int]]] = []
    if len(levels.labels) > 1:
        parts.append((None, levels.labels, frozenset()))
    parts += [(item, item.labels[: item.design.k], rare) for item, rare in zip(predictors, few, strict=True)]
    effects, column = [], 1
    for item, labels, rare in parts:
        columns = range(column, column + len(labels) - 1)
        named = tuple(
            (label, None if code in rare else at)
            for code, (label, at) in enumerate(zip(labels[1:], columns, strict=True), start=1)
        )
        effects.append(Effects(item, labels[0], named, () if rare else tuple(columns)))
        column = columns.stop
    return effects
