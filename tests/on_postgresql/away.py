"""A PostgreSQL that ends connections, or stops: requests are answered with 503, and again as ever when it is back.

Run by `make test-postgresql`; requests go as they do in the server, where Django looks at connections before each.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import RequestFactory

from surveys.answering.services.collecting import new_nonce
from surveys.answering.views import doors
from surveys.models import Response, Survey
from surveys.wsgi import Handler
from tests.factories import make_open
from tests.postgresql import account, postgresql, run_as
from tests.programs import POSTGRESQL

BY_SCRIPT = {"Accept": "application/json", "Origin": "http://testserver"}


class Answer:
    """What the server answers to one request."""

    def __init__(self, method: str, path: str, fields: dict[str, str] | None = None) -> None:
        request = getattr(RequestFactory(), method)(path, fields, headers=BY_SCRIPT)
        response: Any = Handler()(request.environ, self._start)
        self.text = b"".join(response).decode()
        response.close()

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        self.status, self.headers = int(status[:3]), dict(headers)


@pytest.fixture
def survey(transactional_db: None) -> Survey:
    return make_open()


def _end_connection() -> None:
    process = connection.connection.info.backend_pid
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", [process])


def test_a_connection_that_ended_between_two_requests_fails_none(survey: Survey) -> None:
    for _ in range(3):
        assert Answer("get", f"/s/{survey.code}/").status == 203
        _end_connection()


def test_one_that_ends_in_a_request_fails_that_one_alone(survey: Survey) -> None:
    find = doors.survey_by_code

    def ended(code: str, **given: float) -> Survey:
        find(code, **given)
        _end_connection()
        return find(code, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doors, "survey_by_code", ended)
        failed = Answer("get", f"/s/{survey.code}/")
    assert (failed.status, "Retry-After" in failed.headers) == (503, True)
    assert Answer("get", f"/s/{survey.code}/").status == 203


@pytest.fixture
def elsewhere(transactional_db: None) -> Iterator[Path]:
    """Connect to a server of this test's own, which nobody else needs; yield its directory."""
    programs = POSTGRESQL.find()
    assert programs
    with postgresql(programs) as url, pytest.MonkeyPatch.context() as patch:
        directory = url.partition("host=")[2]
        connection.close()
        for name, value in (("NAME", "postgres"), ("USER", "superuser"), ("HOST", directory)):
            patch.setitem(connection.settings_dict, name, value)
        call_command("migrate", verbosity=0)
        yield Path(directory)
        connection.close()


def _control(directory: Path, *command: str) -> None:
    control = Path(str(POSTGRESQL.find()), "pg_ctl")
    run_as(account(), control, "-D", directory / "data", "-l", directory / "log", "-w", "-t", "60", *command)


def test_an_answer_to_a_server_that_stopped_is_sent_again_and_stored_once(elsewhere: Path) -> None:
    door, fields = f"/s/{make_open().code}/", {"mode": "device", "nonce": new_nonce(), "reports": "1"}
    assert Answer("get", door).status == 203
    _control(elsewhere, "stop", "-m", "fast")
    for _ in range(2):
        failed = Answer("post", door, fields)
        assert (failed.status, "Retry-After" in failed.headers, set(json.loads(failed.text))) == (503, True, {"error"})
    _control(elsewhere, "restart")
    for _ in range(2):
        assert (answer := Answer("post", door, fields)).status == 200, answer.text
    assert Response.objects.count() == 1
