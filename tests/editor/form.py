"""The editor's form as a browser posts it."""

import json
import re
from typing import Any

from django.http.response import HttpResponseBase
from django.test import Client

from surveys.questionnaire.document import TEXTS
from tests.pages import text_of

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
        "low": "0",
        "high": "10",
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
        **dict.fromkeys(TEXTS, ""),
        "title": "Exams",
        "expected_n": "30",
        "expected_share": "30",
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


def arms(*named: tuple[str, str]) -> dict[str, str]:
    """Return the fields of arms with these names and weights."""
    fields = {"arms": str(len(named))}
    for number, (name, weight) in enumerate(named, start=1):
        fields |= {f"arms-{number}-name": name, f"arms-{number}-weight": weight}
    return fields


def press(client: Client, page: HttpResponseBase, action: str, address: str = NEW) -> Any:  # noqa: ANN401
    """Press a button of the page that was shown, all of whose questions and arms are sent as they stand."""
    editor = page.context["editor"]  # type: ignore[attr-defined]
    named = [(arm["name"], arm["weight"]) for arm in editor.arms.typed]
    rows = [{"typed": row.packed} | ({"removed": "on"} if row.removed else {}) for row in editor.rows]
    return client.post(address, posted(*rows, action=action, revision=str(editor.revision)) | arms(*named))


def beside(client: Client, expected_n: str = "30", expected_share: str = "30", **changes: str) -> str:
    """Return the editor's page with one question, its dial beside it."""
    planned = {"expected_n": expected_n, "expected_share": expected_share}
    return text_of(client.post(NEW, posted(question(**changes), action="refresh", **planned)))


def dial_on(page: str) -> str:
    """Return the dial without the paragraphs about terms, and without what only its slider says."""
    dial = page.split("data-dial>")[1].split("</section>", maxsplit=1)[0]
    return re.sub(r'<span class="explanation".*?</button></span>|<ol hidden data-turns>.*?</ol>', "", dial)
