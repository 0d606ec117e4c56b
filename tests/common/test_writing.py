"""Writing while others write."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import dj_database_url
import pytest
from django.db import ConnectionHandler, IntegrityError, OperationalError, connection, transaction

from surveys.common import readiness, services
from surveys.common.services import WrittenTogether, write_promptly
from surveys.models import SignIn
from tests.at_once import at_once, close_connections
from tests.postgresql import postgresql
from tests.programs import PGBOUNCER, POSTGRESQL
from tests.scale import servers


@contextmanager
def _somebody_writing(seconds: float) -> Iterator[None]:
    """Hold SQLite's lock, elsewhere, for so long."""
    begun = threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                SignIn.objects.create(session_key="theirs", expire_date=readiness._ENDED)
                begun.set()
                threading.Event().wait(seconds)
        finally:
            close_connections()

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_who_writes_promptly_looks_again_and_again_and_writes_once() -> None:
    looks = 0

    def write() -> str:
        nonlocal looks
        looks += 1
        return SignIn.objects.create(session_key="ours", expire_date=readiness._ENDED).session_key

    with _somebody_writing(0.3):
        assert write_promptly(write) == "ours"
    assert SignIn.objects.filter(session_key="ours").count() == 1
    assert looks > 3 if connection.vendor == "sqlite" else looks == 1


@pytest.mark.django_db(transaction=True)
def test_a_transaction_too_is_tried_as_a_whole_and_others_wait_as_long_as_ever_afterwards() -> None:
    def write() -> None:
        with transaction.atomic():
            SignIn.objects.create(session_key="first", expire_date=readiness._ENDED)
            SignIn.objects.create(session_key="second", expire_date=readiness._ENDED)

    with _somebody_writing(0.1):
        write_promptly(write)
    assert SignIn.objects.filter(session_key__in=("first", "second")).count() == 2
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout")
            assert cursor.fetchall() == [(1000 * services.LONG,)]


@pytest.mark.django_db
def test_it_gives_up_when_others_go_on_for_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LONG", 0.02)
    looks = 0

    def write() -> None:
        nonlocal looks
        looks += 1
        raise OperationalError("database is locked")

    with pytest.raises(OperationalError, match="locked"):
        write_promptly(write)
    assert looks > 1


@pytest.mark.django_db
def test_another_fault_is_raised_at_once() -> None:
    looks = 0

    def write() -> None:
        nonlocal looks
        looks += 1
        raise OperationalError("disk I/O error")

    with pytest.raises(OperationalError, match="disk"):
        write_promptly(write)
    assert looks == 1


THREADS = 8


class _Disk:
    """Something slow to write to; the first write goes on until all others wait."""

    def __init__(self, refused: int = -1, error: Exception | None = None) -> None:
        self.refused, self.error = refused, error
        self.written: list[list[int]] = []
        self.together = WrittenTogether(self.write)

    def write(self, numbers: list[int]) -> list[int]:
        while not self.written and len(self.together._line) < THREADS - len(numbers):
            threading.Event().wait(0.001)
        self.written.append(numbers)
        if self.refused in numbers:
            raise self.error or IntegrityError("refused")
        return [number * number for number in numbers]

    def outcomes(self) -> list[Any]:
        return at_once(*(partial(self.together, number) for number in range(THREADS)))


@pytest.mark.django_db(transaction=True)
def test_what_waits_is_written_together_and_each_learns_what_became_of_its_own() -> None:
    disk = _Disk()
    assert disk.outcomes() == [number * number for number in range(THREADS)]
    first, rest = disk.written
    assert len(first) < THREADS
    assert sorted(first + rest) == list(range(THREADS))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("refused", [0, 5])
def test_where_one_is_refused_the_others_are_written_by_themselves(refused: int) -> None:
    disk = _Disk(refused)
    outcomes = disk.outcomes()
    assert isinstance(outcomes.pop(refused), IntegrityError)
    assert outcomes == [number * number for number in range(THREADS) if number != refused]
    assert [refused] in disk.written


@pytest.mark.django_db(transaction=True)
def test_another_fault_is_everybodys_who_was_written_with_it_and_nobody_waits_for_ever() -> None:
    disk = _Disk(refused=7, error=OperationalError("disk I/O error"))
    outcomes = disk.outcomes()
    failed = next(numbers for numbers in disk.written if 7 in numbers)
    assert [number for number in range(THREADS) if isinstance(outcomes[number], OperationalError)] == sorted(failed)
    assert disk.together(3) == 9


def _threshold(url: str) -> int | None:
    one = ConnectionHandler({"default": dj_database_url.parse(url)})["default"]
    try:
        with one.cursor() as cursor:
            for number in range(20):
                cursor.execute("SELECT %s::int", [number])
                assert cursor.fetchone() == (number,)
        threshold: int | None = one.connection.prepare_threshold
        return threshold
    finally:
        one.close()


@pytest.mark.django_db
def test_statements_are_prepared_where_no_pool_lends_connections() -> None:
    """Behind one the process that has prepared a statement would answer somebody else's next transaction."""
    with postgresql(POSTGRESQL.find() or "") as url:
        assert _threshold(url) == services._OFTEN
        with servers.pgbouncer(PGBOUNCER.find() or "", f"host={url.partition('host=')[2]}") as pool:
            assert _threshold(pool.url) is None
