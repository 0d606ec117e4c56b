"""The caches of what depends on the database, on settings, on a language or on a survey.

What follows from the arguments and the program alone (mathematics, patterns, registries) uses `functools` directly.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_Result = TypeVar("_Result")
_registered: list[Callable[[], None]] = []


def cached(maxsize: int) -> "Callable[[Callable[..., _Result]], _lru_cache_wrapper[_Result]]":
    """Keep the most recent results until `clear` is called."""

    def decorate(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
        keeping = lru_cache(maxsize=maxsize)(function)
        register(keeping.cache_clear)
        return keeping

    return decorate


def register(clear_it: Callable[[], None]) -> None:
    """Let `clear` empty a cache of another kind."""
    _registered.append(clear_it)


def clear() -> None:
    for clear_it in _registered:
        clear_it()


class ByteCache:
    """The pages and parts of pages asked for last, bounded in bytes; safe for threads.

    The visitor has been found to have a right to what the key stands for, and everything that the content depends on
    is in its key: what has changed is not found, and goes when there is no more space.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0
        self._cleared = 0
        self._lock = Lock()
        register(self.clear)

    def of(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """Return what is kept under a key, or make it; two at once may both make it."""
        with self._lock:
            if (content := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return content
            cleared = self._cleared
        made = make()
        with self._lock:
            # What was begun before all was forgotten may be made of what is to be forgotten.
            if key not in self._kept and cleared == self._cleared:
                self._kept[key] = made
                self._size += len(made)
            while self._size > self._most_bytes:
                _key, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest)
        return made

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._size = 0
            self._cleared += 1


PAGES = ByteCache(16 * 2**20)
"""What is kept of pages, in this process and its memory alone: of releases, and of results."""
