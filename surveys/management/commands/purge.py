"""`purge CODE`: destroy the reports of a closed or sealed survey; this can't be undone."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.course.selectors import losses_of
from surveys.course.services import purge_survey
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.management.arguments import survey_called
from surveys.management.destroying import require_code, require_erased
from surveys.models import State, Survey
from surveys.numbers.words import counted


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
                purge_survey(survey=survey)
            except NotAllowedNow as refused:
                raise CommandError(str(refused)) from None
        done = (
            f"{survey.code} is purged. Backups made before hold what has been destroyed: delete them."
            " Running servers forget what they counted when they are restarted."
        )
        self.stdout.write(require_erased(survey, done=done))

    def _require_meant(self, survey: Survey, confirmed: str | None) -> None:
        if confirmed is not None:
            if confirmed.strip().upper() != survey.code:
                raise CommandError(
                    f"--yes-purge says {confirmed}, but the survey is {survey.code}: nothing was purged."
                )
            return
        losses = losses_of(survey)
        self.stdout.write(
            f"Purging “{survey.title}” destroys the reports of {counted(losses.responses, 'answer')}, with all results"
            " and exports made from them. The survey itself stays, with its ledger and"
            f" {counted(losses.releases, 'release')}. This can’t be undone."
        )
        require_code(survey, to="purge", refused="Not purged.", flag=f"--yes-purge {survey.code}")
