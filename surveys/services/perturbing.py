"""True answers through the real randomizer: server mode, rehearsal and simulation. Nothing here is stored."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from django.utils.translation import gettext

from surveys.models.definition import Definition, Item
from surveys.models.response import CODES, LEFT_OUT
from surveys.privacy.randomness import draw_report
from surveys.services.collecting import InvalidSubmission


@dataclass(frozen=True, slots=True)
class Tapped:
    """What somebody tapped whose own head added the chance: a report already."""

    report: str


# The code of an answer, a number (as a Fraction), a report that needs no device, or nothing: left out.
Truth: TypeAlias = int | Fraction | Tapped | None


def perturb(
    *, definition: Definition, truths: Sequence[Truth], randbelow: Callable[[int], int] = secrets.randbelow
) -> str:
    """Return the reports of truths, one for each item, as `Response.reports` holds them.

    An innocuous fact that respondents have in their heads is drawn with its known share, unless they have tapped the
    report themselves.
    """
    if len(truths) != len(definition.items):
        raise InvalidSubmission(
            "answers",
            gettext("There must be %(wanted)s answers; there are %(given)s.")
            % {"wanted": len(definition.items), "given": len(truths)},
        )
    return "".join(_report(item, truth, randbelow) for item, truth in zip(definition.items, truths, strict=True))


def _report(item: Item, truth: Truth, randbelow: Callable[[int], int]) -> str:
    if truth is None or isinstance(truth, Tapped):
        report = LEFT_OUT if truth is None else truth.report
        if not item.accepts(report) or (truth is not None and not item.in_the_head):
            raise _refused(item, gettext("Question %(number)s has no answer."))
        return report
    if isinstance(truth, Fraction):
        if item.range is None or not item.range.holds(truth):
            raise _refused(item, gettext("Question %(number)s: this is not one of its numbers."))
        rounded = int(randbelow(item.range.steps) < item.range.steps_to(truth))
        return CODES[draw_report(item.design, rounded, randbelow)]
    # Of a number's codes only “prefer not to say” is an answer; the others are the ends that chance rounds to.
    if not (2 if item.range else 0) <= truth < item.design.k:
        raise _refused(item, gettext("Question %(number)s: this is not one of its answers."))
    return CODES[draw_report(item.design, truth, randbelow)]


def _refused(item: Item, message: str) -> InvalidSubmission:
    return InvalidSubmission(f"answer-{item.key}", message % {"number": item.question_number})
