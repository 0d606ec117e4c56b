"""The application that granian serves: a request is whole before it gets a thread, and slow readers hold none.

Our pages are synchronous, and SQLite has one writer: there are few threads. So only the event loop waits for clients,
which costs it nothing: it reads a request's body, within limits, and passes an answer on as fast as it is read.
Django's WSGI handler does everything else, in a thread. docs/decisions/0026-slow-clients.md says what else was tried.
"""

# ruff: noqa: E402 - a worker is prepared before what takes long to load
import asyncio
import gc
import logging
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from io import BytesIO
from threading import Thread
from typing import Any

from django.db import connection
from django.http.response import HttpResponseBase

from surveys.management.family import begin_worker

begin_worker()

from surveys.wsgi import application as handler

# isort: split
# What sets Django up has to come first.
from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse

from surveys.answering.views.doors import ARRIVED
from surveys.answering.views.history import refusal_address
from surveys.common.readiness import what_pages_lack
from surveys.logs import REFERENCE_HEADER
from surveys.results.pages import QUESTION, TABS


def _load_templates(*rooms: str) -> None:
    folder = settings.BASE_DIR / "templates"
    for template in sorted(path for room in rooms for path in (folder / room).rglob("*.html")):
        get_template(str(template.relative_to(folder)))


# What respondents need a worker loads before it is asked; all else would take it twice the memory (on_demand.py).
_load_templates("answering")
reverse("landing")
# `/readyz` is to speak of what this worker has read, and not of what is there when it is first asked.
what_pages_lack()
# All of it stays: looked through again and again, it would take a fifth of what a respondent's page costs.
gc.collect()
gc.freeze()

log = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# SQLite's reads wait for nothing: a second thread would only take turns with the first. PostgreSQL's do, side by side.
THREADS = {"sqlite": 1, "postgresql": 4}
# Answers wait for the disk, and one commit does for all that wait: `WrittenTogether`.
STORING_THREADS = 8

LARGEST_BODY = 1_300_000  # a file to import has at most 1,000,000 bytes; the form is around it
BODY_SECONDS = 10
PIECE_SECONDS = 30

# Bodies are in memory. No respondent sends a large one, so those alone are counted: they can be refused without harm.
LARGE_BODY = 64_000
LARGE_BODIES_AT_ONCE = 32_000_000


class _RefusedError(Exception):
    """The request is answered here, with this status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class _GoneError(Exception):
    """Nobody is there any more to answer."""


class _BodiesInMemory:
    """Counts the bytes of large bodies that are being read or worked on."""

    def __init__(self) -> None:
        self.bytes = 0

    @contextmanager
    def holding(self, length: int) -> Iterator[None]:
        if length > LARGEST_BODY:
            raise _RefusedError(413, "This is too large.")
        counted = length if length > LARGE_BODY else 0
        if counted and self.bytes + counted > LARGE_BODIES_AT_ONCE:
            raise _RefusedError(503, "Too many large requests at once: try again.")
        self.bytes += counted
        try:
            yield
        finally:
            self.bytes -= counted


class _Answer:
    """What Django answers; all of it is made and read in the threads."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self._response: HttpResponseBase = handler(environ, self._start)  # type: ignore[arg-type]  # Django asks for no write()
        self._pieces = iter(self._response)
        self.piece: bytes | None = None
        self.whole = not self._response.streaming
        if self.whole:
            self.piece = b"".join(self._pieces)
            self.close()
        else:
            self.go_on()

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self.head = {"type": "http.response.start", "status": int(status.split(" ", 1)[0]), "headers": encoded}
        self.has_failed = any(name == REFERENCE_HEADER for name, _value in headers)

    def go_on(self) -> None:
        """Make the next piece; None after the last one."""
        self.piece = next(self._pieces, None)

    def close(self) -> None:
        self._response.close()


