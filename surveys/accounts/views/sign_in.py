"""Signing in and out: password, two-factor authentication, the gate that asks for it, the mark of a known browser."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from surveys.accounts.forms import CodeForm, FactorForm, RecoveryForm, SignInForm, seconds_left
from surveys.accounts.selectors import recovery_codes_left, second_factor_of, signs_in_by_password
from surveys.accounts.services.sign_in import TooManyTries, new_mark, number_in
from surveys.common.forms import problems_of
from surveys.common.views import instructor_page
from surveys.drafts.services.copies import discard_of


def mark_of(request: HttpRequest) -> str:
    return request.COOKIES.get(settings.KNOWN_BROWSER_COOKIE_NAME, "")


def mark_browser(response: HttpResponse, user: User, mark: str = "") -> None:
    """Mark the browser in which this person has just shown who they are; a mark that it has is renewed."""
    response.set_cookie(
        settings.KNOWN_BROWSER_COOKIE_NAME,
        new_mark(user.get_username(), number_in(mark, user.get_username())),
        max_age=settings.KNOWN_BROWSER_COOKIE_AGE,
        path=reverse("login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


# The gate before every page: people with two-factor authentication have given a code, and staff use it where that is
# demanded.


# Which authenticator app a session was begun with, or that the provider had done two-factor authentication.
SHOWN = "second_factor"
BY_PROVIDER = "provider"
# When the provider last asked somebody again who they are, for whom no password can be asked.
CONFIRMED = "provider_confirmed"
_CONFIRMED_SECONDS = 600
# Pages of a survey, a release and a launch know no sessions; a visitor who never signed in has none.
_PUBLIC = ("/s/", "/r/", "/credit/", "/lti/", "/oembed", "/healthz", "/readyz")
# Pages that people need to set up two-factor authentication.
_ON_THE_WAY = ("/account/", "/password/", "/provider/", "/sign-in/", "/sign-out/", "/language/", "/check/", "/join")


def second_factor_first(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """End a session whose code is missing; send staff without two-factor authentication to set it up."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path_info.startswith(_PUBLIC):
            return get_response(request)
        user = request.user
        if isinstance(user, User):
            device, shown = second_factor_of(user), request.session.get(SHOWN)
            if device is not None and shown not in (device.pk, BY_PROVIDER):
                logout(request)
            elif device is None and shown != BY_PROVIDER and _must_have_one(user) and not _may_go_without(request):
                messages.warning(
                    request, _("This server requires its staff to use two-factor authentication. Please set it up.")
                )
                return redirect("two-factor")
        return get_response(request)

    return middleware


def _must_have_one(user: User) -> bool:
    return settings.STAFF_SECOND_FACTOR and (user.is_staff or user.is_superuser)


def _may_go_without(request: HttpRequest) -> bool:
    return request.path_info == "/" or request.path_info.startswith(_ON_THE_WAY)


