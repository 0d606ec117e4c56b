"""What a browser's history keeps of a form with true answers: nothing, whatever became of the form.

A browser holds on to the body of a form for as long as the page that answered it stands in its history, and writes it
into its session files. Only a redirect lets go of it. So every answer to such a form is one, and the page it leads to
says what was wrong: by the names of fields and by reasons, never by values.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext

from surveys.answering.forms import IncompleteAnswers, require_truths
from surveys.answering.views.doors import Door
from surveys.answering.views.receipt import has_answered
from surveys.answering.views.refusals import AlreadyAnsweredError, refusal_page, stopping_page

_FORM = "server-coin"
# In the address that a form leads to: the keys of items without an answer, or the status that the form got.
_MISSING, _REFUSED = "missing", "refused"


def name_what_is_missing(door: Door, refusal: IncompleteAnswers) -> HttpResponse:
    """Lead to the form, which says there what it wants."""
    keys = ",".join(field.removeprefix("answer-") for field in refusal.problems)
    return HttpResponseRedirect(f"{door.address(_FORM)}?{_MISSING}={keys}", status=303)


def reason_page(request: HttpRequest, door: Door) -> HttpResponse | None:
    """Return the page that says why the form was refused, or is not to be had, if there is a reason."""
    status = request.GET.get(_REFUSED, "")
    if status == "409" and has_answered(request):
        return refusal_page(request, door, AlreadyAnsweredError(door.definition))
    if stop := stopping_page(request, door):
        return stop
    return _page(request, door, status) if status else None


def form_with_problems(request: HttpRequest, door: Door, form: str) -> HttpResponse | None:
    """Return the form that names what was missing in it, if anything was."""
    try:
        require_truths(door.definition, request.GET.get(_MISSING, "").split(","))
    except IncompleteAnswers as refusal:
        return refusal_page(request, door, refusal, form=form)
    return None


def refusal_address(path: str, status: int) -> str:
    """Return where it is said why a form with true answers was refused, and "" where `path` takes no such form."""
    try:
        route = resolve(path)
    except Resolver404:
        return ""
    # What is still so when the page is asked for, that it is closed for instance, is said there anyway.
    return f"{escape_uri_path(path)}?{_REFUSED}={status}" if route.url_name == _FORM else ""


def _page(request: HttpRequest, door: Door, status: str) -> HttpResponse:
    if status.startswith("5"):
        failed = 503 if status == "503" else 500
        return render(request, "500.html", {"status": failed}, status=failed)
    if status == "403":
        return render(request, "403_csrf.html", status=403)
    context = {
        "definition": door.definition,
        "front": door.address(),
        "receipt": door.address("receipt"),
        "refusal": gettext("Nothing was stored. Go back, reload the page and try again."),
    }
    return render(request, "answering/refused.html", context, status=400)
