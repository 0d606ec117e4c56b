"""Visitors of a real server over sockets: some answer a survey, some send half of a request, some do not read."""

import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlencode

from tests.server import HOST, ROOT, environment

CODE = "CRAMMED"
PATH = f"/s/{CODE}/"
# The page, its files and what a sent answer gets; the page is never kept, hence its 203.
SERVED = frozenset({200, 201, 203})
_PREPARE = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
"""
_SET_UP = f"""
from tests.factories import make_open, yes_no
make_open(yes_no(), code="{CODE}")
"""


def make_survey(
    directory: Path,
    variables: Mapping[str, str] | None = None,
    set_up: str = _SET_UP,
    *,
    migrated: Path | None = None,
) -> str:
    """Migrate, collect the static files and open a survey, all in one process; return what the set-up printed.

    With a copy of a database that was migrated before there is nothing left to migrate.
    """
    if migrated is not None:
        directory.mkdir(mode=0o700)
        shutil.copy(migrated, directory / "deniable.sqlite3")
    settings = environment(directory) | {"DJANGO_SETTINGS_MODULE": "surveys.settings"} | dict(variables or {})
    done = subprocess.run(
        [sys.executable, "-c", _PREPARE + set_up], cwd=ROOT, env=settings, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


Connect = Callable[[], HTTPConnection]


def plainly(port: int, timeout: float = 30) -> Connect:
    return lambda: HTTPConnection(HOST, port, timeout=timeout)


def unchecked() -> ssl.SSLContext:
    """Return what takes any certificate: the test's is made for it, and who is at the other end is no question."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def over_tls(port: int, name: str) -> Connect:
    """Connect to a site by its name, wherever it listens."""
    context = unchecked()

    def connect() -> HTTPConnection:
        connection = HTTPConnection(HOST, port)
        connection.sock = context.wrap_socket(socket.create_connection((HOST, port), timeout=30), server_hostname=name)
        return connection

    return connect


def ask(connection: HTTPConnection, method: str, path: str, body: str | None = None, **headers: str) -> HTTPResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body=body, headers=named)
    return connection.getresponse()


def answer_survey(connect: Connect, host: str, scheme: str = "http", *, tries: int = 1) -> list[int]:
    """Open the page, fetch all that belongs to it on connections beside it, send; return every status, 0 for none.

    What is not acknowledged is sent again as the page sends it, with the same nonce, until it was tried so often.
    """
    statuses: list[int] = []
    try:
        with closing(connect()) as connection:
            page = ask(connection, "GET", PATH, Host=host)
            text = page.read().decode()
            statuses.append(page.status)
            if page.status not in SERVED:
                return statuses
            assets = re.findall(r'(?:href|src)="(/static/[^"]+)"', text)
            with ThreadPoolExecutor(5) as beside:
                statuses += beside.map(lambda path: _fetch(connect, host, path), assets)
            return statuses + send_answer(connect, host, scheme, first=lambda: connection, tries=tries)
    except (OSError, HTTPException):
        return [*statuses, 0]


def send_answer(
    connect: Connect, host: str, scheme: str = "http", *, first: Connect | None = None, tries: int = 1, pause: float = 0
) -> list[int]:
    """Send an answer alone, again until it is acknowledged or was tried so often; return every status, 0 for none."""
    fields = {"nonce": secrets.token_urlsafe(16), "mode": "device", "reports": "1"}
    statuses = [_send(first or connect, host, scheme, fields)]
    while statuses[-1] not in SERVED and (tries := tries - 1):
        time.sleep(pause)
        statuses.append(_send(connect, host, scheme, fields))
    return statuses


def _send(connect: Connect, host: str, scheme: str, fields: Mapping[str, str]) -> int:
    headers = {"Host": host, "Origin": f"{scheme}://{host}", "Accept": "application/json"}
    try:
        with closing(connect()) as connection:
            sent = ask(
                connection, "POST", PATH, urlencode(fields), **headers, Content_Type="application/x-www-form-urlencoded"
            )
            sent.read()
            return sent.status
    except (OSError, HTTPException):
        return 0


def _fetch(connect: Connect, host: str, path: str) -> int:
    try:
        with closing(connect()) as connection:
            answered = ask(connection, "GET", path, Host=host)
            answered.read()
            return answered.status
    except (OSError, HTTPException):
        return 0


def seconds_of(visit: Callable[[], list[int]]) -> tuple[float, list[int]]:
    begin = time.perf_counter()
    statuses = visit()
    return time.perf_counter() - begin, statuses


# With these headers Django reads the body before it refuses the form.
HALF_A_BODY = (
    f"POST {PATH} HTTP/1.1\r\nHost: {{host}}\r\nOrigin: http://{{host}}\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 200\r\n\r\nnonce="
)
HALF_A_HEAD = f"POST {PATH} HTTP/1.1\r\nHost: {{host}}\r\nContent-"


@contextmanager
def half_sent(
    port: int, number: int, request: str, host: str, wrap: ssl.SSLContext | None = None
) -> Iterator[list[socket.socket]]:
    """Begin requests that are never ended."""
    with ExitStack() as open_ones:
        begun = []
        for _ in range(number):
            client = open_ones.enter_context(socket.create_connection((HOST, port), timeout=30))
            if wrap is not None:
                client = open_ones.enter_context(wrap.wrap_socket(client, server_hostname=host))
            client.sendall(request.format(host=host).encode())
            begun.append(client)
        yield begun
