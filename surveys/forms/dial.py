"""The privacy–accuracy dial: what a question's design means for respondents and for the result."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation import expected_half_width, expected_mean_half_width, mean_sample_size, sample_size
from surveys.forms.fields import named_message
from surveys.forms.question import QuestionForm
from surveys.models import Question
from surveys.models.definition import AskedQuestion, Item, Range, items_of
from surveys.privacy.designs import Design
from surveys.privacy.designs import total_epsilon as sum_of_epsilons

ASSUMED_SHARE = 0.3
WANTED_HALF_WIDTH = 0.10
TOO_WIDE = 0.25


@dataclass(frozen=True, slots=True)
class Dial:
    """What one design promises respondents and what it costs in precision.

    At an assumed true share of 30%; for the mean of a number, with the mean in the middle of its range.
    """

    question: AskedQuestion
    class_size: int
    half_width: float  # of a share, or of a mean as a part of the range
    enough: int  # responses that would make the half-width 10 points, or a tenth of the range

    @property
    def item(self) -> Item:
        """One item, which stands for all."""
        return self.question.first

    @property
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
        return self.half_width >= TOO_WIDE


@dataclass(frozen=True, slots=True)
class NoDial:
    """Why there are no numbers yet."""

    reason: str


def dial_of(question: Question, *, class_size: int) -> Dial:
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
    half_width, enough = _mean(asked.design, class_size) if asked.first.range else _share(asked.design, class_size)
    return Dial(question=asked, class_size=class_size, half_width=half_width, enough=enough)


def typed_dial(typed: Mapping[str, object], *, class_size: int) -> Dial | NoDial:
    """Return the dial of a row as it stands in the editor; its text matters to nobody here."""
    form = QuestionForm({**typed, "text": "?"})
    if form.is_valid() and form.question is not None:
        return dial_of(form.question, class_size=class_size)
    name, messages = next(iter(form.errors.items()))
    return NoDial(named_message(form, name, str(messages[0])))


def total_epsilon(dials: list[Dial | NoDial]) -> float | None:
    """Return the survey's ε, the sum over its questions; None while one of them has no number."""
    known = [dial.epsilon for dial in dials if isinstance(dial, Dial)]
    return sum_of_epsilons(known) if known and len(known) == len(dials) else None


def _share(design: Design, class_size: int) -> tuple[float, int]:
    """Return the half-width of the least precise share, and the number of responses that would be enough for it."""
    # Of two answers Yes alone matters.
    options = range(1, 2) if design.k == 2 else range(design.k)
    option = max(options, key=lambda code: _half_width(design, code, class_size))
    enough = sample_size(half_width=WANTED_HALF_WIDTH, design=design, prevalence=ASSUMED_SHARE, option=option)
    return _half_width(design, option, class_size), enough


def _half_width(design: Design, option: int, n: int) -> float:
    return expected_half_width(n=n, design=design, prevalence=ASSUMED_SHARE, option=option)


def _mean(design: Design, class_size: int) -> tuple[float, int]:
    half_width = expected_mean_half_width(n=class_size, design=design, low=0, high=1)
    return half_width, mean_sample_size(part=WANTED_HALF_WIDTH, design=design)
