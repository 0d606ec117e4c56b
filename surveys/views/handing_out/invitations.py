"""Invitations: made in batches, shown once, on cards to cut out and as a table."""

import csv
import math
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from surveys.forms.invitations import InvitationForm
from surveys.forms.problems import blame, problems_of
from surveys.models import Right, State, Survey
from surveys.selectors.invitations import invitation_counts
from surveys.services.inviting import Batch, invite
from surveys.services.surveys import NotAllowedNow
from surveys.views.access import survey_page
from surveys.views.handing_out.links import invitation_link
from surveys.views.qr import qr_drawing

# Drawing a QR code takes some milliseconds: more on one page would keep others waiting.
CARDS_A_SHEET = 200


@dataclass(frozen=True, slots=True)
class _Card:
    link: str
    drawing: SafeString


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_invitations(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show about how many invitations were used; make a batch and show its cards."""
    if request.method != "POST":
        return _page(request, survey, InvitationForm(survey))
    form, made = _made(request, survey)
    if isinstance(made, HttpResponse):
        return made
    sheets = math.ceil(len(made.tokens) / CARDS_A_SHEET)
    sheet = min(form.cleaned_data["sheet"] or 1, sheets)
    shown = made.tokens[(sheet - 1) * CARDS_A_SHEET : sheet * CARDS_A_SHEET]
    group = form.cleaned_data.get("group", "")
    links = [invitation_link(request, survey, token, group) for token in shown]
    context: dict[str, object] = {
        "survey": survey,
        "cards": [_Card(link.partition("://")[2], qr_drawing(link)) for link in links],
        "number": len(made.tokens),
        "repeated": made.repeated,
        "batch": form.cleaned_data["batch"],
        "group": group,
        "sheet": sheet,
        "sheets": range(1, sheets + 1),
    }
    # The cards are for respondents, the page around them for the owner.
    with translation.override(survey.language):
        context["words"] = _("Your invitation, good for one answer. It is not stored with the answer.")
    return render(request, "handing_out/invitation_cards.html", context)


@survey_page("POST", right=Right.EDIT)
def survey_invitations_csv(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Return a batch as a table, for mail merge."""
    form, made = _made(request, survey)
    if isinstance(made, HttpResponse):
        return made
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="invitations-{survey.code}.csv"'
    writer = csv.writer(response)
    writer.writerow(["invitation", "link"])
    group = form.cleaned_data.get("group", "")
    writer.writerows([token, invitation_link(request, survey, token, group)] for token in made.tokens)
    return response


def _made(request: HttpRequest, survey: Survey) -> tuple[InvitationForm, Batch | HttpResponse]:
    """Return the batch that was asked for, or the page that says why there is none."""
    form = InvitationForm(survey, request.POST)
    try:
        if form.is_valid():
            return form, invite(survey=survey, number=form.cleaned_data["number"], batch=form.cleaned_data["batch"])
    except ValidationError as refused:
        blame(form, refused)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return form, redirect("survey-invitations", code=survey.code)
    return form, _page(request, survey, form)


def _page(request: HttpRequest, survey: Survey, form: InvitationForm) -> HttpResponse:
    problems = problems_of(form, first_field="number") if form.is_bound else None
    context = {
        "survey": survey,
        "form": form,
        "problems": problems,
        "counts": invitation_counts(survey),
        "can_make": survey.by_invitation and survey.state in {State.DRAFT, State.OPEN, State.PAUSED},
    }
    return render(request, "handing_out/invitations.html", context, status=422 if problems else 200)
