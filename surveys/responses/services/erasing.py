"""What a database's files remember of deleted rows, and how they are made to forget; each database needs its own way.

What is deleted is noted with the deletion (`Erasure`), and the note goes when a search of the files would find nothing.
Others may read meanwhile what has been deleted, and then the files have to keep it. Nobody who answers waits for longer
than a second for any of this, so all of it is tried in short pieces with pauses between them and may stay due.
"""

import functools
import logging
import math
import time
from collections.abc import Callable

from django.db import DatabaseError, OperationalError, connection, transaction

from surveys.common.services import waiting_at_most
from surveys.models import Erasure, Survey
from surveys.models.rewriting import TABLES

logger = logging.getLogger(__name__)

# Seconds. How long somebody who closes, seals or purges waits for readers to finish, and a timed job.
PATIENCE, PATIENCE_OF_A_JOB = 1.0, 20.0
# How long a try may keep writers waiting for readers, and the pause after it, in which they go on.
_TRY, _PAUSE = 0.03, 0.1
# How long files may be written anew while others wait. SQLite can be interrupted in the first half of the work only.
_SQLITE_WRITES, _POSTGRESQL_WRITES = 0.3, 0.7
_STEPS_BETWEEN_LOOKS = 10_000

_NOTED = "SELECT 1 FROM surveys_erasure WHERE survey_id = %s AND rewriting = %s"

# Nobody's snapshot, replica or prepared transaction may see what ids below this one deleted. Ids of 32 bits are read
# as the nearest before the newest of 64 bits. Running and prepared transactions are in the snapshot of this statement.
_OLDEST = """
    WITH now AS (
        SELECT pg_snapshot_xmin(snapshot)::text::bigint AS running, pg_snapshot_xmax(snapshot)::text::bigint AS newest
        FROM pg_current_snapshot() AS snapshot
    ), held AS (
        SELECT backend_xmin::text::bigint AS id FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND (datid IS NULL OR datid = 0 OR datname = current_database())
        UNION ALL SELECT xmin::text::bigint FROM pg_replication_slots
    )
    SELECT LEAST(running, (SELECT MIN(newest - MOD(newest - id, 4294967296)) FROM held)) FROM now
"""


def overwrite_what_is_deleted() -> None:
    """Let SQLite write zeros over what this connection deletes from now on; folding is rare enough not to notice."""
    if connection.vendor == "sqlite":
        _execute("PRAGMA secure_delete=ON")


def note_deletion(survey: Survey, *, rewriting: bool) -> None:
    """Note that something of a survey is deleted by this transaction, and that the files have to follow.

    Without `rewriting` SQLite's journal is emptied, which holds every commit one after the other; PostgreSQL has none
    that a program could empty.
    """
    if (rewriting or connection.vendor == "sqlite") and not _noted(survey, rewriting=rewriting):
        Erasure.objects.create(survey=survey, rewriting=rewriting)


def _noted(survey: Survey, *, rewriting: bool) -> bool:
    # Each step of a fold looks, while others wait: building a query would take longer than the query.
    with connection.cursor() as cursor:
        cursor.execute(_NOTED, [survey.pk, rewriting])
        return cursor.fetchone() is not None


def erase_when_committed(survey: Survey, *, rewriting: bool) -> None:
    """Note the same, and let the files follow after this transaction's end."""
    note_deletion(survey, rewriting=rewriting)
    if rewriting or connection.vendor == "sqlite":
        transaction.on_commit(functools.partial(erase, rewriting=rewriting))


def erase(*, rewriting: bool = True, patience: float = PATIENCE, however_long: bool = False) -> bool:
    """Let the files forget what is noted as deleted, of all surveys, and return whether nothing of it is left in them.

    Waits `patience` seconds for readers. `however_long` lets others wait while large files are written anew.
    """
    if connection.in_atomic_block:
        return False
    try:
        due = dict(Erasure.objects.values_list("pk", "rewriting"))
        if due:
            way = _erase_sqlite if connection.vendor == "sqlite" else _erase_postgresql
            way(due, rewriting=rewriting, until=time.monotonic() + patience, however_long=however_long)
        return not Erasure.objects.exists()
    except DatabaseError as error:
        # Somebody else has the database, or the disk is full: the note stays.
        logger.warning("deleted rows are still in the files: %s", str(error).partition("\n")[0])
        return False


def _erase_sqlite(due: dict[int, bool], *, rewriting: bool, until: float, however_long: bool) -> None:
    journal = [key for key, files in due.items() if not files]
    files = [key for key, files in due.items() if files]
    if rewriting and files and _vacuum(math.inf if however_long else _SQLITE_WRITES):
        # Readers keep the old pages in the journal; but when it is emptied they are gone.
        Erasure.objects.filter(pk__in=files).update(rewriting=False)
        journal += files
    if _tried(_empty_the_journal, until):
        Erasure.objects.filter(pk__in=journal).delete()
        _empty_the_journal()


def _empty_the_journal() -> bool:
    """Move the journal into the file and truncate it; whether all of it was moved.

    First what nobody waits for; then, with the writers' lock, what is left of it.
    """
    with waiting_at_most(_TRY), connection.cursor() as cursor:
        for mode in ("PASSIVE", "TRUNCATE"):
            cursor.execute(f"PRAGMA wal_checkpoint({mode})")
            ((busy, frames, moved),) = cursor.fetchall()
    return bool(not busy and frames == moved)


def _vacuum(seconds: float) -> bool:
    """Write SQLite's file anew, which keeps all writers waiting; whether that was done in the time."""
    connection.ensure_connection()
    until = time.monotonic() + seconds
    with waiting_at_most(PATIENCE):
        connection.connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS_BETWEEN_LOOKS)
        try:
            _execute("VACUUM")
        except OperationalError as error:
            logger.warning("the file was not written anew: %s", error)
            return False
        finally:
            connection.connection.set_progress_handler(None, 0)
    return True


def _erase_postgresql(due: dict[int, bool], *, rewriting: bool, until: float, however_long: bool) -> None:
    """Write the tables anew once nobody can see what is deleted: otherwise that would be copied."""
    newest = _value("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")

    def unseen() -> bool:
        return _value(_OLDEST) >= newest

    left = math.inf if however_long else _POSTGRESQL_WRITES
    if not rewriting or not _tried(unseen, until):
        return
    for table in TABLES:
        begin = time.monotonic()
        if not _tried(functools.partial(_write_anew, table, left), until):
            return
        left -= time.monotonic() - begin
    # A replica may have asked for older rows meanwhile.
    if unseen():
        Erasure.objects.filter(pk__in=due).delete()


def _write_anew(table: str, seconds: float) -> bool:
    """Write one of PostgreSQL's tables anew, which nobody else can use meanwhile; whether that was done."""
    limit = max(1, int(1000 * seconds)) if math.isfinite(seconds) else 0
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            # Who waits for the table makes everybody after him wait as well.
            cursor.execute(f"SET LOCAL lock_timeout = {int(1000 * _TRY)}")
            cursor.execute(f"SET LOCAL statement_timeout = {limit}")
            cursor.execute("SELECT write_anew(%s)", [table])
    except OperationalError as error:
        logger.info("%s was not written anew: %s", table, str(error).partition("\n")[0])
        return False
    return True


def _tried(attempt: Callable[[], bool], until: float) -> bool:
    """Try again and again, at least once, with a pause for everybody else each time; whether it was done in time."""
    while not attempt():
        if time.monotonic() + _PAUSE > until:
            return False
        time.sleep(_PAUSE)
    return True


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _value(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])