def confirmed_page(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Ask for a sign-in; people whose password its form cannot ask for were asked by the provider, minutes ago."""

    @sensitive_post_parameters()
    @instructor_page("GET", "HEAD", "POST")
    @wraps(view)
    def page(request: HttpRequest) -> HttpResponse:
        confirmed = time.time() - request.session.get(CONFIRMED, 0) <= _CONFIRMED_SECONDS
        if not (confirmed or signs_in_by_password(cast("User", request.user))):
            return redirect_to_login(request.path, reverse("provider-confirm"))
        return view(request)

    return page


# Signing in (a name and a password, then an authentication code from those who use two-factor authentication) and out.


# Who has shown a password and not yet a code, in a session that is nobody's.
_HALF_WAY = "half_way"
_SECONDS_FOR_THE_CODE = 600


class SignInView(LoginView):
    """Django's view with throttling; a signed-in visitor whose next page would be this one goes to their surveys."""

    form_class = SignInForm
    http_method_names = ("get", "head", "post")
    redirect_authenticated_user = True

    def get_redirect_url(self) -> str:
        asked = super().get_redirect_url()
        return "" if asked.partition("?")[0] == self.request.path else asked

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | sign_in_ways()

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.PASSWORD_SIGN_IN:
            return self.render_to_response(self.get_context_data(form=None), status=403)
        return super().post(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"mark": mark_of(self.request)}

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        return ask_for_code_or_sign_in(self.request, form.get_user(), self.get_redirect_url())

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        response: HttpResponse = super().form_invalid(form)
        return mark_too_many(response, form.closed)


sign_in = SignInView.as_view()


def sign_in_ways() -> dict[str, object]:
    """Return what a page shows of the ways to sign in."""
    return {"provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "", "passwords": settings.PASSWORD_SIGN_IN}


def ask_for_code_or_sign_in(
    request: HttpRequest, user: User, address: str, *, by_provider: bool = False
) -> HttpResponse:
    """Go on after the first step: to the code of people who use two-factor authentication, or in."""
    if second_factor_of(user) is None:
        return signed_in(request, user, address, by_provider=by_provider)
    # A new key, so that nobody who knew the earlier one can go on from here.
    request.session.flush()
    request.session[_HALF_WAY] = {
        "user": user.pk,
        "password": user.get_session_auth_hash(),
        "next": address,
        "since": int(time.time()),
        "by_provider": by_provider,
    }
    request.session.set_expiry(_SECONDS_FOR_THE_CODE)
    return redirect("sign-in-code")


class SignOutView(LogoutView):
    """Django's view; signing out deletes the person's rehearsals."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User):
            discard_of(user=request.user)
        self.next_page = left_behind(request)
        return super().post(request, *args, **kwargs)


sign_out = SignOutView.as_view()


def left_behind(request: HttpRequest, otherwise: str = settings.LOGOUT_REDIRECT_URL) -> str:
    """Return the page after signing out: of people whom the provider signed in, the one that says what is left."""
    by_provider = settings.OIDC_ISSUER and request.session.get(BY_PROVIDER)
    return "provider-signed-out" if by_provider else otherwise


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_code(request: HttpRequest) -> HttpResponse:
    half_way = request.session.get(_HALF_WAY, {})
    user = _person_half_way(half_way)
    device = second_factor_of(user) if user else None
    if user is None or device is None:
        return redirect("login")
    with_recovery = "recovery" in request.POST
    code = CodeForm(request.POST if request.method == "POST" and not with_recovery else None, user=user)
    recovery = RecoveryForm(request.POST if with_recovery else None, user=user)
    form: FactorForm = recovery if with_recovery else code
    if form.is_valid():
        by_provider = half_way["by_provider"]
        return signed_in(request, user, half_way["next"], second_factor=device.pk, by_provider=by_provider)
    context = {
        "code_form": code,
        "recovery_form": recovery,
        "codes_left": recovery_codes_left(user),
        "problems": problems_of(form, first_field="code") if form.is_bound else None,
    }
    return mark_too_many(render(request, "accounts/code.html", context), form.closed)


def signed_in(
    request: HttpRequest,
    user: User,
    address: str = "",
    *,
    second_factor: int | str | None = None,
    by_provider: bool = False,
) -> HttpResponse:
    """Begin a session, with a new key and nothing of the visitor's earlier one, and go where they wanted to."""
    request.session.flush()
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    if second_factor is not None:
        request.session[SHOWN] = second_factor
    if by_provider:
        request.session[BY_PROVIDER] = True
    # Not `redirect`, which takes a word without a slash for the name of a page.
    response = HttpResponseRedirect(address or reverse("survey-list"))
    mark_browser(response, user, mark_of(request))
    return response


def mark_too_many(response: HttpResponse, closed: TooManyTries | None) -> HttpResponse:
    """Say for machines too that nothing more will be looked at for a while."""
    if closed is not None:
        response.status_code = 429
        response["Retry-After"] = str(seconds_left(closed))
    return response


def _person_half_way(half_way: dict[str, Any]) -> User | None:
    """Return who has shown their password; not for long, and not if it has been changed meanwhile."""
    if not half_way or time.time() - half_way["since"] > _SECONDS_FOR_THE_CODE:
        return None
    user = User.objects.filter(pk=half_way["user"], is_active=True).first()
    same = user is not None and constant_time_compare(half_way["password"], user.get_session_auth_hash())
    return user if same else None
