"""How a design is told: how chance comes in, its matrix entry by entry, how far a report changes the odds."""

import math
from fractions import Fraction
from typing import cast

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from surveys.models.definition import Item
from surveys.models.kinds import DesignName
from surveys.templatetags.figures import percent, times

register = template.Library()


def exact(share: Fraction) -> str:
    """3/4 (75.0%), and 0 or 1 as they are."""
    if share.denominator == 1:
        return str(share.numerator)
    fraction = f"{number_format(share.numerator)}/{number_format(share.denominator)}"
    return _("%(fraction)s (%(percent)s)") % {"fraction": fraction, "percent": percent(float(share), 1)}


@register.filter
def procedure(item: Item) -> str:
    """Describe how chance comes into an answer, in one sentence or two with the exact probabilities."""
    parameters = {name: value for name, value in item.design.exact_parameters if isinstance(value, Fraction)}
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
    return words % {**parameters, "label": item.labels[1], "shares": _shares(item)}


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
def matrix_sentence(item: Item) -> str:
    """Say in a sentence what the matrix does."""
    matrix = item.design.matrix
    if item.design.m == 2:
        return _(
            "If the true answer is “%(yes)s”, the report is “%(report)s” with probability %(when_yes)s; "
            "if it is “%(no)s”, with probability %(when_no)s."
        ) % {
            "yes": item.labels[1],
            "no": item.labels[0],
            "report": item.report_labels[1],
            "when_yes": exact(matrix[1][1]),
            "when_no": exact(matrix[1][0]),
        }
    kept = {matrix[code][code] for code in range(item.design.k)}
    if len(kept) == 1:
        return _("Whatever the true answer is, the report names it with probability %(kept)s.") % {
            "kept": exact(kept.pop())
        }
    return _("The report names the true answer with probability %(least)s to %(most)s, depending on the answer.") % {
        "least": exact(min(kept)),
        "most": exact(max(kept)),
    }


@register.filter
def odds_sentence(item: Item) -> str:
    """Say how far one report can change the odds between two true answers."""
    largest = max(item.design.odds)
    if isinstance(largest, float) and math.isinf(largest):
        return _("A report can prove the answer: the odds between two true answers have no bound.")
    return _("A report changes the odds between any two true answers by a factor of at most %(factor)s.") % {
        "factor": times(Fraction(largest))
    }
