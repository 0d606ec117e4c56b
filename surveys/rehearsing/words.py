"""What a rehearsal says of itself, in sentences."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models import Rehearsal
from surveys.numbers.words import whole_number
from surveys.rehearsing.selectors import TruthComparison

register = template.Library()


@register.filter
def progress_words(rehearsal: Rehearsal) -> str:
    return _("%(sent)s of %(respondents)s simulated people have answered.") % {
        "sent": whole_number(rehearsal.sent),
        "respondents": whole_number(rehearsal.respondents),
    }


@register.filter
def banner_words(rehearsal: Rehearsal) -> str:
    """Say that nobody here is real."""
    return ngettext(
        "%(number)s simulated respondent. Nobody here is real.",
        "%(number)s simulated respondents. Nobody here is real.",
        rehearsal.respondents,
    ) % {"number": whole_number(rehearsal.respondents)}


@register.filter
def holding_words(comparison: TruthComparison) -> str:
    counts = {"holding": comparison.holding, "claimed": comparison.claimed}
    if not comparison.claimed:
        return _("There is no interval to compare with the true value.")
    if comparison.claimed == 1:
        return (
            _("The only interval contains the true value.")
            if comparison.holding
            else _("The only interval misses the true value.")
        )
    if comparison.holding == comparison.claimed:
        return _("All %(claimed)s intervals contain the true value.") % counts
    return (
        ngettext(
            "%(holding)s of %(claimed)s intervals contains the true value.",
            "%(holding)s of %(claimed)s intervals contain the true value.",
            comparison.holding,
        )
        % counts
    )
