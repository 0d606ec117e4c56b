"""Fixtures that every test may use."""

import fcntl
import gc
import importlib.util
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import groupby
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.models.signals import post_save
from django.test import TransactionTestCase
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from surveys.common import caches
from surveys.models import WaitingMail
from surveys.releases.services import releasing
from surveys.upkeep.services import outbox
from tests import property_profile
from tests.scale.servers import CITUS_MISSING

__all__ = ["property_profile"]


@pytest.fixture(scope="session")
def migrated(django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A database as the migrations make it, which takes seconds: all processes of a run copy it. None on PostgreSQL."""
    if connection.vendor != "sqlite":
        return None
    base = tmp_path_factory.getbasetemp()
    path = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "migrated.sqlite3"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            half = path.with_suffix(".half")
            with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
                patch.setitem(connection.settings_dict, "NAME", str(half))
                call_command("migrate", verbosity=0)
                connection.close()
            half.rename(path)
    return path


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool, migrated: Path | None) -> bool:
    return django_db_keepdb or migrated is not None


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, migrated: Path | None) -> None:
    if migrated is not None:
        shutil.copy(migrated, connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker, migrated: Path | None) -> Iterator[None]:
    """Keep the database as the migrations made it, and copy it over what a test with real transactions leaves.

    Django's way, emptying every table, would meet the guards, and would leave out what migrations put in.
    """
    kept = _kept_on_sqlite if connection.vendor == "sqlite" else _kept_on_postgresql
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            copy_back = stack.enter_context(kept())
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(
            TransactionTestCase, "_fixture_teardown", lambda _test: copy_back()
        )
        yield
        with django_db_blocker.unblock():
            stack.close()
            connection.close()
    if migrated is not None:
        Path(connection.settings_dict["TEST"]["NAME"]).unlink()


@contextmanager
def _kept_on_sqlite() -> Iterator[Callable[[], None]]:
    with closing(sqlite3.connect(":memory:")) as migrated:
        connection.ensure_connection()
        connection.connection.backup(migrated)

        def copy_back() -> None:
            connection.ensure_connection()
            migrated.backup(connection.connection)

        yield copy_back


@contextmanager
def _kept_on_postgresql() -> Iterator[Callable[[], None]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user")
        may_copy = cursor.fetchone()[0]
    if not may_copy:
        yield _refuse_to_copy
        return
    name = connection.settings_dict["NAME"]
    migrated = f"{name}_migrated"

    def copy(source: str, target: str) -> None:
        # No database is copied or dropped while somebody is connected to it.
        connection.close()
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{target}" WITH (FORCE)')
            cursor.execute(f'CREATE DATABASE "{target}" TEMPLATE "{source}"')

    copy(name, migrated)
    yield lambda: copy(migrated, name)
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{migrated}"')


def _refuse_to_copy() -> None:
    raise AssertionError("this role may make no database, so the tests that it runs have to be rolled back")


@pytest.fixture(autouse=True)
def _nothing_known_before() -> None:
    """Rolled-back tests use the same keys again, so what one process keeps must not reach the next test."""
    caches.clear()
    settings.RECORD.unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _no_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release sleeps until a second is full: the tests of that put it back."""
    monkeypatch.setattr(releasing, "STEP_SECONDS", 0)


@pytest.fixture(autouse=True)
def emails_at_once() -> Iterator[Callable[[], None]]:
    """Let a test read an email as soon as it is kept, as if housekeeping ran; return what lets emails wait."""

    def send(**_kept: object) -> None:
        outbox.send_due(timezone.now())

    def wait() -> None:
        post_save.disconnect(send, WaitingMail)

    post_save.connect(send, WaitingMail)
    yield wait
    wait()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in an order that follows from this text")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if seed := config.getoption("--shuffle"):
        random.Random(seed).shuffle(items)  # noqa: S311 - an order, not a secret
    else:
        items[:] = in_order(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def pytest_collection_finish() -> None:
    """Leave the tests that were collected out of the search for garbage: with them it was a tenth of all the work."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def in_order(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Deal the tests to the workers, each of whom begins with an equal share of the list: to each some that wait.

    What waits for a browser comes first: begun last, it would leave processors idle, or one process busy while the
    others have nothing left.
    """
    waiting, others = [], []
    for item in items:
        (waiting if "browser" in item.keywords else others).append(item)
    files = sorted((list(tests) for _, tests in groupby(waiting, lambda item: item.path)), key=len, reverse=True)
    dealt: list[pytest.Item] = []
    for worker in range(workers):
        dealt += (item for tests in files[worker::workers] for item in tests)
        room = max(0, len(items) * (worker + 1) // workers - len(dealt))
        dealt, others = dealt + others[:room], others[room:]
    return dealt


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave the browser tests out where only requirements.txt is installed; test_completeness.py says so."""
    return True if collection_path.name == "browser" and importlib.util.find_spec("playwright") is None else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Under `make test` and in CI a skipped test is a failure: what is missing has to be installed.

    But for Citus, which no package has.
    """
    result = yield
    report = result.get_result()
    may_be = CITUS_MISSING in str(report.longrepr)
    if report.skipped and not may_be and os.environ.get("TESTS_NO_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be skipped here: {report.longrepr}"
