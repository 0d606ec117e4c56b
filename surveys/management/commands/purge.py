"""`purge CODE`: destroy the reports of a closed or sealed survey, for good; `purge`: finish what was begun.

`purge --due` does so with all surveys whose day has come and reminds the owners of others; fit to be run every day.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from surveys.course.selectors import losses_of
from surveys.course.services import purge_due, purge_survey, remind_owners
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.management.destroying import IN_USE, log_words, require_code, require_erased, survey_called
from surveys.models import State, Survey
from surveys.models.erasure import leaves_a_log
from surveys.responses.services import erasing


class Command(BaseCommand):
    help = "Destroy the reports of a closed or sealed survey and all counts of them, and write the files anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "code",
            nargs="?",
            help="the survey's join code; without it what closing, sealing and purging left is erased",
        )
        parser.add_argument(
            "--however-long",
            action="store_true",
            help="write large files anew too, while nobody can answer: for quiet hours",
        )
        parser.add_argument(
            "--due",
            action="store_true",
            help="purge surveys whose day has come, remind owners whose survey's is near, then finish what was begun",
        )
        parser.add_argument(
            "--yes-purge", metavar="CODE", help="the join code once more: do not ask; this cannot be taken back"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["due"]:
            if options["code"]:
                raise CommandError("--due looks for the surveys itself: leave out the code.")
            self._purge_due()
        if not options["code"]:
            self._erase(however_long=options["however_long"])
            return
        survey = survey_called(options["code"])
        if survey.state != State.PURGED:
            self._require_meant(survey, options["yes_purge"])
            try:
                purge_survey(survey=survey)
            except NotAllowedNow as refused:
                raise CommandError(str(refused)) from None
        if options["however_long"]:
            erasing.erase(patience=erasing.PATIENCE_OF_A_JOB, however_long=True)
        done = (
            f"{survey.code} is purged. Backups made before hold what has been destroyed: delete them."
            " Running servers forget what they counted when they are restarted."
        )
        self.stdout.write(require_erased(survey, done=done))

    def _purge_due(self) -> None:
        """Say what was done; a second run on the same day does nothing more."""
        now = timezone.now()
        for survey in purge_due(now=now):
            self.stdout.write(f"{survey.code} is purged: its day, {survey.purge_on}, has come.")
        for survey, sent in remind_owners(now=now):
            done = "its owner is reminded" if sent else "its owner could not be reminded by mail"
            self.stdout.write(f"{survey.code}: {done} that it is purged on {survey.purge_on}.")

    def _erase(self, *, however_long: bool) -> None:
        """Finish what is due; that it cannot be yet is no failure of a job that comes again."""
        due = list(Survey.objects.filter(erasures__isnull=False).distinct().order_by("code"))
        if due and not erasing.erase(patience=erasing.PATIENCE_OF_A_JOB, however_long=however_long):
            self.stdout.write(f"Not finished: {IN_USE}.")
        for survey in due:
            if not survey.erasures.exists():
                files = "its tables’ files" if leaves_a_log() else "the database’s files"
                self.stdout.write(f"{survey.code}: nothing that was deleted is left in {files}.{log_words()}")

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
