"""What keeps a database's files from forgetting: somebody who may still see what has been deleted. All are real."""

import contextlib
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from django.db import connection

_MOST_SECONDS = 10


@contextlib.contextmanager
def _reader() -> Iterator[None]:
    """Read SQLite's file in a transaction that does not end."""
    with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM surveys_survey").fetchall()
        yield


def own_connection(**more: str) -> Any:  # noqa: ANN401 - psycopg may not be installed
    import psycopg

    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "host", "port") if name in parameters}
    return psycopg.connect(**(wanted | more), autocommit=True)


@contextlib.contextmanager
def _snapshot() -> Iterator[None]:
    """Keep a snapshot on PostgreSQL without doing anything with it, and without locking a table of ours."""
    with own_connection() as idle:
        idle.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        idle.execute("SELECT 1")
        yield


@contextlib.contextmanager
def _prepared() -> Iterator[None]:
    with own_connection() as other:
        other.execute("BEGIN")
        other.execute("SELECT pg_current_xact_id()")
        other.execute("PREPARE TRANSACTION 'held'")
        try:
            yield
        finally:
            other.execute("ROLLBACK PREPARED 'held'")


@contextlib.contextmanager
def _slot() -> Iterator[None]:
    """Ask for older rows as a replica does that reports what its readers see, and leave: the slot stays."""
    with own_connection() as other:
        other.execute("SELECT pg_create_physical_replication_slot('held', true)")
        try:
            oldest, place = other.execute("SELECT txid_current(), pg_current_wal_flush_lsn()").fetchone()
            seen = "SELECT xmin IS NOT NULL FROM pg_replication_slots"
            _report(oldest, place, lambda: _wait(lambda: other.execute(seen).fetchone()[0]))
            _wait(lambda: not other.execute("SELECT active FROM pg_replication_slots").fetchone()[0])
            yield
        finally:
            other.execute("SELECT pg_drop_replication_slot('held')")


def _report(oldest: int, place: str, arrived: Callable[[], None]) -> None:
    """Send a replica's message of which rows it needs, and stay until it has arrived."""
    with contextlib.closing(own_connection(replication="true")) as replica:
        raw = replica.pgconn
        raw.send_query(f"START_REPLICATION SLOT held PHYSICAL {place}".encode())
        raw.get_result()
        raw.put_copy_data(b"h" + struct.pack(">qIIII", 0, oldest % 2**32, oldest // 2**32, 0, 0))
        raw.flush()
        arrived()


def _wait(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + _MOST_SECONDS
    while not condition():
        if time.monotonic() > until:
            raise AssertionError("the obstacle does not stand")
        time.sleep(0.02)


OBSTACLES: dict[str, Callable[[], AbstractContextManager[None]]] = (
    {"reader": _reader}
    if connection.vendor == "sqlite"
    else {"snapshot": _snapshot, "slot": _slot, "prepared": _prepared}
)


def files() -> list[Path]:
    """Return the database's files; PostgreSQL's without its write-ahead log, which no program can reach."""
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        return [Path(name), Path(name + "-wal")]
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute(
            "SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database"
            " WHERE datname = current_database()"
        )
        directory = Path(cursor.fetchone()[0])
    return [path for path in directory.iterdir() if path.is_file()]


def held(traces: list[bytes]) -> int:
    """Return how many of these texts the files hold."""
    content = b"\0".join(path.read_bytes() for path in files() if path.exists())
    return sum(trace in content for trace in traces)
