"""`backup`: one file of which everything can be restored, written while people answer; fit to be run every night."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.management.arguments import add_passphrase_arguments, passphrase_of
from surveys.numbers.words import counted
from surveys.upkeep.services.backing_up import BackupWritten, back_up
from surveys.upkeep.services.files import BackupRefused


class Command(BaseCommand):
    help = "Write one file with the database, the server’s keys sealed by a passphrase, and the version of both."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--to",
            type=Path,
            default=settings.BACKUP_DIR,
            metavar="DIRECTORY",
            help="where to (default: %(default)s)",
        )
        parser.add_argument("--retain", type=int, metavar="N", help="delete all backups there but the newest N")
        add_passphrase_arguments(parser, without="leave out the keys, and the proof that nobody changed the file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            passphrase = passphrase_of(options, is_new=True)
            written = back_up(to=options["to"], passphrase=passphrase, retain=options["retain"])
        except BackupRefused as refused:
            raise CommandError(str(refused)) from None
        for line in _lines(written):
            self.stdout.write(line)


def _lines(written: BackupWritten) -> list[str]:
    surveys = written.manifest.surveys
    keys = "the server’s keys, sealed by the passphrase" if written.manifest.has_keys else "no keys"
    return [
        f"{written.path}: {written.path.stat().st_size:,} bytes, {counted(len(surveys), 'survey')},"
        f" {counted(sum(survey.answers for survey in surveys), 'answer')}, {keys}.",
        f"Answers not folded yet: {sum(survey.waiting for survey in surveys):,}. It keeps them with the hashes of"
        " their nonces, and whatever folding, sealing or purging destroys from now on: delete it after a purge.",
        *(
            []
            if written.manifest.has_keys
            else ["Nothing proves later that nobody changed it: keep it like a program."]
        ),
        *(f"Deleted: {path}" for path in written.deleted),
        *(
            f"{kept.path} holds what has been destroyed since: "
            + ", ".join(f"{survey.code} ({survey.state})" for survey in kept.destroyed)
            + ". Delete it."
            for kept in written.kept
        ),
    ]
