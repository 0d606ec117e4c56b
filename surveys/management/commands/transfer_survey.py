"""`transfer_survey CODE --to NAME`: put a survey into other hands, when its owner cannot do it any more."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.accounts.selectors import person_called
from surveys.management.arguments import survey_called
from surveys.people.services import transfer_survey


class Command(BaseCommand):
    help = "Make somebody else a survey's owner without asking anybody; owners themselves do it on the page “People”."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the survey's join code")
        parser.add_argument("--to", required=True, metavar="NAME", help="the new owner's username")
        parser.add_argument("--stays", action="store_true", help="the owner so far stays as editor and analyst")

    def handle(self, *args: Any, **options: Any) -> None:
        survey = survey_called(options["code"])
        before = survey.owner.get_username()
        to = person_called(options["to"])
        if to is None:
            raise CommandError(f"There is no account called {options['to']!r}.")
        try:
            transfer_survey(survey=survey, to=to, stays=options["stays"])
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from None
        self.stdout.write(f"{survey.code} belongs to {to.get_username()}; before, it belonged to {before}.")
