"""The addresses that respondents get."""

from django.http import HttpRequest
from django.urls import reverse

from surveys.models import Survey


def answer_link(request: HttpRequest, survey: Survey, *further: str) -> str:
    """Return the survey's own address, or what stands behind it: a group's, an invitation's."""
    path = reverse("answer", args=[survey.code]) + "".join(f"{part}/" for part in further)
    return request.build_absolute_uri(path)


def invitation_link(request: HttpRequest, survey: Survey, token: str, group: str = "") -> str:
    """Return the address that an invitation opens, in a group or in none."""
    return answer_link(request, survey, *([group] if group else []), "i", token)


def typed(link: str) -> str:
    """Return an address as people type it."""
    return link.partition("://")[2]
