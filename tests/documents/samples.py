"""A whole document to break in one place after another."""

import copy
import json
from typing import Any

Json = Any

_FACTS = {"innocuous": "Born in May?", "innocuous_source": "31 of 365 days."}
DOCUMENT: dict[str, Json] = {
    "format": "deniable-survey",
    "version": 1,
    "survey": {
        "title": "Exams",
        "introduction": "",
        "consent": "",
        "support": "",
        "language": "en",
        "time_zone": "Europe/Berlin",
        "opens_at": "2026-05-01T09:30:00+02:00",
        "closes_at": "2026-05-02T09:30:00+02:00",
        "response_cap": None,
        "minimum_n": 10,
        "by_invitation": False,
        "server_mode_allowed": False,
        "expected_n": 30,
        "expected_share": 30,
    },
    "groups": [{"name": "North", "slug": "north"}, {"name": "South", "slug": "south"}],
    "questions": [
        {
            "kind": "yes_no",
            "text": "Have you ever copied?",
            "options": [],
            "details": {},
            "design": "forced_response",
            "parameters": {"truth": [1, 2], "yes": [1, 2]},
            "leave_out": "visibly",
            "accepts_infinite": False,
        },
        {
            "kind": "one_of",
            "text": "How often?",
            "options": ["Never", "Once", "Often"],
            "details": {},
            "design": "k_ary",
            "parameters": {"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]},
            "leave_out": "no",
            "accepts_infinite": False,
        },
        {
            "kind": "yes_no",
            "text": "Have you ever shoplifted?",
            "options": [],
            "details": _FACTS,
            "design": "crosswise",
            "parameters": {"p": [31, 365]},
            "leave_out": "visibly",
            "accepts_infinite": False,
        },
        {
            "kind": "number_mean",
            "text": "How many hours?",
            "options": [],
            "details": {"low": [0, 1], "high": [12, 1], "step": [1, 2], "unit": "hours"},
            "design": "forced_response",
            "parameters": {"truth": [1, 2], "yes": [1, 2]},
            "leave_out": "visibly",
            "accepts_infinite": False,
        },
        {
            "kind": "scale",
            "text": "How much?",
            "options": [],
            "details": {"points": 5, "low_end": "little", "high_end": "much"},
            "design": "k_ary",
            "parameters": {"truth": [1, 2]},
            "leave_out": "no",
            "accepts_infinite": False,
        },
    ],
}

Path = tuple[str | int, ...]


def sample_document() -> dict[str, Json]:
    return copy.deepcopy(DOCUMENT)


def changed(path: Path, value: Json) -> dict[str, Json]:
    """Return the document with another value in one place."""
    document = sample_document()
    inner: Json = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


def without(path: Path) -> dict[str, Json]:
    """Return the document without the value in one place."""
    document = sample_document()
    inner: Json = document
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return document


def paths(value: Json = None, at: Path = ()) -> list[Path]:
    """Return every place of the document."""
    value = DOCUMENT if not at else value
    places: list[Path] = [at] if at else []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        places += paths(inner, (*at, step))
    return places


def raw(document: Json) -> bytes:
    return json.dumps(document).encode()
