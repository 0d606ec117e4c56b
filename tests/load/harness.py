"""A client fast enough not to be what is measured, and what the server's workers need."""

import io
import math
import os
import selectors
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.server import HOST, Server, environment, serving

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.core.handlers.wsgi import WSGIHandler

CLIENTS = 16
SETTINGS = "tests.load.settings"
BARE_SETTINGS = "tests.load.bare"


def configure() -> Path:
    """Point the settings at an empty directory; call before Django is set up."""
    directory = Path(tempfile.mkdtemp(prefix="deniable-load-"))
    os.environ.update(environment(directory) | {"DJANGO_SETTINGS_MODULE": SETTINGS})
    return directory


def peak_memory(server: int) -> dict[int, float]:
    """Return the peak resident memory of each worker, in MB."""
    return memory(worker for child in children(str(server)) for worker in children(child))


def memory(workers: Iterable[str], field: str = "VmHWM", file: str = "status") -> dict[int, float]:
    """Return what /proc says of each of these processes, in MB."""
    said = {int(pid): Path(f"/proc/{pid}/{file}").read_text(encoding="ascii") for pid in workers}
    return {pid: int(text.split(f"\n{field}:")[1].split()[0]) / 1024 for pid, text in said.items()}


def children(pid: str) -> list[str]:
    return subprocess.run(
        ["ps", "--ppid", pid, "-o", "pid="], capture_output=True, text=True, check=False
    ).stdout.split()


@contextmanager
def serving_bare(interface: str, directory: Path) -> Iterator[Server]:
    """Serve the bare views: by "asginl", through our adapter, or by "wsgi", as granian serves any application.

    Both have as many threads as ours.
    """
    # Django has to be set up before.
    from django.db import connection

    from surveys.asgi import THREADS
    from surveys.management.commands.serve import WORKERS, granian_arguments

    arguments = granian_arguments(HOST, 0, workers=WORKERS)
    arguments[arguments.index("asginl")] = interface
    arguments[-1] = {"asginl": "surveys.asgi:application", "wsgi": "surveys.wsgi:application"}[interface]
    port = arguments.index("--port")
    arguments[port : port + 2] = ["--blocking-threads", str(THREADS[connection.vendor])] if interface == "wsgi" else []
    with serving(directory=directory, settings=BARE_SETTINGS, program=tuple(arguments)) as server:
        yield server


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


def burst(port: int, request: Callable[[], bytes], *, requests: int, ok: frozenset[int], clients: int = CLIENTS) -> Run:
    """Send `requests` requests from some connections at once and count the answers that are not in `ok`.

    One thread waits for all of them: a client of many threads would be half of what is measured.
    """
    share = requests // clients
    errors, waits = 0, []
    with selectors.DefaultSelector() as waiting:
        busy = [_Busy(Connection(port), [request() for _ in range(share)]) for _ in range(clients)]
        for client in busy:
            waiting.register(client.connection.socket, selectors.EVENT_READ, client)
        begin = time.perf_counter()
        for client in busy:
            client.send_next()
        while waiting.get_map():
            for key, _ in waiting.select():
                client = key.data
                try:
                    status = client.status()
                except OSError:
                    status = 0
                if status is None:
                    continue
                errors += status not in ok
                waits.append(time.perf_counter() - client.sent)
                if not status:
                    waiting.unregister(client.connection.socket)
                    client.connection = Connection(port)
                    waiting.register(client.connection.socket, selectors.EVENT_READ, client)
                if client.prepared:
                    client.send_next()
                else:
                    waiting.unregister(client.connection.socket)
        seconds = time.perf_counter() - begin
        for client in busy:
            client.connection.socket.close()
    return Run(share * clients, seconds, errors, tuple(waits))


class _Busy:
    """A client that sends its next request when the last one is answered."""

    def __init__(self, connection: Connection, prepared: list[bytes]) -> None:
        self.connection, self.prepared = connection, prepared
        self.answer, self.sent = b"", 0.0

    def send_next(self) -> None:
        self.answer, self.sent = b"", time.perf_counter()
        self.connection.socket.sendall(self.prepared.pop())

    def status(self) -> int | None:
        """Read what has come; return the answer's status when all of it is there."""
        data = self.connection.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        self.answer += data
        head, end, body = self.answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        return int(head.split(b" ", 2)[1]) if end and len(body) >= length else None


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
