"""What so many answers to a question will be able to tell, before anybody is asked."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.estimation import (
    expected_half_width,
    expected_mean_half_width,
    mean_sample_size,
    power,
    sample_size,
)
from surveys.estimation.two_groups import identified
from surveys.estimation.two_groups.line import EndWeights
from surveys.models.definition import AskedQuestion
from surveys.privacy.designs import Design

USUAL_SHARE = Fraction(3, 10)
PRECISE = 0.10
"""The half-width that is called precise: 10 points, or a tenth of a number's range."""
TOO_WIDE = 0.25
"""An interval half as wide as all that is possible supports no conclusion."""
WANTED_POWER = 0.8
SIGNIFICANCE = 0.05
# The exact test is sought from 1 up, one n after the other: beyond this it differs by a hundredth from the normal one.
_LARGEST_EXACT = 3_000
_RARE, _COMMON = Fraction(1, 20), Fraction(1, 2)


@dataclass(frozen=True)
class ExpectedPrecision:
    """What `n` answers through a design tell if `share` of people would truly give the option.

    For the mean of a number nothing is assumed but that it lies in the middle of its range.
    """

    design: Design
    is_mean: bool
    n: int
    share: Fraction = USUAL_SHARE

    @cached_property
    def option(self) -> int:
        """The option whose share is told least precisely; of two answers Yes alone matters."""
        options = range(1, 2) if self.design.k == 2 else range(self.design.k)
        return max(options, key=lambda code: _half_width(self.design, code, 1, self.share))

    @cached_property
    def half_width(self) -> float:
        """Of the 95% interval for that share, or for a mean as a part of the range."""
        if self.is_mean:
            return expected_mean_half_width(n=self.n, design=self.design, low=0, high=1)
        return _half_width(self.design, self.option, self.n, self.share)

    @property
    def if_rare(self) -> float:
        """The half-width if no more than 5% would give the option."""
        return _half_width(self.design, self.option, self.n, _RARE)

    @property
    def if_common(self) -> float:
        """The half-width if half of people would."""
        return _half_width(self.design, self.option, self.n, _COMMON)

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
            n=self.n,
            design=self.design,
            prevalence=float(self.share),
            option=self.option,
            alternative="one-sided",
            significance=SIGNIFICANCE,
            method="exact" if self.n <= _LARGEST_EXACT else "normal",
        )

    @cached_property
    def enough_to_show(self) -> int | None:
        """How many answers show it with a power of 80%; None where no number does, and where there is no power."""
        if self.power is None:
            return None
        size = self._size_to_show("normal")
        return size if size is None or size > _LARGEST_EXACT else self._size_to_show("exact")

    def _size(self, half_width: float) -> int:
        if self.is_mean:
            return mean_sample_size(part=half_width, design=self.design)
        return sample_size(half_width=half_width, design=self.design, prevalence=float(self.share), option=self.option)

    def _size_to_show(self, method: str) -> int | None:
        try:
            return sample_size(
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


def expected_of(question: AskedQuestion, *, n: int, share: Fraction = USUAL_SHARE) -> ExpectedPrecision:
    """Return what `n` answers to a question tell, an item at a time."""
    return ExpectedPrecision(question.design, question.first.range is not None, n, share)


def _half_width(design: Design, option: int, n: int, share: Fraction) -> float:
    return expected_half_width(n=n, design=design, prevalence=float(share), option=option)


# What two arms will be able to tell besides one share, where their designs mix the same two shares differently.


@dataclass(frozen=True, slots=True)
class TwoArms:
    """Two questions that ask for the same, and the model that their design has of two arms."""

    model: str  # a name in `estimation.two_groups.MODELS`
    first: AskedQuestion
    second: AskedQuestion

    @property
    def value(self) -> str:
        """What stands for it in an address."""
        return f"{self.model}-{self.first.number}-{self.second.number}"

    @property
    def weights(self) -> tuple[EndWeights, EndWeights]:
        """With which weights each arm's Yes-rate mixes the model's two shares."""
        first, second = (each.asked_with.end_weights(each.design) for each in (self.first, self.second))
        return first, second

    @property
    def identified(self) -> bool:
        """Whether the two arms tell both shares."""
        return identified(*self.weights)


def models_of(question: AskedQuestion, questions: Iterable[AskedQuestion]) -> tuple[TwoArms, ...]:
    """Return the models of this question and each other one that asks for the same with the same design."""
    technique = question.asked_with
    if not (technique.two_arms and question.quantity) or len(question.items) > 1 or question.first.range:
        return ()
    others = (
        each
        for each in questions
        if each is not question
        and each.quantity == question.quantity
        and each.asked_with is technique
        and each.first.labels == question.first.labels
        and technique.asks_as(question.details, each.details)
    )
    pairs = (sorted((question, other), key=lambda each: each.number) for other in others)
    return tuple(TwoArms(technique.two_arms, first, second) for first, second in pairs)
