"""How times are written: on the clocks of the survey's own time zone, which is named."""

import datetime as dt

from django import template
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from surveys.models import Survey

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
    """Write the name of a time zone as people read it: America/New York."""
    return name.replace("_", " ")
