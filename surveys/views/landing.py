"""The front door: what this is, and a field for a join code."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from surveys import selectors
from surveys.models import Survey
from surveys.models.survey import CODE_ALPHABET

_LONGEST_CODE = 12


@require_safe
def landing(request: HttpRequest) -> HttpResponse:
    """Show the front door."""
    return render(request, "landing.html")


@require_safe
@never_cache
def join(request: HttpRequest) -> HttpResponse:
    """Go to the survey behind a code, however it was typed; an unknown code comes back with its reason."""
    typed = request.GET.get("code", "")
    code = "".join(typed.split()).replace("-", "").upper()
    if not code:
        return _again(request, _("Type the code you were given."))
    if len(code) > _LONGEST_CODE or not set(code) <= set(CODE_ALPHABET):
        return _again(request, _("A code has 4 to 12 letters and digits, without 0, O, 1, I and L."))
    try:
        survey = selectors.survey_by_code(code)
    except Survey.DoesNotExist:
        survey = None
    if survey is None or survey.is_draft:
        return _again(request, _("There is no survey with this code. Compare it with the one you were given."))
    return redirect("answer", code=survey.code)


def _again(request: HttpRequest, error: str) -> HttpResponse:
    typed = request.GET.get("code", "")[:_LONGEST_CODE]
    return render(request, "landing.html", {"error": error, "typed": typed}, status=404)
