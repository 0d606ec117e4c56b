"""What is done at the same moment by several, each in a thread and with a database connection of its own."""

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import OperationalError, connections

# Enough for every race. Among fifty threads that look every millisecond whether they may write, the one that writes
# would hardly ever run.
MOST_AT_ONCE = 10
MOST_TRIES = 5


def at_once(*actions: Callable[[], object]) -> list[object]:
    """Return what each action came to, in their order: what it returned, or the exception that it raised.

    The first ten begin together. On a machine so busy that SQLite lets a writer wait no longer, whoever is refused
    tries again, as phones and people do.
    """
    together = min(len(actions), MOST_AT_ONCE)
    begin = Barrier(together)

    def run(number: int) -> object:
        if number < together:
            begin.wait()
        try:
            return _until_not_locked(actions[number])
        except Exception as error:  # noqa: BLE001 - the tests are about which exceptions come
            return error
        finally:
            close_connections()

    with ThreadPoolExecutor(together) as pool:
        return list(pool.map(run, range(len(actions))))


def close_connections() -> None:
    """Close this thread's connections, also those that Django leaves open: to a database that is in memory."""
    for connection in connections.all(initialized_only=True):
        connection.close()
        if connection.connection is not None:
            connection.connection.close()


def tally(came_to: Iterable[object]) -> Counter[str]:
    """Return how often each outcome came: what was returned, in words, or the name of an exception."""
    return Counter(type(each).__name__ if isinstance(each, Exception) else str(each) for each in came_to)


def _until_not_locked(action: Callable[[], object]) -> object:
    for _ in range(MOST_TRIES - 1):
        try:
            return action()
        except OperationalError as error:
            if "locked" not in str(error):
                raise
    return action()
