"""A logistic regression of several protected yes/no answers of each person together, as the items of one battery.

What one person has in common in all of them is a random intercept. Predictors are known: groups, and answers that are
sent as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.mixed import (
    MixedFit,
    fit_logistic_mixed,
    intraclass_correlation,
    median_odds_ratio,
)
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Reports
from surveys.results.figures.regression.answers import check_categories, effects_of, known_columns
from surveys.results.figures.regression.terms import (
    Effects,
    FittedNumber,
    Heterogeneity,
    Regression,
    RegressionData,
    Term,
    levels_of,
    ratio_test_of,
    tell_effects,
)

MOST_ITEMS = 12
# Different rows times items times coefficients: with these a fit, its tests and the interval of σ take seconds.
MOST_ENTRIES = 100_000
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BatteryOutcome:
    """Yes/no items that each person answers, each randomized by itself."""

    every: tuple[Item, ...]  # to choose from
    items: tuple[Item, ...]

    @property
    def key(self) -> str:
        """What stands for them in an address."""
        return "together" if self.is_of_questions else f"together{self.every[0].question_number}"

    @property
    def is_of_questions(self) -> bool:
        """Whether they are questions, and not the options of one."""
        return not self.every[0].option

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the questions, as people count."""
        return tuple(sorted({item.question_number for item in self.items}))

    @property
    def title(self) -> str:
        """What is asked, where it is one question."""
        return "" if self.is_of_questions else self.every[0].text

    @property
    def answer(self) -> str:
        """What people have the odds of: Yes."""
        return self.items[0].labels[1]

    def of(self, keys: Sequence[str]) -> "BatteryOutcome | None":
        """Return the battery of the items with these keys; None where they are fewer than two."""
        chosen = tuple(item for item in self.every if item.key in keys)[:MOST_ITEMS]
        return replace(self, items=chosen) if len(chosen) > 1 else None


def batteries_of(definition: Definition, items: Sequence[Item]) -> tuple[BatteryOutcome, ...]:
    """Return which of these items are answered together: all yes/no questions, and the options of one question."""
    usable = [item for item in items if _can_be_in_a_battery(definition, item)]
    sets = [tuple(item for item in usable if not item.option)]
    numbers = dict.fromkeys(item.question_number for item in usable if item.option)
    sets += [tuple(item for item in usable if item.question_number == number) for number in numbers]
    return tuple(BatteryOutcome(each, each[:MOST_ITEMS]) for each in sets if len(each) > 1)


def _can_be_in_a_battery(definition: Definition, item: Item) -> bool:
    """Whether everybody is asked it, and one of two reports has its own coins."""
    question = definition.questions[item.question_number - 1]
    yes_or_no = item.answers.yes_or_no and not item.answers.one_true and item.design.k == item.design.m == 2
    return yes_or_no and item.protects and not question.arms and question.asked_if is None


def regression_of_battery(data: RegressionData, outcome: BatteryOutcome, predictors: Sequence[Item]) -> Regression:
    """Regress the log odds of Yes, with an intercept for each item, on groups and on answers that are sent as they are.

    Without predictors it estimates how much people differ. Limits of coefficients are Wald's.
    """
    answered = (*outcome.items, *predictors)
    reports = data.complete(answered)
    if reports.n < max(1, data.minimum_n):
        return Regression(reports.n, 0, "too_few")
    levels = levels_of(reports, data)
    about = Regression(
        reports.n, data.left_out(reports, answered), left_out_groups=data.groups is not None and levels.columns is None
    )
    places = len(outcome.items)
    for place, item in enumerate(outcome.items):
        _few, problem, culprit = check_categories(_column(reports, place), (item,), 1, data.minimum_n)
        if problem:
            return replace(about, problem=problem, culprit=culprit)
    x, given = known_columns(reports, predictors, levels, first=places)
    few = list[frozenset[int]]()
    for place, (item, codes) in enumerate(zip(predictors, given, strict=True), start=places):
        sizes = np.bincount(reports.patterns[:, place], weights=reports.counts, minlength=item.design.k)
        if sizes[0] < data.minimum_n:
            return replace(about, problem="few", culprit=item)
        few.append(frozenset(code for code in codes if sizes[code] < data.minimum_n))
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return replace(about, problem="collinear")
    if len(x) * places * (places + x.shape[1] - 1) > MOST_ENTRIES:
        return replace(about, problem="too_many")
    effects = effects_of(predictors, levels, few, given, first=places)
    return _described(_fit(outcome, reports, x[:, 1:]), about, outcome, effects, data)


def _column(reports: Reports, place: int) -> Reports:
    return Reports(reports.patterns[:, [place]], reports.counts, reports.groups)


def _fit(outcome: BatteryOutcome, reports: Reports, x: _Floats) -> MixedFit:
    """Fit one row for each item of each distinct response: its item's intercept, then what predicts."""
    n, places = len(reports.counts), len(outcome.items)
    designs = [item.design for item in outcome.items]
    return fit_logistic_mixed(
        reports.patterns[:, :places].ravel(),
        np.column_stack([np.tile(np.eye(places), (n, 1)), np.repeat(x, places, axis=0)]),
        designs * n,
        np.repeat(np.arange(n), places),
        weights=np.repeat(reports.counts, places),
    )


def _described(
    fit: MixedFit, about: Regression, outcome: BatteryOutcome, effects: Sequence[Effects], data: RegressionData
) -> Regression:
    level, kind = data.confidence_level, data.standard_error
    if not fit.converged:
        tested = range(len(outcome.items), fit.coefficients.size)
        hidden = any(not each.tested for each in effects)
        overall = ratio_test_of(fit, tested) if fit.separated and not hidden else None
        return replace(about, problem="separated" if fit.separated else "unsteady", overall=overall)
    regression = tell_effects(fit, about, effects, standard_error=kind, confidence_level=level)
    errors, limits = fit.standard_errors(kind), fit.interval(level, kind)
    columns = np.column_stack([fit.coefficients, errors, limits.low, limits.high]).tolist()
    intercepts = tuple(
        Term(f"{item.key}. {item.title}", *numbers) for item, numbers in zip(outcome.items, columns, strict=False)
    )
    within = fit.sigma_interval(level)
    sigma = FittedNumber(fit.sigma, within.low, within.high)
    return replace(
        regression,
        intercepts=intercepts,
        spread=Heterogeneity(
            sigma,
            sigma.mapped(intraclass_correlation),
            sigma.mapped(median_odds_ratio),
            fit.sigma_test().p_value,
        ),
    )
