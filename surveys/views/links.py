"""The addresses that respondents get, as links and as QR codes drawn here, so that no other site learns of them."""

import io

import segno
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from surveys.models import Survey


def answer_link(request: HttpRequest, survey: Survey, *further: str) -> str:
    """Return the survey's own address, or what stands behind it: a group's, an invitation's."""
    path = reverse("answer", args=[survey.code]) + "".join(f"{part}/" for part in further)
    return request.build_absolute_uri(path)


def invitation_link(request: HttpRequest, survey: Survey, token: str, group: str = "") -> str:
    """Return the address that an invitation opens, in a group or in none."""
    return answer_link(request, survey, *([group] if group else []), "i", token)


def qr_drawing(link: str) -> SafeString:
    """Return a link's QR code as markup to stand in a page."""
    drawing = _qr(link, xmldecl=False, svgns=False, nl=False)
    return mark_safe(drawing.decode("ascii"))  # noqa: S308 - paths of our own drawing, no text in it


def qr_file(link: str) -> bytes:
    """Return a link's QR code as an SVG file."""
    return _qr(link)


def _qr(link: str, **more: bool) -> bytes:
    """Draw dark on white with its quiet zone, also for a dark page: scanners need it; the policy forbids styles."""
    drawing = io.BytesIO()
    code = segno.make(link, error="m", micro=False)
    code.save(drawing, kind="svg", omitsize=True, light="#fff", border=4, svgclass=None, lineclass=None, **more)
    return drawing.getvalue()
