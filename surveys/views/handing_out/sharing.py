"""Sharing a survey: link, code, QR codes and posters, for everybody and for each group."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from surveys import selectors
from surveys.forms.problems import problems_of
from surveys.forms.sharing import PRINT_SIZES, PosterForm, QrForm
from surveys.models import Group, Right, State, Survey
from surveys.views.access import survey_page
from surveys.views.handing_out.links import answer_link, typed
from surveys.views.qr import qr_drawing, qr_file


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to join: a group's, or everybody's."""

    group: Group | None
    link: str
    drawing: SafeString
    file: str  # the address of its QR code as a file

    @property
    def typed(self) -> str:
        """The link as people type it."""
        return typed(self.link)


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_share(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show everything a class needs to join; where only invitations let people in, the page that makes them."""
    if survey.by_invitation:
        return redirect("survey-invitations", code=survey.code)
    context = {
        "survey": survey,
        "joinable": survey.state in {State.DRAFT, State.OPEN, State.PAUSED},
        "definition": selectors.definition_of(survey),
        "way": _way(request, survey, None),
        "groups": [_way(request, survey, group) for group in survey.groups.all()],
        "host": request.get_host(),
        "sizes": PRINT_SIZES,
    }
    return render(request, "handing_out/share.html", context)


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_qr(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return a link as a QR code: `?size=` is in millimetres, for paper; `&label=1` adds what to type."""
    form = QrForm(survey, request.GET)
    if not form.is_valid():
        problems = "\n".join(f"{name}: {' '.join(map(str, messages))}" for name, messages in form.errors.items())
        return HttpResponse(f"{problems}\n", status=400, content_type="text/plain; charset=utf-8")
    group, millimetres = form.group_asked_for(), form.millimetres()
    link = answer_link(request, survey, *([group.slug] if group else []))
    lines: tuple[str, ...] = ()
    if form.cleaned_data["label"]:
        # A code typed at the front door leads to no group.
        lines = (group.name, typed(link)) if group else (survey.code, request.get_host())
    response = HttpResponse(qr_file(link, millimetres=millimetres, lines=lines), content_type="image/svg+xml")
    if millimetres:
        name = "-".join([survey.code, *([group.slug] if group else []), f"{millimetres}mm"])
        response["Content-Disposition"] = f'attachment; filename="{name}.svg"'
    return response


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_poster(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show A4 pages to hang up, with the controls that choose them, which are not printed."""
    if survey.by_invitation:
        return redirect("survey-invitations", code=survey.code)
    form = PosterForm(survey, request.GET)
    valid = form.is_valid()
    context = {
        "survey": survey,
        "definition": selectors.definition_of(survey),
        "form": form,
        "problems": None if valid else problems_of(form, first_field="group"),
        "sheets": [_way(request, survey, group, printed=True) for group in form.chosen()],
        "strips": range(8) if valid and form.cleaned_data["strips"] else (),
        "host": request.get_host(),
    }
    return render(request, "handing_out/poster.html", context, status=200 if valid else 422)


def _way(request: HttpRequest, survey: Survey, group: Group | None, *, printed: bool = False) -> _Way:
    link = answer_link(request, survey, *([group.slug] if group else []))
    file = reverse("survey-qr", args=[survey.code])
    if group:
        file = f"{file}?{urlencode({'group': group.slug})}"
    return _Way(group, link, qr_drawing(link, printed=printed), file)
