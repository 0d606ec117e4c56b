"""A client fast enough not to be what is measured, and what the server's workers need."""

import io
import itertools
import math
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.server import HOST, environment

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.core.handlers.wsgi import WSGIHandler

CLIENTS = 16
SETTINGS = "tests.load.settings"


def configure() -> Path:
    """Point the settings at an empty directory; call before Django is set up."""
    directory = Path(tempfile.mkdtemp(prefix="deniable-load-"))
    os.environ.update(environment(directory) | {"DJANGO_SETTINGS_MODULE": SETTINGS})
    return directory


def peak_memory(server: int) -> dict[int, float]:
    """Return the peak resident memory of each worker, in MB."""
    peaks = {}
    for pid in (worker for child in _children(str(server)) for worker in _children(child)):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        peaks[int(pid)] = int(status.split("VmHWM:")[1].split()[0]) / 1024
    return peaks


def _children(pid: str) -> list[str]:
    return subprocess.run(
        ["ps", "--ppid", pid, "-o", "pid="], capture_output=True, text=True, check=False
    ).stdout.split()


class Connection:
    """One kept-alive HTTP/1.1 connection that sends prepared bytes."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Return status, head and body."""
        self.socket.sendall(request)
        data = self.rest
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        while len(body) < length:
            body += self._more()
        self.rest = body[length:]
        return int(head.split(b" ", 2)[1]), head, body[:length]

    def _more(self) -> bytes:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data


def signed_in(user: "User") -> str:
    """Return the header of somebody who has signed in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from surveys.models.sessions import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"Cookie: sessionid={session.session_key}"


def seconds_of(port: int, request: bytes, *, views: int, ok: int = 200) -> list[float]:
    """Return how long each of some views takes, one after the other, on a connection each for both workers."""
    taken = []
    for _ in range(views):
        client = Connection(port)
        begin = time.perf_counter()
        status, head, _ = client.send(request)
        taken.append(time.perf_counter() - begin)
        client.socket.close()
        if status != ok:
            raise SystemExit(f"{status} instead of {ok}: {head.decode()}")
    return taken


def get(path: str, *headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: {HOST}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(path: str, body: str, *headers: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {HOST}",
        "Content-Type: application/x-www-form-urlencoded",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


@dataclass(frozen=True)
class Run:
    """What one burst of requests came to."""

    requests: int
    seconds: float
    errors: int
    waits: tuple[float, ...]  # seconds for each answer

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    def wait(self, share: float) -> float:
        """Return in how many seconds this share of the requests was answered."""
        return sorted(self.waits)[math.ceil(share * len(self.waits)) - 1]


def burst(port: int, request: Callable[[], bytes], *, requests: int, ok: frozenset[int]) -> Run:
    """Send `requests` requests from 16 connections at once and count the answers that are not in `ok`."""
    errors = [0] * CLIENTS
    waits: list[list[float]] = [[] for _ in range(CLIENTS)]
    share = requests // CLIENTS
    barrier = threading.Barrier(CLIENTS + 1)

    def client(number: int) -> None:
        connection = Connection(port)
        prepared = [request() for _ in range(share)]
        barrier.wait()
        for payload in prepared:
            sent = time.perf_counter()
            try:
                status, _, _ = connection.send(payload)
            except OSError:
                errors[number] += 1
                connection = Connection(port)
                continue
            errors[number] += status not in ok
            waits[number].append(time.perf_counter() - sent)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    barrier.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin
    return Run(share * CLIENTS, seconds, sum(errors), tuple(itertools.chain(*waits)))


Environ = dict[str, Any]


def asked(path: str, body: str = "", **headers: str) -> Environ:
    """Return a request as WSGI has it."""
    return {
        "REQUEST_METHOD": "POST" if body else "GET",
        "PATH_INFO": path.partition("?")[0],
        "QUERY_STRING": path.partition("?")[2],
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_ACCEPT_ENCODING": "gzip",
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body.encode()),
        "wsgi.errors": io.StringIO(),
    } | headers


def ask(handler: "WSGIHandler", path: str, cookie: str = "", **headers: str) -> tuple[dict[str, str], bytes]:
    """Return what the application, in this process, answers somebody who has signed in: its headers and its bytes."""
    said: list[tuple[str, list[tuple[str, str]]]] = []
    environ = asked(path, HTTP_COOKIE=cookie.removeprefix("Cookie: "), **headers)
    response = handler(environ, lambda status, heads, *_error: said.append((status, heads)))
    body = b"".join(response)
    response.close()
    [(status, heads)] = said
    if not status.startswith("200"):
        raise SystemExit(f"{path} answered {status}")
    return dict(heads), body
