"""`seal CODE`: of a closed survey keep the counts only, for good."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.management.confirming import require_code, survey_called
from surveys.management.erasing import require_erased
from surveys.models import State, Survey
from surveys.services.sealing import seal_survey
from surveys.services.surveys import NotAllowedNow


class Command(BaseCommand):
    help = "Seal a closed survey: fold its responses, destroy nonces and invitations, write the files anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--yes", action="store_true", help="do not ask; this cannot be taken back")

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        if survey.state != State.SEALED and not options["yes"]:
            self._ask(survey)
        if survey.state != State.SEALED:
            try:
                seal_survey(survey=survey)
            except NotAllowedNow as refused:
                raise CommandError(str(refused)) from None
        done = f"{survey.code} is sealed. Backups made before hold what has been destroyed: delete them."
        self.stdout.write(require_erased(survey, done=done))

    def _ask(self, survey: Survey) -> None:
        self.stdout.write(
            f"Sealing “{survey.title}” keeps its counts and results, and destroys the order of its responses, its"
            " nonces and its invitations. Nothing more can be released from it. This cannot be taken back."
        )
        require_code(survey, to="seal", refused="Not sealed.", flag="--yes")
