"""Which random arm a browser is in: drawn when the questions are first shown, and the same whenever they are again.

A form says of which arm its page is, and a signature of the server's says so too, for this page's nonce alone: what is
stored is the arm that was promised. It stops nobody from drawing again; that is what a cookie's owner can always do.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace

from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from surveys.answering.forms import IncompleteAnswers
from surveys.answering.views.doors import Door, remember
from surveys.answering.views.receipt import ARM_COOKIE
from surveys.questionnaire.arms import draw_arm
from surveys.questionnaire.definition import Definition

_ARM_SECONDS = 30 * 24 * 3600


def dealt_page(request: HttpRequest, door: Door, page: Callable[[HttpRequest, Door], HttpResponse]) -> HttpResponse:
    """Return the page as this browser's arm meets it; the cookie names the arm and nothing else."""
    if not door.definition.arms:
        return page(request, door)
    remembered = _remembered(request, door.definition)
    number = remembered or draw_arm(door.definition.arms, secrets.randbelow).number
    response = page(request, _in_arm(door, number))
    if not remembered:
        remember(response, door, ARM_COOKIE, str(number), _ARM_SECONDS)
    return response


class AlteredArm(IncompleteAnswers):
    """A form says that it is of another arm than its page: `door` is the page's, where that is known."""

    def __init__(self, door: Door) -> None:
        super().__init__(
            {
                "arm": gettext(
                    "Your answers were not accepted, because the form and its page belong to different sets of "
                    "questions. Send your answers again. If that fails, reload the page. Reloading deletes "
                    "your answers."
                )
            }
        )
        self.door = door


def door_of_form(request: HttpRequest, door: Door) -> Door:
    """Return the door as the page met it that sends this form; raises AlteredArm where another arm is named."""
    definition = door.definition
    named, _, signature = request.POST.get("arm", "").partition(".")
    nonce = request.POST.get("nonce", "")
    numbers = [arm.number for arm in definition.arms]
    signed = next((number for number in numbers if _is_signed(definition.code, nonce, number, signature)), None)
    if signed is None or str(signed) != named:
        mine = signed or _remembered(request, definition)
        raise AlteredArm(_in_arm(door, mine) if mine else door)
    return _in_arm(door, signed)


def signature_of(definition: Definition, nonce: str) -> str:
    """Return what shows that the server dealt this arm to the page with this nonce; "" where there are no arms."""
    return _signer().signature(_signed(definition.code, nonce, definition.arm.number)) if definition.arm else ""


def _signer() -> Signer:
    return Signer(salt="deniable.arm")


def _signed(code: str, nonce: str, number: int) -> str:
    return f"{code}.{nonce}.{number}"


def _is_signed(code: str, nonce: str, number: int, signature: str) -> bool:
    text = _signed(code, nonce, number)
    try:
        return bool(_signer().unsign(f"{text}:{signature}") == text)
    except BadSignature:
        return False


def _remembered(request: HttpRequest, definition: Definition) -> int | None:
    kept = request.COOKIES.get(ARM_COOKIE, "")
    return next((arm.number for arm in definition.arms if str(arm.number) == kept), None)


def _in_arm(door: Door, number: int) -> Door:
    return replace(door, definition=door.definition.in_arm(number))
