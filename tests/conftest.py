"""Fixtures that every test may use."""

import importlib.util
import os
import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.signals import post_migrate
from django.test import TransactionTestCase
from pytest_django.plugin import DjangoDbBlocker

from surveys.answering.services import collecting
from surveys.models import guards
from surveys.releases.services import releasing
from tests import property_profile
from tests.security.looks import forget

__all__ = ["property_profile"]


def _install_guards(**_kwargs: object) -> None:
    with connection.schema_editor(atomic=False) as editor:
        guards.install(None, editor)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Keep SQLite's database as the migrations made it, and copy it over what a test with real transactions leaves."""
    if connection.vendor != "sqlite":
        yield
        return
    with closing(sqlite3.connect(":memory:")) as migrated, pytest.MonkeyPatch.context() as patched:
        with django_db_blocker.unblock():
            connection.ensure_connection()
            connection.connection.backup(migrated)

        def copy(_test: TransactionTestCase) -> None:
            connection.ensure_connection()
            migrated.backup(connection.connection)

        patched.setattr(TransactionTestCase, "_fixture_teardown", copy)
        yield


@pytest.fixture
def real_transactions(transactional_db: None) -> Iterator[None]:
    """Give the test committed transactions; for PostgreSQL's flush the guards are taken down and put back."""
    if connection.vendor == "sqlite":
        yield
        return
    # Flushing emits post_migrate as its last step: the next test finds the guards in place again.
    post_migrate.connect(_install_guards, dispatch_uid="guards")
    yield
    with connection.schema_editor(atomic=False) as editor:
        guards.remove(None, editor)


@pytest.fixture(autouse=True)
def _nothing_known_before() -> None:
    """Rolled-back tests use the same keys again, so what one process keeps must not reach the next test."""
    forget()


@pytest.fixture(autouse=True)
def _no_fold_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """One response in a thousand folds the others: a test that counts rows must not meet it unasked."""
    monkeypatch.setattr(collecting, "FOLDS_ONE_IN", sys.maxsize)


@pytest.fixture(autouse=True)
def _no_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release sleeps until a second is full: the tests of that put it back."""
    monkeypatch.setattr(releasing, "STEP_SECONDS", 0)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in an order that follows from this text")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of the mathematics, whose branches are counted apart."""
    if item.nodeid.startswith(("tests/privacy/", "tests/estimation/")):
        item.add_marker(pytest.mark.mathematics)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if seed := config.getoption("--shuffle"):
        random.Random(seed).shuffle(items)  # noqa: S311 - an order, not a secret


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave the browser tests out where only requirements.txt is installed; test_completeness.py says so."""
    return True if collection_path.name == "browser" and importlib.util.find_spec("playwright") is None else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Under `make test` and in CI a skipped test is a failure: what is missing has to be installed."""
    result = yield
    report = result.get_result()
    if report.skipped and os.environ.get("DENIABLE_NO_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be skipped here: {report.longrepr}"
