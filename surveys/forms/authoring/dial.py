"""The privacy–accuracy dial: what a question's design means for respondents and for the result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

from surveys.models import Question
from surveys.models.definition import AskedQuestion, Item, items_of
from surveys.models.kinds import Range
from surveys.privacy.designs import total_epsilon as sum_of_epsilons
from surveys.selectors.expected import USUAL_SHARE, Expected, expected_of
from surveys.selectors.steps import steps_of


@dataclass(frozen=True)
class Dial:
    """What one design promises respondents and what it costs in precision.

    At an assumed true share; for the mean of a number, with the mean in the middle of its range. All but ε is computed
    when it is asked for: of a question that is not being edited a page shows little else.
    """

    question: AskedQuestion
    class_size: int
    share: Fraction

    @property
    def item(self) -> Item:
        """One item, which stands for all."""
        return self.question.first

    @cached_property
    def expected(self) -> Expected:
        """What so many answers will be able to tell."""
        return expected_of(self.question, n=self.class_size, share=self.share)

    @property
    def half_width(self) -> float:
        """Of a share, or of a mean as a part of the range."""
        return self.expected.half_width

    @property
    def enough(self) -> int:
        """Responses that would make the half-width 10 points, or a tenth of the range."""
        return self.expected.enough

    @cached_property
    def epsilon(self) -> float:
        """The local ε of this question, in nats: that of all its items together."""
        return self.question.epsilon

    @property
    def proves(self) -> bool:
        """Whether a report can prove an answer: ε is infinite."""
        return self.epsilon == math.inf

    @property
    def factor(self) -> Fraction | float:
        """How much one report can change anybody's odds about the truth: e to the ε of an item, exactly."""
        return max(self.item.design.odds)

    @property
    def range(self) -> Range | None:
        """The limits of a number."""
        return self.item.range

    @property
    def too_few(self) -> bool:
        """Whether so few answers could not support any conclusion."""
        return self.expected.too_few

    @cached_property
    def telling(self) -> "Turn | None":
        """The smallest turn towards precision with which so many answers are not too few; None where none would do."""
        turns = steps_of(self.item)
        now = next((place for place, step in enumerate(turns) if step.is_now), len(turns))
        for step in turns[now + 1 :]:
            items = tuple(replace(item, design=step.item.design) for item in self.question.items)
            turned = replace(self, question=replace(self.question, items=items))
            if not turned.too_few:
                return Turn(step.probability, turned)
        return None


class Turn(NamedTuple):
    """A probability that a dial can be turned to, and the dial as it would be then."""

    probability: Fraction
    dial: Dial


@dataclass(frozen=True, slots=True)
class NoDial:
    """Why there are no numbers yet."""

    reason: str
    proves: ClassVar[bool] = False


def dial_of(question: Question, *, class_size: int, share: Fraction = USUAL_SHARE) -> Dial:
    """Return the dial of a question whose parameters make a design."""
    number = question.position or 1
    asked = AskedQuestion(
        number=number,
        question_id=question.pk or 0,
        kind=question.kind,
        text=question.text,
        leave_out=question.leave_out,
        details=question.details,
        items=items_of(question, question_number=number),
    )
    return Dial(question=asked, class_size=class_size, share=share)


def total_epsilon(dials: Sequence[Dial | NoDial]) -> float | None:
    """Return the survey's ε, the sum over its questions; None while one of them has no number."""
    known = [dial.epsilon for dial in dials if isinstance(dial, Dial)]
    return sum_of_epsilons(known) if known and len(known) == len(dials) else None
