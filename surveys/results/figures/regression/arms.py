"""A logistic regression of what two arms tell only together: a list's sensitive statement, or a sensitive question.

Neither arm's reports alone say anything of it. Predictors are known: groups, and answers that are sent as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from surveys.drafts.figures import TwoArms, models_of
from surveys.estimation.list_experiment.regression import fit_list
from surveys.estimation.regression.fits import StandardizedFit
from surveys.estimation.regression.two_groups import fit_logistic_two_groups
from surveys.estimation.two_groups.models import estimate_two_groups
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.lists import ListPair, pairs_of
from surveys.responses.selectors.snapshot import Reports, Snapshot
from surveys.results.figures.lists import are_shown, compare_lists
from surveys.results.figures.questions import counts_of
from surveys.results.figures.regression.terms import (
    Effects,
    FittedShare,
    Masks,
    Regression,
    RegressionData,
    levels_of,
    tell_effects,
    usable_fit,
)

# Different rows times columns: a list’s likelihood is climbed from two starts a coefficient, which takes seconds here.
MOST_ENTRIES = 700
Columns = npt.NDArray[np.float64]
_Part = tuple[Item | None, tuple[str, ...], npt.NDArray[np.integer]]  # labels, and which of them each row has


@dataclass(frozen=True, slots=True)
class ArmsOutcome:
    """What two questions of different arms tell together."""

    of: ListPair | TwoArms

    @property
    def questions(self) -> tuple[AskedQuestion, AskedQuestion]:
        """The two questions; of lists, first the one without the sensitive statement."""
        if isinstance(self.of, ListPair):
            return self.of.control, self.of.treatment
        return self.of.first, self.of.second

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of both, as people count."""
        return tuple(sorted(question.number for question in self.questions))

    @property
    def key(self) -> str:
        """What stands for both in an address."""
        return "and".join(map(str, self.numbers))

    @property
    def title(self) -> str:
        """What is asked: the statement, or the sensitive question."""
        return self.of.sensitive if isinstance(self.of, ListPair) else self.of.first.first.title

    @property
    def answer(self) -> str:
        """What people have the odds of: the statement, or Yes."""
        return self.of.sensitive if isinstance(self.of, ListPair) else self.of.first.first.labels[1]

    def shown_beside_others(self, snapshot: Snapshot) -> bool:
        """Return whether answers to both are shown beside other answers, and not of everybody together alone."""
        return all(snapshot.shows(question.first.number) for question in self.questions)


def outcomes_of_arms(stored: Definition, snapshot: Snapshot) -> tuple[ArmsOutcome, ...]:
    """Return what two arms show together, where both may be shown."""
    lists = [ArmsOutcome(pair) for pair in pairs_of(stored) if are_shown(pair, stored, snapshot)]
    pairs = (arms for question in stored.questions for arms in models_of(question, stored.questions))
    models = {arms.value: ArmsOutcome(arms) for arms in pairs if arms.identified}
    return (*lists, *(outcome for outcome in models.values() if outcome.shown_beside_others(snapshot)))


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """What predicts, as columns with the terms that each stands for; `problem` names why there are none."""

    x: Columns
    effects: tuple[Effects, ...] = ()
    problem: str = ""
    culprit: Item | None = None


def regression_of_arms(
    data: RegressionData, stored: Definition, outcome: ArmsOutcome, predictors: Sequence[Item]
) -> Regression:
    """Regress the log odds of what two arms tell together on groups and on answers that are sent as they are.

    Parameters
    ----------
    data : RegressionData
        The responses; limits are Wald's, or those of a penalized likelihood.
    stored : Definition
        The questions as they were asked.
    outcome : ArmsOutcome
        What both arms are asked.
    predictors : sequence of Items
        None that is protected.
    """
    snapshot = data.snapshot
    if not outcome.shown_beside_others(snapshot):
        return Regression(0, 0, "not_beside")
    second, reports, left_out = _both_arms(data, outcome, predictors)
    if min(int(reports.counts[second == arm].sum()) for arm in (False, True)) < max(1, data.minimum_n):
        return Regression(reports.n, 0, "too_few_in_arm")
    parts: list[_Part] = [
        (item, item.labels, reports.patterns[:, place]) for place, item in enumerate(predictors, start=1)
    ]
    merged = any(len(set(_classes(snapshot, question))) < question.design.m for question in outcome.questions)
    about = Regression(reports.n, left_out, merged=merged)
    if data.groups is not None:
        levels = levels_of(reports, data)
        if len(levels.labels) > 1:
            parts.insert(0, (None, levels.labels, np.argmax(levels.members, axis=0)))
        about = replace(about, left_out_groups=len(levels.labels) < 2)
    model = _model(parts, second, reports.counts, data.minimum_n)
    beside, problem = _beside(snapshot, stored, outcome, reports.n, data.confidence_level)
    if model.problem or problem:
        return replace(about, problem=model.problem or problem, culprit=model.culprit)
    fit = _fit(snapshot, outcome, reports, second, model.x)
    if not fit.converged:
        return replace(about, problem="unsteady")
    confidence_level = data.confidence_level
    regression = tell_effects(
        fit, about, model.effects, standard_error=data.standard_error, confidence_level=confidence_level
    )
    standard_error = regression.standard_error
    within = fit.prevalence_interval(confidence_level, standard_error)
    return replace(
        regression,
        prevalence=FittedShare.of(fit.prevalence, within.low, within.high),
        beside=beside,
        second=_second_share(fit, outcome, standard_error, confidence_level),
    )


