"""`housekeeping`: what `serve` lets a process of its own do for ever; `--once`, for timers, does it and ends."""

import signal
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections
from django.utils import timezone

from surveys.common.services import failing_alone
from surveys.metrics import services as metrics
from surveys.upkeep.selectors.standing import applied_migrations, why_not
from surveys.upkeep.services import housekeeping, outbox


class Command(BaseCommand):
    help = "Count answers, purge what was promised for today, send emails, and let the files follow deletions."
    # Checks of the code would load all of it; they are for `manage.py check`.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="do it now, say what was done, and end; for timers")
        parser.add_argument(
            "--night",
            action="store_true",
            help="do now what the night is for: delete sign-ins that have ended and drafts that nobody has touched, and"
            " write large files anew, while nobody can answer",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if reason := why_not(applied_migrations()):
            raise CommandError(f"The database here {reason}")
        at_once = {"night"} if options["night"] else set()
        if options["once"]:
            at_once |= {job.name for job in housekeeping.JOBS} - {"night"}
            for line in housekeeping.tick(timezone.now(), at_once=at_once):
                self.stdout.write(line)
            outbox.send_due(timezone.now())
            return
        for number in (signal.SIGINT, signal.SIGTERM):
            # What it is doing is rolled back.
            signal.signal(number, lambda *_: sys.exit())
        if settings.METRICS_TOKEN:
            metrics.start(answers=False)
        threading.Thread(target=_send_emails, name="emails", daemon=True).start()
        clock = housekeeping.Clock()
        while True:
            close_old_connections()
            # Nothing is said of folds: with the log's times that would tell when people answered.
            for _line in housekeeping.tick(timezone.now(), at_once=at_once, is_doubted=clock.is_doubted()):
                pass
            at_once = set()
            time.sleep(housekeeping.PAUSE_SECONDS)


def _send_emails() -> None:
    """Send what waits, for ever; in a thread of its own, as a mail server may take its time and counting must not."""
    while True:
        close_old_connections()
        with failing_alone("sending emails"):
            outbox.send_due(timezone.now())
        time.sleep(housekeeping.PAUSE_SECONDS)
