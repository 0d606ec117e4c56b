"""The application and two bare views on the same server: a greeting, and one INSERT."""

import secrets

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from surveys.urls import urlpatterns as real

# What makes the number of a row, and keeps bytes, differs.
_TABLE = "CREATE TABLE IF NOT EXISTS bare (id {number}, reports TEXT NOT NULL, nonce {kept} NOT NULL UNIQUE)"
_TYPES = {
    "sqlite": {"number": "INTEGER PRIMARY KEY", "kept": "BLOB"},
    "postgresql": {"number": "BIGSERIAL PRIMARY KEY", "kept": "BYTEA"},
}


def make_bare_table() -> None:
    """Make the table that the bare INSERT writes to."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLE.format(**_TYPES[connection.vendor]))


def _answered(text: str) -> HttpResponse:
    # No middleware of a bare server says how long it is, and a client needs to know.
    return HttpResponse(text, headers={"Content-Length": str(len(text))})


def hello(request: HttpRequest) -> HttpResponse:
    return _answered("hello")


@csrf_exempt
def bare_insert(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bare (reports, nonce) VALUES (%s, %s)", ["10110", secrets.token_bytes(16)])
    return _answered("stored")


urlpatterns = [path("load/hello", hello), path("load/insert", bare_insert), *real]
