"""Writing while others write, statements planned once, and work that may fail alone.

How long SQLite waits for others, and how often it looks, is set here; for PostgreSQL it is set inside each transaction.
"""

import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from surveys.logs import place_of

logger = logging.getLogger(__name__)

# What every statement waits at most, as the settings have it.
LONG = float(settings.DATABASES["default"].get("OPTIONS", {}).get("timeout", 20))


@contextmanager
def waiting_at_most(seconds: float) -> Iterator[None]:
    """Let SQLite's statements, a transaction's first one too, wait no longer; afterwards as long as ever.

    Inside a transaction nothing changes: it has its lock already.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    _wait(seconds)
    try:
        yield
    finally:
        _wait(LONG)


_Written = TypeVar("_Written")
_EVERY_SECONDS = 0.001


def write_promptly(write: Callable[[], _Written]) -> _Written:
    """Return what `write`, one transaction, returns; while others write, SQLite looks every millisecond whether it can.

    By itself it looks after 1, 2, 5 … 25, 50, 100 ms, and other writers get in first each time: of
    respondents who send at once the slowest hundredth waited seven times as long as half of them, and so three times.
    """
    last = time.monotonic() + LONG
    with waiting_at_most(_EVERY_SECONDS):
        while True:
            try:
                return write()
            except OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > last:
                    raise


_Item = TypeVar("_Item")


class WrittenTogether(Generic[_Item, _Written]):
    """Writes what all threads wait to have written at once: one commit waits for the disk for all of them.

    `write` gets some items and returns what became of each; it is one transaction.
    """

    def __init__(self, write: Callable[[list[_Item]], list[_Written]]) -> None:
        self._write = write
        self._line: deque[tuple[_Item, Future[_Written]]] = deque()
        self._first_in_line = Lock()

    def __call__(self, item: _Item) -> _Written:
        """Return what became of this item, when it is on the disk."""
        mine: Future[_Written] = Future()
        self._line.append((item, mine))
        with self._first_in_line:
            if not mine.done():
                self._write_line([self._line.popleft() for _ in range(len(self._line))])
        return mine.result()

    def _write_line(self, line: list[tuple[_Item, Future[_Written]]]) -> None:
        try:
            written = write_promptly(lambda: self._write([item for item, _ in line]))
        except IntegrityError as error:
            # A guard has refused one of them, and so nothing is written: each is tried by itself.
            if len(line) == 1:
                line[0][1].set_exception(error)
            else:
                for one in line:
                    self._write_line([one])
        except BaseException as error:  # noqa: BLE001 - whatever it is, nobody may wait for ever
            for _, mine in line:
                mine.set_exception(error)
        else:
            for (_, mine), result in zip(line, written, strict=True):
                mine.set_result(result)


def _wait(seconds: float) -> None:
    connection.ensure_connection()
    # Past Django's cursor, which takes longer than this does.
    connection.connection.execute(f"PRAGMA busy_timeout={int(1000 * seconds)}")


def prepare_statements(connection: BaseDatabaseWrapper, **_signal: object) -> None:
    """Let PostgreSQL plan what is asked often once a connection, which is half of what an answer costs it.

    Behind a pool such as PgBouncer's the next transaction may meet another server process, which has prepared nothing.
    A pool gives a connection a process number of its own, and so is known.
    """
    if connection.vendor == "postgresql":
        with connection.connection.cursor() as cursor:
            (process,) = cursor.execute("SELECT pg_backend_pid()").fetchone()
        if process == connection.connection.info.backend_pid:
            connection.connection.prepare_threshold = _OFTEN


# As psycopg has it where nobody else decides.
_OFTEN = 5


@contextmanager
def failing_alone(what: str) -> Iterator[None]:
    """Log what fails in one line, so that it stops nothing else.

    The line says where, and not the error's own words: a database puts rows into them.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        logger.error("%s failed: %s in %s", what, type(error).__name__, place_of(error))  # noqa: TRY400


# SQLite has one class of error for these and for a disk that is full: a statement that is wrong, a call that is.
_MISTAKES = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE}


def database_is_away(error: BaseException | None) -> bool:
    """Whether the same request may succeed later: the database is gone, busy or full, and no statement was wrong."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _MISTAKES
