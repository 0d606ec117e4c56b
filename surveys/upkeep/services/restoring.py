"""Bringing a backup back: looked at as a whole first, then prepared beside the database, then put in its place."""

import datetime as dt
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from surveys.common import caches, record
from surveys.common.record import Kept, Record
from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.models import AccessToken, SignIn, State, Survey
from surveys.responses.services import erasing
from surveys.upkeep.selectors.schema import schema_words, unlike_the_migrations
from surveys.upkeep.selectors.standing import (
    UNRELEASED,
    SurveyStanding,
    applied_migrations,
    destroyed_since,
    has_tables,
    is_unreleased,
    pending_migrations,
    surveys_standing,
    why_not,
)
from surveys.upkeep.services.databases import replacing
from surveys.upkeep.services.files import BackupRefused, Manifest, unpacked
from surveys.upkeep.services.ledgers import CarriedLedger, KeptLedger, carry_over, charges_lost, read_ledgers


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What a restore would replace: shown before anything is touched."""

    manifest: Manifest
    now: Sequence[SurveyStanding]

    @property
    def answers(self) -> int:
        return sum(survey.answers for survey in self.now)

    @property
    def destroyed(self) -> Sequence[SurveyStanding]:
        """What was sealed or purged since the backup, and will be again."""
        return destroyed_since(self.manifest.surveys, self.now)

    @property
    def missing(self) -> Sequence[SurveyStanding]:
        """Surveys that are here and not in the backup, or were drafts then and are none now."""
        then = {(survey.key, survey.code): survey.content_hash for survey in self.manifest.surveys}
        return [survey for survey in self.now if then.get((survey.key, survey.code)) != survey.content_hash]

    @property
    def reopened(self) -> Sequence[SurveyStanding]:
        """Surveys that were closed since, and take answers again."""
        then = {(survey.key, survey.code): survey.state for survey in self.manifest.surveys}
        return [
            survey
            for survey in self.now
            if survey.state == State.CLOSED and then.get((survey.key, survey.code)) in {State.OPEN, State.PAUSED}
        ]


@dataclass(frozen=True, slots=True)
class PurgeDay:
    """A survey whose earlier purge day was kept; `then` is the backup's, if it had one."""

    code: str
    day: dt.date
    then: dt.date | None


@dataclass(frozen=True, slots=True)
class Promises:
    """What was promised and is no backup's to take back: what was done to keep it."""

    ledgers: Sequence[CarriedLedger]
    lost: Mapping[str, Collection[int]]
    purge_days: Sequence[PurgeDay]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was brought back: `keys` says what became of the server's keys.

    `was_recorded` says whether there was a record beside the database before.
    """

    plan: RestorePlan
    promises: Promises
    keys: str
    was_recorded: bool


def restore(
    path: Path, *, passphrase: str, confirm: Callable[[RestorePlan], None], losing: Collection[str] = ()
) -> Restored:
    """Put a backup in the database's place, with every promise kept that was made since.

    `confirm` sees what would be replaced, and raises where that is not meant. Ledgers go on where they are now, and
    where they cannot, `losing` has to name the survey; what was sealed or purged since is sealed or purged again before
    anybody can read it; a purge day is the earliest that was promised; nobody stays signed in, and no access token is
    valid. A backup of an earlier program is migrated. Raises `BackupRefused`, and the database is as before.
    """
    try:
        with unpacked(path, into=_room(), passphrase=passphrase) as (manifest, copy, keys):
            _require_suitable(manifest, path)
            ledgers, plan = _now(manifest)
            confirm(plan)
            was_recorded = record.path().exists()
            # Before it is replaced: afterwards nothing else knows what this database knew.
            known = record.keep(Survey.objects.all()) if has_tables() else record.read()
            with _staged(keys), replacing(copy):
                promises = _prepare(manifest, ledgers, known, losing)
            record.keep_if_possible(Survey.objects.all())
            caches.clear()
            erasing.erase(patience=erasing.PATIENCE_OF_A_JOB)
            return Restored(plan, promises, _put_keys(manifest, keys), was_recorded)
    except OSError as error:
        raise BackupRefused(
            f"{error.filename or settings.DATA_DIR}: {error.strerror or error}. Nothing was restored."
        ) from error
    except (DatabaseError, sqlite3.DatabaseError) as error:
        cause = str(error).partition("\n")[0]
        raise BackupRefused(
            f"The database refused: {cause}. Nothing was restored. Where it is damaged, put it aside and restore into a"
            " new one."
        ) from error


def _room() -> Path:
    """Return where the copy is prepared: the data directory is nobody else's."""
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory: Path = settings.DATA_DIR
    return directory


def _require_suitable(manifest: Manifest, path: Path) -> None:
    if reason := why_not(manifest.migrations):
        raise BackupRefused(f"The database in {path} {reason}")
    if manifest.database != connection.vendor:
        names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
        raise BackupRefused(
            f"{path} is of {names[manifest.database]}, and the database here is {names[connection.vendor]}."
        )


