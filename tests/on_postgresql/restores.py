"""Restoring on PostgreSQL: a restore that was ended in the middle, dumps that do more, programs that are too old.

Run by `make test-postgresql`.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from surveys.models import Survey
from surveys.upkeep.selectors import diagnosis, schema
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
    assert databases._error_line("pg_dump", said) == (
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


# What somebody else puts into a database or a dump of it: how, and how it goes again.
_LOG = "CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE LOG ''%'', now();RETURN NEW;END'"
_CHANGES = {
    "function guard_ledgerentry_update() is another": (
        "CREATE OR REPLACE FUNCTION guard_ledgerentry_update() RETURNS trigger LANGUAGE plpgsql"
        " SET search_path = public, pg_temp AS $$ BEGIN RETURN NEW;END $$",
        "",
    ),
    "function store_response(survey bigint, of_group bigint, who text, sent text, nonce bytea) is another": (
        "ALTER FUNCTION store_response(bigint, bigint, text, text, bytea) SECURITY INVOKER",
        "ALTER FUNCTION store_response(bigint, bigint, text, text, bytea) SECURITY DEFINER",
    ),
    "trigger guard_ledgerentry_update of surveys_ledgerentry is another": (
        "ALTER TABLE surveys_ledgerentry DISABLE TRIGGER guard_ledgerentry_update",
        "ALTER TABLE surveys_ledgerentry ENABLE TRIGGER guard_ledgerentry_update",
    ),
    "trigger guard_ledgerentry_delete of surveys_ledgerentry is missing": (
        "ALTER TRIGGER guard_ledgerentry_delete ON surveys_ledgerentry RENAME TO guard_mine",
        "ALTER TRIGGER guard_mine ON surveys_ledgerentry RENAME TO guard_ledgerentry_delete",
    ),
    "trigger log of surveys_response is not of this program": (
        f"{_LOG}; CREATE TRIGGER log AFTER INSERT ON surveys_response FOR EACH ROW EXECUTE FUNCTION log()",
        "DROP FUNCTION log() CASCADE",
    ),
    "rule log of surveys_response is not of this program": (
        "CREATE RULE log AS ON INSERT TO surveys_response DO ALSO NOTIFY answered",
        "DROP RULE log ON surveys_response",
    ),
    "event trigger log is not of this program": (
        "CREATE FUNCTION log() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER log"
        " ON ddl_command_end EXECUTE FUNCTION log()",
        "DROP FUNCTION log() CASCADE",
    ),
    "column at of surveys_response is not of this program": (
        "ALTER TABLE surveys_response ADD COLUMN at timestamptz DEFAULT clock_timestamp()",
        "ALTER TABLE surveys_response DROP COLUMN at",
    ),
    "column content_hash of surveys_survey is another": (
        "ALTER TABLE surveys_survey ALTER COLUMN content_hash SET DEFAULT 'elsewhere'",
        "ALTER TABLE surveys_survey ALTER COLUMN content_hash DROP DEFAULT",
    ),
    "view seen is not of this program": ("CREATE VIEW seen AS SELECT * FROM surveys_response", "DROP VIEW seen"),
    "table seen is not of this program": ("CREATE TABLE seen (at text)", "DROP TABLE seen"),
    "constraint budget_epsilon_not_overspent of surveys_budget is another": (
        "ALTER TABLE surveys_budget DROP CONSTRAINT budget_epsilon_not_overspent;"
        " ALTER TABLE surveys_budget ADD CONSTRAINT budget_epsilon_not_overspent CHECK (true)",
        "",
    ),
    "index one_each of surveys_group is not of this program": (
        "CREATE UNIQUE INDEX one_each ON surveys_group (name)",
        "DROP INDEX one_each",
    ),
    "policy seen of surveys_response is not of this program": (
        "CREATE POLICY seen ON surveys_response USING (true)",
        "DROP POLICY seen ON surveys_response",
    ),
}


def _executed(statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in filter(None, statements.split("; ")):
            cursor.execute(statement)


@pytest.mark.django_db(transaction=False)
@pytest.mark.parametrize("found", _CHANGES)
def test_what_is_not_as_the_migrations_make_it_is_found(found: str) -> None:
    assert schema.unlike_the_migrations() == []
    _executed(_CHANGES[found][0])
    assert found in schema.unlike_the_migrations()
    (said,) = diagnosis._database()
    assert (said[0], "not what the migrations make" in said[1]) == (diagnosis.Grade.WRONG, True)


@pytest.mark.parametrize(
    "found",
    [
        "trigger log of surveys_response is not of this program",
        "event trigger log is not of this program",
        "column at of surveys_response is not of this program",
    ],
)
def test_a_dump_of_it_is_refused_and_nothing_changes(found: str, tmp_path: Path) -> None:
    make_open()
    done, undone = _CHANGES[found]
    _executed(done)
    try:
        written = back_up_to(tmp_path)
    finally:
        _executed(undone)
    before, guards = contents(tables()), triggers()
    with pytest.raises(BackupRefused, match="In the backup the database is not what the migrations make"):
        restore_from(written.path)
    assert (contents(tables()), triggers()) == (before, guards)
    assert schema.unlike_the_migrations() == []


@contextmanager
def _program(name: str, script: str) -> Iterator[None]:
    """Put a program of this name before PostgreSQL's own, which is `$REAL` in it."""
    real = shutil.which(name)
    with pytest.MonkeyPatch.context() as patch, databases.tempfile.TemporaryDirectory() as directory:
        path = Path(directory, name)
        path.write_text(f"#!/bin/sh\nREAL={real}\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        patch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
        yield


@pytest.mark.parametrize("stripped", [True, False], ids=["without restrict", "restricted"])
def test_no_command_in_a_dump_runs_on_this_machine(tmp_path: Path, stripped: bool) -> None:
    """As a client from before CVE-2025-8714 was mended writes the script, and as one of today does."""
    survey = make_open()
    written, ran = back_up_to(tmp_path), tmp_path / "ran"
    edit = "/^.restrict/d; /^.unrestrict/d; " if stripped else ""
    script = (
        'for last; do case $last in --file=*) out=${last#--file=};; esac; done; "$REAL" "$@" || exit\n'
        f'[ -z "$out" ] || sed -i "{edit}s|^SET statement_timeout.*|\\\\\\\\! touch {ran}|" "$out"'
    )
    said = r"without \\restrict" if stripped else "^psql: .*backslash commands are restricted"
    with _program("pg_restore", script), pytest.raises(BackupRefused, match=said):
        restore_from(written.path)
    assert not ran.exists()
    assert Survey.objects.get() == survey


@pytest.mark.parametrize("name", ["pg_restore", "psql"])
@pytest.mark.parametrize(
    ("version", "is_refused"),
    [("15.13", True), ("15.14", False), ("12.99", True), ("17.5 (Debian)", True), ("18.0", False), ("19beta1", False)],
)
def test_a_client_that_does_not_know_restrict_is_refused(name: str, version: str, is_refused: bool) -> None:
    def of_restrict() -> str:
        try:
            databases._require_restricting(name)
        except BackupRefused as refused:
            return str(refused)
        return ""

    with _program(name, f'echo "{name} (PostgreSQL) {version}"'):
        assert (f"{name} is too old" in of_restrict()) == is_refused
