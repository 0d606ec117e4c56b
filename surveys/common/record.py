"""The record beside the database: charges, purges and purge days, which no restore may take back.

A database that is replaced by an earlier one forgets what was released, destroyed and promised since. This file does
not: it stands outside the database, and a charge is in it, on the disk, before anybody hears of it. It is a lower
bound of what happened: a survey's part of it is only ever merged with more, so several records agree by their union.

A charge is written twice: as begun before its transaction commits, and as charged afterwards. What stays begun was
interrupted in between, so nobody saw it, and whether the database has it shows whether it was charged.
"""

import datetime as dt
import errno
import fcntl
import functools
import hashlib
import json
import logging
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from surveys.models import CellCount, LedgerEntry, PatternCount, State, Survey

logger = logging.getLogger(__name__)

FORMAT = 1
# What sealing destroys purging destroys too.
_DESTROYED = ("", State.SEALED, State.PURGED)


class RecordDamaged(OSError):  # noqa: N818 - a file that cannot be read, like others
    """The file is there and is no whole record."""


class Begun(NamedTuple):
    """What a release is charged that was about to be committed."""

    release: str
    micro_epsilon: int
    pico_delta: int
    pico_rho: int


@dataclass(frozen=True)
class Kept:
    """What is kept of one survey.

    Attributes
    ----------
    code : str
        Its join code, for people.
    charged : mapping
        What each release was charged, in millionths of ε.
    begun : mapping
        What was about to be charged, by the key of its request.
    destroyed : str
        "sealed" or "purged", or nothing.
    pairs_only : bool
        Whether sealing kept no whole response.
    purge_on : str
        The day that was promised, the earliest if it was brought forward, or nothing.
    """

    code: str
    charged: Mapping[str, int] = field(default_factory=dict)
    begun: Mapping[str, Begun] = field(default_factory=dict)
    destroyed: str = ""
    pairs_only: bool = False
    purge_on: str = ""

    def __or__(self, other: "Kept") -> "Kept":
        """Return what both say together: all charges, the last thing destroyed, the earlier day."""
        charged = {**self.charged, **other.charged}
        begun = {**self.begun, **other.begun}
        return Kept(
            code=other.code,
            charged=charged,
            begun={key: charge for key, charge in begun.items() if charge.release not in charged},
            destroyed=max(self.destroyed, other.destroyed, key=_DESTROYED.index),
            pairs_only=self.pairs_only or other.pairs_only,
            purge_on=min(filter(None, (self.purge_on, other.purge_on)), default=""),
        )

    def is_undone_in(self, there: "Kept") -> bool:
        """Whether a database has a survey back that was sealed or purged."""
        return _DESTROYED.index(self.destroyed) > _DESTROYED.index(there.destroyed)

    def lacking(self, there: "Kept") -> Mapping[str, int]:
        """Return the charges that a database lacks of which this is what it says."""
        return {release: charge for release, charge in self.charged.items() if release not in there.charged}


Record = dict[str, Kept]
"""By `key_of` each survey; one of which there is nothing to keep is in none."""


def path() -> Path:
    place: Path = settings.RECORD
    return place


def key_of(survey: Survey) -> str:
    """Return what a survey is called in it: the same in every copy of its database, and of no other survey.

    What was asked does not suffice: a database that is made anew may ask the same, under the same code.
    """
    return f"{survey.content_hash} {survey.created_at.astimezone(dt.UTC).isoformat()}"


