"""Ledgers that a restore must not take back: what was published is known, whatever the database forgets.

A ledger is only ever continued. Where the one in the backup is the beginning of the one that is there now, its missing
lines are written again, each with the release that it charges, under the database's own guards: so they are taken only
where they continue what the backup holds.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy as copy_of
from dataclasses import dataclass
from typing import TypeVar

from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction

from surveys.common import record
from surveys.common.record import Kept, Record
from surveys.models import (
    Budget,
    ConcentratedBudget,
    ConcentratedCharge,
    LedgerEntry,
    Proposal,
    Release,
    ReleasePart,
    Survey,
)
from surveys.upkeep.services.files import BackupRefused

_Row = TypeVar("_Row", bound=models.Model)

_LINE = (
    "number",
    "kind",
    "micro_epsilon",
    "pico_delta",
    "release_id",
    "publication_id",
    "reason",
    "created_by_id",
    "created_by_name",
    "created_at",
)
_UNDECIDED: dict[str, object] = {
    "state": Proposal.State.OPEN,
    "decided_by": None,
    "decided_by_name": "",
    "decided_at": None,
    "why_declined": "",
    "release": None,
}
_DECISION = tuple(_UNDECIDED)


@dataclass(frozen=True, slots=True)
class KeptLedger:
    """All that a survey's budget allowed and paid for, read before the database is replaced."""

    survey: Survey
    concentrated: ConcentratedBudget | None
    lines: Sequence[LedgerEntry]
    releases: dict[str, Release]
    parts: Sequence[ReleasePart]
    charges: Sequence[ConcentratedCharge]
    proposals: Sequence[Proposal]

    @property
    def people(self) -> dict[int, User]:
        """Whom the lines, releases and proposals name."""
        people = {line.created_by_id: line.created_by for line in self.lines}
        for proposal in self.proposals:
            people[proposal.proposed_by_id] = proposal.proposed_by
            if proposal.decided_by is not None:
                people[proposal.decided_by.pk] = proposal.decided_by
        if self.concentrated is not None:
            people[self.concentrated.created_by_id] = self.concentrated.created_by
        return people


@dataclass(frozen=True, slots=True)
class CarriedLedger:
    """What of one survey's ledger was written again; without a survey in the backup, what could not be."""

    code: str
    lines: int
    releases: int
    is_lost: bool = False


def read_ledgers() -> list[KeptLedger]:
    ledgers = []
    for budget in Budget.objects.select_related("survey").order_by("survey__code"):
        releases = {release.pk: release for release in Release.objects.filter(survey=budget.survey)}
        ledgers.append(
            KeptLedger(
                survey=budget.survey,
                concentrated=ConcentratedBudget.objects.filter(budget=budget).select_related("created_by").first(),
                lines=list(budget.ledger.select_related("created_by").order_by("number")),
                releases=releases,
                parts=list(ReleasePart.objects.filter(release__in=releases).order_by("release", "position")),
                charges=list(ConcentratedCharge.objects.filter(release__in=releases)),
                proposals=list(
                    Proposal.objects.filter(survey=budget.survey).select_related("proposed_by", "decided_by")
                ),
            )
        )
    return ledgers


@transaction.atomic
def carry_over(ledgers: Sequence[KeptLedger]) -> list[CarriedLedger]:
    """Continue the ledgers of this database by the lines it lacks; raises `BackupRefused` where one went another way.

    A survey that is not in it, or was a draft then, has no answers in it that could be released again: nothing of its
    ledger is carried over.
    """
    return [carried for ledger in ledgers if (carried := _carry(ledger)) is not None]


def charges_lost(known: Record, ledgers: Sequence[KeptLedger]) -> dict[str, Collection[int]]:
    """Return what this database lacks of what was charged, by the survey's code.

    Of the surveys that it has; and of those of these ledgers, which were in the database that it replaces.
    """
    here = record.of_database(Survey.objects.all())
    lost: dict[str, Collection[int]] = {}
    for key in sorted({*here, *(record.key_of(ledger.survey) for ledger in ledgers)} & known.keys()):
        kept = known[key]
        if missing := kept.lacking(here.get(key, Kept(kept.code))):
            lost[kept.code] = missing.values()
    return lost


