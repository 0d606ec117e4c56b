"""While people answer: a backup is restored, workers are killed, the server is ended. Nothing acknowledged is lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from tests.postgresql import postgresql
from tests.programs import POSTGRESQL
from tests.security.proxying import DEPLOYED, FILE, NAME, proxying
from tests.security.visiting import (
    CODE,
    PATH,
    SERVED,
    Connect,
    answer_survey,
    ask,
    make_survey,
    over_tls,
    plainly,
    send_answer,
)
from tests.server import HOST, ROOT, Server, end, environment, listening, parts, processes, serving
from tests.upkeep.pooling import pooled

# Other processes do the work.
pytestmark = [pytest.mark.uncounted, pytest.mark.slow]

_SET_UP = f"""
from tests.releases.setting import published_release, ready_survey
print(published_release(ready_survey(code="{CODE}")).pk)
"""
_STANDING = f"""
import django; django.setup()
from surveys.models import Budget, Survey
from surveys.common.totals import response_count
from tests.upkeep.backups import triggers
survey = Survey.objects.get(code="{CODE}")
spent = Budget.objects.values_list("spent_micro_epsilon", flat=True).first()
print(response_count(survey), spent, hash(tuple(sorted(triggers()))))
"""
_THREADS, _BEFORE = 4, 100
# More than are answered at once.
_MANY = 12
# Connections of one pupil at once: the page's, and those for the files beside it.
_CONNECTIONS = 6
_DEADLINE = 120


@dataclass
class Class:
    """Pupils who answer one after the other until they are told to stop, and how many were told that it is stored."""

    visit: Callable[[], list[int]]
    pupils: int = _THREADS
    stored: int = 0
    others: list[list[int]] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def _answer(self) -> None:
        while not self._stop.is_set():
            statuses = self.visit()
            with self._lock:
                self.stored += statuses[-1] == 200
                if not set(statuses) <= SERVED:
                    self.others.append(statuses)

    @contextmanager
    def answering(self) -> Iterator["Class"]:
        threads = [threading.Thread(target=self._answer) for _ in range(self.pupils)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(timeout=60)


@dataclass(frozen=True)
class Place:
    """Where a server keeps its data: a directory, and on PostgreSQL a database."""

    directory: Path
    variables: dict[str, str]

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment(self.directory)
            | {"DJANGO_SETTINGS_MODULE": "surveys.settings", "PYTHONHASHSEED": "0"}
            | self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def standing(self) -> tuple[int, list[str]]:
        """Return how many answered, and what else must be the same after a restore."""
        answers, *others = self.run("-c", _STANDING).split()
        return int(answers), others

    def back_up(self) -> Path:
        self.run("manage.py", "backup", "--without-keys")
        return max((self.directory / "backups").glob("*.backup"))


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Place, Place]]:
    """Return where people answer, and an empty place."""
    if request.param == "sqlite":
        yield Place(tmp_path / "one", {}), Place(tmp_path / "two", {})
        return
    programs = POSTGRESQL.find()
    if programs is None:
        pytest.skip(POSTGRESQL.how_to_install)
    with postgresql(programs) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE second")
        second = url.replace("/postgres?", "/second?")
        yield Place(tmp_path / "one", {"DATABASE_URL": url}), Place(tmp_path / "two", {"DATABASE_URL": second})


def _page(port: int, path: str) -> tuple[int, bytes]:
    with closing(plainly(port)()) as connection:
        answered = ask(connection, "GET", path, Host=f"{HOST}:{port}")
        body = answered.read()
    for name in (f"{HOST}:{port}", quote(f"{HOST}:{port}", safe="")):
        body = body.replace(name.encode(), b"HOST")
    return answered.status, body


def test_a_backup_of_a_moment_under_load_is_restored_whole_elsewhere_and_over_the_running_server(
    places: tuple[Place, Place],
) -> None:
    here, there = places
    release = make_survey(here.directory, here.variables, _SET_UP).split()[-1]
    page = f"/r/{release}/"
    with serving("serve", directory=here.directory, variables=here.variables) as server:
        shown = _page(server.port, page)
        assert shown[0] == 200
        with Class(lambda: answer_survey(plainly(server.port), f"{HOST}:{server.port}")).answering() as answering:
            while answering.stored < 20:
                assert not answering.others
                time.sleep(0.05)
            before = answering.stored
            path = here.back_up()
            after = answering.stored
        assert answering.others == []
        in_all, others = here.standing()
        assert in_all == _BEFORE + answering.stored

        # Elsewhere: all that was acknowledged before it began is in it, and nothing that came after its end.
        make_survey(there.directory, there.variables, "")
        there.run("manage.py", "restore", str(path), "--without-keys")
        answers, same = there.standing()
        assert _BEFORE + before <= answers <= _BEFORE + after + _THREADS
        assert same == others
        with serving("serve", directory=there.directory, variables=there.variables) as second:
            assert _page(second.port, page) == shown

        # Over the running server, which takes answers again at once.
        here.run("manage.py", "restore", str(path), "--without-keys", "--replace-answers", str(in_all))
        assert here.standing() == (answers, others)
        assert _page(server.port, page) == shown
        assert answer_survey(plainly(server.port), f"{HOST}:{server.port}")[-1] == 200
        assert here.standing() == (answers + 1, others)


def _wait(what: Callable[[], bool]) -> None:
    until = time.monotonic() + _DEADLINE
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


def _wait_for_more(answering: Class) -> None:
    before = answering.stored
    _wait(lambda: answering.stored > before + answering.pupils)


def _has_gone(pid: int) -> bool:
    return pid not in processes()


Way = tuple[Connect, str, str]


@contextmanager
def _way(server: Server, *, proxied: bool) -> Iterator[Way]:
    """Yield how to connect to the server, and under what name and by what scheme."""
    if not proxied:
        yield plainly(server.port), f"{HOST}:{server.port}", "http"
        return
    with proxying(server, FILE.read_text(encoding="utf-8")) as proxy:
        yield over_tls(proxy.port, NAME), NAME, "https"


@pytest.mark.parametrize(("proxied", "kills"), [(False, 3), (True, 2)], ids=["plain", "behind nginx"])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says in /proc who listens")
def test_a_worker_that_is_killed_costs_its_own_requests_and_nothing_that_was_acknowledged(
    tmp_path: Path, migrated: Path | None, *, proxied: bool, kills: int
) -> None:
    variables = DEPLOYED if proxied else {}
    place = Place(tmp_path / "one", variables)
    make_survey(place.directory, variables, migrated=migrated)
    with (
        serving("serve", directory=place.directory, variables=variables) as server,
        _way(server, proxied=proxied) as way,
    ):
        # As a browser does, which sends again what was not acknowledged.
        visit = partial(answer_survey, *way, tries=10)
        _wait(lambda: listening(server.port) == 2)
        asked = len(visit()) - 1
        with Class(visit).answering() as answering:
            for _ in range(kills):
                _wait(lambda: listening(server.port) == 2)
                _wait_for_more(answering)
                # Each of the two in turn, so that neither has to wait long before it is started again.
                victim = min(parts(server.pid)["worker"])
                os.kill(victim, signal.SIGKILL)
                _wait(partial(_has_gone, victim))
                _wait_for_more(answering)
            _wait(lambda: listening(server.port) == 2)
            _wait_for_more(answering)
        answers, _ = place.standing()
    assert answers == 1 + answering.stored
    not_sent = [status for statuses in answering.others for status in statuses[:asked] if status not in SERVED]
    unacknowledged = [status for statuses in answering.others for status in statuses[asked:] if status not in SERVED]
    assert len(not_sent) <= kills * (1 if proxied else _THREADS * _CONNECTIONS)
    assert len(unacknowledged) <= kills * _THREADS


def test_behind_nginx_a_server_that_is_ended_answers_whom_it_has_heard_and_the_next_one_the_others(
    tmp_path: Path, migrated: Path | None
) -> None:
    """Without nginx tests/security/test_slow_clients.py shows it."""
    place = Place(tmp_path / "one", DEPLOYED)
    make_survey(place.directory, DEPLOYED, migrated=migrated)
    serve = partial(serving, "serve", directory=place.directory, variables=DEPLOYED)
    with ExitStack() as stack:
        server = stack.enter_context(serve())
        way = stack.enter_context(_way(server, proxied=True))
        with Class(partial(send_answer, *way, tries=10 * _DEADLINE, pause=0.1), _MANY).answering() as answering:
            _wait_for_more(answering)
            assert end(server.pid, within=_DEADLINE) == 0
            # Or granian had to end a worker that did not.
            assert "Killing" not in server.log.read_text()
            acknowledged, (stored, _) = answering.stored, place.standing()
            assert acknowledged <= stored <= acknowledged + _MANY
            stack.enter_context(serve(port=server.port))
            _wait_for_more(answering)
    assert place.standing()[0] == answering.stored


def test_pool_and_database_that_are_killed_or_restarted_cost_time_and_nothing_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    """And pages say when to come back."""
    data = tmp_path / "data"
    with pooled(data) as pool, serving("serve", directory=data, variables={"DATABASE_URL": pool.address}) as server:
        way = plainly(server.port), f"{HOST}:{server.port}"

        def page() -> tuple[int, bool]:
            with closing(way[0]()) as connection:
                answered = ask(connection, "GET", PATH, Host=way[1])
                answered.read()
                return answered.status, answered.getheader("Retry-After") is not None

        def away() -> None:
            _wait(lambda: page()[0] not in SERVED)
            assert page() == (503, True)

        with Class(partial(send_answer, *way, tries=10 * _DEADLINE, pause=0.1), _MANY).answering() as answering:
            _wait_for_more(answering)
            pool.kill()
            away()
            pool.start()
            _wait_for_more(answering)
            pool.control_server("stop", "-m", "immediate")
            away()
            pool.control_server("restart")
            _wait_for_more(answering)
            pool.control_server("restart", "-m", "fast")
            _wait_for_more(answering)
        _wait(lambda: page() == (203, False))
        assert Place(data, {"DATABASE_URL": pool.of("deniable_owner")}).standing()[0] == answering.stored
    # Each wait began with somebody who was told so.
    assert {status for statuses in answering.others for status in statuses} <= {0, 503} | SERVED
