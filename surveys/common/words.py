"""Words of many rooms: times on a survey's clocks, what a question costs and how it randomizes, plural forms."""

import datetime as dt
import math
from collections.abc import Callable

from django import template
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.models import Survey
from surveys.numbers.words import Units, level_words, nats, percent, points, times
from surveys.questionnaire import designs
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import Range

# How times are written: on the clocks of the survey's own time zone, which is named.


register = template.Library()


@register.filter
def on_its_clocks(moment: dt.datetime, survey: Survey) -> str:
    """Write when something happens to a survey: “1 March 2027, 14:30 (Europe/Berlin)”."""
    there = moment.astimezone(survey.zone)
    # On a 24-hour clock in every language: noon and midnight leave no doubt.
    written = {
        "date": date_format(there, "DATE_FORMAT"),
        "time": f"{there:%H:%M}",
        "zone": zone_words(survey.time_zone),
    }
    return _("%(date)s, %(time)s (%(zone)s)") % written


@register.filter
def zone_words(name: str) -> str:
    return name.replace("_", " ")


for _writer in (level_words, nats, percent, points, times):
    register.filter(_writer)


@register.filter
def epsilon_words(question: AskedQuestion) -> str:
    """Say what answering a question costs: of several options each one and all together."""
    if not question.protects:
        return _("not protected")
    if question.epsilon == math.inf:
        return _("ε is infinite because a report can prove the answer")
    if len(question.losses) > 1:
        return _("ε = %(each)s for each option, %(all)s in all") % {
            "each": nats(question.first.design.epsilon),
            "all": nats(question.epsilon),
        }
    return _("ε = %(epsilon)s") % {"epsilon": nats(question.epsilon)}


@register.filter
def asked_in(question: AskedQuestion, definition: Definition) -> str:
    return definition.arm_names(question) or ", ".join(arm.name for arm in definition.arms)


@register.filter
def design_words(name: str) -> str:
    """Return a design's stored name as people read it."""
    return str(designs.named(name).label)


@register.filter
def range_part(limits: Range, part: float) -> str:
    """Write a part of the range of a number in its units, with about two digits: 4.3 hours."""
    return Units(limits.low, limits.high, limits.unit).write_part(part)


# For each plural form that browsers know (Intl.PluralRules), a number for which gettext uses it.
_COUNTS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 1_000_000, "other": 100}


def plural_forms(text: Callable[[int], str]) -> dict[str, str]:
    """Return a text in each plural form, by the name of the form."""
    return {form: text(count) for form, count in _COUNTS.items()}
