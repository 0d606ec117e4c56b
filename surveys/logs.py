"""A line of the log: what failed, of what kind and where, and never in the error's own words.

A database puts rows into those, and an address holds codes and single-use links.
"""

import json
import logging
import traceback
from pathlib import Path
from typing import Any

from django.conf import settings

# In a request's META: what both the page of its failure and its line name.
REFERENCE = "deniable.reference"
REFERENCE_HEADER = "X-Request-Id"
_OURS = Path(__file__).parent


def place_of(error: BaseException) -> str:
    """Return file and line where the error left our own code, else where it was raised."""
    places = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    ours = [(path.relative_to(_OURS.parent), line) for path, line in places if path.is_relative_to(_OURS)]
    path, line = (ours or places or [(Path("nowhere"), 0)])[-1]
    return f"{path}:{line}"


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {"level": record.levelname, "logger": record.name, "message": record.getMessage()}
    if reference := getattr(record, "reference", ""):
        fields["reference"] = reference
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return fields
    if request := getattr(record, "request", None):
        match = request.resolver_match
        fields |= {
            "message": "a request failed",
            "status": getattr(record, "status_code", ""),
            "method": request.method,
            "view": (match.view_name if match is not None else "") or "none",
            "reference": request.META.get(REFERENCE, "none"),
        }
    fields |= {"exception": type(error).__name__, "place": place_of(error)}
    if settings.DEBUG:
        fields["traceback"] = "".join(traceback.format_exception(error))
    return fields


class PlainLines(logging.Formatter):
    """One line to read: what happened, then NAME=VALUE."""

    def format(self, record: logging.LogRecord) -> str:
        fields = _fields(record)
        end = fields.pop("traceback", "")
        start = f"{fields.pop('level')} {fields.pop('logger')}: {fields.pop('message')}"
        line = " ".join([start, *(f"{name}={value}" for name, value in fields.items())])
        return f"{line}\n{end}".rstrip("\n")


class JsonLines(logging.Formatter):
    """One object a line, for programs that read logs."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(_fields(record), ensure_ascii=False)
