"""The random arms of a survey: their sizes, and what questions that ask for the same say in each."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from surveys.estimation.adherence.arms import estimate_arms
from surveys.estimation.affine import affine_map
from surveys.estimation.allocation import allocation_p_value
from surveys.estimation.association.difference import Difference, difference_of
from surveys.estimation.claims import FigureOptions
from surveys.estimation.intervals.interval import ScalarInterval, each_level
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.questionnaire.arms import Arm
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.questions import (
    OptionResult,
    QuestionResult,
    question_result,
)

_UNEVEN = 0.01


@dataclass(frozen=True, slots=True)
class ArmSizes:
    """The sizes of all arms beside the weights that they were dealt with."""

    arms: tuple[Arm, ...]
    sizes: tuple[int, ...]
    p_value: float  # of dealing them by chance as far from their weights

    @property
    def uneven(self) -> bool:
        """Whether people probably left one arm more often than another."""
        return self.p_value < _UNEVEN


def arm_sizes(definition: Definition, snapshot: Snapshot) -> ArmSizes | None:
    """Return the sizes of the arms; None where there are none, or they may not be shown."""
    column = len(definition.items)
    if not (definition.arms and snapshot.enough and snapshot.shows(column)):
        return None
    reports = snapshot.on(column)
    sizes = np.bincount(reports.patterns[:, 0], reports.counts, len(definition.arms)).astype(int).tolist()
    return ArmSizes(definition.arms, tuple(sizes), allocation_p_value(sizes, [arm.weight for arm in definition.arms]))


# The same asked otherwise: what the arms of a survey say of one quantity.


# The exact test of two arms of 200 looks at so many pairs of counts in a tenth of a second.
_LARGEST_TABLES = 40_401


@dataclass(frozen=True, slots=True)
class ArmAnswer:
    """What one design says of the answer that is compared."""

    result: QuestionResult
    share: OptionResult


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """How much more frequent the answer is by the first design than by the second."""

    first: AskedQuestion
    second: AskedQuestion
    point: float  # from −1 to 1
    interval: ScalarInterval
    p_value: float  # two-sided, of equality, adjusted for the choice; exact where the arms are small enough


@dataclass(frozen=True, slots=True)
class ArmsTogether:
    """One share for all designs, if it fits them."""

    share: float
    low: float
    high: float
    fits: float  # the p-value of G²


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """Questions that ask for the same in different arms."""

    label: str  # the answer that is compared
    code: int  # its code
    chosen_from: int  # how many answers it was chosen from, as the largest; 1 where it was fixed beforehand
    answers: tuple[ArmAnswer, ...]
    differences: tuple[ArmDifference, ...]
    together: ArmsTogether | None  # where there are two to trust
    only_here: tuple[AskedQuestion, ...]  # shown beside nothing else, and so nowhere else


def compare_arms(
    question: AskedQuestion, definition: Definition, snapshot: Snapshot, wanted: FigureOptions
) -> ArmComparison | None:
    """Compare a question with those that ask for the same in other arms.

    `definition` is the stored one. None where `compared_results` has none.
    """
    # Which of several answers is compared is chosen by their estimates: what is said of it holds for any of them.
    chosen_from = 1 if question.answers.yes_or_no else question.design.k
    results = compared_results(question, definition, snapshot, wanted)
    wanted = replace(wanted, confidence_level=each_level(wanted.confidence_level, chosen_from))
    if not results:
        return None
    code = (
        1
        if question.answers.yes_or_no
        else max(
            range(question.design.k), key=lambda place: sum(result.first.options[place].estimate for result in results)
        )
    )
    # What was not answered as it should be is shown and compared with nothing.
    trusted = [
        (result.question, estimate) for result in results if not result.odd and (estimate := result.first.prevalence)
    ]
    pairs = list(combinations(trusted, 2))
    level = wanted.each(max(1, len(pairs)))
    return ArmComparison(
        label=question.first.labels[code],
        code=code,
        chosen_from=chosen_from,
        answers=tuple(ArmAnswer(result, result.first.options[code]) for result in results),
        differences=tuple(
            _arm_difference(asked, other, difference_of(first, second, code), level, chosen_from)
            for (asked, first), (other, second) in pairs
        ),
        together=_arms_together([estimate for _asked, estimate in trusted], code, wanted) if pairs else None,
        only_here=tuple(result.question for result in results if not snapshot.shows(result.question.first.number)),
    )


def compared_results(
    question: AskedQuestion, definition: Definition, snapshot: Snapshot, wanted: FigureOptions
) -> list[QuestionResult]:
    """Return the results of a question and of those that ask for the same in other arms, where they are compared.

    None where there are no others, where nothing is shown by arm, or where fewer than two of them were answered by
    enough people. Answers that are sent as they are may be shown nowhere else, as few share them together with others:
    here they stand beside no other, and everybody's are taken.
    """
    if not snapshot.shows(len(definition.items)):
        return []
    unrecoded = replace(snapshot, recoded={})
    results = [
        result
        for other in definition.variants_of(definition.questions[question.number - 1])
        if (result := question_result(other, unrecoded, wanted)).enough
        and (other.protects or _from_enough(result, snapshot.minimum_n))
    ]
    return results if len(results) > 1 else []


def _from_enough(result: QuestionResult, minimum_n: int) -> bool:
    """Whether enough gave each answer to a question, or nobody."""
    return not any(0 < option.count < minimum_n for option in result.first.options)


def _arm_difference(
    first: AskedQuestion, second: AskedQuestion, difference: Difference, confidence_level: float, chosen_from: int
) -> ArmDifference:
    p_value = difference.p_value
    if affine_map(difference.first.design) and affine_map(difference.second.design):
        test = difference.equality_test(largest_tables=_LARGEST_TABLES)
        p_value = test.p_value if test.exact_p_value is None else test.exact_p_value
    interval = difference.interval(confidence_level)
    # Likeliest with shares from 0 to 1, which the interval of moments may not hold.
    point = min(max(difference.constrained, interval.low), interval.high)
    return ArmDifference(first, second, point, interval, min(1.0, chosen_from * p_value))


def _arms_together(estimates: list[PrevalenceEstimate], code: int, wanted: FigureOptions) -> ArmsTogether:
    arms = estimate_arms([estimate.counts for estimate in estimates], [estimate.design for estimate in estimates])
    limits = arms.interval(wanted.confidence_level)
    return ArmsTogether(
        float(arms.constrained[code]), float(limits.low[code]), float(limits.high[code]), arms.fit.p_value
    )
