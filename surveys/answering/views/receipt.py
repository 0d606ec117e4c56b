"""What a browser remembers of its answer: reports until they were shown once, and for days that there is one."""

import secrets
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse

from surveys.answering.selectors import Answered, answered_of, asks_everybody, coin_questions, ways_on
from surveys.answering.views.doors import Door, remember
from surveys.common.caches import cached
from surveys.common.selectors import asked_by_script
from surveys.credit.services import sign
from surveys.models import Group, Mode
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import LEFT_OUT

DONE_COOKIE = "deniable_done"
RECEIPT_COOKIE = "deniable_receipt"
ARM_COOKIE = "deniable_arm"
_DONE_SECONDS = 30 * 24 * 3600
_RECEIPT_SECONDS = 600


def has_answered(request: HttpRequest) -> bool:
    """Whether this browser has an answer in this survey (or, invited, with this link)."""
    return DONE_COOKIE in request.COOKIES


def receipt_for(request: HttpRequest, door: Door, mode: str, reports: str, blinded: str = "") -> HttpResponse:
    """Send the browser to its receipt; what it carries there is what the server has anyway.

    A script that asks for credit gets the signature as well: what it makes of it stays on its page.
    """
    address = door.address("receipt")
    response: HttpResponse = HttpResponseRedirect(address, status=303)
    if asked_by_script(request):
        signed = {"signature": sign(door.survey, blinded)} if blinded else {}
        response = JsonResponse({"receipt": address} | signed)
    return remember_receipt(response, door, mode, reports)


def remember_receipt(response: HttpResponse, door: Door, mode: str, reports: str) -> HttpResponse:
    """Let the browser know that it has answered, and, where `reports` tell, what, until it was shown."""
    remember(response, door, DONE_COOKIE, "1", _DONE_SECONDS)
    if reports:
        remember(response, door, RECEIPT_COOKIE, f"{mode}.{reports}", _RECEIPT_SECONDS)
    if door.definition.all_arms.arms:
        # Nothing is shown by arm any more, and the device's next user need not read it.
        remember(response, door, ARM_COOKIE, "", 0)
    return response


@dataclass(frozen=True, slots=True)
class _Receipt:
    """All that a receipt shows but the reports; two are the same when all this is.

    Nothing in it depends on the address, which single-use links have in endless number: its links are relative.
    """

    survey_id: int
    version: str
    language: str
    arm: int
    group_name: str  # it may change while the survey is open
    mode: str  # of the reports; "" where none are shown
    all_skipped: bool
    done: bool
    crowd: Answered | None
    asks: bool
    lesson: bool
    result: str
    definition: Definition = field(compare=False)
    group: Group | None = field(compare=False)


# Stands where the reports will. Nobody can write this into a survey's text: it is new in every process.
_REPORTS = secrets.token_hex(16)


def receipt_page(request: HttpRequest, door: Door) -> HttpResponse:
    """Show what was received, once: a browser that keeps it would show it to the next user."""
    mode, _, reports = request.COOKIES.get(RECEIPT_COOKIE, "").partition(".")
    received = _received(door.definition, reports) if mode in Mode.values else []
    mine = door.definition.arm_of(reports) if received else door.definition
    survey, done = door.survey, has_answered(request)
    lesson, published = ways_on(survey)
    receipt = _Receipt(
        survey.pk,
        survey.content_hash,
        mine.language,
        mine.arm.number if mine.arm else 0,
        door.group.name if door.group else "",
        mode if received else "",
        bool(received) and set(mine.reports_here(reports)) == {LEFT_OUT},
        done,
        answered_of(survey) if received or done else None,
        asks_everybody(survey),
        lesson,
        "result/" if survey.result_on_receipt else published,
        mine,
        door.group,
    )
    lines = render_to_string("answering/_received.html", {"received": received}) if received else ""
    response = HttpResponse(_rendered(receipt).replace(_REPORTS, lines))
    if RECEIPT_COOKIE in request.COOKIES and request.method == "GET":
        remember(response, door, RECEIPT_COOKIE, "", 0)
    return response


@cached(256)
def _rendered(receipt: _Receipt) -> str:
    """Return the page with a place for the reports, which are not kept."""
    definition = receipt.definition
    context = {
        "definition": definition,
        "group": receipt.group,
        "reports": _REPORTS if receipt.mode else "",
        "all_skipped": receipt.all_skipped,
        "mode": receipt.mode,
        "done": receipt.done,
        "crowd": receipt.crowd,
        # What a page of the lab runs with: as public as the questions are.
        "coins": next(iter(coin_questions(definition.all_arms)), None) if receipt.asks else None,
        # Of the room above, which reads it; as a published release is.
        "lesson": reverse("lesson", args=[definition.code]) if receipt.lesson else "",
        "result": receipt.result,
    }
    return render_to_string("answering/receipt.html", context)


def _received(definition: Definition, reports: str) -> list[tuple[Any, list[tuple[str, str]]]]:
    """Return each question with its report in words, each option of several by its name."""
    if definition.misfit(reports):
        return []
    mine = definition.arm_of(reports)
    reports_of_arm = mine.reports_here(reports)
    return [
        (question, [(item.option, item.words(reports_of_arm[item.number])) for item in question.items])
        for question in mine.questions
        if question.is_asked(reports_of_arm)
    ]
