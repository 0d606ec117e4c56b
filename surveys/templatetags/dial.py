"""What the dial says of a question: its procedure in one sentence, its protection in a word, its precision in units."""

import math
from fractions import Fraction
from typing import cast

from django import template
from django.utils.formats import get_format
from django.utils.translation import gettext as _

from surveys.models.definition import Item, Range
from surveys.models.kinds import DesignName, with_unit
from surveys.templatetags.figures import decimal

register = template.Library()


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
def in_range(limits: Range, part: float) -> str:
    """Write a part of the range of a number in its units, with about two digits: 4.3 hours."""
    value = float(limits.high - limits.low) * part
    digits = max(0, 1 - math.floor(math.log10(value)))
    written = decimal(value, digits)
    separator = str(get_format("DECIMAL_SEPARATOR"))
    return with_unit(written.rstrip("0").rstrip(separator) if digits else written, limits.unit)
