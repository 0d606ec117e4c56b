"""Answers that nobody gives by chance, to every kind of truth: what the tests of lasting profiles look for in files."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from surveys.models import Survey
from tests.factories import PROTECTED, crosswise, make_open, number_mean, one_of, scale, several_of, yes_no

BY_DEVICE, BY_SERVER, PLANTED = "7316.25", "8216.25", "9116.25"
NUMBERS = {"low": [0, 1], "high": [10000, 1], "step": [1, 4], "unit": ""}
SHOWN = "[data-step]:not([hidden]) "


def survey_of_truths() -> Survey:
    """Open a survey with every kind of truth, a number that is typed first."""
    return make_open(
        number_mean("How many?", details=NUMBERS, leave_out="no"),
        yes_no(),
        one_of(),
        several_of(leave_out="no"),
        scale(),
        crosswise(),
        number_mean("How few, or not saying?", **PROTECTED),
        server_mode_allowed=True,
    )


def written(profile: Path, pattern: str = "*") -> Iterator[tuple[str, bytes]]:
    """Return the files of a profile by name; a browser goes on writing, renaming and deleting them meanwhile."""
    for folder, _, names in os.walk(profile):
        for path in (Path(folder, name) for name in names):
            if path.match(pattern) and path.is_file():
                with contextlib.suppress(FileNotFoundError):
                    yield path.name, path.read_bytes()


def holds(data: bytes, text: str) -> bool:
    """Tell whether a file holds this text, in either of the ways in which browsers write texts."""
    return text.encode() in data or text.encode("utf-16-le") in data
