"""What others ask of somebody: to take roles in a survey, or to take it over. Only a yes changes anything."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.models import RoleInvitation
from surveys.models.survey import CODE_ALPHABET
from surveys.selectors.people import waiting_at, waiting_behind, waiting_for
from surveys.services.members import accept_survey
from surveys.services.people import accept_roles, decline
from surveys.services.surveys import NotAllowedNow
from surveys.views.access import instructor_page


@instructor_page("GET", "HEAD")
def invited(request: HttpRequest) -> HttpResponse:
    """List what waits for an answer."""
    return render(request, "people/invited.html", {"waiting": waiting_for(request.user)})


@instructor_page("GET", "HEAD", "POST")
def invited_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Answer an invitation that came by mail; whoever is signed in answers it."""
    try:
        invitation = waiting_behind(token)
    except RoleInvitation.DoesNotExist:
        return render(request, "people/invited_gone.html", status=404)
    return _answer(request, invitation)


@instructor_page("GET", "HEAD", "POST")
def invited_by_name(request: HttpRequest, code: str) -> HttpResponse:
    """Answer an invitation to roles."""
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
    own = survey.owner_id == user.pk
    if request.method != "POST" or own:
        context = {"invitation": invitation, "survey": survey, "own": own}
        return render(request, "people/invitation.html", context)
    if request.POST.get("answer") == "no":
        decline(invitation=invitation)
        messages.success(request, _("Declined. Nobody is told."))
        return redirect("survey-list")
    if request.POST.get("answer") != "yes":
        return render(request, "people/invitation.html", {"invitation": invitation, "survey": survey}, status=400)
    try:
        accept = accept_survey if invitation.ownership else accept_roles
        accept(invitation=invitation, user=user)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return redirect("survey-list")
    done = _("“%(title)s” is yours.") if invitation.ownership else _("You take part in “%(title)s” now.")
    messages.success(request, done % {"title": survey.title})
    return redirect("survey-detail", code=survey.code)
