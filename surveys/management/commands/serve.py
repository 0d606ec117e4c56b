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
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection

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
        # A database that cannot be asked yet may be there soon.
        with suppress(OperationalError):
            if reason := why_not(applied_migrations()):
                raise CommandError(f"The database here {reason}")
        # What an earlier server has counted; its processes are gone.
        shutil.rmtree(settings.METRICS_DIR, ignore_errors=True)
        self.stdout.flush()
        connection.close()
        programs = [granian_arguments(options["host"], options["port"])]
        if not options["no_housekeeping"]:
            programs.append([str(settings.BASE_DIR / "manage.py"), "housekeeping"])
        # A small program takes this process's place: it has nothing to do but to look after the others.
        site = next(iter(settings.ALLOWED_HOSTS), "localhost").lstrip(".")
        address = json.dumps([options["host"], options["port"], site])
        family = ["-m", "surveys.management.family", str(DRAIN_SECONDS + 5), address, json.dumps(programs)]
        os.execv(sys.executable, [sys.executable, *family])  # noqa: S606 - our own arguments, no shell


def granian_arguments(host: str, port: int) -> list[str]:
    """Return what Python is started with; the access log stays off: it would hold addresses."""
    return [
        "-m", "granian", "--interface", "asginl", "--host", host, "--port", str(port), "--workers", str(WORKERS),
        "--http", "1", "--http1-header-read-timeout", str(HEADER_MILLISECONDS), "--backpressure", str(CONNECTIONS),
        "--workers-kill-timeout", str(DRAIN_SECONDS), "--no-access-log", "--log-level", "warning", "--no-ws",
        "surveys.asgi:application",
    ]  # fmt: skip


def require_free(host: str, port: int) -> None:
    """Say so when something listens there already: granian would share the port and confuse both."""
    with socket.socket() as probe:
        if probe.connect_ex((host, port)) == 0:
            raise CommandError(f"Port {port} is in use. Choose another: make demo PORT={port + 1}")
