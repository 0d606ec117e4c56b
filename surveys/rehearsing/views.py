"""Rehearsing a survey: what is to be true, simulated people who answer, the truth beside the estimates."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.common.forms import blame
from surveys.common.selectors import definition_of
from surveys.common.views import survey_page
from surveys.drafts.services.copies import discard_of
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Rehearsal, Right, Survey
from surveys.models.simulated import TrueShares
from surveys.questionnaire.definition import Definition
from surveys.rehearsing import services
from surveys.rehearsing.charts import charts_of, lines_of
from surveys.rehearsing.forms import PRESETS, RehearsalForm, first_guess, initial_fields, preset
from surveys.rehearsing.selectors import comparison_of, rehearsal_of, same_questions
from surveys.rehearsing.words import progress_words


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_rehearse(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Ask what is to be true; or show how far the rehearsal is, and at its end what was estimated. Start one."""
    definition, rehearsal = definition_of(survey), rehearsal_of(user=request.user, survey=survey)
    if request.method == "POST":
        return _posted(request, survey, definition, rehearsal)
    if rehearsal is None or "change" in request.GET:
        typed = (
            initial_fields(definition, rehearsal.respondents, rehearsal.true_shares)
            if rehearsal and same_questions(rehearsal, definition)
            else first_guess(survey, definition)
        )
        return _choose(request, survey, definition, RehearsalForm(definition, initial=typed))
    context: dict[str, Any] = {"survey": survey, "copy": rehearsal.survey, "rehearsal": rehearsal}
    if not rehearsal.is_complete:
        return render(request, "rehearsing/progress.html", context)
    comparison = comparison_of(rehearsal)
    shown = []
    for result, figures in comparison.questions:
        charts = charts_of(figures, level=comparison.confidence_level, language=survey.language)
        shown.append((result.question, lines_of(figures, charts), charts))
    context |= {
        "comparison": comparison,
        "shown": shown,
        "outdated": not same_questions(rehearsal, definition),
    }
    return render(request, "rehearsing/outcome.html", context)


@survey_page("POST", right=Right.EDIT)
def survey_rehearse_step(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Let the next simulated people answer, and say how far it is."""
    rehearsal = rehearsal_of(user=request.user, survey=survey)
    if rehearsal is not None:
        rehearsal = services.step(rehearsal=rehearsal)
    if not request.accepts("text/html"):
        if rehearsal is None:
            return JsonResponse({"gone": True}, status=410)
        return JsonResponse({"sent": rehearsal.sent, "said": progress_words(rehearsal), "done": rehearsal.is_complete})
    return redirect("survey-rehearse", code=survey.code)


@survey_page("POST", right=Right.EDIT)
def survey_rehearse_leave(request: HttpRequest, survey: Survey) -> HttpResponse:
    if discard_of(user=_person(request), survey=survey):
        messages.success(request, _("Rehearsal discarded. None of its data was kept."))
    return redirect("survey-detail", code=survey.code)


def _posted(request: HttpRequest, survey: Survey, definition: Definition, rehearsal: Rehearsal | None) -> HttpResponse:
    if "preset" in request.POST:
        return _choose(
            request, survey, definition, RehearsalForm(definition, initial=_with_preset(request, definition))
        )
    if "again" in request.POST:
        if rehearsal is None or not same_questions(rehearsal, definition):
            messages.warning(
                request, _("That rehearsal has been discarded. Enter the true answers again to start a new one.")
            )
            return redirect("survey-rehearse", code=survey.code)
        form = RehearsalForm(definition, initial_fields(definition, rehearsal.respondents, rehearsal.true_shares))
    else:
        form = RehearsalForm(definition, request.POST)
    if form.is_valid():
        try:
            return _started(request, survey, form.cleaned_data["respondents"], form.shares)
        except ValidationError as refused:
            blame(form, refused)
        except NotAllowedNow as refused:
            messages.warning(request, str(refused))
            return redirect("survey-rehearse", code=survey.code)
    return _choose(request, survey, definition, form)


def _started(request: HttpRequest, survey: Survey, respondents: int, shares: list[TrueShares]) -> HttpResponse:
    rehearsal = services.start(survey=survey, user=_person(request), respondents=respondents, shares=shares)
    # A class has answered before the next page is there.
    services.step(rehearsal=rehearsal)
    return redirect("survey-rehearse", code=survey.code)


def _choose(request: HttpRequest, survey: Survey, definition: Definition, form: RehearsalForm) -> HttpResponse:
    context = {"survey": survey, "definition": definition, "form": form, "presets": PRESETS, "problems": form.problems}
    return render(request, "rehearsing/choose.html", context, status=422 if form.problems else 200)


def _with_preset(request: HttpRequest, definition: Definition) -> dict[str, str]:
    """Return what is typed, and one question's shares filled in."""
    typed = {name: str(value) for name, value in request.POST.items()}
    number, _dash, name = typed["preset"].partition("-")
    asked = next((one for one in definition.questions if str(one.number) == number), None)
    return typed | (preset(definition, asked, name) if asked else {})


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)
