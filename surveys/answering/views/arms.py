"""Which random arm a browser is in: drawn when the questions are first shown, and the same whenever they are again."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from surveys.answering.services.collecting import InvalidSubmission
from surveys.answering.views.doors import Door, remember
from surveys.answering.views.receipt import ARM_COOKIE
from surveys.models.arms import draw_arm
from surveys.models.definition import Definition

_ARM_SECONDS = 30 * 24 * 3600


def dealt_page(request: HttpRequest, door: Door, page: Callable[[HttpRequest, Door], HttpResponse]) -> HttpResponse:
    """Return the page as this browser's arm meets it; the cookie names the arm and nothing else."""
    if not door.definition.arms:
        return page(request, door)
    remembered = _number(request.COOKIES.get(ARM_COOKIE, ""), door.definition)
    number = remembered or draw_arm(door.definition.arms, secrets.randbelow).number
    response = page(request, _in_arm(door, number))
    if not remembered:
        remember(response, door, ARM_COOKIE, str(number), _ARM_SECONDS)
    return response


def door_of_form(request: HttpRequest, door: Door) -> Door:
    """Return the door as the page met it that sends this form; raises InvalidSubmission where it does not say."""
    if not door.definition.arms:
        return door
    number = _number(request.POST.get("arm", ""), door.definition)
    if number is None:
        raise InvalidSubmission(
            "arm", gettext("The page does not say which of the survey’s arms it is of: load the page again.")
        )
    return _in_arm(door, number)


def _number(text: str, definition: Definition) -> int | None:
    return next((arm.number for arm in definition.arms if str(arm.number) == text), None)


def _in_arm(door: Door, number: int) -> Door:
    return replace(door, definition=door.definition.in_arm(number))
