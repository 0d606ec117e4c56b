"""An admin, signed in."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_admin


@pytest.fixture
def admin() -> User:
    return make_admin()


@pytest.fixture
def staff(client: Client, admin: User) -> Client:
    client.force_login(admin)
    return client
