"""The people of a survey: its owner asks them, changes what they may do, and can give the survey away."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.accounts.services.mails import site_address
from surveys.common.forms import FieldProblem, blame, form_page, problems_of
from surveys.common.views import instructor_page, survey_page
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Right, RoleInvitation, Survey
from surveys.models.survey import CODE_ALPHABET
from surveys.people.forms import InviteForm, RolesForm, TransferForm
from surveys.people.selectors import Member, members_of, pending_invitations, waiting_at, waiting_behind, waiting_for
from surveys.people.services import (
    MOST_PEOPLE,
    accept_roles,
    accept_survey,
    change_roles,
    decline,
    invite_person,
    leave,
    offer_survey,
    remove_person,
    withdraw_invitation,
)


@dataclass(frozen=True, slots=True)
class _Entry:
    member: Member
    form: RolesForm


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_people(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show who takes part and who is asked to; ask somebody, or change what was given."""
    if request.method != "POST":
        return _page(request, survey, InviteForm())
    act = _ACTIONS.get(request.POST.get("action", ""))
    if act is None:
        return _page(request, survey, InviteForm(), status=400)
    try:
        return act(request, survey)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return redirect("survey-list")


@survey_page("GET", "HEAD", "POST", right=Right.OWN)
def survey_transfer(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Offer the survey to somebody who takes part, who has to accept."""
    members = members_of(survey)
    form = TransferForm(survey, members, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        page = "people/people_transfer.html"
        return form_page(request, page, form, first_field="to", survey=survey, members=members)
    to = next(member.user for member in members if member.user.get_username() == form.cleaned_data["to"])
    try:
        offer_survey(survey=survey, by=_user(request), to=to, stays=form.cleaned_data["stays"])
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, _("%(name)s has been asked to take over the survey.") % {"name": to.get_username()})
    return redirect("survey-people", code=survey.code)


@survey_page("GET", "HEAD", "POST", right=Right.SEE)
def survey_leave(request: HttpRequest, survey: Survey) -> HttpResponse:
    user = _user(request)
    if survey.owner_id == user.pk:
        messages.warning(request, _("You own this survey. Transfer it before you leave."))
        return redirect("survey-people", code=survey.code)
    if request.method == "POST":
        try:
            leave(survey=survey, user=user)
        except NotAllowedNow as refused:
            messages.warning(request, str(refused))
        else:
            messages.success(request, _("You have left “%(title)s”.") % {"title": survey.title})
        return redirect("survey-list")
    mine = next(member for member in members_of(survey) if member.user.pk == user.pk)
    return render(request, "people/people_leave.html", {"survey": survey, "member": mine})


def _invite(request: HttpRequest, survey: Survey) -> HttpResponse:
    form = InviteForm(request.POST)
    if form.is_valid():
        try:
            asked = invite_person(survey=survey, by=_user(request), start=site_address(request), **form.cleaned_data)
        except ValidationError as refused:
            blame(form, refused)
        else:
            # The same words whether or not anybody has this name or address.
            messages.success(request, _("“%(name)s” has been invited.") % {"name": asked.recipient})
            return redirect("survey-people", code=survey.code)
    return _page(request, survey, form, problems=problems_of(form, first_field="to"))


def _withdraw(request: HttpRequest, survey: Survey) -> HttpResponse:
    recipient, ownership = request.POST.get("recipient", ""), request.POST.get("offer") == "ownership"
    withdraw_invitation(survey=survey, by=_user(request), recipient=recipient, ownership=ownership)
    messages.success(request, _("The invitation has been withdrawn."))
    return redirect("survey-people", code=survey.code)


def _change(request: HttpRequest, survey: Survey) -> HttpResponse:
    member = _member(request, survey)
    form = RolesForm.of(member, request.POST)
    if not form.is_valid():
        return _page(
            request,
            survey,
            InviteForm(),
            problems=problems_of(form, first_field="roles"),
            changing=_Entry(member, form),
        )
    change_roles(survey=survey, by=_user(request), person=member.user, roles=form.cleaned_data["roles"])
    messages.success(request, _("The roles of %(name)s have been changed.") % {"name": member.user.get_username()})
    return redirect("survey-people", code=survey.code)


def _remove(request: HttpRequest, survey: Survey) -> HttpResponse:
    member = _member(request, survey)
    remove_person(survey=survey, by=_user(request), person=member.user)
    messages.success(request, _("%(name)s has been removed from the team.") % {"name": member.user.get_username()})
    return redirect("survey-people", code=survey.code)


_ACTIONS: dict[str, Callable[[HttpRequest, Survey], HttpResponse]] = {
    "invite": _invite,
    "withdraw": _withdraw,
    "change": _change,
    "remove": _remove,
}


def _user(request: HttpRequest) -> User:
    return cast("User", request.user)


def _member(request: HttpRequest, survey: Survey) -> Member:
    name = request.POST.get("person", "")
    for member in members_of(survey):
        if member.user.get_username() == name:
            return member
    raise Http404


def _page(
    request: HttpRequest,
    survey: Survey,
    form: InviteForm,
    *,
    problems: list[FieldProblem] | None = None,
    changing: _Entry | None = None,
    status: int = 200,
) -> HttpResponse:
    members = members_of(survey)
    entries = [
        changing
        if changing is not None and changing.member.user == member.user
        else _Entry(member, RolesForm.of(member))
        for member in members
    ]
    asked = pending_invitations(survey)
    context = {
        "survey": survey,
        "entries": entries,
        "asked": asked,
        "form": form,
        "problems": problems,
        "full": len(entries) + len(asked) >= MOST_PEOPLE,
        "most": MOST_PEOPLE,
    }
    return render(request, "people/people.html", context, status=422 if problems else status)


# What others ask of somebody: to take roles in a survey, or to take it over. Only a yes changes anything.


@instructor_page("GET", "HEAD")
def invited(request: HttpRequest) -> HttpResponse:
    return render(request, "people/invited.html", {"waiting": waiting_for(request.user)})


@instructor_page("GET", "HEAD", "POST")
def invited_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Answer an invitation that came by email; the person who is signed in answers it."""
    try:
        invitation = waiting_behind(token)
    except RoleInvitation.DoesNotExist:
        return render(request, "people/invited_gone.html", status=404)
    return _answer(request, invitation)


@instructor_page("GET", "HEAD", "POST")
def invited_by_name(request: HttpRequest, code: str) -> HttpResponse:
    return _answer(request, _waiting(request, code, ownership=False))


@instructor_page("GET", "HEAD", "POST")
def invited_as_owner(request: HttpRequest, code: str) -> HttpResponse:
    """Answer the offer of a whole survey."""
    return _answer(request, _waiting(request, code, ownership=True))


def _waiting(request: HttpRequest, code: str, *, ownership: bool) -> RoleInvitation:
    if not set(code.upper()) <= set(CODE_ALPHABET):
        raise Http404
    try:
        return waiting_at(user=request.user, code=code, ownership=ownership)
    except RoleInvitation.DoesNotExist:
        raise Http404 from None


def _answer(request: HttpRequest, invitation: RoleInvitation) -> HttpResponse:
    survey, user = invitation.survey, cast("User", request.user)
    is_mine = survey.owner_id == user.pk
    if request.method != "POST" or is_mine:
        context = {"invitation": invitation, "survey": survey, "is_mine": is_mine}
        return render(request, "people/invitation.html", context)
    if request.POST.get("answer") == "no":
        decline(invitation=invitation)
        messages.success(request, _("You have declined. Nobody was notified."))
        return redirect("survey-list")
    if request.POST.get("answer") != "yes":
        return render(request, "people/invitation.html", {"invitation": invitation, "survey": survey}, status=400)
    try:
        accept = accept_survey if invitation.ownership else accept_roles
        accept(invitation=invitation, user=user)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return redirect("survey-list")
    done = _("You now own “%(title)s”.") if invitation.ownership else _("You now work on “%(title)s”.")
    messages.success(request, done % {"title": survey.title})
    return redirect("survey-detail", code=survey.code)
