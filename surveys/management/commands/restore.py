"""`restore FILE`: put a backup in the database's place, with every promise kept that was made since."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from surveys.management.arguments import add_passphrase_arguments, passphrase_of
from surveys.models.units import MICRO
from surveys.numbers.words import counted
from surveys.privacy.rationals import plain_decimal
from surveys.upkeep.selectors.standing import SurveyStanding
from surveys.upkeep.services.files import BackupRefused
from surveys.upkeep.services.restoring import Restored, RestorePlan, restore

_WITHOUT = "leave the keys of this server as they are, and take the file without proof that nobody changed it"


class Command(BaseCommand):
    help = "Put a backup in the database’s place. Stop the server first: what is answered meanwhile is lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help=f"what `{settings.COMMAND} backup` wrote")
        parser.add_argument(
            "--replace-answers",
            metavar="NUMBER",
            help="how many answers the database holds that is to be replaced: do not ask; this cannot be taken back",
        )
        parser.add_argument(
            "--lose-charges",
            metavar="CODES",
            default="",
            help="surveys, separated by commas, whose charges may be lost: nothing is ever released from them again",
        )
        add_passphrase_arguments(parser, without=_WITHOUT)

    def handle(self, *args: Any, **options: Any) -> None:
        def confirm(plan: RestorePlan) -> None:
            for line in _planned(plan):
                self.stdout.write(line)
            if not passphrase:
                self.stdout.write(
                    "Nothing proves that nobody changed this file: it is as trustworthy as a program from where it was."
                )
            if plan.answers:
                _require_meant(plan, options["replace_answers"])

        try:
            passphrase = passphrase_of(options, is_new=False)
            losing = [code.strip().upper() for code in options["lose_charges"].split(",")]
            restored = restore(options["file"], passphrase=passphrase, confirm=confirm, losing=losing)
        except BackupRefused as refused:
            raise CommandError(str(refused)) from None
        for line in _done(restored):
            self.stdout.write(line)


def _planned(plan: RestorePlan) -> list[str]:
    then = plan.manifest
    lines = [
        f"The backup is of {then.made_at}, written by Deniable {then.program}: {counted(len(then.surveys), 'survey')},"
        f" {counted(sum(survey.answers for survey in then.surveys), 'answer')}.",
        f"It replaces {counted(len(plan.now), 'survey')} with {counted(plan.answers, 'answer')}.",
    ]
    if plan.missing:
        lines.append(f"Not in the backup as they are now, and gone afterwards: {_codes(plan.missing)}.")
    if plan.reopened:
        lines.append(f"Closed since, and taking answers again afterwards: {_codes(plan.reopened)}.")
    if plan.destroyed:
        lines.append(f"Sealed or purged since, and so again before anybody can read them: {_codes(plan.destroyed)}.")
    return lines


def _codes(surveys: Sequence[SurveyStanding]) -> str:
    return ", ".join(survey.code for survey in surveys)


def _require_meant(plan: RestorePlan, given: str | None) -> None:
    if given is None:
        try:
            given = input(f"Type {plan.answers} to replace these answers: ")
        except EOFError:
            raise CommandError(f"Nobody is here to confirm: use --replace-answers {plan.answers}.") from None
    if given.strip().replace(",", "") != str(plan.answers):
        raise CommandError(
            f"The database holds {counted(plan.answers, 'answer')}, not {given.strip()!r}: nothing was restored."
        )


def _done(restored: Restored) -> list[str]:
    lines = [f"Restored: the database is that of {restored.plan.manifest.made_at}. Nobody is signed in any more."]
    for ledger in restored.promises.ledgers:
        if ledger.is_lost:
            lines.append(
                f"{ledger.code} is not in the backup. Releases lost, so that their addresses lead nowhere now:"
                f" {ledger.releases:,}."
            )
        else:
            lines.append(
                f"The ledger of {ledger.code} goes on where it was: it has, and charges,"
                f" {counted(ledger.lines, 'line')} and {counted(ledger.releases, 'release')} made since the backup."
            )
    lines += [
        f"{code} lacks {len(charges):,} of its charges (ε = {plain_decimal(Fraction(sum(charges), MICRO))}):"
        " nothing more is ever released from it."
        for code, charges in restored.promises.lost.items()
    ]
    lines += [
        f"{kept.code} is purged on {kept.day}, as was promised; the backup said {kept.then or 'nothing of it'}."
        for kept in restored.promises.purge_days
    ]
    if not restored.was_recorded:
        lines.append(
            f"There was no record in {settings.RECORD}: of what was released, purged or promised since the backup,"
            " only what the database still knew is kept. Compare the published releases with the ledgers before you"
            " release anything, and purge again what you know of."
        )
    lines.append(restored.keys)
    lines.append("Restart the server: it remembers what it has counted.")
    if connection.vendor == "postgresql":
        lines.append(f"Now run `{settings.COMMAND} grant ROLE` for the role by which the program signs in.")
    return lines
