"""The application and two bare views on the same server: a greeting, and one INSERT."""

import secrets

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from surveys.urls import urlpatterns as real

BARE_TABLE = (
    "CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, reports TEXT NOT NULL, nonce BLOB NOT NULL UNIQUE)"
)


def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


@csrf_exempt
def bare_insert(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bare (reports, nonce) VALUES (%s, %s)", ["10110", secrets.token_bytes(16)])
    return HttpResponse("stored")


urlpatterns = [path("load/hello", hello), path("load/insert", bare_insert), *real]
