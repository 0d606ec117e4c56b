"""The pages that hand a survey out: its link and QR code, posters, groups and invitations."""

import csv
import math
from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.accounts.services.mails import site_address
from surveys.answering.selectors import invitation_counts
from surveys.common.forms import FieldProblem, blame, problems_of
from surveys.common.qr import qr_drawing, qr_file
from surveys.common.selectors import definition_of
from surveys.common.views import survey_page
from surveys.drafts.services.groups import MOST_GROUPS, add_group, remove_group, rename_group
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Group, Right, State, Survey
from surveys.sharing.forms import (
    PRINT_SIZES,
    USUAL_NUMBER,
    GroupForm,
    InvitationForm,
    MailForm,
    PosterForm,
    QrForm,
    RenameForm,
)
from surveys.sharing.services import Batch, answer_path, invitation_path, invite, mail_invitations, may_mail


def answer_link(request: HttpRequest, survey: Survey, *further: str) -> str:
    """Return the survey's own address, or what stands behind it: a group's, an invitation's."""
    return request.build_absolute_uri(answer_path(survey, *further))


def invitation_link(request: HttpRequest, survey: Survey, token: str, group: str = "") -> str:
    return request.build_absolute_uri(invitation_path(survey, token, group))


def typed_address(link: str) -> str:
    return link.partition("://")[2]


# Sharing a survey: link, code, QR codes and posters, for everybody and for each group.


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to join: a group's, or everybody's."""

    group: Group | None
    link: str
    drawing: SafeString
    file: str  # the address of its QR code as a file

    @property
    def typed(self) -> str:
        return typed_address(self.link)


@survey_page("GET", "HEAD", right=Right.EDIT)
def survey_share(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show everything a class needs to join; where only invitations let people in, the page that makes them."""
    if survey.by_invitation:
        return redirect("survey-invitations", code=survey.code)
    context = {
        "survey": survey,
        "definition": definition_of(survey),
        "way": _way(request, survey, None),
        "groups": [_way(request, survey, group) for group in survey.groups.all()],
        "host": request.get_host(),
        "sizes": PRINT_SIZES,
    }
    return render(request, "sharing/share.html", context)


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
        lines = (group.name, typed_address(link)) if group else (survey.code, request.get_host())
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
        "definition": definition_of(survey),
        "form": form,
        "problems": None if valid else problems_of(form, first_field="group"),
        "sheets": [_way(request, survey, group, printed=True) for group in form.chosen()],
        "strips": range(8) if valid and form.cleaned_data["strips"] else (),
        "host": request.get_host(),
    }
    return render(request, "sharing/poster.html", context, status=200 if valid else 422)


def _way(request: HttpRequest, survey: Survey, group: Group | None, *, printed: bool = False) -> _Way:
    link = answer_link(request, survey, *([group.slug] if group else []))
    file = reverse("survey-qr", args=[survey.code])
    if group:
        file = f"{file}?{urlencode({'group': group.slug})}"
    return _Way(group, link, qr_drawing(link, printed=printed), file)


# Group links: made, renamed and removed by the survey's owner.


