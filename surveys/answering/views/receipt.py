"""What a browser remembers of its answer: reports until they were shown once, and for days that there is one."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from surveys.answering.selectors import answered_of, asks_everybody, coin_questions, lesson_given, published_result
from surveys.answering.views.doors import Door, remember
from surveys.common.selectors import asked_by_script
from surveys.models import Mode
from surveys.models.definition import Definition
from surveys.models.response import LEFT_OUT

DONE_COOKIE = "deniable_done"
RECEIPT_COOKIE = "deniable_receipt"
ARM_COOKIE = "deniable_arm"
_DONE_SECONDS = 30 * 24 * 3600
_RECEIPT_SECONDS = 600


def has_answered(request: HttpRequest) -> bool:
    """Whether this browser has an answer in this survey (or, invited, with this link)."""
    return DONE_COOKIE in request.COOKIES


def receipt_for(request: HttpRequest, door: Door, mode: str, reports: str) -> HttpResponse:
    """Send the browser to its receipt; what it carries there is what the server has anyway."""
    address = door.address("receipt")
    response: HttpResponse
    response = (
        JsonResponse({"receipt": address}) if asked_by_script(request) else HttpResponseRedirect(address, status=303)
    )
    return remember_receipt(response, door, mode, reports)


def remember_receipt(response: HttpResponse, door: Door, mode: str, reports: str) -> HttpResponse:
    """Let the browser know that it has answered, and, where `reports` tell, what, until it was shown."""
    remember(response, door, DONE_COOKIE, "1", _DONE_SECONDS)
    if reports:
        remember(response, door, RECEIPT_COOKIE, _kept(mode, reports), _RECEIPT_SECONDS)
    if door.definition.all_arms.arms:
        # Nothing is shown by arm any more, and the device's next user need not read it.
        remember(response, door, ARM_COOKIE, "", 0)
    return response


def receipt_page(request: HttpRequest, door: Door) -> HttpResponse:
    """Show what was received, once: a browser that keeps it would show it to the next user."""
    mode, _, reports = request.COOKIES.get(RECEIPT_COOKIE, "").partition(".")
    received = _received(door.definition, reports) if mode in Mode.values else []
    mine = door.definition.arm_of(reports) if received else door.definition
    context = {
        "definition": mine,
        "group": door.group,
        "front": door.address(),
        "received": received,
        "all_skipped": bool(received) and set(mine.reports_here(reports)) == {LEFT_OUT},
        "mode": mode,
        "done": has_answered(request),
        "crowd": answered_of(door.survey) if received or has_answered(request) else None,
        # What a page of the lab runs with: as public as the questions are.
        "coins": next(iter(coin_questions(door.definition)), None) if asks_everybody(door.survey) else None,
        # Of the room above, which reads it; as a published release is.
        "lesson": reverse("lesson", args=[door.survey.code]) if lesson_given(door.survey) else "",
        "result": door.address("receipt-result") if door.survey.result_on_receipt else published_result(door.survey),
    }
    response = render(request, "answering/receipt.html", context)
    if RECEIPT_COOKIE in request.COOKIES and request.method == "GET":
        remember(response, door, RECEIPT_COOKIE, "", 0)
    return response


def _kept(mode: str, reports: str) -> str:
    return f"{mode}.{reports}"


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
