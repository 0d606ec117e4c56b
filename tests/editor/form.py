"""The editor's form as a browser posts it."""

import json
from typing import Any

NEW = "/surveys/new/blank/"


def question(**changes: str) -> dict[str, str]:
    fields = {
        "kind": "yes_no",
        "text": "Have you ever cheated in an exam?",
        "options": "",
        "design": "forced_response",
        "truth": "1/2",
        "chance": "",
        "grid": "9",
        "window": "4",
        "multiplied": "5",
        "factors": "2",
        "other_deck": "3/10",
        "points": "5",
        "low_end": "Not at all",
        "high_end": "Very much",
        "low": "",
        "high": "",
        "step": "1",
        "edges": "",
        "unit": "",
        "innocuous": "",
        "innocuous_share": "",
        "innocuous_shares": "",
        "innocuous_source": "",
        "selector": "",
        "selector_share": "",
        "selector_source": "",
        "random_order": "",
        "leave_out": "visibly",
        "arms": "",
        "quantity": "",
    }
    return fields | changes


def closed(**changes: str) -> dict[str, str]:
    """Return a question as a closed row sends it."""
    return {"typed": json.dumps(question(**changes))}


def posted(*questions: dict[str, str], action: str = "save", **changes: str) -> dict[str, Any]:
    data = {
        "title": "Exams",
        "introduction": "",
        "expected_n": "30",
        "expected_share": "30",
        "consent": "",
        "support": "",
        "language": "en",
        "minimum_n": "10",
        "response_cap": "",
        "time_zone": "UTC",
        "opens_at": "",
        "closes_at": "",
        "purge_on": "",
        "action": action,
        "revision": "1",
        "questions": str(len(questions)),
    } | changes
    for number, fields in enumerate(questions, start=1):
        data |= {f"questions-{number}-{name}": value for name, value in fields.items()}
    return data
