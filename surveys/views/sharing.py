"""Sharing a survey: link, code and QR."""

import io

import segno
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from surveys.models import Survey
from surveys.views.access import survey_page


@survey_page("GET", "HEAD")
def survey_share(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show everything a class needs to join."""
    context = {"survey": survey, "link": _link(request, survey), "host": request.get_host()}
    return render(request, "instructor/share.html", context)


@survey_page("GET", "HEAD")
def survey_qr(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return the link as a QR code, drawn here so that no other site learns of it."""
    drawing = io.BytesIO()
    code = segno.make(_link(request, survey), error="m", micro=False)
    # Dark on white with its quiet zone, also on a dark page: scanners need it; no styles: the policy forbids them.
    code.save(drawing, kind="svg", omitsize=True, light="#fff", border=4, svgclass=None, lineclass=None)
    return HttpResponse(drawing.getvalue(), content_type="image/svg+xml")


def _link(request: HttpRequest, survey: Survey) -> str:
    return request.build_absolute_uri(reverse("answer", args=[survey.code]))
