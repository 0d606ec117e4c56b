"""Sharing a survey: link, code and QR."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.models import Survey
from surveys.views.access import survey_page
from surveys.views.links import answer_link, qr_file


@survey_page("GET", "HEAD")
def survey_share(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show everything a class needs to join; where only invitations let people in, the page that makes them."""
    if survey.by_invitation:
        return redirect("survey-invitations", code=survey.code)
    context = {"survey": survey, "link": answer_link(request, survey), "host": request.get_host()}
    return render(request, "instructor/share.html", context)


@survey_page("GET", "HEAD")
def survey_qr(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return the link as a QR code."""
    return HttpResponse(qr_file(answer_link(request, survey)), content_type="image/svg+xml")
