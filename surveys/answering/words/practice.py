"""The practice and its two checks: the survey's own design on something harmless, and what follows from it."""

from dataclasses import dataclass
from math import inf
from typing import Any

from django import template
from django.utils.translation import gettext as _

from surveys.answering.words.designs import proofs, quote_answer, tap_choices
from surveys.answering.words.sent import report_words
from surveys.numbers.words import of_100
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.designs import USUAL, InTheHead
from surveys.questionnaire.kinds import YES_OR_NO, LeaveOut

register = template.Library()


@dataclass(frozen=True, slots=True)
class Check:
    """Something to think about after the practice; the right answer follows from the design's matrix."""

    asks: str
    right: str  # "yes" or "no"
    because: str


@dataclass(frozen=True, slots=True)
class Example:
    """Somebody made up, whose answers are given; what this person taps follows from the design's instruction."""

    given: tuple[str, ...]
    rule: str
    taps: tuple[tuple[int, str], ...]
    right: int
    because: str


@register.filter
def practice(definition: Definition) -> AskedQuestion:
    """Return something harmless to practise, under the survey's own design for two answers.

    A device that randomizes comes first. Where all randomization is in people's heads, it is an example about somebody
    else; where no question has two answers, two fair coins. No practice asks for anything that could be an innocuous
    fact: together with a report it would tell the truth.
    """
    by_device = next((item for item in definition.items if _has_two_answers(item)), None)
    protected = definition.protected_items
    silent = protected[0] if protected and all(item.in_the_head for item in protected) else None
    shown = by_device or silent
    text = _("What does this person tap?") if silent else _("Have you drunk a glass of water today?")
    item = Item(
        number=0,
        question_number=by_device.question_number if by_device else 0,
        answers=YES_OR_NO,
        text=text,
        labels=YES_OR_NO.labels,
        leave_out=LeaveOut.NO,
        design=_practised(shown) if shown else USUAL.usual(2),
        key="practice",
    )
    return AskedQuestion(0, YES_OR_NO, item.chance, text, LeaveOut.NO, (item,))


def _practised(item: Item) -> Design:
    asked_with = item.chance
    return asked_with.practised(item.design) if isinstance(asked_with, InTheHead) else item.design


def _has_two_answers(item: Item) -> bool:
    return not item.tapped and item.design.k == item.design.m == 2


@register.filter
def for_browser(definition: Definition) -> dict[str, Any]:
    """Return what respond.js knows of the survey and may say of its reports, and the practice in the same form."""
    practised = practice(definition)
    item = practised.first
    harmless: dict[str, Any] = {"items": 1, "reports": item.report_labels, **report_words(practised)}
    if not item.in_the_head:
        harmless |= {"denominator": item.design.denominator, "columns": item.design.columns}
    asked = zip(definition.browser["questions"], definition.questions, strict=True)
    alone = len(definition.questions) == 1
    return {
        **definition.browser,
        "practice": harmless,
        "questions": [known | report_words(question, alone=alone) for known, question in asked],
    }


@register.filter
def example(question: AskedQuestion) -> Example:
    """Return somebody whose true answer is Yes and whose innocuous answers are No, and what this person taps."""
    item = question.first
    labels = item.report_labels
    reports = {"first": labels[0], "second": labels[1]}
    asked_with = item.chance
    if not isinstance(asked_with, InTheHead):
        raise TypeError(f"nobody taps a report of {asked_with.name!r}")
    shown = asked_with.example
    given = (_("This person’s true answer to the survey question is Yes."), *map(str, shown.given))
    return Example(given, str(shown.rule) % reports, tuple(tap_choices(item)), shown.taps, str(shown.because) % reports)


@register.filter
def checks(question: AskedQuestion) -> tuple[Check, Check]:
    return _can_they_know(question.first), _can_it_be_chance(question.first)


@register.filter
def has_proofs_elsewhere(definition: Definition) -> bool:
    """Whether a report can prove something in this survey, though none can in the practice."""
    return practice(definition).epsilon < inf == definition.epsilon


def _can_they_know(item: Item) -> Check:
    asks = _("Can the survey owner work out your true answer from your report?")
    proving = proofs(item)
    if not proving and item.in_the_head:
        because = _(
            "they can’t. Every report can come from either answer, so a report proves nothing to people who "
            "don’t know your answers to the harmless questions."
        )
        return Check(asks, "no", because)
    if not proving:
        return Check(asks, "no", _("they can’t. Every report can come from either answer, so a report proves nothing."))
    values = {"report": proving[0].report, "truth": proving[0].truth}
    because = _(
        "sometimes they can. The report %(report)s proves that the true answer is %(truth)s. The other report "
        "proves nothing."
    )
    return Check(asks, "yes", because % values)


def _can_it_be_chance(item: Item) -> Check:
    """Ask about the report that says Yes (or the same, or at least one) from somebody whose answer is No."""
    share = item.design.matrix[1][0]
    values = {"report": quote_answer(item.report_labels[1], item), "share": of_100(share)}
    if item.in_the_head:
        asks = _("Could your report be %(report)s even if your true answer is No?") % values
        yes = _("it could. Of 100 people whose true answer is No, about %(share)s report %(report)s.")
        no = _("it can’t. Nobody reports %(report)s if their true answer is No.")
    else:
        asks = _("Could your phone send %(report)s even if your true answer is No?") % values
        yes = _("it could. Of 100 phones whose owner’s true answer is No, about %(share)s send %(report)s.")
        no = _("it can’t. With these probabilities, no phone sends %(report)s if its owner’s true answer is No.")
    return Check(asks, "yes" if share else "no", (yes if share else no) % values)
