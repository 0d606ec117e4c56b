"""New surveys: from nothing, from a template, from a file, or from one that exists."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from surveys.forms.authoring.importing import LanguageForm
from surveys.forms.problems import problems_of
from surveys.presenters.starting import CLASS_SIZE, starter_cards
from surveys.selectors.documents import surveys_to_duplicate
from surveys.services.starters import STARTERS, start_from
from surveys.views.access import instructor_page

_BY_KEY = {starter.key: starter for starter in STARTERS}


@instructor_page("GET", "HEAD")
def survey_start(request: HttpRequest) -> HttpResponse:
    """Show every way to begin."""
    return _page(request, LanguageForm(initial={"language": get_language()}))


@instructor_page("POST")
def survey_start_from(request: HttpRequest, key: str) -> HttpResponse:
    """Create a draft from a starter, in the language chosen, and open it in the editor."""
    if (starter := _BY_KEY.get(key)) is None:
        raise Http404
    form = LanguageForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    user = cast("User", request.user)
    survey = start_from(starter, owner=user, language=form.cleaned_data["language"])
    messages.success(request, _("Your draft is saved. Change whatever does not fit."))
    return redirect("survey-edit", code=survey.code)


def _page(request: HttpRequest, form: LanguageForm, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "problems": problems_of(form, first_field="language"),
        "cards": starter_cards(),
        "class_size": CLASS_SIZE,
        "surveys": surveys_to_duplicate(request.user),
    }
    return render(request, "documents/start.html", context, status=status)
