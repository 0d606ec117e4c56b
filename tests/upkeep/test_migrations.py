"""One migration makes everything, and what unreleased versions made is refused in words."""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from surveys import migrations
from surveys.upkeep.selectors import diagnosis
from surveys.upkeep.selectors.diagnosis import Grade
from surveys.upkeep.selectors.standing import UNRELEASED
from surveys.upkeep.services.files import BackupRefused
from tests.upkeep.backups import back_up_to, restore_from

pytestmark = pytest.mark.usefixtures("transactional_db")


def _be_unreleased() -> None:
    """Name some of the migrations that such a version had."""
    for name in ("0002_responses", "0026_exact_figures"):
        MigrationRecorder(connection).record_applied("surveys", name)


def test_one_migration_makes_what_the_models_say() -> None:
    (folder,) = migrations.__path__
    assert {path.name for path in Path(folder).glob("*.py")} == {"__init__.py", "0001_initial.py"}
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_an_unreleased_database_is_not_migrated() -> None:
    _be_unreleased()
    with pytest.raises(CommandError, match=re.escape(UNRELEASED)):
        call_command("migrate", verbosity=0)


def test_the_doctor_says_that_a_database_is_unreleased() -> None:
    _be_unreleased()
    ((grade, words),) = diagnosis._database()
    assert (grade, UNRELEASED in words) == (Grade.WRONG, True)


def test_nothing_is_restored_into_an_unreleased_database_or_from_its_backup(tmp_path: Path) -> None:
    written = back_up_to(tmp_path)
    _be_unreleased()
    with pytest.raises(BackupRefused, match=re.escape(UNRELEASED)):
        restore_from(written.path)
    written = back_up_to(tmp_path / "unreleased")
    with pytest.raises(BackupRefused, match=f"in .*{re.escape(UNRELEASED)}"):
        restore_from(written.path)
