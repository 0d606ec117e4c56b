"""Signing in with the provider: the way there and back, the first time, connecting and confirming, and signing out.

Every page here may wait for the provider, so a thread of its own answers it (`surveys/asgi.py`). The way there is a
link and no form: a browser that follows our policy sends no form on to another site, however often it is redirected.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.accounts.forms import ConnectForm, UsernameForm
from surveys.accounts.selectors import (
    asked_for,
    invitation_behind,
    provider_account_of,
    signs_in_by_password,
    usable_invitations,
)
from surveys.accounts.services.connections import (
    NewPerson,
    connect,
    disconnect,
    make_connected_account,
    person_behind,
    require_admitted,
    subject_hash,
)
from surveys.accounts.services.credentials import LinkIsSpent
from surveys.accounts.services.mails import site_address
from surveys.accounts.services.provider import Attempt, Identity, NotSignedIn, Refused, begin, finish, sign_out_address
from surveys.accounts.services.sign_in import TooManyTries, count_try
from surveys.accounts.views.sign_in import (
    BY_PROVIDER,
    CONFIRMED,
    ask_for_code_or_sign_in,
    confirmed_page,
    signed_in,
)
from surveys.common.forms import blame, form_page
from surveys.common.views import instructor_page

_View = Callable[..., HttpResponse]
_log = logging.getLogger(__name__)

# What is kept in a session on the way: the attempt with what it is for, then who may make an account, or what an
# account is to be connected to.
_ATTEMPT = "provider_attempt"
_NEW = "provider_new"
_TO_CONNECT = "provider_to_connect"
_SECONDS = 600
_NAMES_A_WINDOW = 20
_STATUS = {NotSignedIn.AWAY: 503, NotSignedIn.STALE: 400, NotSignedIn.UNPROVEN: 400}


def _with_provider(view: _View) -> _View:
    """Be there only where there is a provider, and say why nobody was signed in."""

    @never_cache
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.OIDC_ISSUER:
            raise Http404
        try:
            return view(request, *args, **kwargs)
        except Refused as refused:
            if refused.detail:
                _log.warning("A sign-in with the provider failed: %s", refused.detail)
            context = {"why": refused.why.value, "provider": settings.OIDC_NAME}
            return render(request, "accounts/provider_refused.html", context, status=_STATUS.get(refused.why, 403))

    return page


# There and back.


def _leave(request: HttpRequest, what_for: str, *, again: bool = False, **more: object) -> HttpResponse:
    """Send the browser to the provider, and remember in its session what for."""
    attempt = Attempt(again=again)
    address = begin(attempt=attempt, redirect_uri=_redirect_uri(request))
    request.session[_ATTEMPT] = {"attempt": asdict(attempt), "for": what_for, "next": asked_for(request), **more}
    if not request.user.is_authenticated:
        request.session.set_expiry(_SECONDS)
    return HttpResponseRedirect(address)


def _redirect_uri(request: HttpRequest) -> str:
    return site_address(request) + reverse("provider-back")


@require_http_methods(["GET", "HEAD"])
@_with_provider
def start(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return HttpResponseRedirect(asked_for(request) or reverse("survey-list"))
    return _leave(request, "sign-in")


@require_http_methods(["GET", "HEAD"])
@_with_provider
def start_invited(request: HttpRequest, token: str) -> HttpResponse:
    invitation = invitation_behind(token) if settings.OIDC_INVITATIONS else None
    if request.user.is_authenticated or invitation is None:
        return redirect("sign-up-invited", token)
    return _leave(request, "sign-in", invitation=invitation.pk)


@instructor_page("GET", "HEAD")
@_with_provider
def start_connecting(request: HttpRequest) -> HttpResponse:
    return _leave(request, "connect")


@instructor_page("GET", "HEAD")
@_with_provider
def start_confirming(request: HttpRequest) -> HttpResponse:
    """Let the provider ask people again who have no password here."""
    return _leave(request, "confirm", again=True)


@require_http_methods(["GET", "HEAD"])
@_with_provider
def back(request: HttpRequest) -> HttpResponse:
    """Take what the provider sent the browser back with: once, and only from the browser that was sent there."""
    begun = request.session.get(_ATTEMPT) or {}
    attempt = Attempt(**begun["attempt"]) if begun else Attempt(since=0)
    if not constant_time_compare(attempt.state, request.GET.get("state", "")):
        raise Refused(NotSignedIn.STALE)
    del request.session[_ATTEMPT]
    if time.time() - attempt.since > _SECONDS:
        raise Refused(NotSignedIn.STALE)
    identity = finish(attempt=attempt, query=request.GET.dict(), redirect_uri=_redirect_uri(request))
    return _AFTERWARDS[begun["for"]](request, identity, begun)


def _sign_in(request: HttpRequest, identity: Identity, begun: dict[str, Any]) -> HttpResponse:
    user = person_behind(identity)
    if user is None:
        return _first_time(request, identity, begun)
    return _let_in(request, user, begun["next"], by_two_factors=identity.by_two_factors)


def _let_in(request: HttpRequest, user: User, address: str, *, by_two_factors: bool) -> HttpResponse:
    if by_two_factors:
        return signed_in(request, user, address, second_factor=BY_PROVIDER, by_provider=True)
    return ask_for_code_or_sign_in(request, user, address, by_provider=True)


def _first_time(request: HttpRequest, identity: Identity, begun: dict[str, Any]) -> HttpResponse:
    """Ask people for a username who may make an account: none that the provider knows is taken."""
    invitation = begun.get("invitation")
    if invitation is None:
        require_admitted(identity)
    request.session.flush()
    request.session[_NEW] = {
        "subject": subject_hash(identity).hex(),
        "invitation": invitation,
        "by_two_factors": identity.by_two_factors,
        "next": begun["next"],
        "since": int(time.time()),
    }
    request.session.set_expiry(_SECONDS)
    return redirect("provider-sign-up")


@require_http_methods(["GET", "HEAD", "POST"])
@_with_provider
def sign_up(request: HttpRequest) -> HttpResponse:
    identity = _kept_identity(request, _NEW)
    if request.user.is_authenticated or identity is None:
        return redirect("login")
    invitation = usable_invitations().filter(pk=identity["invitation"]).first()
    if identity["invitation"] is not None and invitation is None:
        return render(request, "accounts/link_spent.html", status=410)
    form = UsernameForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        person = NewPerson(bytes.fromhex(identity["subject"]), invitation)
        try:
            count_try(what="names", name=identity["subject"], limit=_NAMES_A_WINDOW)
            user = make_connected_account(person=person, username=form.cleaned_data["username"])
        except LinkIsSpent:
            return render(request, "accounts/link_spent.html", status=410)
        except TooManyTries:
            form.add_error("username", _("You have tried too many usernames. Try again in 15 minutes."))
        except ValidationError as refused:
            blame(form, refused)
        else:
            messages.success(request, _("Welcome, %(name)s. Your account is ready.") % {"name": user.get_username()})
            return _let_in(request, user, identity["next"], by_two_factors=identity["by_two_factors"])
    context = {"email": invitation.email if invitation else "", "provider": settings.OIDC_NAME}
    return form_page(request, "accounts/provider_sign_up.html", form, first_field="username", **context)


def _kept_identity(request: HttpRequest, key: str) -> dict[str, Any] | None:
    """Return what the provider has shown of somebody who has not gone on yet, for ten minutes."""
    identity: dict[str, Any] | None = request.session.get(key)
    return identity if identity and time.time() - identity["since"] <= _SECONDS else None


# People who are signed in.


def _remember(request: HttpRequest, identity: Identity, begun: dict[str, Any]) -> HttpResponse:
    """Ask for the password before anything is connected: the session may have been left open."""
    user = _owner_of_session(request)
    if (owner := person_behind(identity)) is not None and owner != user:
        raise Refused(NotSignedIn.TAKEN)
    request.session[_TO_CONNECT] = {"subject": subject_hash(identity).hex(), "since": int(time.time())}
    return redirect("provider-account")


def _confirm(request: HttpRequest, identity: Identity, begun: dict[str, Any]) -> HttpResponse:
    if person_behind(identity) != _owner_of_session(request):
        raise Refused(NotSignedIn.ANOTHER)
    request.session[CONFIRMED] = int(time.time())
    return HttpResponseRedirect(begun["next"] or reverse("account"))


def _owner_of_session(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Refused(NotSignedIn.STALE)
    return request.user


_AFTERWARDS = {"sign-in": _sign_in, "connect": _remember, "confirm": _confirm}


@confirmed_page
@_with_provider
def provider_account(request: HttpRequest) -> HttpResponse:
    """Connect the account that the provider has just shown, or disconnect the one that is connected."""
    user = cast("User", request.user)
    connected, identity = provider_account_of(user), _kept_identity(request, _TO_CONNECT)
    if (connected is None and identity is None) or not signs_in_by_password(user):
        return redirect("account")
    form = ConnectForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        if connected is not None:
            disconnect(user=user)
            messages.success(request, _("You now sign in with your password alone."))
        elif identity is not None:
            connect(user=user, subject_hash=bytes.fromhex(identity["subject"]))
            words = _("You can now sign in with %(provider)s as well.")
            messages.success(request, words % {"provider": settings.OIDC_NAME})
        request.session.pop(_TO_CONNECT, None)
        return redirect("account")
    context = {"connected": connected is not None, "provider": settings.OIDC_NAME}
    return form_page(request, "accounts/provider_account.html", form, first_field="password", **context)


@require_http_methods(["GET", "HEAD"])
@_with_provider
def signed_out(request: HttpRequest) -> HttpResponse:
    """Say that the provider's own session goes on, and where it is ended."""
    context = {"provider": settings.OIDC_NAME, "address": sign_out_address()}
    return render(request, "accounts/signed_out.html", context)
