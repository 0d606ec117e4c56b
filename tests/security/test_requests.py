"""Requests that no browser of ours sends are answered, not fallen over."""

import io
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from surveys.wsgi import application
from tests.factories import make_open

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kept_connection() -> Iterator[None]:
    """Requests begin and end with closing connections; the test's own transaction is in this one."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def _status(path: str, content_type: str, query: str = "", body: bytes = b"", cookie: str = "") -> int:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST" if body else "GET",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_COOKIE": cookie,
        "HTTP_ORIGIN": "http://127.0.0.1",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
    }
    statuses: list[str] = []
    response = application(environ, lambda status, headers, exc_info=None: statuses.append(status))
    b"".join(response)
    response.close()
    return int(statuses[0].split()[0])


@pytest.mark.parametrize(
    "charset", ["hex", "undefined", "idna", "zlib", "rot13", "punycode", "unicode_escape", "utf-16", "nosuch"]
)
@pytest.mark.parametrize("query", ["code=%41", "code=AB%5cud800"])
def test_a_charset_of_the_clients_choice_changes_nothing(charset: str, query: str) -> None:
    assert _status("/join", f"a/b; charset={charset}", query) == _status("/join", "", query) == 404


def test_a_content_type_that_cannot_be_read_is_none() -> None:
    assert _status("/", "a/b; x*=nosuch''%41") == 200


def test_a_posted_form_in_another_charset_is_refused() -> None:
    survey = make_open()
    body = "nonce=x&mode=device&reports=1".encode("utf-16")
    assert _status(f"/s/{survey.code}/", "application/x-www-form-urlencoded; charset=utf-16", body=body) == 400


@pytest.mark.parametrize("path", ["/missing/", "/join/", "/s/NOSUCH/", "/sign-in/", "/admin/missing/", "/language/"])
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=", b"x"),
        ("multipart/form-data; boundary=\xff", b"x"),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data; name=a\r\n"),
        ("application/x-www-form-urlencoded", b"&".join(b"a%d=1" % n for n in range(600))),
        ("application/x-www-form-urlencoded", b"a=" + b"x" * 300_000),
    ],
)
def test_a_body_that_cannot_be_read_is_no_error_of_the_server(path: str, content_type: str, body: bytes) -> None:
    """A browser with a CSRF cookie has its body looked at, wherever it goes."""
    assert _status(path, content_type, body=body, cookie=f"csrftoken={'a' * 32}") in {302, 400, 403, 404, 413}
