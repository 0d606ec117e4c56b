"""`invite_instructor`: email somebody a single-use link to an account, and print it."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.accounts.services.sign_up import DAYS_BY_ADMIN, invite_instructor


class Command(BaseCommand):
    help = "Invite somebody to make an account: mail them a single-use link, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the mail address of whoever is invited")
        parser.add_argument("--note", default="", help="a note for the list of invitations")
        parser.add_argument("--no-mail", action="store_true", help="only print the link")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            invited = invite_instructor(email=options["email"], note=options["note"], mail=not options["no_mail"])
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from None
        if not options["no_mail"] and not invited.mailed:
            self.stderr.write("The mail could not be sent: hand the link over yourself.")
        self.stdout.write(f"Good once, for {DAYS_BY_ADMIN} days: {invited.link}")
