"""A survey's course as a line of steps, and what somebody is in a survey, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from surveys.models import Role, State, Survey
from surveys.selectors.linting import Finding, Level

register = template.Library()


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the line: "done", "now" or "ahead"."""

    label: str
    standing: str


@register.filter
def course_line(survey: Survey) -> list[Stop]:
    """Return the stops on a survey's way; purging is shown only where it has happened, for it need not."""
    last = State.PURGED if survey.state == State.PURGED else State.SEALED
    halt = State.PAUSED if survey.state == State.PAUSED else State.OPEN
    stops = [State.DRAFT, halt, State.CLOSED, last]
    here = stops.index(State(survey.state))
    return [
        Stop(str(stop.label), "done" if place < here else "now" if place == here else "ahead")
        for place, stop in enumerate(stops)
    ]


@register.filter
def heavier(findings: Sequence[Finding]) -> list[Finding]:
    """Return what the linter found that is more than a hint."""
    return [finding for finding in findings if finding.level < Level.HINT]


@register.filter
def lighter(findings: Sequence[Finding]) -> list[Finding]:
    """Return the hints among what the linter found."""
    return [finding for finding in findings if finding.level >= Level.HINT]


@register.filter
def role_words(roles: Sequence[Role]) -> str:
    """Say what somebody is in a survey; without a role it is their own."""
    names = {
        Role.EDITOR: pgettext("role in a survey", "editor"),
        Role.ANALYST: pgettext("role in a survey", "analyst"),
        Role.RELEASER: pgettext("role in a survey", "releaser"),
    }
    return (
        str(get_text_list([names[role] for role in roles], _("and")))
        if roles
        else pgettext("role in a survey", "owner")
    )
