"""True answers through the real randomizer. Nothing here is stored."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from django.utils.translation import gettext

from surveys.answering.services.collecting import InvalidSubmission
from surveys.privacy.randomness import draw_report
from surveys.questionnaire.arms import draw_arm
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import CODES, LEFT_OUT


@dataclass(frozen=True, slots=True)
class Tapped:
    """What a respondent tapped where no device randomizes: already a report."""

    report: str


# The code of an answer, a number (as a Fraction), a report that needs no device, or nothing: skipped.
Truth: TypeAlias = int | Fraction | Tapped | None


def perturb(
    *, definition: Definition, truths: Sequence[Truth], randbelow: Callable[[int], int] = secrets.randbelow
) -> str:
    """Return the reports of true answers, one for each item, as `Response.reports` holds them.

    Of a survey with random arms the arm is drawn too, and of the true answers those are used that it is asked for.

    An innocuous fact that respondents have in their heads is drawn with its known share, unless they have tapped the
    report themselves.
    """
    if len(truths) != len(definition.items):
        raise InvalidSubmission(
            "answers",
            gettext("Answers expected: %(wanted)s, answers sent: %(given)s. Reload the page and answer again.")
            % {"wanted": len(definition.items), "given": len(truths)},
        )
    if definition.arms:
        mine = definition.in_arm(draw_arm(definition.arms, randbelow).number)
        truths_of_arm = [truths[place] for place in mine.places]
        return mine.stored(perturb(definition=mine, truths=truths_of_arm, randbelow=randbelow))
    reports = ""
    for question in definition.questions:
        asked = question.is_asked(reports)
        for item in question.items:
            reports += _report(item, truths[item.number], randbelow) if asked else LEFT_OUT
    return reports


def _report(item: Item, truth: Truth, randbelow: Callable[[int], int]) -> str:
    if truth is None or isinstance(truth, Tapped):
        report = LEFT_OUT if truth is None else truth.report
        if not item.accepts(report) or (truth is not None and not item.tapped):
            raise _refused(item, gettext("Answer question %(number)s."))
        return report
    if isinstance(truth, Fraction):
        if item.range is None or not item.range.holds(truth):
            raise _refused(item, gettext("Question %(number)s: choose one of the numbers shown."))
        cell, up = item.range.cell_of(truth, item.cells)
        rounded = cell + int(randbelow(item.range.steps) < up)
        return CODES[draw_report(item.design, rounded, randbelow)]
    # Of a number's codes only “prefer not to say” is an answer; the others are the ends of random rounding.
    if not (2 if item.range and not item.grid else 0) <= truth < item.design.k:
        raise _refused(item, gettext("Question %(number)s: choose one of the answers shown."))
    return CODES[draw_report(item.design, truth, randbelow)]


def _refused(item: Item, message: str) -> InvalidSubmission:
    return InvalidSubmission(f"answer-{item.key}", message % {"number": item.question_number})
