"""The random arms of a survey: respondents are dealt to them, and each is asked its arm's questions."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from surveys.questionnaire.question import Question
from surveys.questionnaire.texts import same_text

MOST_ARMS = 8
LONGEST_NAME = 80
LARGEST_WEIGHT = 1_000


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm; of all respondents its weight's share of the sum of weights comes into it."""

    number: int  # as people count, from 1
    name: str
    weight: int


def arms_of(stored: Sequence[Any]) -> tuple[Arm, ...]:
    """Return the arms that `Survey.arms` holds; none where everybody is asked the same."""
    return tuple(Arm(number, arm["name"], arm["weight"]) for number, arm in enumerate(stored, start=1))


def check_arms(stored: object) -> None:
    """Refuse what are no arms."""
    if not isinstance(stored, list) or not all(_is_arm(arm) for arm in stored):
        raise ValidationError(
            gettext(
                "Arms must be a list of objects, each with a name of 1 to %(longest)s characters and a "
                "whole-number weight."
            )
            % {"longest": LONGEST_NAME}
        )
    if stored and not 2 <= len(stored) <= MOST_ARMS:
        raise ValidationError(gettext("Use 2 to %(most)s arms, or none.") % {"most": MOST_ARMS})
    if not all(1 <= arm["weight"] <= LARGEST_WEIGHT for arm in stored):
        raise ValidationError(
            gettext("An arm’s weight must be a whole number from 1 to %(most)s.") % {"most": LARGEST_WEIGHT}
        )
    if len({same_text(arm["name"]) for arm in stored}) < len(stored):
        raise ValidationError(gettext("Two arms have the same name. Rename one."))


def _is_arm(arm: object) -> bool:
    return (
        isinstance(arm, dict)
        and arm.keys() == {"name", "weight"}
        and isinstance(arm["name"], str)
        and 1 <= len(arm["name"].strip()) <= LONGEST_NAME
        and arm["name"].isprintable()
        and type(arm["weight"]) is int
    )


def answers_in(arms: Sequence[Arm], numbers: Collection[int], n: int) -> int:
    """Return how many of `n` respondents to expect in these arms; all of them where there are none."""
    if not arms:
        return n
    asked = sum(arm.weight for arm in arms if arm.number in numbers)
    return max(1, round(Fraction(asked * n, sum(arm.weight for arm in arms))))


class ArmsUsed:
    """Which arms the questions of a survey are asked in, one question after the other."""

    def __init__(self, arms: Sequence[Arm]) -> None:
        self._numbers = [arm.number for arm in arms]
        self._used: set[int] = set()
        self._of_quantity: dict[tuple[int, bool], set[int]] = {}

    def add(self, question: Question) -> dict[str, str]:
        """Take the next question, and return what is wrong with its arms, by field.

        A question that asks directly may stand beside a list that asks for the same: they are not compared as two
        designs for different people.
        """
        arms = question.arms
        if not isinstance(arms, tuple) or any(type(number) is not int for number in arms):
            return {"arms": gettext("A question’s arms must be a list of arm numbers.")}
        if arms != tuple(sorted(set(arms))) or not set(arms) <= set(self._numbers):
            return {"arms": gettext("Choose arms in this survey, each once and in order, or none to use all of them.")}
        asked_in = set(arms or self._numbers)
        self._used |= asked_in
        if not question.quantity:
            return {}
        others = self._of_quantity.setdefault((question.quantity, question.answers.counts_options), set())
        if others & asked_in or not (arms or question.asks_directly):
            return {"quantity": gettext("Questions about the same quantity must be asked in different arms.")}
        others |= asked_in
        return {}

    def without_question(self) -> str:
        """Say which arm is asked none of the questions, or return ""."""
        without = [number for number in self._numbers if number not in self._used]
        words = gettext("Arm %(number)s has no question. Add one, or remove the arm.")
        return words % {"number": without[0]} if without else ""


def draw_arm(arms: Sequence[Arm], randbelow: Callable[[int], int]) -> Arm:
    """Return an arm, each with exactly its weight's probability."""
    ends = list(accumulate(arm.weight for arm in arms))
    drawn = randbelow(ends[-1])
    return next(arm for arm, end in zip(arms, ends, strict=True) if drawn < end)
