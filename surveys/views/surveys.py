"""An instructor's surveys: the list, the editor, one survey's page, its preview."""

from typing import cast

from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _

from surveys import selectors
from surveys.forms.survey import SurveyEditor
from surveys.models import Survey
from surveys.selectors.releases.doors import published_releases
from surveys.selectors.releases.index import index_key
from surveys.selectors.responses import response_totals
from surveys.services.surveys import NotAllowedNow, create_survey, save_draft
from surveys.views.access import instructor_page, survey_page


@instructor_page("GET", "HEAD")
def survey_list(request: HttpRequest) -> HttpResponse:
    """Show the instructor's surveys, newest first."""
    surveys = list(selectors.surveys_of(user=request.user))
    totals = response_totals(surveys)
    entries = [(survey, totals[survey.pk]) for survey in surveys]
    return render(request, "instructor/list.html", {"entries": entries})


@instructor_page("GET", "HEAD", "POST")
def survey_new(request: HttpRequest) -> HttpResponse:
    """Write a new survey."""
    return _edit(request, None)


@survey_page("GET", "HEAD", "POST")
def survey_edit(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Edit a draft; an opened survey is frozen."""
    if not survey.is_draft:
        messages.warning(request, _("This survey has been opened: its design is frozen."))
        return redirect("survey-detail", code=survey.code)
    return _edit(request, survey)


@survey_page("GET", "HEAD")
def survey_detail(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show where a survey stands and what comes next."""
    context = {
        "survey": survey,
        "definition": selectors.definition_of(survey),
        "n": selectors.response_count(survey),
        "releases_key": index_key(survey) if published_releases(survey).exists() else "",
    }
    return render(request, "instructor/detail.html", context)


@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]})
@survey_page("GET", "HEAD")
def survey_preview(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the respondents' own page, from which nothing can be sent."""
    definition = selectors.definition_of(survey)
    if not definition.items:
        messages.warning(request, _("There is nothing to preview yet: write a question."))
        return redirect("survey-edit", code=survey.code)
    context = {"definition": definition, "survey": survey, "preview": True}
    with translation.override(survey.language):
        return render(request, "instructor/preview.html", context)


def _edit(request: HttpRequest, survey: Survey | None) -> HttpResponse:
    if request.method != "POST":
        return _editor_page(request, SurveyEditor.stored(survey), survey)
    editor = SurveyEditor.posted(request.POST, survey)
    # "add" and "refresh" only show the page anew; without JavaScript that is how they work.
    if (action := request.POST.get("action", "save")) != "save":
        return _editor_page(request, editor.typed(add=action == "add"), survey)
    if editor.is_valid():
        try:
            saved = _save(request, editor, survey)
        except ValidationError as refused:
            editor.blame(refused)
        except NotAllowedNow as refused:
            messages.error(request, str(refused))
            return redirect("survey-list")
        else:
            messages.success(request, _("Saved."))
            return redirect("survey-detail", code=saved.code)
    return _editor_page(request, editor, survey, status=422)


def _save(request: HttpRequest, editor: SurveyEditor, survey: Survey | None) -> Survey:
    if survey is None:
        return create_survey(owner=cast("User", request.user), questions=editor.drafts(), **editor.survey.columns())
    return save_draft(survey=survey, questions=editor.drafts(), **editor.survey.columns())


def _editor_page(request: HttpRequest, editor: SurveyEditor, survey: Survey | None, status: int = 200) -> HttpResponse:
    problems = editor.problems() if status != 200 else []
    context = {"editor": editor, "survey": survey, "problems": problems}
    return render(request, "instructor/editor.html", context, status=status)
