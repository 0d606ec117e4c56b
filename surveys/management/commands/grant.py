"""`grant ROLE`: let the running program sign in to PostgreSQL by a role that owns nothing."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction

from surveys.models import grants
from surveys.upkeep.selectors.standing import has_tables


class Command(BaseCommand):
    help = (
        "Give a role of PostgreSQL what the running program needs, and nothing that could change tables or triggers; "
        "as the owner of the tables, after each migrate."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("role", help="the role by which the program will sign in")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("Roles are PostgreSQL’s: SQLite has none.")
        if not has_tables():
            raise CommandError(f"The database holds nothing yet: run `{settings.COMMAND} migrate` first.")
        with transaction.atomic(), connection.cursor() as cursor:
            if why_not := grants.why_not(cursor, options["role"]):
                raise CommandError(why_not)
            grants.grant(cursor, options["role"])
        self.stdout.write(f"{options['role']} may run the program, and owns nothing.")
