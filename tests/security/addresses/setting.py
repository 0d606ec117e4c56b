"""Who visits, and a survey in every state for them to visit: made when a row first asks for it."""

import re
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from functools import cached_property
from http.cookies import SimpleCookie

from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from surveys.common.selectors import draft_of
from surveys.course.services import close_survey, open_survey, pause_survey, purge_survey, seal_survey, show_result
from surveys.models import Membership, Rehearsal, Release, Role, Survey
from surveys.models.simulated import TrueShares
from surveys.people.services import invite_person, offer_survey
from surveys.releases.ledger.services import set_budget
from surveys.sharing.services import invite, new_batch
from tests.factories import fill, make_budget, make_draft, make_open
from tests.releases.setting import published_release, ready_survey


def _closed(owner: User) -> Survey:
    survey = make_open(owner=owner, title="Shown to its members")
    fill(survey, {"1": 20, "0": 20})
    return close_survey(survey=survey)


def _archived(owner: User) -> Survey:
    survey = _closed(owner)
    survey.archived = True
    survey.save()
    return survey


def _rehearsal(owner: User) -> Survey:
    """Return a copy to rehearse with, as open as it gets; no page but its own may find it."""
    original = make_draft(owner=owner)
    copy = open_survey(survey=make_draft(owner=owner, rehearsal_of=original))
    half = TrueShares(answers=((Fraction(1, 2), Fraction(1, 2)),))
    Rehearsal.objects.create(survey=copy, shares=[half.stored], left=[], respondents=20, sent=20)
    fill(copy, {"1": 10, "0": 10})
    return copy


STATES: dict[str, Callable[[User], Survey]] = {
    "draft": lambda owner: make_draft(owner=owner, title="Shown to its members"),
    "open": lambda owner: make_open(owner=owner, server_mode_allowed=True, title="Shown to its members"),
    "by invitation": lambda owner: make_open(owner=owner, server_mode_allowed=True, by_invitation=True, credit=True),
    "with credit": lambda owner: make_open(owner=owner, credit=True),
    "closed with credit": lambda owner: close_survey(survey=make_open(owner=owner, credit=True)),
    "paused": lambda owner: pause_survey(survey=make_open(owner=owner)),
    "closed": _closed,
    "shown": lambda owner: show_result(survey=_closed(owner)),
    "sealed": lambda owner: seal_survey(survey=_closed(owner)),
    "purged": lambda owner: purge_survey(survey=_closed(owner)),
    "archived": _archived,
    "rehearsal": _rehearsal,
    # The stranger is asked to take part, and the editor to take it over.
    "asked": lambda owner: make_draft(owner=owner, title="Shown to its members"),
}


class Setting:
    """The people, each signed in on a browser of their own, and surveys of one owner."""

    def __init__(self) -> None:
        self._surveys: dict[str, Survey] = {}
        self._role_tokens: dict[int, str] = {}

    @cached_property
    def people(self) -> dict[str, User]:
        """Everybody but the anonymous visitor, by what they are; without passwords, which take long to store."""
        names = ("deactivated", "stranger", "editor", "analyst", "releaser", "owner")
        people = {name: User.objects.create(username=f"the.{name}", email=f"{name}@example.org") for name in names}
        User.objects.filter(username="the.deactivated").update(is_active=False)
        admin = User.objects.create(username="the.admin", is_staff=True, is_superuser=True)
        return people | {"admin": admin}

    @cached_property
    def _cookies(self) -> dict[str, SimpleCookie]:
        signed_in = {"anonymous": Client()} | {name: Client() for name in self.people}
        for name, user in self.people.items():
            signed_in[name].force_login(user)
        return {name: client.cookies for name, client in signed_in.items()}

    def client(self, visitor: str, **options: bool) -> Client:
        """Return a new browser in which this visitor is signed in."""
        client = Client(**options)
        client.cookies = deepcopy(self._cookies[visitor])
        return client

    def survey(self, state: str) -> Survey:
        """Return the owner's survey in a state, with an editor, an analyst and a releaser.

        Whoever is deactivated had every role.
        """
        if state not in self._surveys:
            survey = STATES[state](self.people["owner"])
            Membership.objects.bulk_create(
                Membership(survey=survey, user=self.people[name], role=role, invited_by=survey.owner)
                for role in Role
                for name in (str(role), "deactivated")
            )
            self._surveys[state] = survey
            if state == "asked":
                owner, editor = survey.owner, self.people["editor"]
                invite_person(survey=survey, by=owner, to="the.stranger", roles=["analyst"])
                offer_survey(survey=survey, by=owner, to=editor, stays=True)
        return self._surveys[state]

    def role_token(self, survey: Survey) -> str:
        """Return the token of a mail that asks whoever opens its link to take part."""
        if survey.pk not in self._role_tokens:
            invite_person(survey=survey, by=survey.owner, to="somebody@example.org", roles=["editor", "analyst"])
            (token,) = re.findall(r"/invited/link/([\w-]+)/", mail.outbox[-1].body)
            self._role_tokens[survey.pk] = token
        return self._role_tokens[survey.pk]

    @cached_property
    def release(self) -> Release:
        """A published release, of somebody else's survey."""
        return published_release(ready_survey())

    @cached_property
    def token(self) -> str:
        """A single-use link into the survey by invitation."""
        return invite(survey=self.survey("by invitation"), number=1, batch=new_batch()).tokens[0]

    def shown(self, survey: Survey) -> str:
        """Return the version of a draft that a page shows."""
        return draft_of(survey).version

    def budget(self, survey: Survey) -> None:
        """Give a survey a budget, from which one release is made."""
        make_budget(survey)
        set_budget(survey=survey, total_epsilon=2, reason="More.", user=self.people["admin"])
