"""A survey in every state that it can be in, made through the services, and the people who work on it."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.test import Client

from surveys.course.services import archive_survey, close_survey, pause_survey, purge_survey, seal_survey
from surveys.models import Role, Survey
from tests.factories import fill, make_draft, make_open, make_user
from tests.pages import client_of


def member_of(survey: Survey, *roles: Role, user: User | None = None) -> Client:
    """Let somebody have these roles in a survey, and return their client."""
    user = user or make_user()
    for role in roles:
        survey.memberships.create(user=user, role=role, invited_by=survey.owner)
    return client_of(user)


def answered() -> Survey:
    survey = make_open()
    fill(survey, {"0": 8, "1": 4})
    return survey


STATES: dict[str, Callable[[], Survey]] = {
    "draft": make_draft,
    "open": answered,
    "paused": lambda: pause_survey(survey=answered()),
    "closed": lambda: close_survey(survey=answered()),
    "sealed": lambda: seal_survey(survey=STATES["closed"]()),
    "purged": lambda: purge_survey(survey=STATES["closed"]()),
    "archived draft": lambda: archive_survey(survey=make_draft()),
    "archived": lambda: archive_survey(survey=STATES["closed"]()),
}
