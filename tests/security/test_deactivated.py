"""A person who is deactivated in the admin: out at once, and what they owned is named so that somebody takes it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_admin, make_open, make_user
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db


def _saved(user: User, **changes: str) -> str:
    """Save somebody's page in the admin as it is, but for the changes; return what is said then."""
    client = client_of(make_admin())
    address = f"/admin/auth/user/{user.pk}/change/"
    fields = {"username": user.username, "date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"} | changes
    return text_of(client.post(address, fields, follow=True))


def test_whoever_is_deactivated_is_out_and_their_surveys_are_named() -> None:
    owner = make_user("olga")
    survey, client = make_open(owner=owner), Client()
    make_open(owner=owner, rehearsal_of=survey, code="REHEAR")
    client.force_login(owner)
    assert client.get("/surveys/").status_code == 200
    page = _saved(owner)
    assert f"lga still owns a survey: {survey.code}." in page  # the admin begins messages with a capital letter
    assert "REHEAR" not in page
    assert client.get("/surveys/").status_code == 302


def test_nothing_is_said_where_nothing_is_left_behind() -> None:
    owner = make_user("olga")
    make_open(owner=owner)
    assert "still owns" not in _saved(owner, is_active="on")
    assert "still owns" not in _saved(make_user("nora"))
