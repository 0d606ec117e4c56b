"""A request that is refused for what it is writes one line, and nothing of the request."""

import io
import logging
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import HttpResponsePermanentRedirect
from django.http.response import DisallowedRedirect
from django.test import Client, override_settings
from django.urls import path

from surveys.urls import urlpatterns as real

SECRET = "canary-7f31"


def _suspicious(_request: object) -> None:
    raise SuspiciousFileOperation(f"../{SECRET}")


def _redirect(_request: object) -> HttpResponsePermanentRedirect:
    try:
        return HttpResponsePermanentRedirect(f"javascript:{SECRET}")
    except DisallowedRedirect as error:
        raise error from None


urlpatterns = [path(f"{SECRET}/file", _suspicious), path(f"{SECRET}/redirect", _redirect), *real]

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
    Client().get("/", headers={"host": f"{SECRET}.example"})
    assert "Traceback" in log.getvalue()
    assert SECRET in log.getvalue()
