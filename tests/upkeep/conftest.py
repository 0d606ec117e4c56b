"""What every test of backups wants: a directory, passphrases that cost nothing, and migrations that are run once."""

from pathlib import Path

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker, Settings

from surveys.upkeep.selectors import schema
from surveys.upkeep.services import files

# Migrates a database in memory: test_attacks.py holds it against what these tests take for it.
MADE = schema._made_sqlite


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture(autouse=True)
def _cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash them in no time: test_files.py looks at what they cost otherwise."""
    monkeypatch.setattr(files, "_ARGON2", files._ARGON2 | {"memory_cost": 64, "time_cost": 1})


@pytest.fixture(scope="session")
def _migrated(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> dict[str, str]:
    if connection.vendor != "sqlite":
        return {}
    with django_db_blocker.unblock():
        return schema._there_sqlite()


@pytest.fixture(autouse=True)
def _migrations_run_once(monkeypatch: pytest.MonkeyPatch, _migrated: dict[str, str]) -> None:
    """Hold databases against the tests' own, as it was before any test."""
    monkeypatch.setattr(schema, "_made_sqlite", lambda: _migrated)