_threads = ThreadPoolExecutor(THREADS[connection.vendor], thread_name_prefix="request")
_storing_threads = ThreadPoolExecutor(STORING_THREADS, thread_name_prefix="storing")
# What the lab computes takes many times as long as an answer: no answer stands in line behind it. Where its budget is
# spent a visitor waits on the event loop, which costs nothing, and the page is tried again each second.
_lab_thread = ThreadPoolExecutor(1, thread_name_prefix="lab")
_OF_THE_LAB = ("/learn/", "/lesson/")
# Nor does one behind a mail server, which may take its time with each of a hundred emails.
_mail_thread = ThreadPoolExecutor(1, thread_name_prefix="mails")
_OF_MAILS = "/invitations/emails/"
# Nor behind the provider of sign-ins or a course platform, which may be away. While one person waits, another can come
# back.
_provider_threads = ThreadPoolExecutor(2, thread_name_prefix="provider")
_OF_THE_PROVIDER = ("/provider/", "/lti/")
_SECONDS_IN_LINE = 5
_large_bodies = _BodiesInMemory()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Answer one request."""
    try:
        environ = _environ(scope)
        length = int(environ["CONTENT_LENGTH"] or 0)
        with _large_bodies.holding(length):
            environ["wsgi.input"] = BytesIO(await _body(receive, length) if length else b"")
            environ[ARRIVED] = time.monotonic()
            await _answer(environ, send)
    except _RefusedError as refused:
        text = f"{refused.reason}\n".encode()
        # The way of `truths_leave_the_history`, which this comes before.
        address = refusal_address(scope["path"], refused.status)
        reference = ""
        if refused.status == 503:
            reference = secrets.token_hex(3)
            log.warning("refused a request: too many large ones at once", extra={"reference": reference})
        headers = [
            *([(b"location", address.encode())] if address else []),
            *([(REFERENCE_HEADER.lower().encode(), reference.encode())] if reference else []),
            (b"content-type", b"text/plain"),
            (b"content-length", str(len(text)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 303 if address else refused.status, "headers": headers})
        await send({"type": "http.response.body", "body": text})
    except _GoneError:
        pass
    except Exception:
        # The server would log its traceback, with the error's own words.
        log.exception("an answer broke off")


def _environ(scope: Message) -> dict[str, Any]:
    """Return the request for WSGI; without the client's address, which no page needs."""
    server, port = scope["server"]
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # As WSGI has it: bytes, each as one character.
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "CONTENT_TYPE": "",
        "CONTENT_LENGTH": "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1")
        if name == "transfer-encoding":
            raise _RefusedError(411, "The request's length is missing.")
        if "_" in name:
            continue  # X_Forwarded_Proto would pass for the X-Forwarded-Proto of the proxy
        key = name.replace("-", "_").upper()
        key = key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
        text = value.decode("latin-1")
        if key.startswith("HTTP_") and key in environ:
            text = f"{environ[key]}{'; ' if name == 'cookie' else ','}{text}"
        environ[key] = text
    return environ


async def _body(receive: Receive, length: int) -> bytes:
    """Return the whole body, or refuse to wait longer."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            more = True
            # The server says which piece was the last one when it is asked once more: the length says so before.
            while more and len(body) < length:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
    except TimeoutError:
        raise _RefusedError(408, "The request took too long to arrive.") from None
    if len(body) != length:
        raise _GoneError
    return bytes(body)


def _threads_for(method: str, path: str) -> ThreadPoolExecutor:
    if method == "POST" and path.startswith("/s/"):
        return _storing_threads
    if path.endswith(_OF_MAILS):
        return _mail_thread
    if path.startswith(_OF_THE_PROVIDER):
        return _provider_threads
    return _lab_thread if path.startswith(_OF_THE_LAB) else _threads


@cache
def _load_results() -> Thread:
    """Load what results need beside what is answered: it takes a second, which nobody should wait for."""

    def load() -> None:
        for tab in [*TABS, QUESTION]:
            _ = tab.build
        _load_templates("results", "charts", "common")
        import_module("scipy.optimize")

    loading = Thread(target=load, daemon=True)
    loading.start()
    return loading


async def _answer(environ: dict[str, Any], send: Send) -> None:
    """Let a thread answer; an answer in pieces gets one for each piece, when the one before is on its way."""
    loop = asyncio.get_running_loop()
    if settings.SESSION_COOKIE_NAME in environ.get("HTTP_COOKIE", ""):
        _load_results()  # whoever has signed in is going to ask for them
    threads = _threads_for(environ["REQUEST_METHOD"], environ["PATH_INFO"])
    answer = await loop.run_in_executor(threads, _Answer, environ)
    for _second in range(_SECONDS_IN_LINE if threads is _lab_thread else 0):
        if answer.head["status"] != 503 or answer.has_failed:
            break
        await asyncio.sleep(1)
        answer = await loop.run_in_executor(threads, _Answer, environ)
    if answer.whole:
        await send(answer.head)
        await send({"type": "http.response.body", "body": answer.piece})
        return
    try:
        await send(answer.head)
        while answer.piece is not None:
            async with asyncio.timeout(PIECE_SECONDS):
                await send({"type": "http.response.body", "body": answer.piece, "more_body": True})
            await loop.run_in_executor(threads, answer.go_on)
        await send({"type": "http.response.body", "body": b""})
    except TimeoutError:
        raise _GoneError from None
    finally:
        await loop.run_in_executor(threads, answer.close)