def _carry(ledger: KeptLedger) -> CarriedLedger | None:
    survey = Survey.objects.filter(
        pk=ledger.survey.pk, code=ledger.survey.code, content_hash=ledger.survey.content_hash
    ).first()
    if survey is None:
        return CarriedLedger(ledger.survey.code, len(ledger.lines), len(ledger.releases), is_lost=True)
    there = list(LedgerEntry.objects.filter(budget__survey=survey).order_by("number"))
    if any(_identity_of(before) != _identity_of(now) for before, now in zip(there, ledger.lines, strict=False)):
        raise BackupRefused(
            f"The ledger of {survey.code} in the backup is not the beginning of the one that is here: they are of two"
            " databases that went separate ways. Nothing was restored."
        )
    missing = ledger.lines[len(there) :]
    try:
        with transaction.atomic():
            for line in missing:
                _write(line, ledger, survey)
            _decide(ledger)
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        raise BackupRefused(
            f"The ledger of {survey.code} could not be continued in the backup ({reason}). Nothing was restored."
        ) from error
    if not missing:
        return None
    return CarriedLedger(survey.code, len(missing), sum(line.release_id is not None for line in missing))


def _identity_of(line: LedgerEntry) -> tuple[object, ...]:
    return tuple(getattr(line, name) for name in _LINE)


def _write(line: LedgerEntry, ledger: KeptLedger, survey: Survey) -> None:
    budget, _created = Budget.objects.get_or_create(survey=survey)
    with _called(ledger.people[line.created_by_id], line.created_by_name):
        if line.release_id is not None:
            _write_release(ledger.releases[line.release_id], ledger, budget)
        _insert(line, budget=budget)


def _write_release(release: Release, ledger: KeptLedger, budget: Budget) -> None:
    # Before the first charge, or never: the database sees to it.
    if ledger.concentrated is not None and not ConcentratedBudget.objects.filter(budget=budget).exists():
        _person(ledger.people[ledger.concentrated.created_by_id])
        _insert(ledger.concentrated, budget=budget, spent_pico_rho=0)
    # A line of its own publishes it.
    _insert(release, published=False)
    for part in ledger.parts:
        if part.release_id == release.pk:
            _insert(part)
    for charge in ledger.charges:
        if charge.release_id == release.pk:
            _insert(charge)


def _decide(ledger: KeptLedger) -> None:
    """Let proposals be as they are now: one that was approved since does not wait again."""
    for proposal in ledger.proposals:
        there = Proposal.objects.filter(request_key=proposal.request_key).first()
        if there is None:
            _person(ledger.people[proposal.proposed_by_id])
            there = _insert(proposal, **_UNDECIDED)
        if there.state != proposal.state:
            if proposal.decided_by is not None:
                _person(proposal.decided_by)
            Proposal.objects.filter(pk=there.pk).update(**{name: getattr(proposal, name) for name in _DECISION})


def _insert(row: _Row, **changes: object) -> _Row:
    """Write a row that was read from another database; under a key of its own unless others name it by its key."""
    copy = copy_of(row)
    if not isinstance(row, Release):
        copy.pk = None
    for name, value in changes.items():
        setattr(copy, name, value)
    copy.save(force_insert=True)
    return copy


@contextmanager
def _called(person: User, name: str) -> Iterator[None]:
    """Call an account for a moment what it was called when a line was written: the database takes no other name."""
    account = User.objects.filter(pk=_person(person).pk)
    username = account.get().username
    if username != name:
        account.update(username=name)
    yield
    if username != name:
        account.update(username=username)


def _person(person: User) -> User:
    """Return the account; one that was made since the backup comes along by its name, and nobody can sign in to it."""
    account = User.objects.filter(pk=person.pk).first()
    if account is None:
        account = User(pk=person.pk, username=person.username, is_active=False)
        account.set_unusable_password()
        account.save(force_insert=True)
        # PostgreSQL counts accounts on its own, and would give the next one this key again.
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), [User]):
                cursor.execute(statement)
    return account
