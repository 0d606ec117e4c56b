"""What a database file remembers of deleted rows, and how it is made to forget. Each database needs its own way."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection

from surveys.services.patience import LONG, waiting_at_most

# Tables that hold, or held, something in the order in which people answered.
_TABLES = (
    "surveys_response",
    "surveys_spentnonce",
    "surveys_invitation",
    "surveys_patterncount",
    "surveys_foldedpart",
    "surveys_cellcount",
)


class FilesInUse(DatabaseError):  # noqa: N818 - reads as a sentence where it is raised
    """The rows are deleted, but others kept the files from being written anew: that is to be done again."""


def overwrite_what_is_deleted() -> None:
    """Let SQLite write zeros over what this connection deletes from now on; folding is rare enough not to notice."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def empty_the_journal(patience: float = LONG) -> None:
    """Let SQLite move its journal, which holds every commit one after the other, into the file and truncate it.

    Waits for readers, and keeps writers waiting, `patience` seconds at most; if a reader stays longer, the next fold
    or seal empties it.
    """
    if connection.vendor == "sqlite":
        with waiting_at_most(patience), connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.fetchall()


def rewrite_the_files() -> None:
    """Write the tables anew so that no free space holds old rows; call outside transactions.

    SQLite writes the whole file. PostgreSQL writes these tables (FULL: plain VACUUM leaves the bytes in place), which
    keeps everybody else out of them meanwhile. Raises `FilesInUse` when others do not make way in time.
    """
    try:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("VACUUM")
            else:
                with _postgresql_waits(LONG):
                    for table in _TABLES:
                        cursor.execute(f"VACUUM (FULL) {table}")
        empty_the_journal()
    except DatabaseError as error:
        raise FilesInUse(str(error)) from error


@contextmanager
def _postgresql_waits(seconds: float) -> Iterator[None]:
    """Let PostgreSQL's statements wait no longer for others, as SQLite's never do."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {int(1000 * seconds)}")
        try:
            yield
        finally:
            cursor.execute("RESET lock_timeout")
