"""`export_survey CODE`: everything the survey owner wrote, as JSON; no answer is in it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.drafts.selectors import document_of, write_document
from surveys.management.arguments import survey_called


class Command(BaseCommand):
    help = "Write a survey's document (JSON), without any answers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--output", type=Path, metavar="FILE", help="instead of showing it; an existing file stays")

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        document = write_document(document_of(survey))
        if (path := options["output"]) is None:
            self.stdout.write(document.decode(), ending="")
            return
        try:
            with path.open("xb") as file:
                file.write(document)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from error
        self.stdout.write(f"{survey.code} is in {path}.")
