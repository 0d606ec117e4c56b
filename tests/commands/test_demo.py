"""`make demo`: a class to look at, as often as one likes."""

import io
import re
import socket

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from surveys import selectors
from surveys.management.commands.serve import granian_arguments, require_free
from surveys.models import Response, Survey

pytestmark = pytest.mark.django_db


def _demo() -> str:
    out = io.StringIO()
    call_command("demo", "--no-serve", "--port", "8123", stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_demo_fills_two_surveys_releases_once_and_tells_the_logins() -> None:
    said = _demo()
    exams, study = selectors.survey_by_code("EXAMS"), selectors.survey_by_code("STUDY")
    assert [selectors.response_count(survey) for survey in (exams, study)] == [400, 2000]
    assert exams.releases.get().published
    for username in ("instructor", "admin"):
        password = re.search(rf"{username} / (\S+)", said)
        assert password is not None
        assert authenticate(username=username, password=password[1]) is not None
    for address in ("http://127.0.0.1:8123/s/EXAMS/", "/surveys/", "/admin/", f"/r/{exams.releases.get().pk}/"):
        assert address in said


def test_starting_the_demo_again_changes_nothing_but_the_passwords() -> None:
    first, second = _demo(), _demo()
    assert (Survey.objects.count(), Response.objects.count()) == (2, 2400)
    assert re.findall(r"/ (\S{16})\n", first) != re.findall(r"/ (\S{16})\n", second)


def test_the_server_keeps_no_access_log_and_suits_the_database() -> None:
    sqlite = granian_arguments("127.0.0.1", 8000, "sqlite")
    assert "--no-access-log" in sqlite
    assert sqlite[sqlite.index("--blocking-threads") + 1] == "1"
    postgresql = granian_arguments("127.0.0.1", 8000, "postgresql")
    assert postgresql[postgresql.index("--blocking-threads") + 1] == "4"


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} is in use"):
            require_free("127.0.0.1", port)
