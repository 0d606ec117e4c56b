"""What somebody could do who changes a backup: each attack restored without a word before the passphrase proved all.

The archive is written again as a whole, with hashes that are right: by somebody who means it and has no passphrase.
"""

import json
import sqlite3
import warnings
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User

from surveys.course.services import close_survey, purge_survey
from surveys.models import State, Survey
from surveys.upkeep.selectors import schema
from surveys.upkeep.services import files
from surveys.upkeep.services.files import BackupRefused, unpacked
from tests.factories import fill, make_open, make_user
from tests.upkeep.backups import PASSPHRASE, back_up_to, contents, restore_from, tables, triggers
from tests.upkeep.conftest import MADE

pytestmark = [pytest.mark.usefixtures("transactional_db"), pytest.mark.sqlite]

_CHANGES = {
    "an emptied trigger": "DROP TRIGGER guard_ledgerentry_update; CREATE TRIGGER guard_ledgerentry_update BEFORE UPDATE"
    " ON surveys_ledgerentry FOR EACH ROW WHEN 1 = 0 BEGIN SELECT RAISE(ABORT, 'never'); END;",
    "a trigger is gone": "DROP TRIGGER guard_ledgerentry_update;",
    "a logging trigger": "CREATE TRIGGER guard_log AFTER INSERT ON surveys_response BEGIN UPDATE surveys_survey SET"
    " time_zone = time_zone || strftime('%f', 'now') || NEW.reports; END;",
    "a trigger of a known name on another table": "DROP TRIGGER guard_response_spent; CREATE TRIGGER"
    " guard_response_spent BEFORE INSERT ON surveys_group BEGIN SELECT 1; END;",
    "a table": "CREATE TABLE surveys_seen (at TEXT, reports TEXT);",
    "a view": "CREATE VIEW seen AS SELECT * FROM surveys_response;",
    "an index": "CREATE UNIQUE INDEX one_each ON surveys_group (name);",
    "a column": "ALTER TABLE surveys_survey ADD COLUMN both TEXT AS (title || code);",
    "a constraint under its own name": "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
    " replace(sql, 'epsilon_not_overspent\" CHECK (', 'epsilon_not_overspent\" CHECK (1 OR ');",
}
_REFUSED = {
    "": "has no seal",
    "kept": "not the passphrase|what its manifest says",
    "not named": "no whole backup",
}
_SUPERUSER = "UPDATE auth_user SET is_superuser = 1, is_staff = 1 WHERE username = 'ordinary';"


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """Return the backup of a survey with answers that is purged afterwards, and of somebody with an account."""
    make_user("ordinary")
    survey = make_open(code="PARTED")
    fill(survey, {"0": 9, "1": 8})
    written = back_up_to(tmp_path, PASSPHRASE)
    purge_survey(survey=close_survey(survey=survey))
    return written.path


def _changed(
    path: Path, *, sql: str = "", surveys: Callable[[dict[str, object]], object] | None = None, seal: str = ""
) -> Path:
    """Write a backup with another copy or manifest; its seal left out, kept, or kept and not named in the manifest."""
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


def test_with_a_passphrase_nothing_that_was_changed_is_restored(sealed: Path) -> None:
    """A survey that was purged since comes back open, somebody is made a superuser, triggers do something else."""
    before, guards = contents(tables()), triggers()
    for seal in ("", "kept", "not named"):
        for sql in (_SUPERUSER, *_CHANGES.values()):
            with pytest.raises(BackupRefused, match=_REFUSED[seal]):
                restore_from(_changed(sealed, sql=sql, seal=seal), PASSPHRASE)
        with pytest.raises(BackupRefused, match=_REFUSED[seal]):
            restore_from(_changed(sealed, surveys=_as_purged, seal=seal), PASSPHRASE)
    assert (contents(tables()), triggers()) == (before, guards)
    assert not User.objects.get(username="ordinary").is_superuser
    assert Survey.objects.get().state == State.PURGED


def test_a_passphrase_for_a_backup_without_a_seal_is_refused_with_what_to_do(tmp_path: Path) -> None:
    written = back_up_to(tmp_path)
    with pytest.raises(BackupRefused, match="--without-keys"):
        restore_from(written.path, PASSPHRASE)
    restore_from(written.path)


def test_without_one_whatever_does_more_than_hold_rows_is_refused(sealed: Path) -> None:
    before, guards = contents(tables()), triggers()
    for sql in _CHANGES.values():
        with pytest.raises(BackupRefused, match="migrations"):
            restore_from(_changed(sealed, sql=sql))
    assert (contents(tables()), triggers()) == (before, guards)


def test_without_one_a_manifest_that_tells_of_other_surveys_is_refused(sealed: Path) -> None:
    """It says what was purged since the backup, and so what is purged again."""
    with pytest.raises(BackupRefused, match="manifest"):
        restore_from(_changed(sealed, surveys=_as_purged))
    assert Survey.objects.get().state == State.PURGED
    restore_from(_changed(sealed))
    assert Survey.objects.get().state == State.PURGED


def test_without_one_nothing_proves_who_is_a_superuser(sealed: Path) -> None:
    """The limit that the manual states: a backup without its seal is as trustworthy as the place it was kept in."""
    restore_from(_changed(sealed, sql=_SUPERUSER))
    assert User.objects.get(username="ordinary").is_superuser


@pytest.mark.parametrize("seal", [PASSPHRASE, ""])
def test_members_are_these_in_this_order_each_once(tmp_path: Path, seal: str) -> None:
    written = back_up_to(tmp_path, seal)
    with zipfile.ZipFile(written.path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    one, *others = members
    changed = {
        "as it was": members,
        "another order": [*others, one],
        "one twice": [*members, members[-1]],
        "one more": [*members, ("notes.txt", b"")],
        "a seal that nothing names": [one, ("keys.sealed", bytes(60)), members[-1]],
        "one less": members[:-1],
    }
    refused = []
    for what, content in changed.items():
        path = tmp_path / "changed.backup"
        with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for name, data in content:
                archive.writestr(name, data)
        try:
            with unpacked(path, into=tmp_path, passphrase=seal):
                pass
        except BackupRefused:
            refused.append(what)
    assert refused == [what for what in changed if what != "as it was"]


@pytest.mark.parametrize("member", ["manifest.json", "keys.sealed", "database.sqlite3"])
def test_what_would_fill_memory_or_disk_is_refused_before_it_is_unpacked(
    sealed: Path, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand bytes of zeros are packed into one."""
    bomb = sealed.with_name("bomb.backup")
    with zipfile.ZipFile(sealed) as before, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, bytes(60_000_000) if name == member else before.read(name))
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _path: SimpleNamespace(free=70_000_000))
    with pytest.raises(BackupRefused, match=r"no whole backup|60,000,000"):
        restore_from(bomb, PASSPHRASE)


def test_no_other_way_of_packing_is_unpacked(sealed: Path) -> None:
    other = sealed.with_name("other.backup")
    with zipfile.ZipFile(sealed) as before, zipfile.ZipFile(other, "w", zipfile.ZIP_LZMA) as after:
        for name in before.namelist():
            after.writestr(name, before.read(name))
    with pytest.raises(BackupRefused, match="no whole backup"):
        restore_from(other, PASSPHRASE)


def test_what_tests_hold_databases_against_is_what_the_migrations_make() -> None:
    assert MADE() == schema._there_sqlite()
    assert len(MADE()) > 150
