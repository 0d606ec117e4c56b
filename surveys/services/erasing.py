"""What a database file remembers of deleted rows, and how it is made to forget. Each database needs its own way."""

from django.db import connection

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
    keeps everybody else out of them meanwhile.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("VACUUM")
        else:
            for table in _TABLES:
                cursor.execute(f"VACUUM (FULL) {table}")
    empty_the_journal()
