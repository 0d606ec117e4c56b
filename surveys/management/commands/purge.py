"""`purge CODE`: destroy the reports of a closed or sealed survey, down to the last count, for good."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from surveys.management.confirming import require_code, survey_called
from surveys.models import State, Survey
from surveys.selectors.losses import losses_of
from surveys.services import erasing
from surveys.services.purging import purge_survey
from surveys.services.surveys import NotAllowedNow


class Command(BaseCommand):
    help = "Destroy the reports of a closed or sealed survey and all counts of them, and write the files anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument(
            "--yes-purge", metavar="CODE", help="the join code once more: do not ask; this cannot be taken back"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        if survey.state != State.PURGED:
            self._require_meant(survey, options["yes_purge"])
        try:
            if survey.state == State.PURGED:
                erasing.rewrite_the_files()
                self.stdout.write(f"{survey.code} was purged before; the files are written anew.")
                return
            purge_survey(survey=survey)
        except NotAllowedNow as refused:
            raise CommandError(str(refused)) from None
        except DatabaseError as error:
            raise CommandError(f"{error}. Nobody may be using the database: run the command again.") from error
        self.stdout.write(
            f"{survey.code} is purged. Backups made before hold what has been destroyed: delete them."
            " Running servers forget what they counted when they are restarted."
        )

    def _require_meant(self, survey: Survey, confirmed: str | None) -> None:
        if confirmed is not None:
            if confirmed.strip().upper() != survey.code:
                raise CommandError(
                    f"--yes-purge says {confirmed}, but the survey is {survey.code}: nothing was purged."
                )
            return
        losses = losses_of(survey)
        self.stdout.write(
            f"Purging “{survey.title}” destroys the reports of {losses.responses:,} answers and every result and export"
            f" made from them. The survey itself stays, and so do its {losses.releases:,} releases and their ledger."
            " This cannot be taken back."
        )
        require_code(survey, to="purge", refused="Not purged.", flag=f"--yes-purge {survey.code}")
