"""Opening, pausing and closing: each a POST, the two that cannot be taken back after a page that says so."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys import selectors
from surveys.models import Survey
from surveys.services.surveys import NotAllowedNow, close_survey, open_survey, pause_survey
from surveys.views.access import survey_page


@survey_page("GET", "HEAD", "POST")
def survey_open(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Open a draft, which freezes it, or resume a paused survey."""
    if request.method == "POST":
        opened = partial(open_survey, shown=request.POST.get("shown", ""))
        return _move(request, survey, opened, _("Open: answers are being accepted."), page="instructor/open.html")
    return render(request, "instructor/open.html", {"survey": survey, "definition": selectors.definition_of(survey)})


@survey_page("POST")
def survey_pause(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Accept no answers for a while."""
    return _move(request, survey, pause_survey, _("Paused: no answers are accepted until you resume."))


@survey_page("GET", "HEAD", "POST")
def survey_close(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Accept no more answers, for good."""
    if request.method == "POST":
        return _move(request, survey, close_survey, _("Closed: the results are final."))
    return render(request, "instructor/close.html", {"survey": survey, "n": selectors.response_count(survey)})


def _move(
    request: HttpRequest, survey: Survey, service: Callable[..., Survey], done: str, *, page: str = ""
) -> HttpResponse:
    try:
        service(survey=survey)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
    except ValidationError as refused:
        context = {"survey": survey, "definition": selectors.definition_of(survey), "problems": refused.messages}
        return render(request, page, context, status=422)
    else:
        messages.success(request, done)
    return redirect("survey-detail", code=survey.code)
