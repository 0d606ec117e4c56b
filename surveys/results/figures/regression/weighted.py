"""The regression of a true answer with weights, whose standard errors are those of the way people were chosen."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from surveys.estimation.patterns import MISSING
from surveys.estimation.weighting.regression import WaldTest, fit_logistic_randomized_predictors_weighted
from surveys.questionnaire.asked_question import Item
from surveys.responses.selectors.snapshot import Reports
from surveys.results.figures.regression.answers import MOST_COMBINATIONS, check_categories, effects_of
from surveys.results.figures.regression.terms import Levels, Masks, Regression, RegressionData, tell_terms
from surveys.results.figures.weights import WeightingPlan, rows_of, sample_arguments, weights_in_use


def weighted_regression(
    data: RegressionData, plan: WeightingPlan, outcome: Item, option: int, predictors: Sequence[Item]
) -> Regression:
    """Regress the log odds of one true answer on groups and on true answers, weighted as `plan` says.

    Whoever chooses the shares can read off what each combination of answers that are sent as they are adds: so each
    has enough people or none.
    """
    question = data.definition.questions[outcome.question_number - 1]
    used = weights_in_use(question, data.snapshot, plan)
    if used.problem:
        return Regression(used.n, used.left_out, "no_weights", weights=used)
    items = (*predictors, outcome)
    rows = rows_of(question, data.snapshot, plan, *(item.number for item in items))
    reported = np.column_stack([rows.beside, rows.reports])[:, [-1, *range(len(predictors))]]
    items = (outcome, *predictors)
    complete: Masks = np.asarray((reported != MISSING).all(axis=1))
    reports = Reports(reported[complete], rows.counts[complete], rows.groups[complete])
    about = Regression(
        reports.n,
        data.left_out(reports, items),
        standard_error="linearized",
        confidence_level=data.confidence_level,
        weights=used,
    )
    grouped = data.groups is not None
    levels = _levels(rows.groups, complete, plan.groups.labels) if grouped else Levels((), ())
    about = replace(about, left_out_groups=grouped and levels.columns is None)
    plain = [place for place, item in enumerate(items) if not item.protects]
    seen = replace(rows, categories=np.column_stack([rows.categories, reported[:, plain]]))
    few, problem, culprit = list[frozenset[int]](), "", None
    if reports.n < max(1, data.minimum_n):
        problem = "too_few"
    elif levels.columns is None and not predictors:
        problem = "nothing"
    elif seen.smallest_cell(complete, by_group=grouped or plan.role != "none") < data.minimum_n:
        problem = "small"
    elif math.prod(item.design.k for item in predictors) * max(1, len(levels.labels)) > MOST_COMBINATIONS:
        problem = "too_many"
    else:
        few, problem, culprit = check_categories(reports, items, option, data.minimum_n)
    if problem:
        return replace(about, problem=problem, culprit=culprit)
    fit = fit_logistic_randomized_predictors_weighted(
        reported[:, 0],
        outcome.design,
        list(reported.T[1:]),
        [item.design for item in predictors],
        levels.columns,
        option=option,
        **sample_arguments(plan, (rows, used)),
    )
    if not fit.fit.usable:
        return replace(about, problem="separated" if fit.fit.converged or fit.fit.separated else "unsteady")
    errors, limits = fit.standard_errors(), fit.interval(data.confidence_level)

    def test_of(columns: Sequence[int]) -> WaldTest | None:
        test = fit.wald_test(list(columns)) if columns else None
        return test if test and math.isfinite(test.p_value) else None

    return replace(
        tell_terms(
            about,
            effects_of(predictors, levels, few, [frozenset(range(1, item.design.k)) for item in predictors]),
            lambda column: (fit.coefficients[column], errors[column], limits.low[column], limits.high[column]),
            test_of,
        ),
        log_likelihood=fit.fit.log_likelihood,
        higher_at_infinity=fit.fit.higher_at_infinity,
    )


def _levels(groups: npt.NDArray[np.int64], complete: Masks, labels: Sequence[str]) -> Levels:
    """Return the groups in which anybody answered all."""
    present = [code for code in range(len(labels)) if (complete & (groups == code)).any()]
    return Levels(tuple(labels[code] for code in present), tuple(groups == code for code in present))
