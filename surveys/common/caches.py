"""The caches of what depends on the database, on settings, on a language or on a survey.

What follows from the arguments and the program alone (mathematics, patterns, registries) uses `functools` directly.
"""

from collections.abc import Callable
from functools import lru_cache
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
    """Empty every cache of this process."""
    for clear_it in _registered:
        clear_it()
