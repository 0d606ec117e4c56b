"""What so many answers to a question will be able to tell, before anybody is asked."""

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
from surveys.estimation.planning import ListPlan, independent_items, list_plan
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
        """The option whose share is told least precisely; of two answers Yes alone matters."""
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
        """The half-width if no more than 5% would give the option."""
        return _half_width(self.design, self.option, self.lists * self.n, _RARE)

    @property
    def if_common(self) -> float:
        """The half-width if half of people would."""
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
    if question.traits.counts_options:
        return ExpectedPrecision(_plan_of_list(question), is_mean=False, n=n, share=share)
    return ExpectedPrecision(question.design, question.first.range is not None, n, share)


def _plan_of_list(question: AskedQuestion) -> ListPlan:
    """Return the plan of this list and of one with another statement, each of its own true of half of people.

    Statements of which some exclude each other vary less. A spinner of own weights has none for one answer more: then
    an even one stands for it.
    """
    even = {name: value for name, value in question.design.parameters.items() if name != "weights"}
    longer = question.asked_with.matrices.read(question.design.k + 1, even)
    return list_plan(independent_items([0.5] * len(question.options)), designs=(question.design, longer))


def _half_width(design: Design | ListPlan, option: int, n: int, share: Fraction) -> float:
    return expected_half_width(n=n, design=design, prevalence=float(share), option=option)