@dataclass(frozen=True, slots=True)
class _Entry:
    group: Group
    link: str
    drawing: SafeString
    form: RenameForm


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_groups(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the groups with their links; add, rename or remove one."""
    if request.method != "POST":
        return _groups_page(request, survey, GroupForm())
    try:
        if request.POST.get("action") == "rename":
            return _rename(request, survey)
        if request.POST.get("action") == "remove":
            group = _group(request, survey)
            remove_group(group=group)
            messages.success(request, _("The group “%(name)s” has been removed.") % {"name": group.name})
            return redirect("survey-groups", code=survey.code)
        return _add(request, survey)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return redirect("survey-groups", code=survey.code)


def _add(request: HttpRequest, survey: Survey) -> HttpResponse:
    form = GroupForm(request.POST)
    if form.is_valid():
        try:
            group = add_group(survey=survey, **form.cleaned_data)
        except ValidationError as refused:
            blame(form, refused)
        else:
            messages.success(request, _("The group “%(name)s” has been added.") % {"name": group.name})
            return redirect("survey-groups", code=survey.code)
    return _groups_page(request, survey, form, problems=problems_of(form, first_field="name"))


def _rename(request: HttpRequest, survey: Survey) -> HttpResponse:
    group = _group(request, survey)
    form = RenameForm.of(group, request.POST)
    if form.is_valid():
        try:
            group = rename_group(group=group, name=form.cleaned_data["name"])
        except ValidationError as refused:
            blame(form, refused)
        else:
            messages.success(request, _("The group is now called “%(name)s”.") % {"name": group.name})
            return redirect("survey-groups", code=survey.code)
    return _groups_page(request, survey, GroupForm(), problems=problems_of(form, first_field="name"), renaming=form)


def _group(request: HttpRequest, survey: Survey) -> Group:
    group = survey.groups.filter(slug=request.POST.get("group", "")).first()
    if group is None:
        raise Http404
    return group


def _groups_page(
    request: HttpRequest,
    survey: Survey,
    form: GroupForm,
    *,
    problems: list[FieldProblem] | None = None,
    renaming: RenameForm | None = None,
) -> HttpResponse:
    entries = []
    for group in survey.groups.all():
        link, rename_form = answer_link(request, survey, group.slug), RenameForm.of(group)
        if renaming is not None and renaming.auto_id == rename_form.auto_id:
            rename_form = renaming
        entries.append(_Entry(group, link, qr_drawing(link), rename_form))
    context = {
        "survey": survey,
        "entries": entries,
        "form": form,
        "problems": problems,
        "can_add": survey.is_joinable and len(entries) < MOST_GROUPS,
        "most": MOST_GROUPS,
        "sealed": survey.state in {State.SEALED, State.PURGED},
    }
    return render(request, "sharing/groups.html", context, status=422 if problems else 200)


# Invitations: made in batches, shown once, on cards to cut out and as a table.


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
        return _invitations_page(request, survey)
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
        context["words"] = _("Your invitation to answer once. It isn’t stored with your answers.")
    return render(request, "sharing/invitation_cards.html", context)


@survey_page("POST", right=Right.EDIT)
def survey_invitations_csv(request: HttpRequest, survey: Survey) -> HttpResponse:
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
    return form, _invitations_page(request, survey, form)


@survey_page("POST", right=Right.EDIT)
def survey_invitations_mail(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send invitations to addresses that nothing keeps: what came of it is shown on this page alone."""
    form = MailForm(survey, request.POST)
    if not form.is_valid():
        return _invitations_page(request, survey, mailing=form)
    addresses = form.cleaned_data["addresses"]
    try:
        unsent = mail_invitations(
            survey=survey, by=cast("User", request.user), start=site_address(request), **form.cleaned_data
        )
    except ValidationError as refused:
        blame(form, refused)
        return _invitations_page(request, survey, mailing=form)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return redirect("survey-invitations", code=survey.code)
    if unsent:
        again = MailForm(survey, addresses="\n".join(unsent), group=form.cleaned_data.get("group", ""))
        return _invitations_page(
            request, survey, mailing=again, sent=len(addresses) - len(unsent), asked=len(addresses)
        )
    words = ngettext(
        "%(number)s invitation has been emailed.", "%(number)s invitations have been emailed.", len(addresses)
    )
    messages.success(request, words % {"number": len(addresses)})
    return redirect("survey-invitations", code=survey.code)


def _invitations_page(
    request: HttpRequest,
    survey: Survey,
    form: InvitationForm | None = None,
    *,
    mailing: MailForm | None = None,
    **outcome: int,
) -> HttpResponse:
    form = form or InvitationForm(survey, number=USUAL_NUMBER)
    mailing = mailing or MailForm(survey)
    problems = [*problems_of(form, first_field="number"), *problems_of(mailing, first_field="addresses")]
    context = {
        "survey": survey,
        "form": form,
        "mailing": mailing if may_mail(survey) else None,
        "problems": problems,
        "counts": invitation_counts(survey),
        "can_make": survey.by_invitation and survey.is_joinable,
        **outcome,
    }
    return render(request, "sharing/invitations.html", context, status=422 if problems else 200)
