"""Somebody who edits surveys."""

import pytest
from django.test import Client

from tests.pages import signed_in


@pytest.fixture
def teacher(db: None) -> Client:
    return signed_in()
