"""`serve`: run granian."""

import os
import shutil
import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

WORKERS = 2
HEADER_MILLISECONDS = 10_000
# Connections at once, idle ones too: half-sent requests hold nothing else.
CONNECTIONS = 4096
DRAIN_SECONDS = 20


class Command(BaseCommand):
    help = "Serve the application with granian."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        arguments = granian_arguments(options["host"], options["port"])
        # What an earlier server has counted; its processes are gone.
        shutil.rmtree(settings.METRICS_DIR, ignore_errors=True)
        self.stdout.flush()
        connection.close()
        # The server takes this process's place, so that signals reach it.
        os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606 - our own arguments, no shell


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
