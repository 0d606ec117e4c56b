"""How long SQLite waits for others before it gives up. PostgreSQL is told so inside each transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

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


def _wait(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout={int(1000 * seconds)}")
        cursor.fetchall()
