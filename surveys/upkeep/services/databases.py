"""Copies of the database, consistent while people answer, and copies put in its place; each database its own way.

Where the running database is put aside for a copy, it comes back when anything fails: a restore that fails has lost
nothing. While a copy is prepared, the program's own services work on it as on any database.
"""

import math
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from django.db import connection, transaction

from surveys.upkeep.selectors.schema import working_on
from surveys.upkeep.services.files import BackupRefused

# Where PostgreSQL keeps what a restore is to replace, until the restore has succeeded.
_BEFORE = "deniable_before_restore"
# Of each major version, the first minor one whose programs keep what a dump says from being a command to psql.
_RESTRICTING = {13: 22, 14: 19, 15: 14, 16: 10, 17: 6}
# Seconds to wait for others to leave the database.
_PATIENCE = 20
_VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "service": "PGSERVICE",
}


@contextmanager
def copied(to: Path) -> Iterator[None]:
    """Write a copy of the database to a new file; inside the block the program reads what is in the copy."""
    if connection.vendor == "sqlite":
        _copy_sqlite(to)
        with working_on(to):
            yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", f"--file={to}")
        yield


@contextmanager
def replacing(copy: Path) -> Iterator[None]:
    """Let the program work on the copy inside the block; after its end the copy is the database.

    If anything fails in it, the database is as before.
    """
    way = _replacing_sqlite if connection.vendor == "sqlite" else _replacing_postgresql
    with way(copy):
        yield


def _copy_sqlite(to: Path) -> None:
    """Copy all pages in one step, which needs no lock against writers, then drop what the file calls free.

    Free pages hold deleted rows, and pages stand in the order in which they filled.
    """
    # A connection of its own: one that writes at the moment would wait for itself.
    name = connection.settings_dict["NAME"]
    with (
        closing(sqlite3.connect(f"file:{quote(str(name))}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(to)) as copy,
    ):
        source.backup(copy, progress=_give_up_after_a_while())
        copy.execute("PRAGMA journal_mode=DELETE")
        copy.execute("VACUUM")
        _require_sound(copy)


def _give_up_after_a_while() -> Callable[[int, int, int], None]:
    """Return what ends a copy that somebody else keeps waiting: SQLite tries again without an end."""
    until = time.monotonic() + _PATIENCE

    def look(_status: int, remaining: int, _total: int) -> None:
        if remaining and time.monotonic() > until:
            raise BackupRefused("Somebody else keeps the database locked: stop the server, and try again.")

    return look


def _require_sound(database: sqlite3.Connection) -> None:
    (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise BackupRefused(f"SQLite’s file is damaged: {verdict}")


@contextmanager
def _replacing_sqlite(copy: Path) -> Iterator[None]:
    try:
        with closing(sqlite3.connect(copy)) as database:
            _require_sound(database)
        with working_on(copy):
            yield
        connection.ensure_connection()
        # One transaction of the running database: processes that have it open read the one or the other, and never
        # half.
        with closing(sqlite3.connect(copy)) as source:
            source.backup(connection.connection, progress=_give_up_after_a_while())
    except sqlite3.DatabaseError as error:
        raise BackupRefused(f"SQLite: {error}. Nothing was restored.") from error


@contextmanager
def _replacing_postgresql(copy: Path) -> Iterator[None]:
    schema = _schema()
    aside = (
        f"SET lock_timeout = '{_PATIENCE}s'; ALTER SCHEMA {schema} RENAME TO {_BEFORE}; CREATE SCHEMA {schema};\n"
        "SET lock_timeout = 0;\n"
    )
    with tempfile.TemporaryDirectory(prefix=".deniable-", dir=copy.parent) as directory:
        first, script = Path(directory, "first.sql"), Path(directory, "restored.sql")
        first.write_text(aside, encoding="utf-8")
        for program in ("pg_restore", "psql"):
            _require_restricting(program)
        _run("pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(copy))
        _require_restricted(script)
        connection.close()
        options = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", f"--file={first}", f"--file={script}")
        _run("psql", *options, to_stdout=subprocess.DEVNULL)
    try:
        yield
    except BaseException:
        connection.close()
        _execute(f"DROP SCHEMA {schema} CASCADE; ALTER SCHEMA {_BEFORE} RENAME TO {schema}")
        raise
    _execute(f"DROP SCHEMA {_BEFORE} CASCADE")


def _require_restricting(program: str) -> None:
    """Refuse a client in which a line of a dump can run a command of this machine (CVE-2025-8714)."""
    done = subprocess.run([_path_of(program), "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - ours
    version = re.search(r"\(PostgreSQL\) (\d+)(?:\.(\d+))?", done.stdout)
    major, minor = (int(number or 0) for number in version.groups()) if version else (0, 0)
    if minor < _RESTRICTING.get(major, 0 if major > max(_RESTRICTING) else math.inf):
        raise BackupRefused(
            f"{program} is too old ({done.stdout.strip() or 'of no known version'}): what stands in a dump could run"
            " commands on this machine. Install PostgreSQL’s client 13.22, 14.19, 15.14, 16.10, 17.6 or a later one."
        )


def _require_restricted(script: Path) -> None:
    r"""Refuse a script that does not begin with `\restrict`, after which psql runs SQL alone until it reads the key."""
    with script.open(encoding="utf-8", errors="replace") as lines:
        first = next((line for line in lines if line.strip() and not line.startswith("--")), "")
    if not re.fullmatch(r"\\restrict [A-Za-z0-9]{16,}\n", first):
        raise BackupRefused(
            "pg_restore wrote a script without \\restrict, in which what stands in a dump could run commands on this"
            " machine. Nothing was restored."
        )


def _schema() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema()), to_regnamespace(%s) IS NOT NULL", [_BEFORE])
        schema, unfinished = cursor.fetchone()
    if unfinished:
        raise BackupRefused(
            f"An earlier restore was ended before its end: the schema {_BEFORE} holds what was there before it."
            " docs/deployment/backups.md says how to take it back."
        )
    return str(schema)


def _execute(statements: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements.split("; "):
            cursor.execute(statement)


def _run(program: str, *arguments: str, to_stdout: int | None = None) -> None:
    """Run one of PostgreSQL's programs on the database that the settings name; the password is on no command line."""
    parameters = connection.get_connection_params()
    variables = {variable: str(parameters[name]) for name, variable in _VARIABLES.items() if parameters.get(name)}
    done = subprocess.run(  # noqa: S603 - a program's name and arguments of ours
        [_path_of(program), *arguments],
        env=os.environ | variables | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=to_stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BackupRefused(_error_line(program, done.stderr))


def _path_of(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise BackupRefused(f"{program} was not found: apt-get install postgresql-client")
    return path


def _error_line(program: str, errors: str) -> str:
    lines = [line for line in errors.splitlines() if line.strip()] or ["it failed without a word"]
    if "server version mismatch" in errors:
        versions = next((line.partition("detail: ")[2] for line in lines if "server version:" in line), "")
        return f"{program} is older than the server ({versions}): install the client of the server’s version."
    telling = next((line for line in lines if "ERROR" in line or "error" in line), lines[0])
    return f"{program}: {telling.strip()}"
