"""Reference values that other programs computed; every case names its source."""

import json
from pathlib import Path
from typing import Any


def cases(file: str, *starts: str) -> list[dict[str, Any]]:
    """The cases of a file whose id starts with one of these."""
    document = [
        case
        for case in json.loads((Path(__file__).parent / f"{file}.json").read_text())
        if case["id"].startswith(starts)
    ]
    assert document, f"{file}.json has no case {starts}"
    return document


def values(file: str) -> dict[str, Any]:
    """What a file holds that is no list of cases."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / f"{file}.json").read_text())
    return found
