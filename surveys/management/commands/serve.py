"""`serve`: run granian with the workers and threads that suit the database."""

import os
import socket
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

WORKERS = 2
# SQLite has one writer at a time, so a second thread would only wait; PostgreSQL's connections work side by side.
THREADS = {"sqlite": 1, "postgresql": 4}


class Command(BaseCommand):
    help = "Serve the application with granian."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        arguments = granian_arguments(options["host"], options["port"], connection.vendor)
        self.stdout.flush()
        connection.close()
        # The server takes this process's place, so that signals reach it.
        os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606 - our own arguments, no shell


def granian_arguments(host: str, port: int, vendor: str) -> list[str]:
    """Return what Python is started with; the access log stays off: it would hold addresses."""
    return [
        "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port), "--workers", str(WORKERS),
        "--blocking-threads", str(THREADS[vendor]), "--no-access-log", "--log-level", "warning", "--no-ws",
        "surveys.wsgi:application",
    ]  # fmt: skip


def require_free(host: str, port: int) -> None:
    """Say so when something listens there already: granian would share the port and confuse both."""
    with socket.socket() as probe:
        if probe.connect_ex((host, port)) == 0:
            raise CommandError(f"Port {port} is in use. Choose another: make demo PORT={port + 1}")
