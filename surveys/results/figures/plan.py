"""What the next survey can find out, planned from what this one found."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.drafts.figures import TwoArms
from surveys.estimation.planning.comparison import compare_designs
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width, mean_sample_size
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import two_group_plan
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.two_groups.models import BESIDES
from surveys.privacy.designs import Design, direct
from surveys.questionnaire.arms import answers_in
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.two_arms import TwoArmsResult

HALF_WIDTHS = (0.03, 0.05, 0.10)
ONE_IN_A_HUNDRED = 0.01
# The exact test is sought from 1 up, one n after the other: beyond, it takes long and differs by a hundredth.
LARGEST_EXACT = 3_000
_MOST = 10**15  # more responses are no plan
_LARGEST_EXACT_N = 100_000


@dataclass(frozen=True, slots=True)
class AssumedShare:
    """The share that is planned for, and where it comes from: `typed`, `found`, `limited`, or `unknown`."""

    share: float
    source: str


@dataclass(frozen=True, slots=True)
class Wish:
    """A margin of error, and how many responses it needs here and unprotected; None: more than 10^15."""

    half_width: float  # of a share, or as a part of the range of a number
    n: int | None
    direct: int | None


@dataclass(frozen=True, slots=True)
class DesignCost:
    """What a design makes of as many responses, at the same ε; `own` is the design of this survey."""

    name: str
    half_width: float
    sizes: tuple[int | None, ...]  # for the margins of error of the wishes
    relative_n: float  # how many responses are worth one direct answer


@dataclass(frozen=True, slots=True)
class Precision:
    """How precise a number of responses will be, and how many responses a precision needs."""

    n: int
    half_width: float
    direct: float  # the margin of error of as many direct answers
    wishes: tuple[Wish, ...]
    costs: tuple[DesignCost, ...]  # of a mean none
    curve: tuple[tuple[int, float, float], ...]  # n, margin of error, margin of error of direct answers


@dataclass(frozen=True, slots=True)
class PowerOfTest:
    """How probably a test finds a difference; None stands for what is not computed or cannot be reached."""

    share: float
    null: float
    n: int
    alternative: str
    significance: float
    target: float
    normal: float
    exact: float | None
    needed: int | None
    needed_exact: int | None
    two_groups: float
    needed_in_each: int | None
    curve: tuple[tuple[int, float, float], ...]  # n, power of one share, power of two groups of n

    @property
    def no_difference(self) -> bool:
        """Whether there is nothing to be found."""
        return self.share == self.null


def people_asked(n: int, question: AskedQuestion, definition: Definition, snapshot: Snapshot) -> int:
    """Return how many of n respondents to expect to be asked: in its arms, and as many by the branch as here."""
    people = definition.asked_of(n, question)
    everybody = snapshot.asked(replace(question, asked_if=None))
    return max(1, round(Fraction(people * snapshot.asked(question), everybody)))


def assumed_share(item: Item, option: int, counts: npt.NDArray[np.int64], typed: float | None) -> AssumedShare:
    """Return the share to plan for: the one typed, else what was found, else one half, where intervals are widest."""
    if typed is not None:
        return AssumedShare(typed, "typed")
    estimate = estimate_prevalence(counts, item.design)
    if estimate.misfit.suspicious:
        return AssumedShare(0.5, "unknown")
    estimated = float(estimate.constrained[option])
    # Of nobody and of everybody a direct question would need one answer: that is no plan.
    limited = min(1 - ONE_IN_A_HUNDRED, max(ONE_IN_A_HUNDRED, estimated))
    return AssumedShare(limited, "found" if limited == estimated else "limited")


def share_precision(
    question: AskedQuestion,
    item: Item,
    option: int,
    share: float,
    n: int,
    *,
    now: int,
    half_widths: tuple[float, ...],
    confidence_level: float,
) -> Precision:
    """Return the precision of an answer's share under the item's design, under others of its ε, and unprotected.

    For `n` responses; the curve also holds `now`, as many as there are.
    """
    design, plainly = item.design, direct()

    def half_width(of: Design, at: int) -> float:
        code = option if of is design else 1
        return expected_half_width(n=at, design=of, prevalence=share, option=code, confidence_level=confidence_level)

    def size(of: Design, wanted: float) -> int | None:
        code = option if of is design else 1
        try:
            return sample_size(
                design=of, prevalence=share, half_width=wanted, option=code, confidence_level=confidence_level
            )
        except ValueError:
            return None

    randomized, plain = half_width(design, n), half_width(plainly, n)
    costs = [
        DesignCost("own", randomized, tuple(size(design, wanted) for wanted in half_widths), (randomized / plain) ** 2)
    ]
    if not item.protects:
        costs = []  # there is no protection that others could keep as well
    elif math.isfinite(epsilon := question.losses[0].epsilon):
        others = compare_designs(
            epsilon=epsilon, k=question.answer_count, n=n, prevalence=share, confidence_level=confidence_level
        )
        costs += [
            DesignCost(
                row.name, row.half_width, tuple(size(row.design, wanted) for wanted in half_widths), row.relative_n
            )
            for row in others
        ]
    else:
        costs.append(DesignCost("direct", plain, tuple(size(plainly, wanted) for wanted in half_widths), 1.0))
    return Precision(
        n=n,
        half_width=randomized,
        direct=plain,
        wishes=tuple(Wish(wanted, size(design, wanted), size(plainly, wanted)) for wanted in half_widths),
        costs=tuple(costs),
        curve=tuple((at, half_width(design, at), half_width(plainly, at)) for at in sizes_around(n, now)),
    )


def mean_precision(
    item: Item, n: int, *, now: int, half_widths: tuple[float, ...], confidence_level: float
) -> Precision:
    """Return the precision of the mean of a number, as parts of its range; unprotected it is only rounded."""
    design = item.design
    plainly = direct(2 if item.grid else design.k)

    def half_width(of: Design, at: int) -> float:
        return expected_mean_half_width(n=at, design=of, low=0, high=1, confidence_level=confidence_level)

    def size(of: Design, wanted: float) -> int | None:
        try:
            return mean_sample_size(part=wanted, design=of, confidence_level=confidence_level)
        except ValueError:
            return None

    return Precision(
        n=n,
        half_width=half_width(design, n),
        direct=half_width(plainly, n),
        wishes=tuple(Wish(wanted, size(design, wanted), size(plainly, wanted)) for wanted in half_widths),
        costs=(),
        curve=tuple((at, half_width(design, at), half_width(plainly, at)) for at in sizes_around(n, now)),
    )


def share_test(
    item: Item,
    option: int,
    *,
    share: float,
    null: float,
    n: int,
    now: int,
    alternative: str,
    target: float,
    significance: float,
) -> PowerOfTest:
    """Return the power of tests whether an answer's share is another than `null`, in one group and between two."""
    design = item.design

    def chance(at: int, method: str = "normal", *, two: bool = False) -> float:
        return power(
            n=at,
            design=design,
            prevalence=share,
            option=option,
            alternative=alternative,
            significance=significance,
            method=method,
            null_prevalence=None if two else null,
            other_prevalence=null if two else None,
        )

    def size(method: str = "normal", *, two: bool = False) -> int | None:
        try:
            return sample_size(
                design=design,
                prevalence=share,
                power=target,
                option=option,
                alternative=alternative,
                significance=significance,
                method=method,
                null_prevalence=None if two else null,
                other_prevalence=null if two else None,
            )
        except ValueError:
            return None

    needed = None if share == null else size()
    return PowerOfTest(
        share=share,
        null=null,
        n=n,
        alternative=alternative,
        significance=significance,
        target=target,
        normal=chance(n),
        exact=chance(n, "exact") if n <= _LARGEST_EXACT_N else None,
        needed=needed,
        needed_exact=size("exact") if needed is not None and needed <= LARGEST_EXACT else None,
        two_groups=chance(n, two=True),
        needed_in_each=None if share == null else size(two=True),
        curve=tuple((at, chance(at), chance(at, two=True)) for at in sizes_around(n, now)),
    )


