"""Writing a backup, and forgetting the oldest ones."""

import datetime as dt
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from surveys import __version__
from surveys.common import record
from surveys.models import Survey
from surveys.upkeep.selectors.standing import (
    SurveyStanding,
    applied_migrations,
    destroyed_since,
    has_tables,
    surveys_standing,
)
from surveys.upkeep.services.databases import copied
from surveys.upkeep.services.files import (
    PATTERN,
    BackupRefused,
    Manifest,
    new_name,
    read_manifest,
    write_backup,
)


@dataclass(frozen=True, slots=True)
class BackupKept:
    """A backup that is kept: of each survey that was sealed or purged since, it holds what was destroyed then."""

    path: Path
    destroyed: Sequence[SurveyStanding]


@dataclass(frozen=True, slots=True)
class BackupWritten:
    """A backup that was written, what became of earlier ones, and what those that stay hold."""

    path: Path
    manifest: Manifest
    deleted: Sequence[Path]
    kept: Sequence[BackupKept]


def back_up(*, to: Path, passphrase: str, retain: int | None = None) -> BackupWritten:
    """Write a backup into a directory, then delete its oldest ones but `retain`; without a passphrase it has no keys.

    Raises `BackupRefused`; no file is left then, and none is deleted.
    """
    if retain is not None and not retain >= 1:
        raise BackupRefused(f"--retain must be at least 1, got {retain}.")
    try:
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        path, manifest = _written(to, passphrase)
        deleted = _delete_oldest(path, retain) if retain is not None else []
    except OSError as error:
        raise BackupRefused(f"{to}: {error.strerror or error}. No backup was written.") from error
    except (DatabaseError, sqlite3.DatabaseError) as error:
        reason = str(error).partition("\n")[0]
        raise BackupRefused(f"The database could not be copied: {reason}. No backup was written.") from error
    # What the record lacks is lost with the database, whichever backup is restored then.
    record.keep_if_possible(Survey.objects.all())
    return BackupWritten(path, manifest, deleted, kept=[each for each in backups_in(to) if each.destroyed])


def _written(to: Path, passphrase: str) -> tuple[Path, Manifest]:
    if not has_tables():
        raise BackupRefused(f"The database holds nothing yet: run `{settings.COMMAND} migrate` first.")
    now = timezone.now().astimezone(dt.UTC)
    path = to / new_name(now)
    with tempfile.TemporaryDirectory(prefix=".deniable-", dir=to) as directory:
        copy = Path(directory, "copy")
        with copied(copy):
            surveys, migrations = surveys_standing(), applied_migrations()
        manifest = write_backup(
            path,
            copy=copy,
            program=__version__,
            database=connection.vendor,
            made_at=now,
            migrations=migrations,
            surveys=surveys,
            keys=[settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS],
            passphrase=passphrase,
        )
    return path, manifest


def _delete_oldest(written: Path, retain: int) -> list[Path]:
    """Delete all but the newest ones; their names begin with their time, whatever the disk says of them.

    The one just written stays where others are of times to come, as after a clock that was ahead.
    """
    others = sorted(path for path in written.parent.glob(PATTERN) if path != written)
    oldest = others[: max(0, len(others) + 1 - retain)]
    for path in oldest:
        path.unlink()
    return oldest


def backups_in(directory: Path) -> list[BackupKept]:
    """Return the backups of a directory, the oldest first, and what each holds that has been destroyed since."""
    now = surveys_standing()
    kept = []
    for path in sorted(directory.glob(PATTERN)) if os.access(directory, os.R_OK) else []:
        try:
            kept.append(BackupKept(path, destroyed_since(read_manifest(path).surveys, now)))
        except BackupRefused:
            continue
    return kept
