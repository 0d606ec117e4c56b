"""What an ethics board needs to read: the questions as asked, their chance, and what becomes of the reports."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation

from surveys import __version__, selectors
from surveys.models import Right, Survey
from surveys.selectors.editions import others_of
from surveys.views.access import survey_page


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_ethics(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the packet, to print; in the survey's language, like the texts that respondents read."""
    context = {
        "survey": survey,
        "definition": selectors.definition_of(survey),
        "others": others_of(survey),
        "code_version": __version__,
        "today": timezone.localdate(),
        "groups": survey.groups.all(),
        "check_address": request.build_absolute_uri(reverse("check")),
    }
    with translation.override(survey.language):
        return render(request, "exports/ethics.html", context)