def of_database(surveys: QuerySet[Survey]) -> Record:
    """Return what the database itself says of these surveys; of drafts and copies to rehearse with nothing is kept."""
    opened = surveys.filter(rehearsal_of=None).exclude(content_hash="").order_by("pk")
    charged: dict[int, dict[str, int]] = defaultdict(dict)
    lines = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.CHARGE, budget__survey__in=opened.values("pk").order_by())
    for survey_id, release, micro_epsilon in lines.values_list("budget__survey_id", "release_id", "micro_epsilon"):
        charged[survey_id][release] = micro_epsilon
    of_it = {"survey_id": OuterRef("pk")}
    opened = opened.annotate(
        pairs_only=Exists(CellCount.objects.filter(**of_it)) & ~Exists(PatternCount.objects.filter(**of_it))
    )
    return {
        key_of(survey): Kept(
            code=survey.code,
            charged=charged[survey.pk],
            destroyed=survey.state if survey.state in _DESTROYED else "",
            pairs_only=survey.state == State.SEALED and survey.pairs_only,
            purge_on=survey.purge_on.isoformat() if survey.purge_on else "",
        )
        for survey in opened
    }


def read() -> Record:
    """Return the record, an empty one where there is no file; raises OSError, `RecordDamaged` among them."""
    try:
        text = path().read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise _damaged() from None
    return _parsed(text)


def merge(more: Record) -> Record:
    """Add to the record, on the disk, and return it as it is then; of two at once the second adds to the first's."""
    with _locked():
        now = read()
        merged = {**now, **{key: now.get(key, kept) | kept for key, kept in more.items() if kept != Kept(kept.code)}}
        if merged != now:
            _write(_composed(merged))
    return merged


def keep(surveys: QuerySet[Survey]) -> Record:
    """Add what the database says of these surveys; it is read first, so nobody waits for it with the file locked."""
    return merge(of_database(surveys))


def keep_if_possible(surveys: QuerySet[Survey]) -> None:
    """Add the same; a failure is logged, and whatever adds to the record next adds this too."""
    try:
        keep(surveys)
    except OSError:
        logger.exception("the record beside the database could not be written")


def keep_when_committed(survey: Survey) -> None:
    """Add what this transaction changes of a survey, once it is committed: that stays so in any case."""
    transaction.on_commit(functools.partial(keep_if_possible, Survey.objects.filter(pk=survey.pk)))


def _composed(record: Record) -> str:
    surveys = {key: asdict(kept) for key, kept in sorted(record.items())}
    return json.dumps({"format": FORMAT, "sha256": _hash_of(surveys), "surveys": surveys})


def _parsed(text: str) -> Record:
    try:
        fields: dict[str, Any] = json.loads(text)
        number, surveys, digest = fields["format"], fields["surveys"], fields["sha256"]
        if number == FORMAT and digest == _hash_of(surveys):
            return {key: _kept(**kept) for key, kept in surveys.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise _damaged() from None
    if isinstance(number, int) and number > FORMAT:
        raise _damaged("it was written by a later Deniable: install that, or a later one")
    raise _damaged()


def _kept(begun: dict[str, list[Any]], **fields: Any) -> Kept:
    return Kept(begun={key: Begun(*charge) for key, charge in begun.items()}, **fields)


def _damaged(how: str = "it was changed, or broke") -> RecordDamaged:
    return RecordDamaged(errno.EINVAL, how, str(path()))


def _hash_of(surveys: object) -> str:
    """Return what shows that the file broke; somebody who changes it on purpose can change this too."""
    return hashlib.sha256(json.dumps(surveys, sort_keys=True).encode()).hexdigest()


@contextmanager
def _locked() -> Iterator[None]:
    """Let nobody else write it meanwhile; the lock is the directory's, because the file is replaced."""
    path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory = os.open(path().parent, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def _write(text: str) -> None:
    """Replace the file by another that is on the disk as a whole; nobody reads half of it, whatever happens."""
    handle, name = tempfile.mkstemp(prefix=".deniable-", dir=path().parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            if os.geteuid() == 0:
                # The program's own account has to read what root wrote.
                owner = path().parent.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        Path(name).replace(path())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_directory(path().parent)


def sync_directory(place: Path) -> None:
    """Let the names in a directory be on the disk, too."""
    directory = os.open(place, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
