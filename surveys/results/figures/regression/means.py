"""A linear regression of the mean of an unprotected scale on what was randomized, by corrected scores.

Nothing is assumed of the errors. A scale has few values, so a normal distribution of them would take two heaps of
answers for those of people with the trait and of people without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy

from surveys.estimation.regression.linear import LinearFit, fit_linear
from surveys.estimation.validation import Floats
from surveys.estimation.weighting.regression import WaldTest
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.kinds import Figures
from surveys.responses.selectors.snapshot import Reports
from surveys.results.figures.regression.answers import check_categories, effects_of, known_columns
from surveys.results.figures.regression.terms import Regression, RegressionData, levels_of, tell_terms


def has_mean(item: Item) -> bool:
    """Return whether the mean of an item's answers can be regressed: they are points of a scale, sent as they are."""
    return not item.protects and item.answers.figures == Figures.POINTS


def regression_of_mean(data: RegressionData, outcome: Item, predictors: Sequence[Item]) -> Regression:
    """Regress the points of a scale on groups and on true answers, one at least of which was randomized."""
    protected = [item for item in predictors if item.protects]
    predictors = [*(item for item in predictors if not item.protects), *protected]
    items = (outcome, *predictors)
    reports = data.complete(items)
    n = reports.n
    about = Regression(n, 0, of_mean=True, standard_error="corrected", confidence_level=data.confidence_level)
    if n < max(1, data.minimum_n):
        return replace(about, problem="too_few")
    levels = levels_of(reports, data)
    about = replace(
        about,
        dropped=data.left_out(reports, items),
        left_out_groups=data.groups is not None and levels.columns is None,
    )
    few, problem, culprit = check_categories(reports, items, None, data.minimum_n)
    x, given = known_columns(reports, predictors, levels)
    if not protected:
        problem, culprit = "all_plain", None
    elif not problem and np.linalg.matrix_rank(x) < x.shape[1]:
        problem = "collinear"
    if problem:
        return replace(about, problem=problem, culprit=culprit)
    fit = _fit(reports, x, {place: item.design for place, item in enumerate(items) if place and item.protects})
    if fit is None:
        return replace(about, problem="unsteady")
    errors, limits = fit.standard_errors(), fit.interval(data.confidence_level)
    return tell_terms(
        about,
        effects_of(predictors, levels, few, given),
        lambda column: (fit.coefficients[column], errors[column], limits.low[column], limits.high[column]),
        lambda tested: _test(fit, tested, n),
    )


def _fit(reports: Reports, x: Floats, designs: Mapping[int, Design]) -> LinearFit | None:
    """Return the fit to the points, which count as 1, 2, …; None where there is no estimate."""
    y, *columns = (
        np.repeat(column, reports.counts)
        for column in (reports.patterns[:, 0] + 1.0, *(reports.patterns[:, place] for place in designs))
    )
    try:
        fit = fit_linear(y, np.repeat(x, reports.counts, axis=0), columns, list(designs.values()))
    except ValueError:  # more coefficients than people, or points that follow from what is sent as it is
        return None
    return None if np.isnan(fit.coefficients).any() else fit


def _test(fit: LinearFit, columns: Sequence[int], n: int) -> WaldTest | None:
    """Return the test that these coefficients are 0; of a single one that of the score, as its limits have it."""
    if not columns:
        return None
    number, tested = len(columns), list(columns)
    freedom = (number, n - fit.coefficients.size)
    if number == 1:
        p_value = float(fit.p_values()[tested[0]])
        return WaldTest(float(scipy.special.ndtri(p_value / 2)) ** 2, freedom, p_value)
    moved = fit.coefficients[tested]
    statistic = float(moved @ np.linalg.solve(fit.covariance()[np.ix_(tested, tested)], moved)) / number
    return WaldTest(statistic, freedom, float(scipy.special.fdtrc(*freedom, statistic)))
