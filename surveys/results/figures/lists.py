"""The share for whom the sensitive statement of two lists holds, by every estimate that there is of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from surveys.estimation.claims import FigureOptions, has_no_width
from surveys.estimation.list_experiment.combined import CombinedListEstimate, combine_with_direct
from surveys.estimation.list_experiment.denial import DenialEstimate, estimate_denial
from surveys.estimation.list_experiment.design_effect import DesignEffectTest, find_design_effect
from surveys.estimation.list_experiment.double import DoubleListEstimate, estimate_double_list
from surveys.estimation.list_experiment.regression import ListFit, fit_list
from surveys.estimation.list_experiment.types import ListEstimate, estimate_list
from surveys.estimation.list_experiment.welch import WelchEstimate
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.lists import ListPair, mirror_of, pair_with
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.questions import counts_of

_STEPS = (1, 2, 4, 5, 10, 20, 25, 50, 100)
_Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ListComparison:
    """What two lists say together; nothing is there where too few answered one of them.

    Where few gave one of the numbers, the difference is all that is shown, at one level and in steps that as many
    people make as the minimum: from more, with the classes of numbers that are shown, one could solve for how many they
    are.
    """

    pair: ListPair
    estimate: ListEstimate | None = None
    likelihood: ListFit | None = None  # where it has a maximum between 0 and 1
    effect: DesignEffectTest | None = None
    # If all had denied the statement who look as those who do: the floor and the ceiling in numbers.
    denial: DenialEstimate | None = None
    combined: CombinedListEstimate | None = None
    mirror: ListPair | None = None  # the other two lists that the same people were asked for the same statement
    double: DoubleListEstimate | None = None  # of all four
    step: int = 0  # the steps, out of 100, of what is shown where few gave a number; else 0

    def level(self, wanted: float) -> float:
        """Return the level that limits are shown at: the usual one where few gave a number."""
        return FigureOptions().confidence_level if self.step else wanted

    def rounded(self, share: float, rounding: Callable[[float], int] = round) -> float:
        """Return a share as it may be shown."""
        return rounding(round(100 * share / self.step, 6)) * self.step / 100 if self.step else share

    def limits(self, means: WelchEstimate, level: float) -> tuple[float, float] | None:
        """Return Welch's limits as they may be shown; None where nothing varies, which is no certainty."""
        low, high = means.limits(level)
        if has_no_width("welch", low, high, means.standard_error, outside=False):
            return None
        return self.rounded(low, math.floor), self.rounded(high, math.ceil)


def compare_lists(question: AskedQuestion, definition: Definition, snapshot: Snapshot) -> ListComparison | None:
    """Compare a list with the one of another arm; None for other questions.

    `definition` is the stored one. Numbers that are sent as they are would be merged where few give them, and
    then have no mean: it is taken of all of them, as a figure about everybody who was asked the list, and shown when no
    more answers may come.
    """
    pair = pair_with(question, definition)
    if pair is None:
        return None
    comparison = difference_of_lists(pair, definition, snapshot)
    if comparison.estimate is None or comparison.step:
        return comparison
    unrecoded = whole_of(snapshot)
    arms = comparison.estimate.arms
    mirror = mirror_of(pair, definition)
    double = _double(pair, mirror, unrecoded) if mirror and not _few_gave_one(mirror, unrecoded) else None
    return replace(
        comparison,
        likelihood=_likelihood(pair, arms.control.counts, arms.treatment.counts),
        denial=estimate_denial(comparison.estimate, ceiling=0.0),
        combined=_combined(pair, unrecoded),
        mirror=mirror if double else None,
        double=double,
    )


def difference_of_lists(pair: ListPair, definition: Definition, snapshot: Snapshot) -> ListComparison:
    """Return the difference of two lists alone, which every page shows first, or none where it is not shown."""
    if not are_shown(pair, definition, snapshot):
        return ListComparison(pair)
    unrecoded = whole_of(snapshot)
    control, treatment = (counts_of(each.first, unrecoded) for each in (pair.control, pair.treatment))
    estimate = estimate_list(control, treatment, designs=(pair.control.design, pair.treatment.design))
    comparison = ListComparison(pair, estimate=estimate, effect=find_design_effect(estimate))
    if not _few_gave_one(pair, unrecoded):
        return comparison
    part = 100 * snapshot.minimum_n / min(control.sum(), treatment.sum())
    return replace(comparison, step=next(step for step in _STEPS if step >= part))


def are_shown(pair: ListPair, definition: Definition, snapshot: Snapshot) -> bool:
    """Whether enough people answered each of two lists. `definition` is the stored one."""
    fewest = min(counts_of(each.first, whole_of(snapshot)).sum() for each in (pair.control, pair.treatment))
    # Where an arm is too small to be shown, nothing is shown by arm.
    return bool(fewest >= max(2, snapshot.minimum_n)) and snapshot.shows(len(definition.items))


def whole_of(snapshot: Snapshot) -> Snapshot:
    """Return the responses with every number by itself, also where few share one beside another answer."""
    return replace(snapshot, recoded={})


def _few_gave_one(pair: ListPair, snapshot: Snapshot) -> bool:
    """Whether fewer than the minimum, but some, gave an unprotected number."""
    plain = [counts_of(each.first, snapshot) for each in (pair.control, pair.treatment) if not each.protects]
    return any(bool(((numbers > 0) & (numbers < snapshot.minimum_n)).any()) for numbers in plain)


def _likelihood(pair: ListPair, control: _Counts, treatment: _Counts) -> ListFit | None:
    """Fit counts that may vary more, or less, than binomial ones; one row for each report of each arm."""
    reports = np.concatenate([np.arange(control.size), np.arange(treatment.size)])
    treated = np.repeat([0, 1], [control.size, treatment.size])
    weights = np.concatenate([control, treatment])
    fit = fit_list(
        reports,
        treated,
        np.ones((reports.size, 1)),
        designs=(pair.control.design, pair.treatment.design),
        weights=weights,
        counts="beta_binomial",
    )
    has_maximum = fit.converged and not fit.separated and not math.isnan(fit.prevalence_error())
    return fit if has_maximum else None


def _combined(pair: ListPair, snapshot: Snapshot) -> CombinedListEstimate | None:
    """Combine with what the same people say directly, where enough of each arm say Yes, and No."""
    if pair.direct is None:
        return None
    # A row for No, a row for Yes.
    arms = [reports_to_both(pair.direct, each, snapshot) for each in (pair.control, pair.treatment)]
    if min(arm.sum(axis=1).min() for arm in arms) < max(2, snapshot.minimum_n):
        return None
    return combine_with_direct(list(arms[0]), list(arms[1]), designs=(pair.control.design, pair.treatment.design))


def _double(pair: ListPair, mirror: ListPair, snapshot: Snapshot) -> DoubleListEstimate | None:
    """Estimate from both lists of each person, where enough of either group answered both."""
    groups = [
        reports_to_both(pair.treatment, mirror.control, snapshot),
        reports_to_both(pair.control, mirror.treatment, snapshot),
    ]
    if min(group.sum() for group in groups) < max(2, snapshot.minimum_n):
        return None
    return estimate_double_list(
        *groups,
        designs_a=(pair.control.design, pair.treatment.design),
        designs_b=(mirror.control.design, mirror.treatment.design),
    )


def reports_to_both(one: AskedQuestion, other: AskedQuestion, snapshot: Snapshot) -> _Counts:
    """Return how often each pair of reports to both questions came, from those who left neither out."""
    return snapshot.table(one.first.number, other.first.number, (one.design.m, other.design.m))
