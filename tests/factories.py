"""Surveys, people and responses for tests, made through the real services."""

import itertools
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User

from surveys import selectors
from surveys.models import Budget, Response, Survey
from surveys.services import collecting
from surveys.services.surveys import QuestionDraft, create_survey, open_survey

PASSWORD = "correct horse battery staple"
_numbers = itertools.count(1)


def make_user(username: str = "", **fields: Any) -> User:
    return User.objects.create_user(username or f"person{next(_numbers)}", password=PASSWORD, **fields)


def make_admin(username: str = "") -> User:
    return User.objects.create_superuser(username or f"admin{next(_numbers)}", password=PASSWORD)


def yes_no(text: str = "Have you ever cheated in an exam?", **changes: Any) -> QuestionDraft:
    fields: dict[str, Any] = {
        "kind": "yes_no",
        "text": text,
        "options": [],
        "design": "forced_response",
        "parameters": {"truth": [1, 2], "yes": [1, 2]},
        "leave_out": "visibly",
    }
    return QuestionDraft(**(fields | changes))


def one_of(
    options: Sequence[str] = ("Never", "Once", "Often"), text: str = "How often?", **changes: Any
) -> QuestionDraft:
    fields: dict[str, Any] = {
        "kind": "one_of",
        "text": text,
        "options": list(options),
        "design": "k_ary",
        "parameters": {"truth": [1, 2]},
        "leave_out": "no",
    }
    return QuestionDraft(**(fields | changes))


def make_draft(*questions: QuestionDraft, owner: User | None = None, **fields: Any) -> Survey:
    fields = {"title": "Exams"} | fields
    return create_survey(owner=owner or make_user(), questions=questions or (yes_no(),), **fields)


def make_open(*questions: QuestionDraft, **fields: Any) -> Survey:
    return open_survey(survey=make_draft(*questions, **fields))


def send(survey: Survey, reports: str, *, nonce: str = "", mode: str = "device") -> collecting.Outcome:
    return collecting.collect(
        survey=survey,
        definition=selectors.definition_of(survey),
        mode=mode,
        nonce=nonce or collecting.new_nonce(),
        reports=reports,
    )


def fill(survey: Survey, counts: dict[str, int], *, mode: str = "device") -> None:
    """Store many responses at once, by reports text, without going through one submission each."""
    number = itertools.count(Response.objects.count() + 1)
    Response.objects.bulk_create(
        Response(survey=survey, mode=mode, reports=reports, nonce_hash=next(number).to_bytes(16, "big"))
        for reports, count in counts.items()
        for _ in range(count)
    )


def make_budget(survey: Survey, epsilon: int = 1) -> Budget:
    return Budget.objects.create(survey=survey, total_micro_epsilon=epsilon * 1_000_000)