def _now(manifest: Manifest) -> tuple[list[KeptLedger], RestorePlan]:
    """Read what the database holds; a new one holds nothing."""
    if not has_tables():
        return [], RestorePlan(manifest, [])
    # One that a newer program has migrated may be replaced: that is the way back to this one.
    if is_unreleased(applied_migrations()):
        raise BackupRefused(f"The database here {UNRELEASED}")
    if pending_migrations():
        raise BackupRefused(f"The database here waits for `{settings.COMMAND} migrate`: run it first.")
    return read_ledgers(), RestorePlan(manifest, surveys_standing())


def _prepare(manifest: Manifest, ledgers: Sequence[KeptLedger], known: Record, losing: Collection[str]) -> Promises:
    """Make the copy what the database has to be, with the program's own services."""
    # What is in the copy need not be what its manifest says.
    if reason := why_not(applied_migrations()):
        raise BackupRefused(f"The database in the backup {reason} Nothing was restored.")
    if pending_migrations():
        call_command("migrate", verbosity=0, interactive=False)
    _require_trustworthy(manifest)
    # A sign-in that was ended since would be back, and so would a token that was revoked.
    SignIn.objects.all().delete()
    AccessToken.objects.all().delete()
    # Before anything is sealed again, after which nothing is released.
    carried = carry_over(ledgers)
    lost = charges_lost(known, ledgers)
    if unnamed := sorted(lost.keys() - set(losing)):
        raise BackupRefused(
            f"The backup lacks charges to {', '.join(unnamed)}, and what was charged stays charged. A later backup may"
            " have them. To lose them, and never again release anything from these surveys, add"
            f" --lose-charges {','.join(unnamed)}. Nothing was restored."
        )
    days = []
    for survey in Survey.objects.filter(rehearsal_of=None).exclude(content_hash=""):
        if kept := known.get(record.key_of(survey)):
            _destroy_again(survey, kept)
            if day := _keep_purge_day(survey, kept):
                days.append(day)
    return Promises(carried, lost, days)


def _destroy_again(survey: Survey, kept: Kept) -> None:
    """Let it be sealed or purged as it was."""
    if survey.state in {kept.destroyed or survey.state, State.PURGED}:
        return
    if survey.may_collect_more:
        survey = close_survey(survey=survey)
    if kept.destroyed == State.PURGED:
        purge_survey(survey=survey)
    else:
        seal_survey(survey=survey, pairs_only=kept.pairs_only)


def _keep_purge_day(survey: Survey, kept: Kept) -> PurgeDay | None:
    """Let a survey be purged on the earliest day that was promised, even if it has passed; None where it is so."""
    day = dt.date.fromisoformat(kept.purge_on) if kept.purge_on else None
    if day is None or kept.destroyed == State.PURGED or (survey.purge_on is not None and survey.purge_on <= day):
        return None
    Survey.objects.filter(pk=survey.pk).update(purge_on=day, reminded=None)
    return PurgeDay(survey.code, day, survey.purge_on)


def _require_trustworthy(manifest: Manifest) -> None:
    """Refuse a copy that does more than hold rows, or holds other surveys than the plan was made and confirmed by."""
    if unlike := unlike_the_migrations():
        raise BackupRefused(f"In the backup {schema_words(unlike)}. Nothing was restored.")
    # On PostgreSQL a server that was not stopped may have begun to count what waits in the copy.
    here, told = ({replace(survey, waiting=0) for survey in all_} for all_ in (surveys_standing(), manifest.surveys))
    if here != told:
        raise BackupRefused("The surveys in the backup are not those that its manifest tells of. Nothing was restored.")


@contextmanager
def _staged(keys: Sequence[str]) -> Iterator[None]:
    """Have other keys on the disk before the database is replaced; they go where that fails."""
    if not _are_other(keys):
        yield
        return
    path = _staging_place()
    path.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write("\n".join(keys))
            file.flush()
            os.fsync(file.fileno())
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _put_keys(manifest: Manifest, keys: Sequence[str]) -> str:
    """Put the backup's keys where the program looks for them, and say what is left to do.

    Another key that is there is kept beside them.
    """
    if not manifest.has_keys:
        return "No keys are in the backup: links that were made under others lead nowhere, and nobody stays signed in."
    if not _are_other(keys):
        return "The server’s keys stay as they are."
    current = settings.DATA_DIR / "secret_key"
    if "DENIABLE_SECRET_KEY" in os.environ or len(keys) > 1:
        return (
            f"The backup’s keys are in {_staging_place()}, one a line, the one in use first: set DENIABLE_SECRET_KEY"
            " and DENIABLE_SECRET_KEY_FALLBACKS to them, and delete the file."
        )
    if current.exists():
        current.rename(current.with_name("secret_key.before_restore"))
    _staging_place().rename(current)
    return f"{current} holds the backup’s key now, and the one before is beside it."


def _are_other(keys: Sequence[str]) -> bool:
    return bool(keys) and list(keys) != [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _staging_place() -> Path:
    path: Path = settings.DATA_DIR / "restored_keys"
    return path
