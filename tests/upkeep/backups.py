"""Backups of the tests' database, and what is compared around a restore."""

import io
from collections.abc import Iterable
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from surveys.upkeep.services.backing_up import BackupWritten, back_up
from surveys.upkeep.services.restoring import Restored, RestorePlan, restore

PASSPHRASE = "four words of it, at least"


def run_command(*words: object) -> str:
    """Run a command as it is typed, and return what it writes."""
    out = io.StringIO()
    call_command(*map(str, words), stdout=out)
    return out.getvalue()


def back_up_to(directory: Path, passphrase: str = "", retain: int | None = None) -> BackupWritten:
    return back_up(to=directory, passphrase=passphrase, retain=retain)


def restore_from(path: Path, passphrase: str = "") -> Restored:
    return restore(path, passphrase=passphrase, confirm=agree)


def agree(plan: RestorePlan) -> None:
    """Mean it, whatever is replaced."""


def triggers() -> set[str]:
    """Return what all triggers of the database are and do."""
    wanted = {
        "sqlite": "SELECT sql FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT concat(pg_get_triggerdef(t.oid), tgenabled, pg_get_functiondef(tgfoid)) FROM pg_trigger t"
        " WHERE NOT tgisinternal",
    }
    return {str(name) for (name,) in rows(wanted[connection.vendor])}


def contents(tables: Iterable[str]) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of these tables, in an order of their own."""
    return {table: sorted(rows(f"SELECT * FROM {table}"), key=repr) for table in tables}  # noqa: S608 - a table's name


def rows(query: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [
            tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
            for row in cursor.fetchall()
        ]


def tables() -> list[str]:
    """Return the program's tables, but those of sign-ins, which a restore ends."""
    names = connection.introspection.table_names()
    return sorted(name for name in names if name.startswith(("surveys_", "auth_")) and name != "surveys_signin")
