"""`serve`: run granian, and housekeeping beside it."""

import json
import os
import shutil
import socket
import sys
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection

from surveys import environment
from surveys.common.readiness import NOT_COLLECTED, files_of_pages, what_pages_lack
from surveys.upkeep.selectors.standing import applied_migrations, why_not

WORKERS = 2
HEADER_MILLISECONDS = 10_000
# Connections at once, idle ones too: half-sent requests hold nothing else.
CONNECTIONS = 4096
DRAIN_SECONDS = 20


class Command(BaseCommand):
    help = "Serve the application with granian, and keep house beside it."
    # Checks of the code would load all of it; they are for `manage.py check`.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--no-housekeeping", action="store_true", help="of several servers on one database one is enough to do it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not (settings.ALLOWED_HOSTS or settings.DEBUG):
            raise CommandError("DENIABLE_ALLOWED_HOSTS must name the site: every request is refused without it")
        # Such as a path before all addresses, or files that are served past the program.
        if name := next((name for name in sorted(os.environ) if name.startswith("GRANIAN_")), None):
            raise CommandError(f"{name} must not be set: `serve` alone tells granian how to run")
        # A database that cannot be asked yet may be there soon.
        with suppress(OperationalError):
            if reason := why_not(applied_migrations()):
                raise CommandError(f"The database here {reason}")
        self._require_pages()
        # What an earlier server has counted; its processes are gone.
        shutil.rmtree(settings.METRICS_DIR, ignore_errors=True)
        self.stdout.flush()
        connection.close()
        # One worker each: docs/decisions/0081-one-dead-worker-is-no-outage.md.
        servers = [granian_arguments(options["host"], options["port"])] * WORKERS
        housekeeping = ["-m", "surveys", "housekeeping"]
        programs = [servers, [] if options["no_housekeeping"] else [housekeeping]]
        # A small program takes this process's place: it has nothing to do but to look after the others.
        site = next(iter(settings.ALLOWED_HOSTS), "localhost").lstrip(".")
        address = json.dumps([options["host"], options["port"], site])
        family = ["-m", "surveys.management.family", str(DRAIN_SECONDS + 5), address, json.dumps(programs)]
        os.execv(sys.executable, [sys.executable, *family])  # noqa: S606 - our own arguments, no shell

    def _require_pages(self) -> None:
        """Collect the static files where their folder is nobody else's; refuse to start where pages lack something."""
        lacking = what_pages_lack()
        if lacking == NOT_COLLECTED and settings.STATIC_ROOT == environment.WORK_DIR / "staticfiles":
            # A folder that this account cannot write to is the operator's too.
            with suppress(OSError):
                call_command("collectstatic", interactive=False, verbosity=0)
                files_of_pages.cache_clear()
                lacking = what_pages_lack()
        if lacking:
            raise CommandError(f"Not started: {lacking}.")


def granian_arguments(host: str, port: int, *, workers: int = 1) -> list[str]:
    """Return what Python is started with; the access log stays off: it would hold addresses."""
    return [
        "-m", "granian", "--interface", "asginl", "--host", host, "--port", str(port), "--workers", str(workers),
        "--http", "1", "--http1-header-read-timeout", str(HEADER_MILLISECONDS), "--backpressure", str(CONNECTIONS),
        "--workers-kill-timeout", str(DRAIN_SECONDS), "--no-access-log", "--log-level", "warning", "--no-ws",
        "surveys.asgi:application",
    ]  # fmt: skip


def require_free(host: str, port: int) -> None:
    """Say so when something listens there already: granian would share the port and confuse both."""
    with socket.socket() as probe:
        if probe.connect_ex((host, port)) == 0:
            again = "deniable demo --port " if environment.INSTALLED else "make demo PORT="
            raise CommandError(f"Port {port} is in use. Choose another: {again}{port + 1}")
