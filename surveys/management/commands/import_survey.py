"""`import_survey FILE --owner NAME`: a new draft from a survey's document or from an XLSForm."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.accounts.selectors import person_called
from surveys.documents.services.creating import create_from, read_import
from surveys.documents.services.parsing import MOST_BYTES, DocumentRefused
from surveys.numbers.words import counted


class Command(BaseCommand):
    help = "Create a draft from a file: a survey's document (JSON), or an XLSForm (.xlsx)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, metavar="NAME", help="username of the new survey's owner")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        owner = person_called(options["owner"])
        if owner is None:
            raise CommandError(f"There is no user called {options['owner']}.")
        try:
            with path.open("rb") as file:
                # One byte more shows that it is too large.
                imported = read_import(file.read(MOST_BYTES + 1))
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from error
        except DocumentRefused as refused:
            raise CommandError(f"{path} cannot be imported:\n{refused}") from refused
        survey = create_from(owner=owner, content=imported.content)
        for line in imported.lines:
            kept = "left out: " if not line.taken else "in part: " if line.in_part else ""
            kept += f"Question {line.question}. " if line.question else ""
            lost = "".join(f" {loss.column}: {loss.words}" for loss in line.lost)
            self.stdout.write(f"{line.sheet} {line.row}, {line.type} {line.name}: {kept}{line.words}{lost}")
        self.stdout.write(f"{survey.code}: a draft with {counted(len(imported.content.questions), 'question')}.")
