"""The filters that write numbers, and what a question costs and how it adds chance, in words."""

import math

from django import template
from django.utils.translation import gettext as _

from surveys.common.numbers import Units, level_words, nats, percent, points, times
from surveys.models import designs
from surveys.models.definition import AskedQuestion
from surveys.models.kinds import Range

register = template.Library()
for _writer in (level_words, nats, percent, points, times):
    register.filter(_writer)


@register.filter
def epsilon_words(question: AskedQuestion) -> str:
    """Say what answering a question costs: of several options each one and all together."""
    if question.epsilon == math.inf:
        return _("ε is infinite: a report can prove the answer")
    if len(question.items) > 1:
        return _("ε = %(each)s for each option, %(all)s in all") % {
            "each": nats(question.first.design.epsilon),
            "all": nats(question.epsilon),
        }
    return _("ε = %(epsilon)s") % {"epsilon": nats(question.epsilon)}


@register.filter
def design_words(name: str) -> str:
    """Return a design's stored name as people read it."""
    return str(designs.named(name).label)


@register.filter
def in_range(limits: Range, part: float) -> str:
    """Write a part of the range of a number in its units, with about two digits: 4.3 hours."""
    return Units(limits.low, limits.high, limits.unit).write_part(part)
