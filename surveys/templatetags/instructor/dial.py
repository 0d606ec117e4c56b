"""What the dial says of a question: where it can be turned to, its protection in a word, what its ε means."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from django import template
from django.conf import settings
from django.utils.translation import gettext as _

from surveys.models.definition import AskedQuestion, Item
from surveys.selectors.expected import expected_of
from surveys.selectors.steps import Step, facts_of, steps_of
from surveys.templatetags.figures import decimal, without_zero

register = template.Library()

# e to it is about a million.
_LARGEST_EXPONENT = 14


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
