"""A backup: one file with a copy of the database, the server's keys if they are to be in it, and what made both.

It is a zip archive of `manifest.json`, `keys.sealed` where a passphrase was given, and the copy: these members in this
order, and no others. The manifest holds the format, the hash of the copy and whether there is a seal, and the keys are
sealed together with it: a passphrase opens the file as it was written, or not at all. Without one the hashes only find
what broke by itself.
"""

import datetime as dt
import errno
import hashlib
import json
import os
import secrets
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from argon2.low_level import Type, hash_secret_raw

from surveys.common.readiness import LEAST_FREE_BYTES
from surveys.common.record import sync_directory
from surveys.upkeep.selectors.standing import SurveyStanding

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

# Of all that is below: a program reads the numbers up to its own.
FORMAT = 1
_MANIFEST, _KEYS = "manifest.json", "keys.sealed"
_COPIES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
_NAMED = "deniable-{:%Y%m%dT%H%M%SZ}.backup"
PATTERN = "deniable-????????T??????Z.backup"
_UNFINISHED = ".deniable-"
_PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_LARGEST = {_MANIFEST: 50_000_000, _KEYS: 100_000}
# RFC 9106, section 4, the choice for little memory: Argon2id, three passes over 64 MiB, four lanes, a salt of 128 bits.
_ARGON2 = {"time_cost": 3, "memory_cost": 64 * 1024, "parallelism": 4, "hash_len": 32, "type": Type.ID}
_SALT_BYTES, _NONCE_BYTES = 16, 12
_BLOCK = 1 << 20


class BackupRefused(Exception):  # noqa: N818 - nothing went wrong: it was refused
    """Why nothing was backed up, or nothing restored: one line for the operator."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself; `migrations` made its database, `surveys` are as they were."""

    program: str
    database: str
    made_at: str
    migrations: Sequence[str]
    surveys: Sequence[SurveyStanding]
    sha256: str
    has_keys: bool

    def as_json(self) -> bytes:
        """Return the member of the archive: the same bytes for the same manifest."""
        return json.dumps({"format": FORMAT} | asdict(self), ensure_ascii=False, indent=1, sort_keys=True).encode()


def new_name(now: dt.datetime) -> str:
    return _NAMED.format(now)


def write_backup(
    path: Path,
    *,
    copy: Path,
    program: str,
    database: str,
    made_at: dt.datetime,
    migrations: Sequence[str],
    surveys: Sequence[SurveyStanding],
    keys: Sequence[str],
    passphrase: str,
) -> Manifest:
    """Write the file under another name, to the disk, and only then under its own; without a passphrase no keys.

    Raises `BackupRefused` where there is such a file, and OSError; nothing is left then.
    """
    if path.exists():
        raise BackupRefused(f"{path} is there already: wait a second.")
    handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            manifest = Manifest(
                program=program,
                database=database,
                made_at=f"{made_at:%Y-%m-%dT%H:%M:%SZ}",
                migrations=migrations,
                surveys=surveys,
                sha256=_hash_of(copy),
                has_keys=bool(passphrase),
            )
            _write_members(file, manifest, copy, _sealed(keys, passphrase, manifest) if passphrase else b"")
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
        sync_directory(path.parent)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return manifest


def _write_members(file: IO[bytes], manifest: Manifest, copy: Path, sealed: bytes) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_MANIFEST), manifest.as_json())
        if sealed:
            archive.writestr(zipfile.ZipInfo(_KEYS), sealed)
        member = zipfile.ZipInfo(_COPIES[manifest.database])
        member.compress_type = zipfile.ZIP_DEFLATED
        with copy.open("rb") as source, archive.open(member, "w", force_zip64=True) as target:
            while block := source.read(_BLOCK):
                target.write(block)


def read_manifest(path: Path) -> Manifest:
    """Return what the file says of itself, without looking at the copy in it; raises `BackupRefused`."""
    with _archive(path) as archive:
        return _manifest(archive, path)


