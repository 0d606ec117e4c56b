"""Rules of the database: which statement a trigger refuses, and what follows from one."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guard:
    """One refused event: `when` is SQL over OLD and NEW that both databases understand.

    `or_on_sqlite` is what only SQLite needs: the row of a table whose key is a text has a number there as well, by
    which it can be replaced or moved onto another.
    """

    name: str
    table: str
    event: str
    when: str
    message: str
    timing: str = "BEFORE"
    or_on_sqlite: str = "1 = 0"


@dataclass(frozen=True, slots=True)
class Effect:
    """What follows, in the same statement, from each row that is inserted: `then` is a statement over NEW."""

    name: str
    table: str
    then: str


def columns_changed(columns: Iterable[str]) -> str:
    """Whether an update changes any of these columns, none of which can be NULL."""
    # IS DISTINCT FROM would need SQLite 3.39; both databases compare these NOT NULL columns as text.
    return " OR ".join(f"CAST(OLD.{column} AS TEXT) <> CAST(NEW.{column} AS TEXT)" for column in columns)


def require_whole(table: str, event: str, columns: Iterable[str]) -> Guard:
    """Return the rule that these columns hold whole numbers: SQLite takes 0.5, 9e999 and texts there as well."""
    when = " OR ".join(f"NEW.{column} <> CAST(NEW.{column} AS BIGINT)" for column in columns)
    name = f"{table.removeprefix('surveys_')}_{event.lower()}_whole"
    return Guard(name, table, event, when, "what is charged and what may be charged are whole numbers")
