"""A database that is gone, locked or full: a page says to try again, a phone sends again, and all is well by itself."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.answering.views import doors
from surveys.common import services
from surveys.models import Response, Survey
from tests.factories import make_open

BY_SCRIPT = {"Accept": "application/json"}


@contextmanager
def gone(tmp_path: Path) -> Iterator[None]:
    """A file in a directory that is not there; on PostgreSQL a database of that name."""
    with pytest.MonkeyPatch.context() as patch:
        connection.close()
        nowhere = str(tmp_path / "nowhere" / "file") if connection.vendor == "sqlite" else "nowhere"
        patch.setitem(connection.settings_dict, "NAME", nowhere)
        yield
        connection.close()


@contextmanager
def locked(tmp_path: Path) -> Iterator[None]:
    """Somebody else writes for longer than anybody waits."""
    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(services, "LONG", 0)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(tmp_path: Path) -> Iterator[None]:
    """No page can be added, and none is free."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT page_count FROM pragma_page_count()")
        (most,) = cursor.fetchone()
        cursor.execute(f"PRAGMA max_page_count={most}")
        cursor.fetchall()
        yield
        cursor.execute("PRAGMA max_page_count=1000000000")
        cursor.fetchall()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("away", [gone, pytest.param(locked, marks=pytest.mark.sqlite)])
def test_an_answer_that_meets_no_database_is_sent_again_and_stored_once(
    away: Callable[[Path], AbstractContextManager[None]], tmp_path: Path
) -> None:
    survey, client = make_open(), Client(raise_request_exception=False)
    door, fields = f"/s/{survey.code}/", {"mode": "device", "nonce": new_nonce(), "reports": "1"}
    with away(tmp_path):
        response = client.post(door, fields, headers=BY_SCRIPT)
        assert (response.status_code, set(response.json())) == (503, {"error"})
        assert int(response["Retry-After"]) > 0
        assert response["X-Request-Id"]
        assert not client.cookies
    for _ in range(2):
        assert client.post(door, fields, headers=BY_SCRIPT).json() == {"receipt": f"{door}receipt/"}
    assert Response.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rest", ["/s/{code}/", "/surveys/", "/surveys/{code}/"])
def test_a_page_says_to_try_again_in_the_visitors_language(rest: str, tmp_path: Path) -> None:
    survey = make_open()
    client = Client(raise_request_exception=False, headers={"Accept-Language": "de"})
    client.force_login(survey.owner)
    address = rest.format(code=survey.code)
    with gone(tmp_path):
        response = client.get(address)
        assert (response.status_code, response["Content-Language"]) == (503, "de")
        assert int(response["Retry-After"]) > 0
        page = response.content.decode()
        assert '<html lang="de"' in page
        assert response["X-Request-Id"] in page
    assert client.get(address).status_code in {200, 203}


@pytest.mark.django_db
def test_a_form_with_true_answers_leads_to_a_page_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_fields: object) -> None:
        raise services.OperationalError("connection failed")

    survey = make_open(server_mode_allowed=True)
    monkeypatch.setattr("surveys.answering.services.collecting.collect", away)
    client, address = Client(raise_request_exception=False), f"/s/{survey.code}/server/"
    response = client.post(address, {"mode": "server", "nonce": new_nonce(), "answer-1": "1"})
    assert (response.status_code, response["Location"]) == (303, f"{address}?refused=503")
    assert response["X-Request-Id"]
    assert client.get(response["Location"]).status_code == 503


@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
def test_a_full_disk_is_no_mistake_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(code: str, **_given: object) -> Survey:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE filling AS SELECT zeroblob(1000000)")
        raise AssertionError("it had room")

    monkeypatch.setattr(doors, "survey_by_code", fill)
    with full(tmp_path):
        assert Client(raise_request_exception=False).get("/s/NQPE23/").status_code == 503


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["SELECT 1 FROM nowhere", "SELECT nothing FROM surveys_survey", "SELEKT"])
def test_a_wrong_statement_is_a_mistake(statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(code: str, **_given: object) -> Survey:
        with connection.cursor() as cursor:
            cursor.execute(statement)
        raise AssertionError("it is right")

    monkeypatch.setattr(doors, "survey_by_code", ask)
    response = Client(raise_request_exception=False).get("/s/NQPE23/")
    assert response.status_code == 500
    assert "Retry-After" not in response
