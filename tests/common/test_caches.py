"""One owner of what a process keeps of the database, the settings, a language or a survey."""

import pytest

from surveys.common import caches
from surveys.common.caches import cached


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
