"""What somebody could do who changes a backup: each attack restored without a word before the passphrase proved all.

The archive is written again as a whole, with hashes that are right: by somebody who means it and has no passphrase.
"""

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from pytest_django import Settings

from surveys.course.services import close_survey, purge_survey
from surveys.models import State, Survey
from surveys.upkeep.services import files
from surveys.upkeep.services.files import BackupRefused, Manifest
from tests.factories import fill, make_open, make_user
from tests.upkeep.backups import PASSPHRASE, back_up_to, contents, restore_from, tables, triggers

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.sqlite]

_LOGS = "CREATE TABLE surveys_seen (at TEXT, reports TEXT);"
_LOGGING = (
    "CREATE TRIGGER guard_response_seen AFTER INSERT ON surveys_response BEGIN"
    " INSERT INTO surveys_seen VALUES (strftime('%f', 'now'), NEW.reports); END;"
)
_EMPTIED = (
    "DROP TRIGGER guard_ledgerentry_update; CREATE TRIGGER guard_ledgerentry_update BEFORE UPDATE ON"
    " surveys_ledgerentry FOR EACH ROW WHEN 1 = 0 BEGIN SELECT RAISE(ABORT, 'never'); END;"
)
_SUPERUSER = "UPDATE auth_user SET is_superuser = 1, is_staff = 1 WHERE username = 'ordinary';"
_LATE_COLUMN = "ALTER TABLE surveys_response ADD COLUMN at TEXT DEFAULT 'x';"
_NO_CHECK = (
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'budget_epsilon_not_overspent', 'b')"
    " WHERE name = 'surveys_budget';"
)


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """Return the backup of a survey with answers that is purged afterwards, and of somebody with an account."""
    make_user("ordinary")
    survey = make_open(code="PARTED")
    fill(survey, {"0": 9, "1": 8})
    written = back_up_to(tmp_path, PASSPHRASE)
    purge_survey(survey=close_survey(survey=survey))
    return written.path


def _changed(path: Path, *, sql: str = "", surveys: Callable[[Manifest], object] | None = None, seal: str = "") -> Path:
    """Write a backup with another copy or manifest; without a seal unless `seal` keeps, or moves, the one it had."""
    other, copy = path.with_name("changed.backup"), path.with_name("copy.sqlite3")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    copy.write_bytes(members["database.sqlite3"])
    with closing(sqlite3.connect(copy)) as database:
        database.executescript(sql)
        database.commit()
    fields = json.loads(members["manifest.json"]) | {"sha256": files._hash_of(copy), "has_keys": seal == "kept"}
    if surveys is not None:
        fields["surveys"] = [surveys(each) for each in fields["surveys"]]
    members["manifest.json"] = json.dumps(fields, ensure_ascii=False, indent=1, sort_keys=True).encode()
    members["database.sqlite3"] = copy.read_bytes()
    if not seal:
        del members["keys.sealed"]
    copy.unlink()
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return other


def _as_purged(survey: dict[str, object]) -> dict[str, object]:
    return survey | {"state": "purged"}


@pytest.mark.parametrize(
    ("sql", "surveys"),
    [
        ("", None),
        ("", _as_purged),
        (_EMPTIED, None),
        (_LOGS + _LOGGING, None),
        (_SUPERUSER, None),
    ],
    ids=["only the seal is gone", "a purged survey", "an emptied trigger", "a logging trigger", "a superuser"],
)
@pytest.mark.parametrize("seal", ["", "kept", "named otherwise"])
def test_with_a_passphrase_nothing_that_was_changed_is_restored(
    sealed: Path, sql: str, surveys: Callable[[Manifest], object] | None, seal: str
) -> None:
    changed = _changed(sealed, sql=sql, surveys=surveys, seal=seal)
    before, guards = contents(tables()), triggers()
    with pytest.raises(BackupRefused):
        restore_from(changed, PASSPHRASE)
    assert (contents(tables()), triggers()) == (before, guards)
    assert Survey.objects.get().state == State.PURGED
    assert not User.objects.get(username="ordinary").is_superuser


@pytest.mark.parametrize("sql", [_EMPTIED, _LOGS, _LOGS + _LOGGING])
def test_without_one_no_other_trigger_is_restored(sealed: Path, sql: str) -> None:
    with pytest.raises(BackupRefused):
        restore_from(_changed(sealed, sql=sql))


def test_without_one_a_manifest_that_tells_of_other_surveys_is_refused(sealed: Path) -> None:
    with pytest.raises(BackupRefused):
        restore_from(_changed(sealed, surveys=_as_purged))
    assert Survey.objects.get().state == State.PURGED
