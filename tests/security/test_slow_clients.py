"""Without a proxy: who sends half of a request, or does not read what comes, keeps nobody else from being served.

`make test` asks this of a server on SQLite, which has one thread for requests and one writer; `make test-all` also of
one on PostgreSQL.

`TESTS_KILLS=20 pytest tests/security/test_slow_clients.py -k kill` kills a server under way more often.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest

from surveys.asgi import BODY_SECONDS, LARGEST_BODY
from surveys.management.commands.serve import DRAIN_SECONDS
from tests.load.harness import Connection, post
from tests.postgresql import postgresql
from tests.programs import POSTGRESQL
from tests.security.visiting import (
    HALF_A_BODY,
    HALF_A_HEAD,
    PATH,
    SERVED,
    answer_survey,
    ask,
    half_sent,
    make_survey,
    plainly,
    seconds_of,
)
from tests.server import HOST, ROOT, Server, end, environment, serving

# Other processes do the work.
pytestmark = pytest.mark.uncounted

HALF_SENT = 200
VISITORS = 20
KILLS = (1, pytest.param(3, marks=pytest.mark.slow))
if wanted := os.environ.get("TESTS_KILLS"):
    KILLS = (int(wanted),)
EXPORTED = """
import numpy as np
from surveys.course.services import close_survey
from surveys.models import FoldedPart, PatternCount
from tests.factories import make_open, make_user, one_of, yes_no
from tests.load.harness import signed_in
make_open(yes_no(), code="CRAMMED")
owner = make_user()
survey = make_open(*(one_of(list("abcde"), f"Q{n}?") for n in range(20)), owner=owner, code="GREAT")
PatternCount.objects.create(survey=survey, mode="device", reports="01234" * 4, count=1_000_000)
FoldedPart.objects.create(survey=survey, mode="device", count=1_000_000, patterns=1)
close_survey(survey=survey)
print(signed_in(owner))
"""
Running = tuple[Server, Path, str, Mapping[str, str]]


@dataclass(frozen=True)
class Prepared:
    """A database on SQLite with its surveys and the static files, from which every server gets a copy."""

    directory: Path
    cookie: str

    def copy(self, to: Path) -> Path:
        return Path(shutil.copytree(self.directory, to / "data"))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, migrated: Path | None) -> Prepared:
    directory = tmp_path_factory.mktemp("prepared") / "data"
    return Prepared(directory, make_survey(directory, set_up=EXPORTED, migrated=migrated).strip())


@pytest.fixture(scope="module")
def on_sqlite(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    directory = prepared.copy(tmp_path_factory.mktemp("slow"))
    with serving("serve", directory=directory) as server:
        yield server, directory, prepared.cookie, {}


@pytest.fixture(scope="module")
def on_postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    programs = POSTGRESQL.find()
    if programs is None:
        pytest.skip(POSTGRESQL.how_to_install)
    directory = tmp_path_factory.mktemp("slow") / "data"
    with postgresql(programs) as url:
        variables = {"DATABASE_URL": url}
        cookie = make_survey(directory, variables, EXPORTED).strip()
        with serving("serve", directory=directory, variables=variables) as server:
            yield server, directory, cookie, variables


@pytest.fixture(scope="module", params=["on_sqlite", pytest.param("on_postgresql", marks=pytest.mark.slow)])
def running(request: pytest.FixtureRequest) -> Running:
    """Return a server that has answered once: its port is open before its workers have begun."""
    server: Running = request.getfixturevalue(request.param)
    with closing(plainly(server[0].port, timeout=60)()) as connection:
        assert ask(connection, "GET", "/healthz", Host=HOST).status == 200
    return server


def _visits(port: int, timeout: float = 30, visitors: int = VISITORS) -> list[tuple[float, list[int]]]:
    """Return how long some visitors took, a few at a time, and what they were answered."""
    host = f"{HOST}:{port}"
    with ThreadPoolExecutor(4) as pool:
        return list(
            pool.map(lambda _: seconds_of(lambda: answer_survey(plainly(port, timeout), host)), range(visitors))
        )


def _served(visits: list[tuple[float, list[int]]]) -> int:
    return sum(SERVED.issuperset(statuses) and len(statuses) > 5 for _, statuses in visits)


@pytest.mark.slow
def test_half_sent_requests_stop_nobody_and_are_ended(running: Running) -> None:
    port = running[0].port
    begin = time.perf_counter()
    with (
        half_sent(port, HALF_SENT, HALF_A_BODY, HOST) as bodies,
        half_sent(port, HALF_SENT, HALF_A_HEAD, HOST) as heads,
    ):
        visits = _visits(port)
        assert time.perf_counter() - begin < BODY_SECONDS, "the half-sent ones were there all the time"
        assert _served(visits) == VISITORS
        # Each visit is the page, all that belongs to it, and an answer.
        assert sorted(seconds for seconds, _ in visits)[VISITORS // 2] < 1
        assert {client.recv(1000)[:12] for client in bodies} == {b"HTTP/1.1 408"}
        assert {client.recv(1000)[:12] for client in heads} <= {b"", b"HTTP/1.1 408"}
        assert time.perf_counter() - begin < 2 * BODY_SECONDS


@pytest.mark.slow
def test_a_body_that_is_too_large_or_of_no_stated_length_is_not_waited_for(running: Running) -> None:
    port = running[0].port
    for header, status in ((f"Content-Length: {LARGEST_BODY + 1}", 413), ("Transfer-Encoding: chunked", 411)):
        with socket.create_connection((HOST, port), timeout=BODY_SECONDS / 2) as client:
            client.sendall(f"POST {PATH} HTTP/1.1\r\nHost: {HOST}\r\n{header}\r\n\r\n".encode())
            assert client.recv(1000).startswith(f"HTTP/1.1 {status}".encode())


@pytest.mark.slow
def test_a_form_with_true_answers_that_is_not_waited_for_is_answered_by_a_redirect_too(running: Running) -> None:
    head = f"POST {PATH}server/ HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {LARGEST_BODY + 1}\r\n\r\n"
    with socket.create_connection((HOST, running[0].port), timeout=BODY_SECONDS / 2) as client:
        client.sendall(head.encode())
        answer = client.recv(1000)
    assert answer.startswith(b"HTTP/1.1 303")
    assert f"location: {PATH}server/?refused=413\r\n".encode() in answer


def test_a_header_written_otherwise_does_not_pass_for_the_proxys(running: Running) -> None:
    """WSGI calls both HTTP_X_FORWARDED_PROTO."""
    with socket.create_connection((HOST, running[0].port), timeout=5) as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}\r\nAccept_Language: de\r\nConnection: close\r\n\r\n".encode())
        assert b'lang="en"' in _until_closed(client)


def _until_closed(client: socket.socket) -> bytes:
    return b"".join(iter(lambda: client.recv(1 << 16), b""))


def _workers(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def _memory(pid: int) -> int:
    """Return the resident memory of the server's workers, in bytes."""
    return sum(
        int(Path(f"/proc/{child}/statm").read_text(encoding="ascii").split()[1]) * 4096 for child in _workers(pid)
    )


