"""What load balancers ask."""

import pytest
from django.db import OperationalError, connection
from django.test import Client


def test_the_process_answers_without_a_database(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_the_process_is_ready_when_the_database_answers(client: Client) -> None:
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_the_process_is_not_ready_when_the_database_does_not(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", fail)
    assert client.get("/readyz").status_code == 503


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_only_reading_is_allowed(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405
