"""Why an answer is not taken: one page and one status for each reason, the same on the way in and on sending."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext

from surveys.answering.forms import IncompleteAnswers
from surveys.answering.selectors import invitation_state, is_full
from surveys.answering.services import collecting
from surveys.answering.views.arms import signature_of
from surveys.answering.views.doors import Door
from surveys.answering.views.receipt import has_answered
from surveys.common.selectors import asked_by_script
from surveys.questionnaire.definition import Definition

# 403: it may open again, or to others; 404: it never was here; 409: another answer is; 410: it will not come again.
_CLOSED = {"paused": 403, "not_yet": 403, "closed": 410, "sealed": 410, "purged": 410, "over": 410, "full": 410}
_INVITATION: dict[type[collecting.SubmissionRefused], tuple[str, int]] = {
    collecting.InvitationNeeded: ("needed", 403),
    collecting.InvitationUnknown: ("unknown", 404),
    collecting.InvitationSpent: ("spent", 410),
}


class AlreadyAnsweredError(collecting.SubmissionRefused):
    """The browser has sent an answer, which is kept, from this page or another one; or declined for a receipt."""

    def __init__(self, definition: Definition) -> None:
        super().__init__(
            gettext("This browser has already answered or declined this survey. We kept what came first.")
            if definition.credit_key
            else gettext("This browser has already answered this survey. We kept the first answer.")
        )


def stopping_page(request: HttpRequest, door: Door) -> HttpResponse | None:
    """Return the page that stands in the place of the questions, if one does."""
    if has_answered(request):
        context = {"definition": door.definition, "receipt": door.address("receipt")}
        return render(request, "answering/already.html", context)
    refusal = _reason(door)
    return refusal_page(request, door, refusal) if refusal else None


def refusal_page(
    request: HttpRequest, door: Door, refusal: collecting.SubmissionRefused, *, form: str = ""
) -> HttpResponse:
    """Say why nothing was stored: to the script in a sentence, to people on a page that they can act on.

    `form` is the template that takes what is missing; tapped reports stand in it again, true answers never do.
    """
    page, status, context = _page(refusal)
    if asked_by_script(request):
        answer = {"error": str(refusal)} | ({"receipt": door.address("receipt")} if status == 409 else {})
        return JsonResponse(answer, status=status)
    if form and isinstance(refusal, IncompleteAnswers):
        page, context = form, _anew(request, door, refusal, form)
    context |= {
        "definition": door.definition,
        "group": door.group,
        "others": door.others,
        "front": door.address(),
        "receipt": door.address("receipt"),
        "refusal": refusal,
    }
    return render(request, page, context, status=status)


def _reason(door: Door) -> collecting.SubmissionRefused | None:
    survey = door.survey
    if reason := survey.why_not_collecting(timezone.now()):
        return collecting.NotCollecting(reason)
    if is_full(survey):
        return collecting.SurveyFull()
    return _not_invited(door) if door.definition.by_invitation else None


def _not_invited(door: Door) -> collecting.SubmissionRefused | None:
    if not door.token:
        return collecting.InvitationNeeded()
    state = invitation_state(door.survey, door.token)
    if state == "unused":
        return None
    return collecting.InvitationSpent() if state == "spent" else collecting.InvitationUnknown()


def _page(refusal: collecting.SubmissionRefused) -> tuple[str, int, dict[str, object]]:
    if isinstance(refusal, collecting.NotCollecting):
        return "answering/closed.html", _CLOSED[refusal.reason], {"reason": refusal.reason}
    if isinstance(refusal, collecting.SurveyFull):
        return "answering/closed.html", _CLOSED["full"], {"reason": "full"}
    if isinstance(refusal, collecting.AlteredResend | AlreadyAnsweredError):
        return "answering/already.html", 409, {}
    if kind := _INVITATION.get(type(refusal)):
        reason, status = kind
        return "answering/invitation.html", status, {"reason": reason}
    return "answering/refused.html", 400, {}


def _anew(request: HttpRequest, door: Door, refusal: IncompleteAnswers, form: str) -> dict[str, object]:
    nonce = collecting.new_nonce()
    return {
        "problems": refusal.problems,
        "given": request.POST.dict() if form == "answering/own_coin.html" else {},
        "nonce": nonce,
        "signature": signature_of(door.definition, nonce),
        # Where this form stands: the own-coin page's is sent to the door, and comes back from there.
        "door": "./" if form == "answering/own_coin.html" else "../",
    }
