"""A respondent's POST, field by field: what no page of ours sends is refused and never stored."""

from collections.abc import Collection
from dataclasses import dataclass

from django.http import QueryDict

from surveys.models import Mode
from surveys.models.definition import Definition, Item
from surveys.models.response import CODES, LEFT_OUT
from surveys.services.collecting import InvalidSubmission

_ALWAYS = ("csrfmiddlewaretoken", "nonce", "mode")


@dataclass(frozen=True, slots=True)
class Submission:
    """The reports of one page."""

    mode: str
    nonce: str
    reports: str


def parse_reports(post: QueryDict, definition: Definition) -> Submission:
    """Read what the device or the own-coin form sent; raises InvalidSubmission naming the field."""
    mode = post.get("mode", "")
    if mode == Mode.DEVICE:
        _refuse_other_fields(post, ("reports",))
        reports = post.get("reports", "")
    elif mode == Mode.OWN_COIN:
        fields = [f"item-{item.question_number}" for item in definition.items]
        _refuse_other_fields(post, fields)
        reports = "".join(
            _one_report(post.get(field, ""), item) for field, item in zip(fields, definition.items, strict=True)
        )
    else:
        raise InvalidSubmission("mode", "This page does not take answers in that way.")
    return Submission(mode, post.get("nonce", ""), reports)


def parse_truths(post: QueryDict, definition: Definition) -> tuple[str, list[int | None]]:
    """Read nonce and true answers in server mode; they live until the request ends and are written nowhere."""
    fields = [f"answer-{item.question_number}" for item in definition.items]
    _refuse_other_fields(post, fields)
    if post.get("mode") != Mode.SERVER:
        raise InvalidSubmission("mode", "This page does not take answers in that way.")
    truths = [_one_truth(post.get(field, ""), item) for field, item in zip(fields, definition.items, strict=True)]
    return post.get("nonce", ""), truths


def _refuse_other_fields(post: QueryDict, expected: Collection[str]) -> None:
    # Neither the name nor the value is repeated in the message: either could be a true answer.
    if any(name not in _ALWAYS and name not in expected for name in post):
        raise InvalidSubmission("", "The submission held a field that this page does not have. Nothing was stored.")
    if any(len(values) != 1 for _, values in post.lists()):
        raise InvalidSubmission("", "The submission held a field twice. Nothing was stored.")


def _one_report(value: str, item: Item) -> str:
    if len(value) == 1 and item.accepts(value):
        return value
    raise InvalidSubmission(
        f"item-{item.question_number}", f"Question {item.question_number}: tap what the coins told you."
    )


def _one_truth(value: str, item: Item) -> int | None:
    if value == LEFT_OUT and item.can_be_left_out:
        return None
    if len(value) == 1 and value in CODES[: item.design.k]:
        return CODES.index(value)
    raise InvalidSubmission(f"answer-{item.question_number}", f"Question {item.question_number}: choose an answer.")
