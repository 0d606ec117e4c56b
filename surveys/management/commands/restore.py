"""`restore FILE`: put a backup in the database's place, with every promise kept that was made since."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from surveys.management.passphrases import add_passphrase_arguments, passphrase_of
from surveys.upkeep.selectors.standing import SurveyStanding
from surveys.upkeep.services.files import BackupRefused
from surveys.upkeep.services.restoring import Restored, RestorePlan, restore

_WITHOUT = "leave the keys of this server as they are, and take the file without proof that nobody changed it"


class Command(BaseCommand):
    help = "Put a backup in the database’s place. Stop the server first: what is answered meanwhile is lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `manage.py backup` wrote")
        parser.add_argument(
            "--replace-answers",
            metavar="NUMBER",
            help="how many answers the database holds that is to be replaced: do not ask; this cannot be taken back",
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
            restored = restore(options["file"], passphrase=passphrase, confirm=confirm)
        except BackupRefused as refused:
            raise CommandError(str(refused)) from None
        for line in _done(restored):
            self.stdout.write(line)


def _planned(plan: RestorePlan) -> list[str]:
    then = plan.manifest
    lines = [
        f"The backup is of {then.made_at}, written by Deniable {then.program}: {len(then.surveys):,} surveys,"
        f" {sum(survey.answers for survey in then.surveys):,} answers.",
        f"It replaces {len(plan.now):,} surveys with {plan.answers:,} answers.",
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
        raise CommandError(f"The database holds {plan.answers:,} answers, not {given.strip()!r}: nothing was restored.")


def _done(restored: Restored) -> list[str]:
    lines = [f"Restored: the database is that of {restored.plan.manifest.made_at}. Nobody is signed in any more."]
    for ledger in restored.ledgers:
        if ledger.is_lost:
            lines.append(
                f"{ledger.code} is not in the backup, nor are its {ledger.releases:,} releases: their addresses lead"
                " nowhere now."
            )
        else:
            lines.append(
                f"The ledger of {ledger.code} goes on where it was: {ledger.lines:,} lines and {ledger.releases:,}"
                " releases made since the backup are in it, and charged."
            )
    lines.append(restored.keys)
    lines.append("Restart the server: it remembers what it has counted.")
    if connection.vendor == "postgresql":
        lines.append("Now run `manage.py grant ROLE` for the role by which the program signs in.")
    return lines