@contextmanager
def unpacked(path: Path, *, into: Path, passphrase: str) -> Iterator[tuple[Manifest, Path, list[str]]]:
    """Look at all of a backup, and hand out its manifest, its copy as a file, and its keys, if there is a passphrase.

    Raises `BackupRefused` for what is no whole backup, or was changed, or is of a later program, and where the
    passphrase is another one, or proves nothing because there is no seal.
    """
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=into) as directory:
        with _archive(path) as archive:
            manifest = _manifest(archive, path)
            if passphrase and not manifest.has_keys:
                raise BackupRefused(
                    f"{path} has no seal, so no passphrase can prove that it is as it was written. If it comes from a"
                    " place from which you would run a program, restore it with --without-keys."
                )
            copy = Path(directory, _COPIES[manifest.database])
            keys = _keys(archive, manifest, passphrase, path) if passphrase else []
            _require_room(archive.getinfo(copy.name).file_size, copy, path)
            with archive.open(copy.name) as source, copy.open("wb") as target:
                while block := source.read(_BLOCK):
                    target.write(block)
        if _hash_of(copy) != manifest.sha256:
            raise BackupRefused(f"{path} was changed, or broke: the copy in it is not what its manifest says.")
        yield manifest, copy, keys


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError:
        raise BackupRefused(f"There is no file {path}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, UnicodeDecodeError):
        raise _no_backup(path) from None
    except OSError as error:
        # What is no offset, and no stream, says so like this; a full disk has a number of its own.
        if error.errno not in {errno.EINVAL, None}:
            raise
        raise _no_backup(path) from None


def _no_backup(path: Path) -> BackupRefused:
    return BackupRefused(f"{path} is no whole backup: it ends too early, or something was changed in it.")


def _manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    text = _read(archive, _MANIFEST)
    try:
        fields: dict[str, Any] = json.loads(text)
        number = int(fields.pop("format"))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise zipfile.BadZipFile from None
    if number > FORMAT:
        raise BackupRefused(f"{path} was written by a later Deniable: install that, or a later one.")
    try:
        surveys = [SurveyStanding(**survey) for survey in fields.pop("surveys")]
        manifest = Manifest(**fields, surveys=surveys)
    except (TypeError, KeyError):
        raise zipfile.BadZipFile from None
    if manifest.database not in _COPIES or manifest.as_json() != text:
        raise zipfile.BadZipFile
    keys = [_KEYS] if manifest.has_keys else []
    # Each once and in order, so that no two readers of archives can find different ones; nothing else is unpacked.
    packed = {member.compress_type for member in archive.infolist()}
    if archive.namelist() != [_MANIFEST, *keys, _COPIES[manifest.database]] or not packed <= _PACKED:
        raise zipfile.BadZipFile
    return manifest


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a member that is held in memory; no more is unpacked than its entry says."""
    if archive.getinfo(name).file_size > _LARGEST[name]:
        raise zipfile.BadZipFile
    return archive.read(name)


def _require_room(size: int, copy: Path, path: Path) -> None:
    """Refuse a copy before it is unpacked that would fill the disk; no more is unpacked than its entry says."""
    free = shutil.disk_usage(copy.parent).free
    if size > free - LEAST_FREE_BYTES:
        raise BackupRefused(
            f"The copy in {path} has {size:,} bytes when it is unpacked, and the disk of {copy.parent.parent} has"
            f" {free:,} left, of which {LEAST_FREE_BYTES:,} stay free. Nothing was restored."
        )


def _sealed(keys: Sequence[str], passphrase: str, manifest: Manifest) -> bytes:
    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    return salt + nonce + _cipher(passphrase, salt).encrypt(nonce, json.dumps(list(keys)).encode(), manifest.as_json())


def _keys(archive: zipfile.ZipFile, manifest: Manifest, passphrase: str, path: Path) -> list[str]:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - pages list backups and open none

    sealed = _read(archive, _KEYS)
    salt, rest = sealed[:_SALT_BYTES], sealed[_SALT_BYTES:]
    try:
        opened = _cipher(passphrase, salt).decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], manifest.as_json())
    except (InvalidTag, ValueError):
        raise BackupRefused(f"This is not the passphrase of {path}, or the file was changed since.") from None
    keys: list[str] = json.loads(opened)
    return keys


def _cipher(passphrase: str, salt: bytes) -> "ChaCha20Poly1305":
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # noqa: PLC0415 - nor do they seal one

    return ChaCha20Poly1305(hash_secret_raw(passphrase.encode(), salt, **_ARGON2))  # type: ignore[arg-type]


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
