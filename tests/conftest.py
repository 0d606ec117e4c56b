"""Fixtures that every test may use."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.signals import post_migrate

from surveys.models import guards
from surveys.services import collecting
from surveys.services.releasing import padding
from tests import property_profile
from tests.security.looks import forget

__all__ = ["property_profile"]


def _install_guards(**_kwargs: object) -> None:
    with connection.schema_editor(atomic=False) as editor:
        guards.install(None, editor)


@pytest.fixture
def real_transactions(transactional_db: None) -> Iterator[None]:
    """Give the test committed transactions; to flush the frozen rows the guards are taken down and put back."""
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
    monkeypatch.setattr(padding, "STEP_SECONDS", 0)


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
