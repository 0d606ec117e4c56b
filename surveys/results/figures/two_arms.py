"""Models of two arms that mix the same two shares with different weights, so that both shares can be estimated."""

from dataclasses import dataclass

from surveys.drafts.figures import TwoArms, models_of
from surveys.estimation.claims import FigureOptions
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.two_groups.estimate import TwoGroupMisfit
from surveys.estimation.two_groups.models import estimate_two_groups
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
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


def models_shown(question: AskedQuestion, definition: Definition, compared: ArmComparison) -> tuple[TwoArms, ...]:
    """Return the models of a question and another one, both answered by enough people."""
    estimates = _estimates(compared)
    models = models_of(question, definition.questions)
    return tuple(arms for arms in models if arms.first.number in estimates and arms.second.number in estimates)


def fit_two_arms(arms: TwoArms, compared: ArmComparison, wanted: FigureOptions) -> TwoArmsResult:
    """Return the model's fit to two arms that are shown; ValueError where their weights do not determine its shares."""
    estimates = _estimates(compared)
    first, second = estimates[arms.first.number], estimates[arms.second.number]
    counts = first.counts.tolist(), second.counts.tolist()
    fitted = estimate_two_groups(arms.model, *counts, *arms.weights)
    intervals = [parameter.interval(wanted.confidence_level) for parameter in fitted.parameters]
    return TwoArmsResult(
        arms=arms,
        n=(first.n, second.n),
        parameters=tuple(
            ModelParameter(parameter.name, parameter.point, parameter.constrained, interval.low, interval.high)
            for parameter, interval in zip(fitted.parameters, intervals, strict=True)
        ),
        misfit=fitted.misfit,
    )


def _estimates(compared: ArmComparison) -> dict[int, PrevalenceEstimate]:
    return {
        answer.result.question.number: estimate
        for answer in compared.answers
        if (estimate := answer.result.first.prevalence)
    }
