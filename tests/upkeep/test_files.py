"""A backup is whole, unchanged and opened by its passphrase, or it is refused in one line; none is half written."""

import json
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from argon2 import Type

from surveys.upkeep.services import files
from surveys.upkeep.services.backing_up import backups_in
from surveys.upkeep.services.files import BackupRefused, unpacked
from tests.factories import fill, make_open
from tests.upkeep.backups import PASSPHRASE, back_up_to

pytestmark = pytest.mark.usefixtures("transactional_db")

_KEY = "only-for-the-tests" * 2
# Before a fixture makes it cheap.
_AS_IT_IS = files._ARGON2


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    fill(make_open(code="SEAMED"), {"0": 7, "1": 5})
    return back_up_to(tmp_path, PASSPHRASE).path


def _open(path: Path, passphrase: str = PASSPHRASE) -> list[str]:
    with unpacked(path, into=path.parent, passphrase=passphrase) as (_manifest, copy, keys):
        assert copy.read_bytes().startswith(b"SQLite format 3")
        return keys


@pytest.mark.sqlite
def test_the_keys_are_opened_by_the_passphrase_alone_and_are_not_readable_in_the_file(sealed: Path) -> None:
    assert _open(sealed) == [_KEY]
    assert _KEY.encode() not in sealed.read_bytes()
    with zipfile.ZipFile(sealed) as archive:
        assert all(_KEY.encode() not in archive.read(name) for name in archive.namelist())
    for wrong in ("another passphrase", PASSPHRASE.upper(), f"{PASSPHRASE} "):
        with pytest.raises(BackupRefused, match="not the passphrase"):
            _open(sealed, wrong)


def test_the_passphrase_is_hashed_as_rfc_9106_recommends() -> None:
    assert _AS_IT_IS == {"time_cost": 3, "memory_cost": 65536, "parallelism": 4, "hash_len": 32, "type": Type.ID}
    assert files._SALT_BYTES == 16


def test_only_its_owner_can_read_it_and_nothing_else_is_left_beside_it(sealed: Path) -> None:
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    assert list(sealed.parent.iterdir()) == [sealed]


def test_whatever_is_missing_at_its_end_is_noticed(sealed: Path) -> None:
    content = sealed.read_bytes()
    half = sealed.with_name("half")
    for length in [0, 1, 30, *range(100, len(content), len(content) // 20), len(content) - 1]:
        half.write_bytes(content[:length])
        with pytest.raises(BackupRefused, match="no whole backup"):
            _open(half)


@pytest.mark.sqlite
def test_whatever_byte_is_changed_is_noticed_or_changes_nothing(sealed: Path) -> None:
    """Of a zip archive some bytes say the same twice, or nothing."""
    content, changed = sealed.read_bytes(), sealed.with_name("changed")
    noticed, at_its_ends = 0, 150
    middle = range(at_its_ends, len(content) - at_its_ends, len(content) // 50)
    for place in [*range(at_its_ends), *middle, *range(len(content) - at_its_ends, len(content))]:
        changed.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            assert _open(changed) == [_KEY]
        except BackupRefused:
            noticed += 1
    assert noticed > 200


def _rewritten(path: Path, **members: bytes) -> Path:
    """Write the archive again, whole, with other members: as somebody would who means it."""
    other = path.with_name("other")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(other, "w") as after:
        for name in before.namelist():
            after.writestr(name, members.get(name.partition(".")[0], before.read(name)))
    return other


@pytest.mark.sqlite
def test_a_copy_or_a_manifest_that_somebody_exchanged_is_noticed_by_the_passphrase(sealed: Path) -> None:
    with zipfile.ZipFile(sealed) as archive:
        fields, copy = json.loads(archive.read("manifest.json")), archive.read("database.sqlite3")
    assert fields["sha256"] == files.hashlib.sha256(copy).hexdigest()
    with pytest.raises(BackupRefused, match="manifest"):
        _open(_rewritten(sealed, database=copy + b"\0"))
    fields["sha256"] = files.hashlib.sha256(copy + b"\0").hexdigest()
    exchanged = _rewritten(sealed, database=copy + b"\0", manifest=_text(fields))
    with pytest.raises(BackupRefused, match="not the passphrase"):
        _open(exchanged)
    # Whoever gives no passphrase has no such proof.
    assert _open(exchanged, "") == []


def _text(fields: dict[str, object]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, indent=1, sort_keys=True).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 2}, "later Deniable"),
        ({"format": "two"}, "no whole backup"),
        ({"database": "../../etc/passwd"}, "no whole backup"),
        ({"surveys": [{"code": "X"}]}, "no whole backup"),
        ({"more": 1}, "no whole backup"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(sealed: Path, change: dict[str, object], words: str) -> None:
    with zipfile.ZipFile(sealed) as archive:
        fields = json.loads(archive.read("manifest.json"))
    with pytest.raises(BackupRefused, match=words):
        _open(_rewritten(sealed, manifest=_text(fields | change)))


@pytest.mark.parametrize("content", [b"", b"a text", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_backup_is_refused_and_passed_over_in_lists(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "deniable-20260101T000000Z.backup"
    path.write_bytes(content)
    with pytest.raises(BackupRefused, match="no whole backup"):
        _open(path)
    with pytest.raises(BackupRefused, match="nowhere"):
        _open(tmp_path / "nowhere")
    assert backups_in(tmp_path) == []


def test_a_full_disk_leaves_no_half_a_backup_and_deletes_no_earlier_one(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    sealed = sealed.rename(sealed.with_name("deniable-20000101T000000Z.backup"))
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(BackupRefused, match="No space left"):
        back_up_to(sealed.parent, retain=1)
    assert list(sealed.parent.iterdir()) == [sealed]


@pytest.mark.sqlite
def test_the_copy_has_no_deleted_rows_in_it(sealed: Path) -> None:
    """The file of the database may; a backup is kept for long."""
    with (
        unpacked(sealed, into=sealed.parent, passphrase="") as (_manifest, copy, _keys),
        closing(sqlite3.connect(copy)) as database,
    ):
        assert database.execute("PRAGMA freelist_count").fetchone() == (0,)