def test_exports_that_nobody_reads_stop_nobody_and_stay_out_of_memory(running: Running) -> None:
    server, _, cookie, _ = running
    request = f"GET /surveys/GREAT/export/responses.csv HTTP/1.1\r\nHost: {HOST}\r\n{cookie}\r\n\r\n"
    with half_sent(server.port, 10, request, HOST) as readers:
        heads = [reader.recv(4000) for reader in readers]
        assert all(head.startswith(b"HTTP/1.1 200") for head in heads), heads[0][:200]
        length = int(heads[0].lower().partition(b"content-length: ")[2].split(b"\r")[0])
        assert length > 40_000_000
        visits = _visits(server.port)
        assert _served(visits) == VISITORS
        assert sorted(seconds for seconds, _ in visits)[VISITORS // 2] < 1
        # Ten whole ones would be more than 400 MB beside the workers themselves, which have about 90 each.
        assert _memory(server.pid) < 500_000_000
        # Whoever reads has all of it.
        received = len(heads[0].partition(b"\r\n\r\n")[2])
        while received < length and (piece := readers[0].recv(1 << 20)):
            received += len(piece)
        assert received == length


_COUNT = """
import django; django.setup()
from surveys.models import Survey
from surveys.common.totals import response_count
print(response_count(Survey.objects.get(code="CRAMMED")))
"""


def _stored(directory: Path, variables: Mapping[str, str]) -> int:
    settings = environment(directory) | {"DJANGO_SETTINGS_MODULE": "surveys.settings"} | dict(variables)
    done = subprocess.run(
        [sys.executable, "-c", _COUNT], cwd=ROOT, env=settings, check=True, stdout=subprocess.PIPE, text=True
    )
    return int(done.stdout)


# What a server says on a machine so busy that a writer waits longer than SQLite lets it: sent again, as phones do.
BUSY = 503
LONGEST_SECONDS = 120


@dataclass
class _Phone:
    """Sends answers on one connection until it ends; what was not acknowledged it sends first the next time."""

    acknowledged: list[str] = field(default_factory=list)
    unanswered: str = ""
    resent: int = 0
    gives_up: Event = field(default_factory=Event)

    def send_until_refused(self, port: int) -> None:
        client = Connection(port)
        with client.socket:
            fields = "mode=device&reports=1&nonce="
            headers = (f"Origin: http://{HOST}", "Accept: application/json")
            with suppress(OSError):
                while not self.gives_up.is_set():
                    if self.acknowledged and not self.unanswered and secrets.randbelow(4) == 0:
                        # As if it had not seen that this one was acknowledged.
                        status, _, body = client.send(post(PATH, fields + self.acknowledged[-1], *headers))
                        assert status in {*SERVED, BUSY}, body
                        self.resent += status in SERVED
                    self.unanswered = self.unanswered or secrets.token_urlsafe(16)
                    status, _, body = client.send(post(PATH, fields + self.unanswered, *headers))
                    if status == BUSY:
                        continue
                    assert status in SERVED, body
                    self.acknowledged.append(self.unanswered)
                    self.unanswered = ""


@contextmanager
def _sending(server: Server, phones: list[_Phone], answers: int) -> Iterator[None]:
    """Let phones send; go on when so many answers are acknowledged, and wait at the end until none can send more."""
    before = sum(len(phone.acknowledged) for phone in phones)
    for phone in phones:
        phone.gives_up.clear()
    with ThreadPoolExecutor(len(phones)) as senders:
        sending = [senders.submit(phone.send_until_refused, server.port) for phone in phones]
        try:
            begin = time.monotonic()
            while sum(len(phone.acknowledged) for phone in phones) < before + answers:
                assert time.monotonic() - begin < LONGEST_SECONDS, "the server acknowledges too few answers"
                assert not any(sender.done() for sender in sending), [sender.exception() for sender in sending]
                time.sleep(0.01)
            yield
            for sender in sending:
                sender.result()
            log = server.log.read_text(encoding="utf-8", errors="replace")
            assert log.count("a request failed status=503 ") == log.count("a request failed ")
            assert "Traceback" not in log
        finally:
            # Or what goes wrong would never be told: the others would send for ever.
            for phone in phones:
                phone.gives_up.set()


def test_what_was_acknowledged_before_sigterm_is_stored_and_half_sent_requests_do_not_hold_it_up(
    running: Running,
) -> None:
    server, directory, _, variables = running
    before, phones = _stored(directory, variables), [_Phone() for _ in range(8)]
    with half_sent(server.port, 20, HALF_A_BODY, HOST), _sending(server, phones, answers=20):
        began = time.monotonic()
        assert end(server.pid, within=DRAIN_SECONDS + 10) == 0
        seconds = time.monotonic() - began
    # Or granian had to end a worker that did not.
    log = server.log.read_text()
    assert "Killing" not in log, f"{seconds:.1f} s after SIGTERM:\n{log}"
    stored = _stored(directory, variables) - before - sum(len(phone.acknowledged) for phone in phones)
    assert 0 <= stored <= sum(phone.unanswered != "" for phone in phones)


@pytest.mark.parametrize("kills", KILLS)
def test_what_was_acknowledged_before_a_kill_is_stored_once(prepared: Prepared, tmp_path: Path, kills: int) -> None:
    directory, phones = prepared.copy(tmp_path), [_Phone() for _ in range(4)]
    for _ in range(kills):
        with (
            serving("serve", directory=directory) as server,
            _sending(server, phones, answers=60 + secrets.randbelow(60)),
        ):
            for pid in (server.pid, *_workers(server.pid)):
                os.kill(pid, signal.SIGKILL)
    with serving("serve", directory=directory) as server, _sending(server, phones, answers=20):
        os.kill(server.pid, signal.SIGTERM)
    acknowledged = [nonce for phone in phones for nonce in phone.acknowledged]
    assert len(set(acknowledged)) == len(acknowledged)
    assert sum(phone.resent for phone in phones) > 0
    # A last answer may be stored although its phone never heard of it: every other one is stored once.
    stored = _stored(directory, {}) - len(acknowledged)
    assert 0 <= stored <= sum(phone.unanswered != "" for phone in phones)


@pytest.mark.slow
def test_a_server_that_gives_a_thread_to_half_a_request_is_caught(prepared: Prepared, tmp_path: Path) -> None:
    directory = prepared.copy(tmp_path)
    threads = ("--interface", "wsgi", "--blocking-threads", "1", "--workers", "2", "--log-level", "critical")
    with (
        serving(*threads, "surveys.wsgi:application", directory=directory, program=("-m", "granian")) as server,
        half_sent(server.port, 20, HALF_A_BODY, HOST),
    ):
        assert _served(_visits(server.port, timeout=1, visitors=8)) < 8
