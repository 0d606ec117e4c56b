"""The privacy–accuracy dial: what a question's design means for respondents and for the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation import expected_half_width, sample_size
from surveys.forms.question import QuestionForm
from surveys.models import Question
from surveys.models.definition import Item
from surveys.privacy.designs import Design
from surveys.privacy.designs import total_epsilon as sum_of_epsilons

ASSUMED_SHARE = 0.3
WANTED_HALF_WIDTH = 0.10
TOO_WIDE = 0.25


@dataclass(frozen=True, slots=True)
class Dial:
    """What one design promises respondents and what it costs in precision, at an assumed true share of 30%."""

    item: Item
    class_size: int
    half_width: float
    enough: int  # responses that would make the half-width 10 points

    @property
    def epsilon(self) -> float:
        """The local ε of this question, in nats."""
        return self.item.design.epsilon

    @property
    def factor(self) -> Fraction | float:
        """How much one report can change anybody's odds about the truth: e to the ε, exactly."""
        return max(self.item.design.odds)

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
    design = question.randomizer
    option = max(_options(design), key=lambda code: _half_width(design, code, class_size))
    return Dial(
        item=_item(question, design),
        class_size=class_size,
        half_width=_half_width(design, option, class_size),
        enough=sample_size(half_width=WANTED_HALF_WIDTH, design=design, prevalence=ASSUMED_SHARE, option=option),
    )


def typed_dial(typed: Mapping[str, object], *, class_size: int) -> Dial | NoDial:
    """Return the dial of a row as it stands in the editor; its text matters to nobody here."""
    form = QuestionForm({**typed, "text": "?"})
    if form.is_valid() and form.question is not None:
        return dial_of(form.question, class_size=class_size)
    return NoDial(str(next(iter(form.errors.values()))[0]))


def total_epsilon(dials: list[Dial | NoDial]) -> float | None:
    """Return the survey's ε, the sum over its questions; None while one of them has no number."""
    known = [dial.epsilon for dial in dials if isinstance(dial, Dial)]
    return sum_of_epsilons(known) if known and len(known) == len(dials) else None


def _options(design: Design) -> range:
    """Return the answers whose precision matters: of two, Yes alone."""
    return range(1, 2) if design.k == 2 else range(design.k)


def _half_width(design: Design, option: int, n: int) -> float:
    return expected_half_width(n=n, design=design, prevalence=ASSUMED_SHARE, option=option)


def _item(question: Question, design: Design) -> Item:
    return Item(
        number=0,
        question_id=0,
        question_number=question.position or 1,
        kind=question.kind,
        text=question.text,
        labels=question.labels,
        leave_out=question.leave_out,
        design=design,
    )
