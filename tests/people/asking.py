"""Asking people to take part in a survey, as its owner's page does."""

import re

from django.contrib.auth.models import User
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.models import Membership, Survey
from tests.factories import make_user
from tests.pages import text_of


def masked(page: str, name: str = "ada") -> str:
    """Return a page without what chance has put there."""
    return re.sub(r'value="\w{64}"', "", page).replace(name, "NAME")


def ask(owner: Client, survey: Survey, to: str, *roles: str) -> HttpResponse:
    fields = {"action": "invite", "to": to, "roles": roles or ("editor",)}
    return owner.post(reverse("survey-people", args=[survey.code]), fields)


def act(owner: Client, survey: Survey, action: str, **fields: object) -> HttpResponse:
    return owner.post(reverse("survey-people", args=[survey.code]), {"action": action} | fields)


def page_of(owner: Client, survey: Survey) -> str:
    return text_of(owner.get(reverse("survey-people", args=[survey.code])))


def link_in_mail() -> str:
    (link,) = re.findall(r"/invited/link/[\w-]+/", str(mail.outbox[-1].body))
    return link


def roles_in(survey: Survey, user: User) -> list[str]:
    return sorted(Membership.objects.filter(survey=survey, user=user).values_list("role", flat=True))


def member_of(survey: Survey, *roles: str, username: str = "") -> User:
    user = make_user(username)
    Membership.objects.bulk_create(
        Membership(survey=survey, user=user, role=role, invited_by=survey.owner) for role in roles or ["editor"]
    )
    return user
