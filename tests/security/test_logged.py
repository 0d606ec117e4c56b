"""A request that is refused for what it is, or that fails, writes one line, and nothing of the request."""

import asyncio
import io
import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import pytest
from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import HttpResponse, HttpResponsePermanentRedirect
from django.http.response import DisallowedRedirect
from django.test import Client, override_settings
from django.urls import path

from surveys import asgi
from surveys.common import selectors
from surveys.logs import JsonLines, PlainLines
from surveys.urls import handler500
from surveys.urls import urlpatterns as real

__all__ = ["handler500"]

SECRET = "canary-7f31"


def _suspicious(_request: object) -> None:
    raise SuspiciousFileOperation(f"../{SECRET}")


def _redirect(_request: object) -> HttpResponsePermanentRedirect:
    try:
        return HttpResponsePermanentRedirect(f"javascript:{SECRET}")
    except DisallowedRedirect as error:
        raise error from None


def _failing(*_given: object, **_fields: object) -> None:
    raise ValueError(f"Failing row contains {SECRET}")


def _on_purpose(_request: object) -> HttpResponse:
    return HttpResponse(status=503)


urlpatterns = [
    path(f"{SECRET}/file", _suspicious),
    path(f"{SECRET}/redirect", _redirect),
    path(f"{SECRET}/failing", _failing, name="failing"),
    path(f"{SECRET}/purpose", _on_purpose),
    *real,
]

