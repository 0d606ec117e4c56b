"""A survey as respondents will see it."""

from csp.decorators import csp_update
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _

from surveys import selectors
from surveys.models import Right, Survey
from surveys.selectors.editions import others_of
from surveys.views.access import survey_page


@csp_update({"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]})
@survey_page("GET", "HEAD", right=Right.SEE)
def survey_preview(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the respondents' own page, from which nothing can be sent."""
    definition = selectors.definition_of(survey)
    if not definition.items:
        messages.warning(request, _("There is nothing to preview yet: write a question."))
        return redirect("survey-edit", code=survey.code)
    context = {"definition": definition, "survey": survey, "preview": True, "others": others_of(survey)}
    with translation.override(survey.language):
        return render(request, "editor/preview.html", context)
