"""One owner of what a process keeps of the database, the settings, a language or a survey."""

import threading
from collections.abc import Callable

import pytest

from surveys.common import caches
from surveys.common.caches import ByteCache, cached


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache of the program: those of a test are not to stay."""
    monkeypatch.setattr(caches, "_registered", [])


@pytest.mark.usefixtures("owner")
def test_what_was_made_is_kept_until_it_is_cleared() -> None:
    made: list[str] = []

    @cached(2)
    def make(what: str) -> int:
        made.append(what)
        return len(made)

    assert [make("a"), make("a"), make("b"), make("a")] == [1, 1, 2, 1]
    caches.clear()
    assert make("a") == 3


@pytest.mark.usefixtures("owner")
def test_no_more_is_kept_than_the_limit() -> None:
    made: list[str] = []
    make = cached(1)(made.append)
    for what in ("a", "b", "a"):
        make(what)
    assert made == ["a", "b", "a"]


@pytest.mark.usefixtures("owner")
def test_a_cache_of_another_kind_is_cleared_too() -> None:
    kept = {"a": 1}
    caches.register(kept.clear)
    caches.clear()
    assert kept == {}


def _making(made: list[str], key: str) -> Callable[[], bytes]:
    return lambda: (made.append(key), key.encode())[1]


@pytest.mark.usefixtures("owner")
def test_no_more_bytes_are_kept_than_are_allowed() -> None:
    pages, made = ByteCache(most_bytes=5), []
    for key in ("abc", "de", "abc", "fgh", "too long", "fgh"):
        assert pages.of(key, _making(made, key)) == key.encode()
    assert made == ["abc", "de", "fgh", "too long", "fgh"]


@pytest.mark.usefixtures("owner")
def test_what_was_asked_for_longest_ago_goes_first() -> None:
    pages, made = ByteCache(most_bytes=2), []
    for key in ("a", "b", "a", "c", "a", "b"):
        pages.of(key, _making(made, key))
    assert made == ["a", "b", "c", "b"]


@pytest.mark.usefixtures("owner")
def test_nothing_is_kept_that_was_begun_before_all_was_forgotten() -> None:
    pages, made = ByteCache(most_bytes=100), []

    def purged_meanwhile() -> bytes:
        caches.clear()
        return b"before"

    assert pages.of("page", purged_meanwhile) == b"before"
    assert pages.of("page", _making(made, "after")) == b"after"
    assert pages.of("page", _making(made, "never")) == b"after"


@pytest.mark.usefixtures("owner")
def test_two_threads_at_once_get_the_page_and_it_is_counted_once() -> None:
    pages, both = ByteCache(most_bytes=8), threading.Barrier(2)
    got: list[bytes] = []

    def make() -> bytes:
        both.wait(timeout=10)
        return b"page"

    threads = [threading.Thread(target=lambda: got.append(pages.of("page", make))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [b"page", b"page"]
    # Counted twice, the next would push it out.
    made: list[str] = []
    pages.of("next", _making(made, "next"))
    assert pages.of("page", _making(made, "page")) == b"page"
    assert made == ["next"]
