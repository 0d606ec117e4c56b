"""A survey as a document: to take away, and to begin another one with."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from surveys.models import Right, Survey
from surveys.selectors.documents import document_of, written
from surveys.services.documents import DocumentRefused, duplicate
from surveys.views.access import survey_page


@survey_page("GET", "HEAD", right=Right.SEE)
def survey_document(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send all that the survey's author wrote; no answer is in it."""
    name = f'attachment; filename="survey-{survey.code}.json"'
    return HttpResponse(
        written(document_of(survey)), content_type="application/json", headers={"Content-Disposition": name}
    )


@survey_page("POST", right=Right.EDIT)
def survey_duplicate(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Create a draft that says the same; it belongs to whoever made it."""
    try:
        copy = duplicate(survey=survey, owner=cast("User", request.user))
    except DocumentRefused as refused:
        # It was written when other rules held.
        messages.error(request, _("This survey cannot be copied as it is. %(problems)s") % {"problems": refused})
        return redirect("survey-detail", code=survey.code)
    messages.success(request, _("A copy, with a code of its own. Your draft is saved."))
    return redirect("survey-edit", code=copy.code)
