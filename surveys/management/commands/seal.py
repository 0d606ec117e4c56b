"""`seal CODE`: reduce a closed survey to its counts; this can't be undone."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.course.services import seal_survey
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.management.arguments import survey_called
from surveys.management.destroying import require_code, require_erased
from surveys.models import State, Survey


class Command(BaseCommand):
    help = "Seal a closed survey: fold its responses, destroy nonces, invitations and modes, write the files anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument(
            "--pairs-only", action="store_true", help="keep only single questions and pairs, and no whole response"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask; this cannot be taken back")

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        if survey.state != State.SEALED and not options["yes"]:
            self._ask(survey, pairs_only=options["pairs_only"])
        if survey.state != State.SEALED:
            try:
                seal_survey(survey=survey, pairs_only=options["pairs_only"])
            except NotAllowedNow as refused:
                raise CommandError(str(refused)) from None
        done = f"{survey.code} is sealed. Backups made before hold what has been destroyed: delete them."
        self.stdout.write(require_erased(survey, done=done))

    def _ask(self, survey: Survey, *, pairs_only: bool) -> None:
        kept = "only the counts of single questions and of pairs" if pairs_only else "its counts and results"
        self.stdout.write(
            f"Sealing “{survey.title}” keeps {kept}, and destroys the order of its responses, who added chance, its"
            " nonces and its invitations. Nothing more can be released from it. This cannot be taken back."
        )
        require_code(survey, to="seal", refused="Not sealed.", flag="--yes")
