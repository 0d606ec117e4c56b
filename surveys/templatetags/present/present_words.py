"""What a presentation says of a survey as a whole, and what its scripts say."""

import math

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.numbers import whole
from surveys.models import State
from surveys.models.definition import Definition
from surveys.selectors.presenting import Arrived
from surveys.selectors.results.overview import QuestionResult

register = template.Library()


@register.simple_tag
def arrived_words(arrived: Arrived) -> str:
    """Say how many answered, as exactly as it may be seen."""
    if arrived.exact:
        return ngettext("%(n)s answer", "%(n)s answers", arrived.n) % {"n": whole(arrived.n)}
    if not arrived.n:
        return _("Fewer than %(batch)s answers so far") % {"batch": whole(arrived.batch)}
    return _("At least %(n)s answers") % {"n": whole(arrived.n)}


@register.simple_tag
def batch_words(arrived: Arrived) -> str:
    """Say why the count stands still."""
    if arrived.exact:
        return ""
    return _("Counted in steps of %(batch)s, so that nobody is seen to answer.") % {"batch": whole(arrived.batch)}


@register.simple_tag
def figures_words(result: QuestionResult, arrived: Arrived) -> str:
    """Say that some answers are not in the figures yet, as coarsely as they are counted: none is seen to come."""
    n = result.n + result.missing
    if arrived.exact or n >= arrived.n:
        return ""
    return _(
        "%(n)s of %(received)s answers are in these figures; the others follow in batches, "
        "and all of them when the survey is closed."
    ) % {"n": whole(n), "received": f"{whole(arrived.n)}+"}


@register.filter
def room(text: str) -> str:
    """Say how much room a code or an address takes: it is to be as large as fits one line."""
    return "short" if len(text) <= 6 else "medium" if len(text) <= 9 else "long" if len(text) <= 30 else "very-long"


@register.simple_tag
def state_words(state: str) -> str:
    """Say why no answers are accepted."""
    if state == State.DRAFT:
        return _("Not open yet")
    if state == State.PAUSED:
        return _("Paused: no answers are accepted now")
    if state == State.PURGED:
        return _("The reports are deleted")
    return _("Closed: no more answers are accepted")


@register.simple_tag
def promise_words(definition: Definition) -> str:
    """Say in two sentences what is promised, in all cases truly."""
    if definition.server_mode_allowed:
        chance = _("No account, no name: chance is added to your answers before anything is stored.")
    elif any(question.in_the_head for question in definition.questions):
        chance = _("No account, no name: chance is added to your answers before anything leaves your phone.")
    else:
        chance = _("No account, no name: your phone adds chance to your answers before anything leaves it.")
    if definition.epsilon == math.inf:
        left = _("Some of what can arrive still shows a true answer: the first page says what.")
    else:
        left = _("From what arrives nobody can be certain of your true answer; the first page says how much it tells.")
    return f"{chance} {left}"


@register.simple_tag
def present_words() -> dict[str, str]:
    """Return the texts of the presentation's scripts in the language of whoever presents."""
    return {
        "blank": _("The screen is blank. Press B to show it again."),
        "place": _("%(number)s of %(all)s"),
        "old": _("The server does not answer: the count may be old."),
    }


@register.simple_tag
def drawn_words() -> dict[str, str]:
    """Return what is said while classes are drawn, in the language in force."""
    return {
        "classes": _("drawn anew"),
        "drawn": _("%(drawn)s of %(classes)s classes drawn"),
    }