def sizes_around(*wanted: int) -> tuple[int, ...]:
    """Return numbers of responses for a curve that holds these, in equal factors between whole powers of ten."""
    low = 10 if min(wanted) >= 10 else 1
    high = min(_MOST, 10 ** len(str(max(100, *wanted))))
    steps = 48
    return tuple(sorted({round(low * (high / low) ** (step / steps)) for step in range(steps + 1)} | set(wanted)))


@dataclass(frozen=True, slots=True)
class TwoArmsPrecision:
    """What a model of two arms needs, which estimates one thing more than the share."""

    arms: TwoArms
    share: float
    other: float  # the second parameter, as assumed
    n: int  # answers in both arms together
    half_width: float
    wanted: float  # a margin of error, which needs so many answers in all
    needed: int


def two_arms_precision(
    fitted: TwoArmsResult,
    definition: Definition,
    typed: float | None,
    *,
    n: int,
    wanted: float,
    confidence_level: float,
) -> TwoArmsPrecision | None:
    """Return the precision of a model of two arms at what it found, or at the share typed; None where none is planned.

    `n` people are dealt to the two arms as the weights say.
    """
    shares = {parameter.name: parameter.estimate for parameter in fitted.parameters}
    other = shares[BESIDES[fitted.arms.model]]
    if fitted.misfit.suspicious or math.isnan(other):
        return None
    share = min(1 - ONE_IN_A_HUNDRED, max(ONE_IN_A_HUNDRED, shares["prevalence"])) if typed is None else typed
    dealt = [answers_in(definition.arms, question.arms, _MOST) for question in (fitted.arms.first, fitted.arms.second)]
    try:
        plan = two_group_plan(
            fitted.arms.model,
            fitted.arms.weights,
            Fraction(min(1.0, max(0.0, other))).limit_denominator(_MOST),
            Fraction(dealt[0], sum(dealt)),
        )
        half_width = expected_half_width(n=n, design=plan, prevalence=share, confidence_level=confidence_level)
        needed = sample_size(design=plan, prevalence=share, half_width=wanted, confidence_level=confidence_level)
    except ValueError:
        return None
    return TwoArmsPrecision(fitted.arms, share, other, n, half_width, wanted, needed)
