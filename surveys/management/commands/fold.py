"""`fold [CODE]`: turn stored responses into counts, which have no order; fit to be run every few minutes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from surveys.management.destroying import survey_called
from surveys.models import State, Survey
from surveys.responses.services import folding
from surveys.responses.services.partition import keep_partition


class Command(BaseCommand):
    help = "Fold stored responses into counts: of one survey, or of all that have enough of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", nargs="?", help="the survey's join code; without it all surveys are folded")

    def handle(self, *args: Any, **options: Any) -> None:
        for survey in [survey_called(options["code"])] if options["code"] else Survey.objects.order_by("pk"):
            everything = survey.state in {State.CLOSED, State.SEALED}
            folded = folding.fold(survey=survey, everything=everything)
            keep_partition(survey)
            if folded or options["code"]:
                waiting = folding.pending_count(survey)
                self.stdout.write(f"{survey.code}: {folded:,} responses folded, {waiting:,} waiting.")
