"""How a design is told: how chance comes in, its matrix entry by entry, how far a report changes the odds."""

import math
from fractions import Fraction

from django import template
from django.utils.translation import gettext as _

from surveys.common.numbers import percent, times
from surveys.models.definition import Item

register = template.Library()


def exact(share: Fraction) -> str:
    """3/4 (75.0%), and 0 or 1 as they are."""
    if share.denominator == 1:
        return str(share.numerator)
    return _("%(fraction)s (%(percent)s)") % {"fraction": str(share), "percent": percent(float(share), 1)}


@register.filter
def procedure(item: Item) -> str:
    """Describe how chance comes into an answer, in one sentence or two with the exact probabilities."""
    return item.asked_with.procedure(item.design, item.labels)


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
