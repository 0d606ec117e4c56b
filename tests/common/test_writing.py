"""Writing while others write."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection, transaction

from surveys.common import services
from surveys.common.services import write_promptly
from surveys.models import SignIn


@contextmanager
def _somebody_writing(seconds: float) -> Iterator[None]:
    """Hold SQLite's lock, elsewhere, for so long."""
    begun = threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                SignIn.objects.create(session_key="theirs", expire_date=services._ENDED)
                begun.set()
                threading.Event().wait(seconds)
        finally:
            connection.close()

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
        return SignIn.objects.create(session_key="ours", expire_date=services._ENDED).session_key

    with _somebody_writing(0.3):
        assert write_promptly(write) == "ours"
    assert SignIn.objects.filter(session_key="ours").count() == 1
    assert looks > 3 if connection.vendor == "sqlite" else looks == 1


@pytest.mark.django_db(transaction=True)
def test_a_transaction_too_is_tried_as_a_whole_and_others_wait_as_long_as_ever_afterwards() -> None:
    def write() -> None:
        with transaction.atomic():
            SignIn.objects.create(session_key="first", expire_date=services._ENDED)
            SignIn.objects.create(session_key="second", expire_date=services._ENDED)

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
