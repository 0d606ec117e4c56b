"""One thing more from two arms whose designs mix the same two shares with weights of their own."""

from dataclasses import dataclass

from surveys.drafts.figures import TwoArms, models_of
from surveys.estimation import (
    PrevalenceEstimate,
)
from surveys.estimation.claims import FigureOptions
from surveys.estimation.two_groups import estimate_two_groups
from surveys.estimation.two_groups.estimate import TwoGroupMisfit
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from surveys.results.figures.arms import ArmComparison


@dataclass(frozen=True, slots=True)
class ModelParameter:
    """One parameter of a model of two arms; shares are between 0 and 1 except `moment`, which may leave that range."""

    name: str
    moment: float  # before limiting; NaN for a share of nobody
    estimate: float  # limited to what the model can give
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TwoArmsResult:
    """What a model of two arms finds."""

    arms: TwoArms
    n: tuple[int, int]
    parameters: tuple[ModelParameter, ...]  # the prevalence first
    misfit: TwoGroupMisfit


def models_told(question: AskedQuestion, definition: Definition, compared: ArmComparison) -> tuple[TwoArms, ...]:
    """Return the models of a question and another one, both answered by enough people."""
    told = _estimates(compared)
    found = models_of(question, definition.questions)
    return tuple(arms for arms in found if arms.first.number in told and arms.second.number in told)


def fit_two_arms(arms: TwoArms, compared: ArmComparison, wanted: FigureOptions) -> TwoArmsResult:
    """Return what the model of two arms finds that are told; ValueError where their weights do not tell its shares."""
    told = _estimates(compared)
    first, second = told[arms.first.number], told[arms.second.number]
    counts = first.counts.tolist(), second.counts.tolist()
    found = estimate_two_groups(arms.model, *counts, *arms.weights)
    intervals = [parameter.interval(wanted.confidence_level) for parameter in found.parameters]
    return TwoArmsResult(
        arms=arms,
        n=(first.n, second.n),
        parameters=tuple(
            ModelParameter(parameter.name, parameter.point, parameter.constrained, interval.low, interval.high)
            for parameter, interval in zip(found.parameters, intervals, strict=True)
        ),
        misfit=found.misfit,
    )


def _estimates(compared: ArmComparison) -> dict[int, PrevalenceEstimate]:
    return {
        answer.result.question.number: estimate
        for answer in compared.answers
        if (estimate := answer.result.first.prevalence)
    }
