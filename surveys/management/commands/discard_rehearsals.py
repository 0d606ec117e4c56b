"""`discard_rehearsals`: throw away copies that nobody has come back to; fit to be run every hour."""

import argparse
import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from surveys.drafts.services import copies

_LONGEST = int(copies.LONGEST.total_seconds() // 60)


class Command(BaseCommand):
    help = "Throw away what was rehearsed with some time ago; starting a rehearsal does so too."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--older-than",
            type=_minutes,
            default=_LONGEST,
            metavar="MINUTES",
            help="0 throws all of them away, also those that people are looking at (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        discarded = copies.sweep(older_than=dt.timedelta(minutes=options["older_than"]))
        self.stdout.write(f"Rehearsals discarded: {discarded}.")


def _minutes(text: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"must be a whole number of minutes, got {text!r}")
    return int(text)
