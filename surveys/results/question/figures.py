"""How an estimate would scatter over repetitions of the survey, beside that of a direct question."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from surveys.drafts.figures import TwoArms, models_of
from surveys.estimation import (
    Difference,
    PrevalenceEstimate,
    SamplingDistribution,
    direct_sampling,
    estimate_arms,
    sampling_distribution,
)
from surveys.estimation.affine import affine_map
from surveys.estimation.association.difference import difference_of
from surveys.estimation.intervals import ScalarInterval
from surveys.estimation.two_groups import estimate_two_groups
from surveys.estimation.two_groups.estimate import TwoGroupMisfit
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.told import answered_by_group, separable_groups
from surveys.results.figures.intervals import FigureOptions
from surveys.results.figures.items import ItemResult, OptionResult
from surveys.results.figures.overview import NamedPart, QuestionResult, parts_by_group, parts_by_mode, question_result


@dataclass(frozen=True, slots=True)
class Spread:
    """One way of asking: where its estimates would lie."""

    points: tuple[tuple[float, float], ...]  # estimates and how densely they lie there
    standard_deviation: float
    low: float
    high: float  # the estimates are between these with the confidence level's probability, at least


@dataclass(frozen=True, slots=True)
class Scatter:
    """Both ways of asking the same number of people, if the true share were the one estimated."""

    n: int
    share: float
    asked: Spread
    direct: Spread
    worth: int | None  # so many direct answers would scatter as much; None where they would not scatter at all


def scatter_of(result: ItemResult, code: int, confidence_level: float) -> Scatter | None:
    """Return how the estimate for one answer scatters; None where no estimate is to be trusted."""
    if result.prevalence is None or result.oddities or result.options[code].outside:
        return None
    shares = [min(1.0, float(share)) for share in result.prevalence.constrained]
    asked = sampling_distribution(result.n, shares, result.item.design, code)
    direct = direct_sampling(result.n, shares[code])
    worth = result.n * (direct.standard_deviation / asked.standard_deviation) ** 2 if asked.standard_deviation else None
    return Scatter(
        n=result.n,
        share=shares[code],
        asked=_spread(asked, confidence_level),
        direct=_spread(direct, confidence_level),
        worth=math.floor(worth) if worth else None,
    )


def _spread(distribution: SamplingDistribution, confidence_level: float) -> Spread:
    estimates, densities = distribution.density()
    low, high = distribution.central(confidence_level)
    return Spread(
        tuple(zip(estimates.tolist(), densities.tolist(), strict=True)), distribution.standard_deviation, low, high
    )


# All that is known of one question.


@dataclass(frozen=True, slots=True)
class QuestionDetail:
    """One question's results in full."""

    result: QuestionResult
    n_by_mode: tuple[NamedPart, ...]  # of all responses in the figures
    n_by_group: tuple[NamedPart, ...]  # of those who answered it


def question_detail(
    question: AskedQuestion,
    definition: Definition,
    snapshot: Snapshot,
    wanted: FigureOptions,
    groups: Mapping[int, str],
) -> QuestionDetail:
    """Return all that is known of one question; `groups` are names by primary key."""
    result = question_result(question, snapshot, wanted, in_full=True)
    told = separable_groups(snapshot, definition)
    return QuestionDetail(
        result=result,
        n_by_mode=parts_by_mode(snapshot, definition, told),
        n_by_group=parts_by_group(answered_by_group(question.first, snapshot), groups, told) if result.enough else (),
    )


# The same asked otherwise: what the arms of a survey say of one quantity.


# The exact test of two arms of 200 looks at so many pairs of counts in a tenth of a second.
_LARGEST_TABLES = 40_401


@dataclass(frozen=True, slots=True)
class ArmAnswer:
    """What one way of asking says of the answer that is compared."""

    result: QuestionResult
    share: OptionResult


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """How much more frequent the answer is by the first way of asking than by the second."""

    first: AskedQuestion
    second: AskedQuestion
    point: float  # from −1 to 1
    interval: ScalarInterval
    p_value: float  # two-sided, of equality; exact where the arms are small enough


