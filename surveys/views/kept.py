"""What everybody may see of a release, kept once it has been made: rows that never change make the same bytes."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

_MOST = 64
_MOST_BYTES = 16 * 2**20

Key = tuple[object, ...]


class KeptBytes:
    """The bytes asked for last, bounded in number and in size; safe for threads."""

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._kept: OrderedDict[Key, bytes] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def of(self, key: Key, make: Callable[[], bytes]) -> bytes:
        """Return what is kept under a key, or make it; two at once may both make it."""
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._size += len(made)
            while self._kept and (len(self._kept) > self._most or self._size > self._most_bytes):
                _key, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest)
        return made

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._kept.clear()
            self._size = 0
