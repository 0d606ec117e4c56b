"""Restoring on PostgreSQL: a restore that was ended in the middle, programs that are missing or too old.

Run by `make test-postgresql`.
"""

from pathlib import Path

import pytest
from django.db import connection

from surveys.models import Survey
from surveys.upkeep.services import databases
from surveys.upkeep.services.databases import replacing
from surveys.upkeep.services.files import BackupRefused, unpacked
from tests.factories import make_open
from tests.upkeep.backups import back_up_to, contents, restore_from, tables, triggers

pytestmark = pytest.mark.usefixtures("transactional_db")


def test_what_a_restore_put_aside_before_it_was_killed_is_there_and_comes_back_as_the_manual_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = back_up_to(tmp_path)
    survey = make_open()
    before, guards = contents(tables()), triggers()
    execute = databases._execute
    monkeypatch.setattr(databases, "_execute", lambda _statements: None)
    with pytest.raises(KeyboardInterrupt):
        _killed_in(written.path)
    monkeypatch.setattr(databases, "_execute", execute)
    assert not Survey.objects.exists()
    with pytest.raises(BackupRefused, match=r"An earlier restore was ended before its end"):
        restore_from(written.path)
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE")
        cursor.execute("ALTER SCHEMA deniable_before_restore RENAME TO public")
    assert Survey.objects.get() == survey
    assert (contents(tables()), triggers()) == (before, guards)
    restore_from(written.path)


def _killed_in(path: Path) -> None:
    with unpacked(path, into=path.parent, passphrase="") as (_manifest, copy, _keys), replacing(copy):
        raise KeyboardInterrupt


def test_a_dump_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    survey = make_open()
    (tmp_path / "copy").write_bytes(b"PGDMP and nothing else")
    with pytest.raises(BackupRefused, match=r"^pg_restore: "), replacing(tmp_path / "copy"):
        raise AssertionError
    assert Survey.objects.get() == survey


def test_programs_that_are_missing_or_too_old_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases.shutil, "which", lambda _name: None)
    with pytest.raises(BackupRefused, match=r"pg_dump was not found: apt-get install postgresql-client"):
        back_up_to(tmp_path)
    said = (
        "pg_dump: error: aborting because of server version mismatch\n"
        "pg_dump: detail: server version: 17.2; pg_dump version: 15.18\n"
    )
    assert databases._said("pg_dump", said) == (
        "pg_dump is older than the server (server version: 17.2; pg_dump version: 15.18): install the client of the"
        " server’s version."
    )


def test_no_password_is_on_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    run = databases.subprocess.run

    def watch(command: list[str], **named: object) -> object:
        seen.append(command)
        assert "PGPASSWORD" in named["env"]  # type: ignore[operator]
        return run(command, **named)  # type: ignore[call-overload]

    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "of-the-tests")
    monkeypatch.setattr(databases.subprocess, "run", watch)
    back_up_to(tmp_path)
    assert seen
    assert not any("of-the-tests" in word for command in seen for word in command)
