"""The record beside the database: only ever more, on the disk as a whole, and refused by name where it is damaged."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest
from pytest_django import Settings

from surveys.common import record
from surveys.common.record import Begun, Kept, RecordDamaged

ONE = {"hash of one": Kept("AAAAAA", charged={"first": 500_000})}


@pytest.fixture(autouse=True)
def _own_record(tmp_path: Path, settings: Settings) -> None:
    settings.RECORD = tmp_path / "data" / "record.json"


def test_it_keeps_what_is_added_for_its_owner_alone() -> None:
    begun = {"key": Begun("second", 1, 2, 3)}
    both = ONE | {"hash of another": Kept("BBBBBB", begun=begun, destroyed="purged", purge_on="2030-01-02")}
    assert record.read() == {}
    assert record.merge(both) == both == record.read()
    assert stat.S_IMODE(record.path().stat().st_mode) == 0o600
    assert list(record.path().parent.iterdir()) == [record.path()]


def test_two_say_together_all_charges_the_last_destruction_and_the_earlier_day() -> None:
    earlier = Kept("A", {"a": 1}, {"k": Begun("b", 2, 0, 0), "l": Begun("c", 3, 0, 0)}, "purged", False, "2030-01-02")
    later = Kept("A", {"b": 2}, {"m": Begun("d", 4, 0, 0)}, "sealed", True, "2030-01-01")
    together = Kept(
        "A", {"a": 1, "b": 2}, {"l": Begun("c", 3, 0, 0), "m": Begun("d", 4, 0, 0)}, "purged", True, "2030-01-01"
    )
    assert earlier | later == later | earlier == together
    assert together | earlier == together | together == together
    assert Kept("A", purge_on="2030-01-01") | Kept("A") == Kept("A", purge_on="2030-01-01")


def test_a_survey_of_which_there_is_nothing_to_keep_is_not_in_it() -> None:
    record.merge({"hash": Kept("AAAAAA")})
    assert not record.path().exists()


def _add(number: int) -> None:
    record.merge({"hash": Kept("AAAAAA", charged={str(number): number})})


def test_of_many_that_write_at_once_nothing_is_lost() -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(_add, range(40)))
    assert record.read()["hash"].charged == {str(number): number for number in range(40)}


def test_without_the_lock_something_would_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: both have read before either writes."""
    record.merge(ONE)
    both, write = Barrier(2), record._write

    @contextmanager
    def unlocked() -> Iterator[None]:
        yield

    def wait_and_write(text: str) -> None:
        both.wait(timeout=60)
        write(text)

    monkeypatch.setattr(record, "_locked", unlocked)
    monkeypatch.setattr(record, "_write", wait_and_write)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(_add, range(2)))
    assert len(record.read()["hash"].charged) == 1


@pytest.mark.parametrize("damage", ["", "half", "edited", "no record", "bytes", "later"])
def test_one_that_is_damaged_is_refused_and_stays_as_it_is(damage: str) -> None:
    record.merge(ONE)
    text = record.path().read_text()
    damaged = {
        "": "",
        "half": text[: len(text) // 2],
        "edited": text.replace("500000", "5"),
        "no record": "[]",
        "bytes": "\udcff",
        "later": text.replace('"format": 1', '"format": 2'),
    }[damage].encode(errors="surrogateescape")
    record.path().write_bytes(damaged)
    wanted = "later Deniable" if damage == "later" else "was changed, or broke"
    with pytest.raises(RecordDamaged, match=wanted):
        record.read()
    with pytest.raises(RecordDamaged, match=wanted):
        record.merge({"another": Kept("BBBBBB", charged={"second": 1})})
    assert record.path().read_bytes() == damaged


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_leaves_the_record_as_it_was(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    record.merge(ONE)

    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        _add(1)
    monkeypatch.undo()
    assert record.read() == ONE
    assert list(record.path().parent.iterdir()) == [record.path()]


def test_it_is_on_the_disk_under_its_own_name_before_anybody_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def sync(handle: int) -> None:
        steps.append("directory" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def rename(self: Path, target: Path) -> Path:
        steps.append("renamed")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", rename)
    record.merge(ONE)
    assert steps == ["file", "renamed", "directory"]
    record.merge(ONE)
    assert len(steps) == 3, "nothing new, nothing written"


def test_what_root_writes_is_given_to_the_directorys_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "fchown", lambda _handle, *owner: given.append(owner))
    for account in (0, 1000):
        monkeypatch.setattr(os, "geteuid", lambda account=account: account)
        _add(account)
    owner = record.path().parent.stat()
    assert given == [(owner.st_uid, owner.st_gid)]