def _both_arms(data: RegressionData, outcome: ArmsOutcome, predictors: Sequence[Item]) -> tuple[Masks, Reports, int]:
    """Return which rows are the second question's, the rows that answered all, and how many left something out."""
    reports, left_out = [], 0
    for question in outcome.questions:
        items = (data.definition.items[question.first.number], *predictors)
        reports.append(data.complete(items))
        left_out += data.left_out(reports[-1], items)
    second = np.repeat([False, True], [len(each.counts) for each in reports])
    patterns, counts, groups = (
        np.concatenate([getattr(each, name) for each in reports]) for name in ("patterns", "counts", "groups")
    )
    return second, Reports(patterns, counts, groups), left_out


def _model(parts: Sequence[_Part], second: Masks, counts: npt.NDArray[np.int64], minimum_n: int) -> _Model:
    """Return a column for each answer that somebody gave but the first of each question, after the intercept's."""
    x, effects = np.ones((len(second), 1)), []
    for item, labels, codes in parts:
        sizes = np.zeros((2, len(labels)), dtype=np.int64)
        np.add.at(sizes, (second.astype(int), codes), counts)
        reference, *others = np.flatnonzero(sizes.any(axis=0)).tolist()
        if not others or (sizes[:, [reference, *others]] < minimum_n).any():
            return _Model(x, problem="one_arm", culprit=item)
        columns = dict(zip(others, range(x.shape[1], x.shape[1] + len(others)), strict=True))
        terms = tuple((label, columns.get(code)) for code, label in enumerate(labels) if code != reference)
        effects.append(Effects(item, labels[reference], terms, tuple(columns.values())))
        x = np.column_stack([x, codes[:, np.newaxis] == others])
    if x.size > MOST_ENTRIES:
        return _Model(x, problem="too_many")
    if any(np.linalg.matrix_rank(x[second == arm]) < x.shape[1] for arm in (False, True)):
        return _Model(x, problem="collinear")
    return _Model(x, tuple(effects), problem="" if effects else "nothing")


def _beside(
    snapshot: Snapshot, stored: Definition, outcome: ArmsOutcome, n: int, confidence_level: float
) -> tuple[FittedShare | None, str]:
    """Return what both arms say without predictors, as the questions' own pages do, or what forbids a regression."""
    if isinstance(outcome.of, ListPair):
        compared = compare_lists(outcome.of.control, stored, snapshot)
        if compared is None or compared.estimate is None or compared.effect is None:
            return None, "too_few_in_arm"
        odd, likely = compared.effect.suspicious, compared.estimate.constrained
        means = FittedShare(compared.estimate.point, *compared.estimate.difference.limits(confidence_level))
        beside = None if compared.step else means  # shown at one level, on the lists’ own page
    else:
        first, second = (counts_of(question.first, snapshot).tolist() for question in outcome.questions)
        estimate = estimate_two_groups(outcome.of.model, first, second, *outcome.of.weights)
        odd, likely = estimate.misfit.suspicious, estimate.constrained
        limits = estimate.interval(confidence_level)
        beside = FittedShare(likely, limits.low, limits.high)
    if odd:
        return beside, "misfit"
    return beside, "rare" if min(likely, 1 - likely) * n < snapshot.minimum_n else ""


def _fit(snapshot: Snapshot, outcome: ArmsOutcome, reports: Reports, second: Masks, x: Columns) -> StandardizedFit:
    codes = reports.patterns[:, 0].astype(np.int64)
    if isinstance(outcome.of, ListPair):
        control, treatment = outcome.questions
        return usable_fit(
            partial(
                fit_list,
                codes,
                second.astype(int),
                x,
                designs=(control.design, treatment.design),
                weights=reports.counts,
                counts="beta_binomial",
                together=(_classes(snapshot, control), _classes(snapshot, treatment)),
            )
        )
    ends = np.where(
        second[:, np.newaxis], *(np.array(weights, dtype=float) for weights in reversed(outcome.of.weights))
    )
    return usable_fit(partial(fit_logistic_two_groups, outcome.of.model, codes, x, ends, weights=reports.counts))


def _classes(snapshot: Snapshot, question: AskedQuestion) -> list[int]:
    """Return the code by which each report is shown."""
    table = snapshot.recoded.get(question.first.number)
    return list(range(question.design.m)) if table is None else table[: question.design.m].tolist()


def _second_share(
    fit: StandardizedFit, outcome: ArmsOutcome, standard_error: str, confidence_level: float
) -> FittedShare | None:
    """Return the further share that a model of two arms estimates; a list has none."""
    if isinstance(outcome.of, ListPair):
        return None
    limits = fit.interval(confidence_level, standard_error)
    low, high = (float(ends[-1]) for ends in (limits.low, limits.high))
    return FittedShare.of(float(fit.estimates[-1]), low, high)
