"""The processes below `serve`: whichever is killed, the others go on or end with it, and answers are counted."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from surveys.management import family
from surveys.management.commands.serve import granian_arguments
from surveys.management.family import LONGEST_PAUSE, Child
from tests.security.visiting import CODE, SERVED, answer_survey, make_survey, plainly
from tests.server import HOST, ROOT, Parts, Server, environment, parts, processes, run, serving

# Of SQLite's file one sees from outside what is counted.
pytestmark = [pytest.mark.uncounted, pytest.mark.sqlite]

# However busy the machine is: what is waited for comes sooner.
DEADLINE = 120


def _wait(what: Callable[[], object], *, why: str) -> None:
    until = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < until, why
        time.sleep(0.1)


def _is_whole(found: Parts) -> bool:
    return {part: len(pids) for part, pids in found.items()} == {"granian": 2, "worker": 2, "housekeeping": 1}


def _has_ended(victim: int, by: signal.Signals, gone: set[int]) -> bool:
    """Send the signal, again where it came before there was anybody to hear it, and say whether all of these ended."""
    with suppress(ProcessLookupError):
        os.kill(victim, by)
    return not gone & processes().keys()


def _answer(server: Server, path: str) -> tuple[int, str]:
    with closing(HTTPConnection(HOST, server.port, timeout=DEADLINE)) as asking:
        asking.request("GET", path)
        answered = asking.getresponse()
        return answered.status, answered.read().decode()


def _is_answered(server: Server) -> bool:
    try:
        return _answer(server, "/readyz")[0] == 200
    except (OSError, HTTPException):
        return False


def _stored(directory: Path, question: str) -> object:
    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database:
        return database.execute(question).fetchone()[0]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, migrated: Path | None) -> Path:
    if sys.platform != "linux":
        pytest.skip("only Linux ends children with their parent")
    directory = tmp_path_factory.mktemp("made") / "data"
    make_survey(directory, migrated=migrated)
    return directory


@pytest.fixture
def directory(tmp_path: Path, made: Path) -> Path:
    return shutil.copytree(made, tmp_path / "data")


@pytest.fixture
def manager() -> Iterator[socket.socket]:
    """Listen as systemd does, at a path that is short enough for a socket."""
    with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"{name}/notify")
        listening.settimeout(DEADLINE)
        yield listening


@pytest.mark.parametrize(
    "by", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)], ids=["killed", "ended"]
)
def test_whatever_ends_is_started_again_and_nothing_is_left_of_a_server_that_ends(
    directory: Path, by: signal.Signals
) -> None:
    ended: set[int] = set()
    with serving("serve", directory=directory) as server:
        for part in ("granian", "worker", "housekeeping"):
            _wait(lambda: _is_whole(parts(server.pid)) and _is_answered(server), why=f"not whole before {part} ended")
            before = parts(server.pid)
            victim = min(before[part])
            # With a worker its granian ends, and with a granian its worker; the others go on.
            pairs = [(pid, parent) for pid, (parent, _) in processes().items() if parent in before["granian"]]
            gone = {victim, *(pid for pair in pairs if victim in pair for pid in pair)}
            assert len(gone) == (1 if part == "housekeeping" else 2)
            _wait(partial(_has_ended, victim, by, gone), why=f"{part} leaves something behind")
            others = {pid for pids in before.values() for pid in pids} - gone
            assert others <= processes().keys()
            ended |= gone
        _wait(lambda: _is_whole(parts(server.pid)) and _is_answered(server), why="not whole at the end")
        for _ in range(2 * 10):
            assert set(answer_survey(plainly(server.port), f"{HOST}:{server.port}")) <= SERVED
        counted = "SELECT COALESCE(SUM(count), 0) FROM surveys_foldedpart"
        _wait(lambda: _stored(directory, counted), why="nobody counts")
        family_of_it = {server.pid, *(pid for pids in parts(server.pid).values() for pid in pids)}
        assert not family_of_it & ended
        os.kill(server.pid, by)
        try:
            _wait(lambda: not family_of_it & processes().keys(), why="something goes on without serve")
        finally:
            for pid in family_of_it & processes().keys():
                os.kill(pid, signal.SIGKILL)
        assert not _is_answered(server)


def test_a_promised_day_is_kept_by_serve_alone(directory: Path) -> None:
    with closing(sqlite3.connect(directory / "deniable.sqlite3")) as database, database:
        database.execute("UPDATE surveys_survey SET purge_on = '2020-01-01'")
    with serving("serve", directory=directory):
        _wait(
            lambda: _stored(directory, f"SELECT state FROM surveys_survey WHERE code = '{CODE}'") == "purged",  # noqa: S608 - ours
            why="it is not purged",
        )


def test_systemd_is_told_when_the_site_answers_and_when_it_ends(directory: Path, manager: socket.socket) -> None:
    deployed = {"DENIABLE_LOCAL_DEMO": "0", "DENIABLE_ALLOWED_HOSTS": ".example.org", "DENIABLE_BEHIND_PROXY": "1"}
    variables = {**deployed, "NOTIFY_SOCKET": manager.getsockname()}
    with serving("serve", "--no-housekeeping", directory=directory, variables=variables) as server:
        assert manager.recv(64) == b"READY=1"
        with closing(HTTPConnection(HOST, server.port, timeout=DEADLINE)) as asking:
            asking.request("GET", "/healthz", headers={"Host": "example.org", "X-Forwarded-Proto": "https"})
            assert asking.getresponse().status == 200
        # It was asked as the proxy asks, so that nothing is logged of it.
        assert server.log.read_text() == ""
    assert manager.recv(64) == b"STOPPING=1"


def test_a_name_for_a_socket_that_is_no_file_is_understood() -> None:
    name = f"deniable-tests-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{name}")
        family.tell(f"@{name}", "READY=1")
        assert manager.recv(64) == b"READY=1"
    family.tell(f"@{name}", "STOPPING=1")


def _answer_once(listening: socket.socket, status: int) -> bytes:
    asking, _address = listening.accept()
    with asking:
        asked = asking.recv(1000)
        asking.sendall(f"HTTP/1.1 {status} Whatever\r\nContent-Length: 0\r\n\r\n".encode())
    return asked


@pytest.mark.parametrize(("status", "ready"), [(200, True), (301, True), (400, True), (503, False)])
def test_a_server_is_ready_when_the_program_answers(status: int, ready: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "_ANSWERS_WITHIN", DEADLINE)
    with socket.create_server((HOST, 0)) as listening, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_answer_once, listening, status)
        assert family.is_answered(HOST, listening.getsockname()[1], "example.org") is ready
        assert b"Host: example.org\r\n" in asked.result()


def test_a_server_that_only_listens_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "_ANSWERS_WITHIN", 0.1)
    with socket.create_server((HOST, 0)) as listening:
        port = listening.getsockname()[1]
        assert not family.is_answered(HOST, port, "example.org")
    assert not family.is_answered(HOST, port, "example.org")


def test_a_server_that_cannot_start_is_not_tried_again(directory: Path, manager: socket.socket) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env=environment(directory) | {"NOTIFY_SOCKET": manager.getsockname()},
            timeout=DEADLINE,
            capture_output=True,
            check=False,
        )
    assert done.returncode > 0
    assert manager.recv(64) == b"STOPPING=1"
    assert not [command for _, command in processes().values() if f":{port}" in command]


_FAILS = "import sys; print(file=open(sys.argv[1], 'a')); sys.exit(3)"
_SERVES_UNTIL_TWO_FAILED = """
import os, pathlib, signal, sys, time
failed = pathlib.Path(sys.argv[1])
while not (failed.exists() and failed.stat().st_size >= 2):
    time.sleep(.05)
