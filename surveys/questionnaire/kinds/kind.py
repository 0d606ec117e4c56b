"""What answers there are to a question; whatever is built for questions asks here, and names no kind."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.numbers.words import distinctly, readable, with_unit
from surveys.privacy.designs import Design, DesignFamily
from surveys.questionnaire import designs
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds.checks import check_options


class LeaveOut(models.TextChoices):
    """How a respondent may leave a question out."""

    NO = "no", _("Not allowed")
    VISIBLY = "visibly", _("Visible: skipping is stored")
    PROTECTED = "protected", _("Protected: “prefer not to say” is another randomized answer")


def prefer_not_to_say() -> str:
    """Return what respondents tap where not answering is one more answer."""
    return gettext("Prefer not to say")


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a question for a mean takes: low, low + step, …, high."""

    low: Fraction
    high: Fraction
    step: Fraction
    unit: str

    @property
    def steps(self) -> int:
        """How many steps lead from the lowest number to the highest."""
        return int((self.high - self.low) / self.step)

    def holds(self, value: Fraction) -> bool:
        """Whether this is one of the numbers."""
        return self.low <= value <= self.high and ((value - self.low) / self.step).denominator == 1

    def steps_to(self, value: Fraction) -> int:
        """Return how many steps lead from the lowest number to this one."""
        return int((value - self.low) / self.step)

    def cell_of(self, value: Fraction, cells: int) -> tuple[int, int]:
        """Return in which of so many equal parts of the range a number is, and how often in `steps` it is rounded up.

        It is rounded at random to an end of that part so that its mean stays.
        """
        reached = self.steps_to(value) * cells
        cell = min(reached // self.steps, cells - 1)
        return cell, reached - cell * self.steps

    def labels(self, values: Sequence[Fraction]) -> tuple[str, ...]:
        """Write increasing values with their unit, each with as few decimals as tell them apart."""
        return tuple(with_unit(number, self.unit) for number in distinctly(values))

    @property
    def shown(self) -> dict[str, str]:
        """The limits and the step as people and HTML write them."""
        return {name: readable(getattr(self, name)) for name in ("low", "high", "step")}


@dataclass(frozen=True, slots=True)
class Loss:
    """What a report gives away about its true answer, or the reports on all options of which one is true."""

    odds: Fraction | float  # the largest factor by which it changes them; infinite where it can prove an answer
    epsilon: float  # its logarithm, in nats, rounded up
    in_the_head: bool = False
    reports: int = 1


class Typed(StrEnum):
    """What a survey owner types for a detail."""

    LINE = "line"
    WHOLE = "whole"
    NUMBER = "number"  # stored as [numerator, denominator]
    NUMBERS = "numbers"  # stored as a list of them


class Figures(StrEnum):
    """What the results show of a kind besides shares."""

    NONE = ""
    MEAN = "mean"  # of a number, from the ends that it was rounded to at random
    POINTS = "points"  # answers count as 1, 2, …: their mean, and the shares at the top
    BANDS = "bands"  # the mean, the distribution function and the quantiles of a number


@dataclass(frozen=True, slots=True)
class Detail:
    """One entry of `Question.details`, and the editor's field for it."""

    name: str
    label: Promise | str
    typed: Typed = Typed.LINE
    help_text: Promise | str = ""
    initial: Promise | str = ""
    longest: int = 0  # of a line, in characters
    may_be_empty: bool = False
    least: int = 0  # of a whole number, or how many numbers there are
    most: int = 0

    def read(self, stored: Any) -> Any:  # noqa: ANN401 - what it is follows from `typed`
        """Return what is stored under its name."""
        if self.typed is Typed.NUMBER:
            return Fraction(*stored)
        return tuple(Fraction(*number) for number in stored) if self.typed is Typed.NUMBERS else stored


@dataclass(frozen=True)
class Answers(ABC):
    """The answers to one kind of question, here the plainest: a list, of which each person has one.

    The fields are what its owner wrote. Without any they stand for the kind itself.
    """

    name: ClassVar[str]
    label: ClassVar[Promise | str]
    short_label: ClassVar[Promise | str] = ""  # on the card by which a survey owner chooses it; else the label

    # What the survey owner writes.
    takes_options: ClassVar[bool] = False
    details: ClassVar[tuple[Detail, ...]] = ()
    # How often the true answer is kept unless the survey owner chooses: good for a class of thirty. Of a share that is
    # the most private twentieth with which thirty learn something: ±25 of 100, ε 1.74.
    usual_truth: ClassVar[str] = "7/10"
    editor_part: ClassVar[str] = ""  # a template of its own; without one its fields stand in a row
    # What is answered. Whether each option is an item of its own, and whether exactly one of them has a Yes.
    by_option: ClassVar[bool] = False
    one_true: ClassVar[bool] = False
    yes_or_no: ClassVar[bool] = False  # the first two answers are No and Yes
    one_of_list: ClassVar[bool] = True  # each person has one answer of a list, so that all shares make one whole
    # The answer is how many of the options hold: it is of use only beside a list of another arm.
    counts_options: ClassVar[bool] = False
    hides_leaving_out: ClassVar[bool] = True  # “prefer not to say” may be one more answer
    # What respondents read at it where it is unprotected.
    sent_as_it_is: ClassVar[Promise | str] = _("Sent as it is. This answer is not protected.")
    # The respondent's controls, where a device randomizes.
    controls: ClassVar[str] = "answering/_question_choices.html"
    figures: ClassVar[Figures] = Figures.NONE

    options: tuple[str, ...] = ()
    unit: str = ""
    edges: tuple[Fraction, ...] = ()  # the limits of the bands, where the answers are bands of a number

    def of(self, options: Sequence[str], details: Mapping[str, Any]) -> Self:
        """Return it with what somebody wrote, which has been checked."""
        read = {detail.name: detail.read(details[detail.name]) for detail in self.details}
        return replace(self, options=tuple(options), **read)

    @property
    def detail_names(self) -> frozenset[str]:
        return frozenset(detail.name for detail in self.details)

    @property
    def field_names(self) -> frozenset[str]:
        """The names of the fields that it uses."""
        return self.detail_names | {"options"} if self.takes_options else self.detail_names

    def asked_with(self, design: Chance | None) -> "Answers":
        """Return what it is when it is asked with this design."""
        return self

    def suits(self, design: Chance) -> bool:
        """Whether it can be asked with this design: there may be more than two answers."""
        return design.for_any_k

    def losses(self, design: Design, items: int = 1) -> tuple[Loss, ...]:
        """Return what the reports on so many items give away, which adds up: each by itself."""
        in_the_head = designs.named(design.name).in_the_head
        return (Loss(max(design.odds), design.epsilon, in_the_head),) * items

    def at_epsilon(self, family: DesignFamily, epsilon: object, answers: int, **others: Any) -> Design:
        """Return the design of each item with which an answer costs epsilon, as `DesignFamily.at_epsilon` does."""
        return family.at_epsilon(epsilon, answers, **others)

    def check_options(self, options: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
        """Refuse options that could not be shown, naming the field."""
        if self.takes_options:
            check_options(options)
        elif options != ():
            raise ValidationError(
                {
                    "options": gettext(
                        "This kind of question has no options of its own. Remove the options, or turn off random order."
                    )
                }
            )

    def check_details(self, details: Mapping[str, Any]) -> None:  # noqa: B027 - many kinds have none
        """Refuse details other than lines that are missing or wrong, naming each."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What the true answers of one item are called, by code, in the language in force.

        “Prefer not to say” is not among them.
        """

    @property
    def range(self) -> Range | None:
        """The numbers that are rounded at random to two ends, where that is what is answered."""
        return None

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The number that each answer stands for, where they have an order."""
        return ()

    def what_it_shows(self, report: int, answers: int) -> str:
        """Say what a report that is sent as it is shows of who sent it."""
        return gettext("This answer is not protected.")

    @property
    def exported(self) -> dict[str, Any]:
        """The numbers that answers stand for as files hold them, as pairs of numerator and denominator."""
        return {}
