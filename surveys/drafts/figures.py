"""What so many answers to a question will be able to tell, before anybody is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.estimation.planning.arms import ArmsPlan, plan_arms
from surveys.estimation.planning.lists import ListPlan, independent_items, list_plan
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width, mean_sample_size
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import EVERYBODY_FOLLOWS, two_group_plan
from surveys.estimation.two_groups.line import EndWeights, identified
from surveys.privacy.designs import Design
from surveys.questionnaire.arms import Arm, answers_in
from surveys.questionnaire.asked_question import AskedQuestion

USUAL_SHARE = Fraction(3, 10)
PRECISE = 0.10
"""The margin of error that is called precise: 10 points, or a tenth of a number's range."""
TOO_WIDE = 0.25
"""An interval half as wide as all that is possible supports no conclusion."""
USUAL_DIFFERENCE = 0.1
"""Between two designs for the same: 10 points."""
WANTED_POWER = 0.8
SIGNIFICANCE = 0.05
# The exact test is sought from 1 up, one n after the other: beyond this it differs by a hundredth from the normal one.
_LARGEST_EXACT = 3_000
_RARE, _COMMON = Fraction(1, 20), Fraction(1, 2)


@dataclass(frozen=True)
class ExpectedPrecision:
    """What `n` answers through a design tell if `share` of people would truly give the option.

    For the mean of a number nothing is assumed but that it lies in the middle of its range. Of a list of statements the
    share is that of the sensitive one, and another list has as many answers.
    """

    design: Design | ListPlan
    is_mean: bool
    n: int
    share: Fraction = USUAL_SHARE

    @property
    def lists(self) -> int:
        """Of how many questions the answers are, so many of each."""
        return 2 if isinstance(self.design, ListPlan) else 1

    @cached_property
    def option(self) -> int:
        """The option whose share is estimated least precisely; of two answers Yes alone matters."""
        options = range(1, 2) if self.design.k == 2 else range(self.design.k)
        return max(options, key=lambda code: _half_width(self.design, code, 1, self.share))

    @cached_property
    def half_width(self) -> float:
        """Of the 95% interval for that share, or for a mean as a part of the range."""
        if self.is_mean and isinstance(self.design, Design):
            return expected_mean_half_width(n=self.n, design=self.design, low=0, high=1)
        return _half_width(self.design, self.option, self.lists * self.n, self.share)

    @property
    def if_rare(self) -> float:
        """The margin of error if no more than 5% would give the option."""
        return _half_width(self.design, self.option, self.lists * self.n, _RARE)

    @property
    def if_common(self) -> float:
        """The margin of error if half of people would."""
        return _half_width(self.design, self.option, self.lists * self.n, _COMMON)

    @property
    def too_few(self) -> bool:
        """Whether so few answers could not support any conclusion."""
        return self.half_width > TOO_WIDE

    @cached_property
    def least(self) -> int:
        """The smallest number of answers that are not too few."""
        return self._size(TOO_WIDE)

    @cached_property
    def enough(self) -> int:
        """The smallest number of answers that are precise."""
        return self._size(PRECISE)

    @cached_property
    def power(self) -> float | None:
        """How probably the answers show that the share is above none at all; None of a mean, and of no share."""
        if self.is_mean or not self.share:
            return None
        return power(
            n=self.lists * self.n,
            design=self.design,
            prevalence=float(self.share),
            option=self.option,
            alternative="one-sided",
            significance=SIGNIFICANCE,
            method="exact" if self.n <= _LARGEST_EXACT and self.lists == 1 else "normal",
        )

    @cached_property
    def enough_to_show(self) -> int | None:
        """How many answers show it with a power of 80%; None where no number does, and where there is no power."""
        if self.power is None:
            return None
        size = self._size_to_show("normal")
        if size is None or size > _LARGEST_EXACT or self.lists > 1:
            return size
        return self._size_to_show("exact")

    def _size(self, half_width: float) -> int:
        if self.is_mean and isinstance(self.design, Design):
            return mean_sample_size(part=half_width, design=self.design)
        size = sample_size(half_width=half_width, design=self.design, prevalence=float(self.share), option=self.option)
        return -(-size // self.lists)

    def _size_to_show(self, method: str) -> int | None:
        try:
            size = sample_size(
                power=WANTED_POWER,
                design=self.design,
                prevalence=float(self.share),
                option=self.option,
                alternative="one-sided",
                significance=SIGNIFICANCE,
                method=method,
            )
        except ValueError:
            return None
        return -(-size // self.lists)


def expected_of(question: AskedQuestion, *, n: int, share: Fraction = USUAL_SHARE) -> ExpectedPrecision:
    """Return what `n` answers to a question tell, an item at a time."""
    if question.answers.counts_options:
        return ExpectedPrecision(_plan_of_list(question), is_mean=False, n=n, share=share)
    return ExpectedPrecision(question.design, question.first.range is not None, n, share)


@dataclass(frozen=True)
class ExpectedComparison:
    """What `n` people in the arms of two questions that ask for the same will tell of the difference."""

    first: AskedQuestion
    second: AskedQuestion
    share: float  # what the first is assumed to find
    other: float  # and the second
    plan: ArmsPlan
    n: int  # in the arms of both
    one_sided: bool
    significance: float
    target: float

    @property
    def divided(self) -> tuple[int, int]:
        """How many people each question is asked of."""
        return self.plan.divide(max(2, self.n))

    @cached_property
    def power(self) -> float:
        """How probably the test of equality finds the difference."""
        return self.plan.power(self.n, self._alternative, self.significance)

    @cached_property
    def needed(self) -> int | None:
        """How many people in these arms make that as probable as wanted; None where no number does."""
        try:
            return self.plan.sample_size(
                power=self.target, alternative=self._alternative, significance=self.significance
            )
        except ValueError:
            return None

    @property
    def half_width(self) -> float:
        """Of the interval for the difference."""
        return self.plan.half_width(self.n, 1 - self.significance)

    @property
    def best_share(self) -> float | None:
        """Which part of these people to ask the first question, so that fewest are needed."""
        try:
            return self.plan.best_share
        except ValueError:
            return None

    @property
    def _alternative(self) -> str:
        if not self.one_sided:
            return "two-sided"
        return "greater" if self.plan.difference > 0 else "less"


def compare_in_arms(
    arms: Sequence[Arm],
    first: AskedQuestion,
    second: AskedQuestion,
    *,
    n: int,
    share: float,
    difference: float,
    option: int = 1,
    one_sided: bool = False,
    significance: float = SIGNIFICANCE,
    target: float = WANTED_POWER,
) -> ExpectedComparison:
    """Return what `n` respondents in all tell of a difference between two questions that ask for the same.

    The second is taken to find less than `share`, the first; more where it cannot be that much less, and no more than
    can be.
    """
    other = share - difference if share >= difference else min(1.0, share + difference)
    weights = [sum(arm.weight for arm in arms if arm.number in asked.arms) for asked in (first, second)]
    plan = plan_arms(first.design, second.design, share, other, option=option, first_share=weights[0] / sum(weights))
    together = answers_in(arms, {*first.arms, *second.arms}, n)
    return ExpectedComparison(first, second, share, other, plan, together, one_sided, significance, target)


def _plan_of_list(question: AskedQuestion) -> ListPlan:
    """Return the plan of this list and of one with another statement, each of its own true of half of people.

    Statements of which some exclude each other vary less. A spinner of own weights has none for one answer more: then
    an even one stands for it.
    """
    even = {name: value for name, value in question.design.parameters.items() if name != "weights"}
    longer = question.chance.matrices.read(question.design.k + 1, even)
    return list_plan(independent_items([0.5] * len(question.options)), designs=(question.design, longer))


def _half_width(design: Design | ListPlan, option: int, n: int, share: Fraction) -> float:
    return expected_half_width(n=n, design=design, prevalence=float(share), option=option)


# What two arms will be able to tell besides one share, where their designs mix the same two shares differently.


@dataclass(frozen=True, slots=True)
class TwoArms:
    """Two questions that ask for the same, and the model that their design has of two arms."""

    model: str  # a name in `estimation.two_groups.models.MODELS`
    first: AskedQuestion
    second: AskedQuestion

    @property
    def value(self) -> str:
        """What stands for it in an address."""
        return f"{self.model}-{self.first.number}-{self.second.number}"

    @property
    def weights(self) -> tuple[EndWeights, EndWeights]:
        """With which weights each arm's Yes-rate mixes the model's two shares."""
        first, second = (each.chance.end_weights(each.design) for each in (self.first, self.second))
        return first, second

    @property
    def identified(self) -> bool:
        return identified(*self.weights)


@dataclass(frozen=True, slots=True)
class ExpectedTwoArms:
    """What so many people in each of two arms tell of the share of Yes, where another share is estimated with it.

    That one is supposed to be what was stated about an innocuous question, else that everybody follows the
    instructions.
    """

    arms: TwoArms
    dealt: tuple[int, int]
    share: Fraction

    @property
    def half_width(self) -> float:
        """Of the 95% interval for the share of Yes."""
        innocuous = dict(self.arms.first.design.exact_parameters).get("q")
        other = EVERYBODY_FOLLOWS[self.arms.model] if innocuous is None else innocuous
        plan = two_group_plan(self.arms.model, self.arms.weights, other, Fraction(self.dealt[0], self.n))
        return expected_half_width(n=self.n, design=plan, prevalence=float(self.share))

    @property
    def n(self) -> int:
        """People in both."""
        return sum(self.dealt)


def models_of(question: AskedQuestion, questions: Iterable[AskedQuestion]) -> tuple[TwoArms, ...]:
    """Return the models of this question and each other one that asks for the same with the same design."""
    chance = question.chance
    if not (chance.two_arms and question.quantity) or len(question.items) > 1 or question.first.range:
        return ()
    others = (
        each
        for each in questions
        if each is not question
        and each.quantity == question.quantity
        and each.design.name == question.design.name
        and each.first.labels == question.first.labels
        and chance.asks_as(each.chance)
    )
    pairs = (sorted((question, other), key=lambda each: each.number) for other in others)
    return tuple(TwoArms(chance.two_arms, first, second) for first, second in pairs)
