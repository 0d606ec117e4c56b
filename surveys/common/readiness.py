"""Whether pages can be shown and what somebody answers now be stored: asked by load balancers, maybe by many."""

import datetime as dt
import math
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import Error, connection
from django.template import Engine

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
NOT_COLLECTED = f"static files are missing or not those of this version: run `{settings.COMMAND} collectstatic`"
_NAMED = re.compile(r'{% (?:extends|include) "([^"]+)"')
_NO_FILE = ""  # which cannot be read


@dataclass
class _Last:
    at: float = -math.inf
    problem: str = ""
    housekeeping: str = ""


_last = _Last()


def readiness() -> tuple[str, str]:
    """Return why no page can be shown or nothing be stored, or "", and when housekeeping last ran."""
    if time.monotonic() - _last.at >= EVERY_SECONDS:
        _last.problem, _last.housekeeping = what_pages_lack() or _find_problem(), _find_housekeeping()
        _last.at = time.monotonic()
    return _last.problem, _last.housekeeping


def what_pages_lack() -> str:
    """Return what is wrong with the files that pages are made of, in a line, or "" if nothing is."""
    return next((why for path, why in files_of_pages() if not os.access(path, os.R_OK)), "")


@cache
def files_of_pages() -> list[tuple[str, str]]:
    """Return each file that has to be there, and what to say if it is not.

    Contents are looked at once: this process goes on with the manifest of static files that it has read.
    """
    return [*_static_files(), *_catalogues(), *_templates()]


def _static_files() -> Iterator[tuple[str, str]]:
    if settings.DEBUG or not hasattr(staticfiles_storage, "current_files"):
        return
    for path in staticfiles_storage.current_files() or [_NO_FILE]:
        yield path, NOT_COLLECTED


def _catalogues() -> Iterator[tuple[str, str]]:
    for code, _name in settings.RESPONDENTS_LANGUAGES:
        if code != settings.LANGUAGE_CODE:
            name = f"locale/{code}/LC_MESSAGES/django.mo"
            yield str(settings.BASE_DIR / name), f"{name} cannot be read"


def _templates() -> Iterator[tuple[str, str]]:
    """Yield the templates there are, and those that they name and Django brings, or nobody."""
    folder, there, named = settings.BASE_DIR / "templates", set(), {"base.html"}
    for path in folder.rglob("*.html"):
        there.add(name := str(path.relative_to(folder)))
        yield str(path), f"templates/{name} cannot be read"
        with suppress(OSError):
            named.update(_NAMED.findall(path.read_text(encoding="utf-8")))
    loaders = Engine.get_default().template_loaders
    for name in named - there:
        places = (place.name for loader in loaders for place in loader.get_template_sources(name))
        yield next(filter(os.path.exists, places), _NO_FILE), f"templates/{name} cannot be read"


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