@dataclass(frozen=True, slots=True)
class ArmsTogether:
    """One share for all ways of asking, if it fits them."""

    share: float
    low: float
    high: float
    fits: float  # the p-value of G²


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """Questions that ask for the same in different arms."""

    label: str  # the answer that is compared
    code: int  # its code
    answers: tuple[ArmAnswer, ...]
    differences: tuple[ArmDifference, ...]
    together: ArmsTogether | None  # where there are two to trust
    only_here: tuple[AskedQuestion, ...]  # what is told beside nothing else, and so nowhere else


def compare_arms(
    question: AskedQuestion, definition: Definition, snapshot: Snapshot, wanted: FigureOptions
) -> ArmComparison | None:
    """Compare a question with those that ask for the same in other arms.

    `definition` is the stored one. None where `compared_results` has none.
    """
    found = compared_results(question, definition, snapshot, wanted)
    if not found:
        return None
    code = (
        1
        if question.traits.yes_or_no
        else max(
            range(question.design.k), key=lambda place: sum(result.first.options[place].estimate for result in found)
        )
    )
    # What was not answered as it should be is shown and compared with nothing.
    trusted = [
        (result.question, estimate) for result in found if not result.odd and (estimate := result.first.prevalence)
    ]
    pairs = list(combinations(trusted, 2))
    level = wanted.each(max(1, len(pairs)))
    return ArmComparison(
        label=question.first.labels[code],
        code=code,
        answers=tuple(ArmAnswer(result, result.first.options[code]) for result in found),
        differences=tuple(
            _arm_difference(asked, other, difference_of(first, second, code), level)
            for (asked, first), (other, second) in pairs
        ),
        together=_arms_together([estimate for _asked, estimate in trusted], code, wanted) if pairs else None,
        only_here=tuple(result.question for result in found if not snapshot.tells(result.question.first.number)),
    )


def compared_results(
    question: AskedQuestion, definition: Definition, snapshot: Snapshot, wanted: FigureOptions
) -> list[QuestionResult]:
    """Return the results of a question and of those that ask for the same in other arms, where they are compared.

    None where there are no others, where nothing is told by arm, or where fewer than two of them were answered by
    enough people. Answers that are sent as they are may be told nowhere else, as few share them together with others:
    here they stand beside no other, and everybody's are taken.
    """
    if not snapshot.tells(len(definition.items)):
        return []
    whole = replace(snapshot, recoded={})
    found = [
        result
        for other in definition.variants_of(definition.questions[question.number - 1])
        if (result := question_result(other, whole, wanted)).enough
        and (other.protects or _from_enough(result, snapshot.minimum_n))
    ]
    return found if len(found) > 1 else []


def _from_enough(result: QuestionResult, minimum_n: int) -> bool:
    """Whether enough gave each answer to a question, or nobody."""
    return not any(0 < option.count < minimum_n for option in result.first.options)


def _arm_difference(
    first: AskedQuestion, second: AskedQuestion, difference: Difference, confidence_level: float
) -> ArmDifference:
    p_value = difference.p_value
    if affine_map(difference.first.design) and affine_map(difference.second.design):
        test = difference.equality_test(largest_tables=_LARGEST_TABLES)
        p_value = test.p_value if test.exact_p_value is None else test.exact_p_value
    interval = difference.interval(confidence_level)
    # Likeliest with shares from 0 to 1, which the interval of moments may not hold.
    point = min(max(difference.constrained, interval.low), interval.high)
    return ArmDifference(first, second, point, interval, p_value)


def _arms_together(estimates: list[PrevalenceEstimate], code: int, wanted: FigureOptions) -> ArmsTogether:
    arms = estimate_arms([estimate.counts for estimate in estimates], [estimate.design for estimate in estimates])
    limits = arms.interval(wanted.confidence_level)
    return ArmsTogether(
        float(arms.constrained[code]), float(limits.low[code]), float(limits.high[code]), arms.fit.p_value
    )


# One thing more from two arms whose designs mix the same two shares with weights of their own.


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