MANY = "&".join(f"{SECRET}{number}=x" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
LARGE = f"{SECRET}={'x' * settings.DATA_UPLOAD_MAX_MEMORY_SIZE}"
FORM = {"content_type": "application/x-www-form-urlencoded"}


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Everything that our own handlers write; those of pytest are of another class."""
    stream = io.StringIO()
    for name in ("", "django", "django.request", "django.security"):
        for handler in logging.getLogger(name).handlers:
            if type(handler) is logging.StreamHandler:
                monkeypatch.setattr(handler, "stream", stream)
    return stream


@pytest.mark.django_db
@override_settings(ROOT_URLCONF="tests.security.test_logged")
@pytest.mark.parametrize(
    ("what", "method", "address", "sent"),
    [
        ("DisallowedHost", "get", f"/{SECRET}", {"headers": {"host": f"{SECRET}.example"}}),
        ("DisallowedHost", "get", f"/s/{SECRET}/", {"headers": {"host": f"{SECRET}/evil"}}),
        ("SuspiciousFileOperation", "get", f"/{SECRET}/file", {}),
        ("DisallowedRedirect", "get", f"/{SECRET}/redirect", {}),
        ("TooManyFieldsSent", "post", "/sign-in/", {"data": MANY, **FORM}),
        ("RequestDataTooBig", "post", "/sign-in/", {"data": LARGE, **FORM}),
    ],
)
def test_a_refused_request_logs_one_line_and_nothing_of_itself(
    log: io.StringIO, what: str, method: str, address: str, sent: dict[str, Any]
) -> None:
    response = getattr(Client(), method)(address, **sent)
    assert response.status_code == 400
    assert log.getvalue() == f"WARNING django.security.{what}: refused a request: {what}\n"


@override_settings(ROOT_URLCONF="tests.security.test_logged")
def test_without_the_filter_a_traceback_is_found(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    for handler in logging.getLogger("django.security").handlers:
        monkeypatch.setattr(handler, "filters", [])
        monkeypatch.setattr(handler, "formatter", logging.Formatter())
    Client().get("/", headers={"host": f"{SECRET}.example"})
    assert "Traceback" in log.getvalue()
    assert SECRET in log.getvalue()


def _fail() -> HttpResponse:
    client = Client(raise_request_exception=False, headers={"user-agent": SECRET}, REMOTE_ADDR="192.0.2.77")
    client.cookies["language"] = SECRET
    response = client.post(f"/{SECRET}/failing?{SECRET}", {SECRET: SECRET})
    assert response.status_code == 500
    return response


@override_settings(ROOT_URLCONF="tests.security.test_logged")
def test_a_failed_request_logs_one_line_whose_reference_the_page_shows(log: io.StringIO) -> None:
    response = _fail()
    line = (
        r"ERROR django\.request: a request failed status=500 method=POST view=failing reference=([0-9a-f]{6})"
        r" exception=ValueError place=\S+test_logged\.py:\d+\n"
    )
    assert (found := re.fullmatch(line, log.getvalue()))
    assert response["X-Request-Id"] == found[1]
    assert found[1] in response.content.decode()
    assert _fail()["X-Request-Id"] != found[1]


@override_settings(ROOT_URLCONF="tests.security.test_logged")
def test_the_same_fields_are_one_object_for_programs(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    _use(monkeypatch, JsonLines())
    response = _fail()
    Client().get(f"/{SECRET}/file")
    failed, refused = map(json.loads, log.getvalue().splitlines())
    assert failed.pop("place").endswith(f"test_logged.py:{_failing.__code__.co_firstlineno + 1}")
    assert failed == {
        "level": "ERROR",
        "logger": "django.request",
        "message": "a request failed",
        "status": 500,
        "method": "POST",
        "view": "failing",
        "reference": response["X-Request-Id"],
        "exception": "ValueError",
    }
    assert set(refused) == {"level", "logger", "message"}
    assert SECRET not in log.getvalue()


def _use(monkeypatch: pytest.MonkeyPatch, formatter: logging.Formatter) -> None:
    for name in ("django.request", "django.security"):
        for handler in logging.getLogger(name).handlers:
            monkeypatch.setattr(handler, "formatter", formatter)


def test_the_place_is_where_the_error_left_our_own_code(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "_read", _failing)
    assert Client(raise_request_exception=False).get("/s/NQPE23/").status_code == 500
    assert "view=answer " in log.getvalue()
    assert re.search(r" place=surveys/common/selectors\.py:\d+\n$", log.getvalue())
    assert "NQPE23" not in log.getvalue()


@override_settings(ROOT_URLCONF="tests.security.test_logged")
def test_an_answer_that_is_given_on_purpose_is_no_failure(log: io.StringIO) -> None:
    response = Client().get(f"/{SECRET}/purpose")
    assert (response.status_code, log.getvalue()) == (503, "")
    assert "X-Request-Id" not in response


def test_an_answer_that_breaks_off_is_logged_by_us_and_not_by_the_server(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_given: object) -> None:
        _failing()

    async def never(*_given: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr(asgi, "_answer", failing)
    _ask_server({"method": "GET", "headers": []}, never, never)
    line = r"ERROR surveys\.asgi: an answer broke off exception=ValueError place=surveys/asgi\.py:\d+\n"
    assert re.fullmatch(line, log.getvalue())


def _ask_server(request: asgi.Message, receive: asgi.Receive, send: asgi.Send) -> None:
    request |= {"server": ("127.0.0.1", 80), "path": f"/{SECRET}/", "query_string": b""}
    request |= {"scheme": "http", "http_version": "1.1"}
    # A browser's test may have left a loop to this thread.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: asyncio.run(asgi.application(request, receive, send))).result()


def test_a_large_request_too_many_logs_one_line_with_the_reference_of_its_answer(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[asgi.Message] = []

    async def never(*_given: object) -> NoReturn:
        raise AssertionError

    async def send(message: asgi.Message) -> None:
        sent.append(message)

    monkeypatch.setattr(asgi._large_bodies, "bytes", asgi.LARGE_BODIES_AT_ONCE)
    length = str(asgi.LARGEST_BODY).encode()
    _ask_server({"method": "POST", "headers": [(b"content-length", length)]}, never, send)
    reference = dict(sent[0]["headers"])[b"x-request-id"].decode()
    assert (sent[0]["status"], len(reference)) == (503, 6)
    said = "refused a request: too many large ones at once"
    assert log.getvalue() == f"WARNING surveys.asgi: {said} reference={reference}\n"


@pytest.mark.parametrize("formatter", [PlainLines(), JsonLines()])
def test_the_traceback_is_for_debugging(formatter: logging.Formatter) -> None:
    try:
        _failing()
    except ValueError as error:
        raised = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("tests", logging.ERROR, "", 0, "it failed", (), raised)
    assert SECRET not in formatter.format(record)
    with override_settings(DEBUG=True):
        assert f"ValueError: Failing row contains {SECRET}" in formatter.format(record)


@override_settings(ROOT_URLCONF="tests.security.test_logged")
def test_a_formatter_that_prints_the_error_is_found(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    _use(monkeypatch, logging.Formatter())
    _fail()
    assert SECRET in log.getvalue()
