"""What the dial says of a question: its procedure in one sentence, its protection in a word, its precision in units."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from django import template
from django.conf import settings
from django.utils.translation import gettext as _

from surveys.common.numbers import Units, decimal, without_zero
from surveys.models.definition import AskedQuestion, Item, Range
from surveys.models.kinds import DesignName
from surveys.selectors.expected import expected_of
from surveys.selectors.steps import Step, facts_of, steps_of

register = template.Library()

# e to it is about a million.
_LARGEST_EXPONENT = 14


@register.filter
def procedure(item: Item) -> str:
    """Describe how chance comes into an answer, in one sentence or two with the exact probabilities."""
    exact = {name: value for name, value in item.design.exact_parameters if isinstance(value, Fraction)}
    match item.design.name:
        case DesignName.WARNER:
            words = _("With probability %(p)s the phone answers what is asked, else the opposite of it.")
        case DesignName.FORCED_RESPONSE:
            words = _(
                "With probability %(truth)s the phone sends the truth; "
                "else a second coin answers for it: %(label)s with probability %(yes)s."
            )
        case DesignName.UNRELATED_QUESTION:
            words = _(
                "For %(p)s of people the fact holds: they answer this question. "
                "The others answer the innocuous one, with Yes for %(q)s of people. No device takes part."
            )
        case DesignName.CROSSWISE:
            words = _(
                "People say only whether their answers to this question and to the innocuous one are the same; "
                "to that one it is Yes for %(p)s of people. No device takes part."
            )
        case DesignName.TRIANGULAR:
            words = _(
                "People say only whether their answers to this question and to the innocuous one are both No; "
                "to that one it is Yes for %(p)s of people. No device takes part."
            )
        case _:
            words = _spinner_words(item)
    return words % {**exact, "label": item.labels[1], "shares": _shares(item)}


def _spinner_words(item: Item) -> str:
    if _shares(item):
        return _(
            "With probability %(truth)s the phone sends the truth; "
            "else the answer at which a spinner with the shares %(shares)s stops."
        )
    return _("With probability %(truth)s the phone sends the truth; else the answer at which an even spinner stops.")


def _shares(item: Item) -> str:
    weights = cast("tuple[Fraction, ...] | None", dict(item.design.exact_parameters).get("weights"))
    return ", ".join(map(str, weights or ()))


@register.filter
def rounding(item: Item) -> str:
    """Say what happens to a number first; nothing where none is asked."""
    if not item.range:
        return ""
    return _("First the phone rounds the number by chance to %(low)s or to %(high)s, so that the mean stays.") % {
        "low": item.labels[0],
        "high": item.labels[1],
    }


@register.filter
def protection(epsilon: float) -> str:
    """How much protection an ε is, in words."""
    if epsilon <= 0.5:
        return _("very strong protection")
    if epsilon <= 1.2:
        return _("strong protection")
    if epsilon <= 2.5:
        return _("moderate protection")
    return _("weak protection")


@register.filter
def steps(item: Item) -> tuple[Step, ...]:
    """Return the probabilities that the dial can be turned to."""
    return steps_of(item)


@register.filter
def place_now(turns: Sequence[Step]) -> int:
    """Return which of them it is set to, from 0."""
    return next(place for place, step in enumerate(turns) if step.is_now)


@register.simple_tag
def other_facts(question: AskedQuestion, n: int, share: Fraction) -> list[tuple[Step, float]]:
    """Return facts that are easy to find, each with the half-width that it would give."""
    return [
        (step, expected_of(replace(question, items=(step.item,)), n=n, share=share).half_width)
        for step in facts_of(question.first)
    ]


@register.filter
def above_level(epsilon: float | None) -> bool:
    """Whether a survey's ε is more than this server's level."""
    return epsilon is not None and epsilon > settings.EPSILON_LEVEL


@register.simple_tag
def level() -> str:
    """Return this server's level for a survey's ε, as it is written."""
    return decimal(settings.EPSILON_LEVEL, 0 if settings.EPSILON_LEVEL.is_integer() else 2)


@register.filter
def e_to_the(epsilon: float) -> str:
    """Write e to an ε, upwards: by how many times the odds can change; "" where that says no more than huge."""
    if not epsilon <= _LARGEST_EXPONENT:
        return ""
    factor = math.exp(epsilon)
    digits = 1 if factor < 10 else 0
    # Rounding before going upwards: 3.0000000000000004 is 3.
    written = decimal(math.ceil(round(factor * 10**digits, 9)) / 10**digits, digits)
    return without_zero(written)


@register.filter
def in_range(limits: Range, part: float) -> str:
    """Write a part of the range of a number in its units, with about two digits: 4.3 hours."""
    return Units(limits.low, limits.high, limits.unit).write_part(part)
