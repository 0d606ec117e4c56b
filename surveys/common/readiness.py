"""Whether what somebody answers now could be stored: asked by load balancers, of whom there may be many."""

import datetime as dt
import math
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import Error, connection

from surveys.common.selectors import last_counted
from surveys.common.services import waiting_at_most
from surveys.models import SignIn

# A row among the sign-ins that no cookie can name, as it is no hash; it has ended, so that clearsessions may take it.
_ROW = "readiness"
_ENDED = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
# Asking often costs no more than asking once.
EVERY_SECONDS = 2
_PATIENCE_SECONDS = 1
# SQLite's journal may have room inside where the disk has none: the next fold would fail.
LEAST_FREE_BYTES = 16_000_000


@dataclass
class _Last:
    """What was found last, by this process."""

    at: float = -math.inf
    problem: str = ""
    housekeeping: str = ""


_last = _Last()


def readiness() -> tuple[str, str]:
    """Return why nothing can be stored, or "" where it can, and when housekeeping last ran."""
    if time.monotonic() - _last.at >= EVERY_SECONDS:
        _last.problem, _last.housekeeping = _find_problem(), _find_housekeeping()
        _last.at = time.monotonic()
    return _last.problem, _last.housekeeping


def _find_problem() -> str:
    try:
        with waiting_at_most(_PATIENCE_SECONDS):
            SignIn.objects.bulk_create(
                [SignIn(session_key=_ROW, session_data="", expire_date=_ENDED)],
                update_conflicts=True,
                unique_fields=["session_key"],
                update_fields=["expire_date"],
            )
    except Error as error:
        # Somebody else is writing: so it can be written.
        return "" if "locked" in str(error) else "the database cannot be written"
    if connection.vendor == "sqlite" and _free_bytes() < LEAST_FREE_BYTES:
        return "the disk is full"
    return ""


def _find_housekeeping() -> str:
    try:
        at = last_counted()
    except Error:
        return "unknown"
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "never"


def _free_bytes() -> int:
    return shutil.disk_usage(Path(settings.DATABASES["default"]["NAME"]).parent).free