os.kill(os.getppid(), signal.SIGTERM)
"""


# Asked to end while the one that fails is being started again, that one ends by the signal.
@pytest.mark.parametrize(
    ("other", "ends"), [(_FAILS, {3}), (_SERVES_UNTIL_TWO_FAILED, {3, 128 + signal.SIGTERM})], ids=["both", "one"]
)
def test_servers_that_all_fail_at_first_end_it_and_one_is_started_again(
    other: str, ends: set[int], tmp_path: Path
) -> None:
    failed = str(tmp_path / "failed")
    programs = [[["-c", program, failed] for program in (_FAILS, other)], []]
    command = [
        sys.executable,
        "-m",
        "surveys.management.family",
        "30",
        json.dumps([HOST, 0, HOST]),
        json.dumps(programs),
    ]
    assert subprocess.run(command, cwd=ROOT, timeout=DEADLINE, capture_output=True, check=False).returncode in ends
    assert (tmp_path / "failed").stat().st_size >= 2


def test_serve_refuses_settings_of_granian(directory: Path) -> None:
    """With this one it would answer below a path, where no link leads."""
    variables = environment(directory) | {"GRANIAN_URL_PATH_PREFIX": "/deniable"}
    done = run(sys.executable, "manage.py", "serve", **variables)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "GRANIAN_URL_PATH_PREFIX" in done.stderr


def test_a_server_with_an_empty_static_folder_is_not_ready_and_serve_does_not_start_it(
    directory: Path, tmp_path: Path
) -> None:
    """Where the folder is not its own: elsewhere `serve` collects."""
    empty = {"DENIABLE_STATIC_ROOT": str(tmp_path / "empty")}
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=environment(directory) | empty,
        timeout=DEADLINE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "manage.py collectstatic" in line
    # Another program may start it.
    granian = granian_arguments(HOST, 0)
    port = granian.index("--port")
    del granian[port : port + 2]
    with serving(directory=directory, variables=empty, program=tuple(granian)) as server:
        answers = {path: _answer(server, path) for path in ("/", "/healthz", "/readyz")}
    assert {path: status for path, (status, _) in answers.items()} == {"/": 500, "/healthz": 200, "/readyz": 503}
    assert "manage.py collectstatic" in answers["/readyz"][1]


def test_serve_collects_what_its_own_static_folder_lacks(directory: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    shutil.copytree(ROOT / "surveys", here / "surveys", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "manage.py", here)
    for name in ("locale", "static", "templates"):
        (here / name).symlink_to(ROOT / name)
    (here / "staticfiles").mkdir()
    variables = {"PYTHONPATH": str(here), "DENIABLE_STATIC_ROOT": str(here / "staticfiles")}
    with serving("serve", directory=directory, variables=variables, program=(str(here / "manage.py"),)) as server:
        status, page = _answer(server, "/")
        assert status == 200
        style = page.partition('href="/static/css/')[2].partition('"')[0]
        assert _answer(server, f"/static/css/{style}")[0] == 200
        assert _answer(server, "/readyz")[0] == 200


@pytest.mark.django_db(transaction=True)
def test_a_further_node_needs_no_housekeeping(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs = []
    monkeypatch.setattr(settings, "METRICS_DIR", tmp_path / "metrics")
    monkeypatch.setattr(os, "execv", lambda _python, command: programs.append(json.loads(command[-1])))
    call_command("serve")
    call_command("serve", "--no-housekeeping")
    ((servers, others), without) = programs
    assert [program[-1] for program in servers] == ["surveys.asgi:application"] * 2
    assert [program[-1] for program in others] == ["housekeeping"]
    assert without == [servers, []]


@pytest.mark.parametrize(
    ("lives", "starts"),
    [(0, [0, 1, 3, 7, 15, 31, 63, 123, 183]), (LONGEST_PAUSE, [0, 61, 122, 183])],
)
def test_pauses_grow_until_something_runs_for_a_while(
    lives: float, starts: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(family.time, "monotonic", lambda: now)
    child, seen, running = Child("/bin/true"), [], False
    for second in range(200):
        now = float(second)
        child.start_when_due()
        if child.starts > len(seen):
            seen.append(now)
            running = True
        # It may have ended long before anybody looks.
        if running and now >= seen[-1] + lives:
            while not child.has_ended():
                time.sleep(0.01)
            running = False
    while running and not child.has_ended():
        time.sleep(0.01)
    assert seen == starts
