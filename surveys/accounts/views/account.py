"""One's own account: where one is signed in, the password, and two-factor authentication."""

from base64 import b32encode
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.models import User
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.accounts.forms import EmailForm, PasswordAndCodeForm, PasswordChangeForm, SetPasswordForm, SetUpForm
from surveys.accounts.selectors import (
    provider_account_of,
    recovery_codes_left,
    second_factor_of,
    sign_ins_of,
    signs_in_by_password,
)
from surveys.accounts.services.credentials import (
    LinkIsSpent,
    ask_for_link,
    new_key,
    new_recovery_codes,
    reset_password,
    set_password,
    turn_off,
    turn_on,
)
from surveys.accounts.services.sign_in import sign_out, sign_out_everywhere
from surveys.accounts.views.sign_in import (
    BY_PROVIDER,
    SHOWN,
    confirmed_page,
    left_behind,
    mark_browser,
    sign_in_ways,
)
from surveys.common.forms import blame, form_page, problems_of
from surveys.common.qr import qr_drawing
from surveys.common.views import instructor_page
from surveys.drafts.services.copies import discard_of
from surveys.models import SecondFactor
from surveys.models.sessions import stored_key


@instructor_page("GET", "HEAD")
def account(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    context = {
        "sign_ins": sign_ins_of(user),
        "this": _this(request),
        "second_factor": second_factor_of(user),
        "codes_left": recovery_codes_left(user),
        "by_password": signs_in_by_password(user),
        "connected": provider_account_of(user),
        **sign_in_ways(),
    }
    return render(request, "accounts/account.html", context)


@instructor_page("POST")
def account_sign_out(request: HttpRequest) -> HttpResponse:
    """End one sign-in, all others, or all of them."""
    user = cast("User", request.user)
    which = request.POST.get("which", "")
    if which in {"all", _this(request)}:
        if which == "all":
            sign_out_everywhere(user=user)
        discard_of(user=user)
        afterwards = left_behind(request, "login")
        logout(request)
        return redirect(afterwards)
    if which == "others":
        sign_out_everywhere(user=user, except_key=request.session.session_key)
        messages.success(request, _("You have been signed out everywhere else."))
    elif sign_out(user=user, sign_in=which):
        messages.success(request, _("That session has ended."))
    else:
        messages.warning(request, _("That session had already ended."))
    return redirect("account")


def _this(request: HttpRequest) -> str:
    return stored_key(request.session.session_key or "")


# Passwords: reset by email, and changed by somebody who is signed in. Where nobody signs in by one, no page is there.


def _with_passwords(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def page(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponseBase:
        if not settings.PASSWORD_SIGN_IN:
            raise Http404
        return view(request, *args, **kwargs)

    return page


@_with_passwords
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password_reset(request: HttpRequest) -> HttpResponse:
    form = EmailForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        ask_for_link("reset", email=form.cleaned_data["email"], request=request)
        return redirect("password-reset-sent")
    return form_page(request, "accounts/password_reset.html", form, first_field="email")


@never_cache
@require_http_methods(["GET", "HEAD"])
def password_reset_sent(request: HttpRequest) -> HttpResponse:
    """Say that an email is on its way, if there is an account."""
    return render(request, "accounts/password_reset_sent.html")


class PasswordReset(PasswordResetConfirmView):
    """Django's view: it takes the token out of the address first, so that no referrer or history holds it."""

    form_class = SetPasswordForm
    template_name = "accounts/password_set.html"
    http_method_names = ("get", "head", "post")

    def get_user(self, uidb64: str) -> User | None:
        """Return whose link it is; accounts that were switched off have none."""
        user = super().get_user(uidb64)
        return user if isinstance(user, User) and user.is_active else None

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        """Store the password, and know this browser: only the owner reads the owner's email."""
        token = self.request.session.pop(INTERNAL_RESET_SESSION_TOKEN)
        try:
            user = reset_password(user=form.user, token=token, password=form.cleaned_data["new_password1"])
        except LinkIsSpent:
            return render(self.request, "accounts/link_spent.html", status=410)
        messages.success(self.request, _("Your new password has been saved, and you have been signed out everywhere."))
        response = redirect("login")
        mark_browser(response, user)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        form = context.get("form")
        return context | {"problems": problems_of(form, first_field="new_password1") if form and form.errors else None}

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Say with the status too when a link leads nowhere or something is wrong."""
        if not context["validlink"]:
            return render(self.request, "accounts/link_spent.html", status=410)
        return super().render_to_response(context, status=422 if context["problems"] else 200, **kwargs)


# Django's view answers a link that leads nowhere before it looks at the method.
password_reset_confirm = _with_passwords(require_http_methods(["GET", "HEAD", "POST"])(PasswordReset.as_view()))


@_with_passwords
@confirmed_page
def password_change(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = PasswordChangeForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        changed = set_password(
            user=user, password=form.cleaned_data["new_password1"], except_key=request.session.session_key
        )
        update_session_auth_hash(request, changed)
        messages.success(request, _("Your password has been changed, and you have been signed out everywhere else."))
        return redirect("account")
    return form_page(request, "accounts/password_change.html", form, first_field=next(iter(form.fields)))


# Two-factor authentication: set up, other recovery codes, turned off.


# The secret on its way to an app, until a code has come back; it is stored with the session, on the server.
_KEY = "second_factor_key"


@confirmed_page
def two_factor(request: HttpRequest) -> HttpResponse:
    """Show the secret and take the first code; where two-factor authentication is on, show what can be done with it."""
    user = cast("User", request.user)
    if second_factor_of(user) is not None:
        return render(request, "accounts/two_factor.html", {"codes_left": recovery_codes_left(user)})
    key = request.session.setdefault(_KEY, new_key())
    form = SetUpForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        try:
            codes = turn_on(user=user, key=key, code=form.cleaned_data["code"], except_key=request.session.session_key)
        except ValidationError as refused:
            blame(form, refused)
        else:
            return _turned_on(request, user, codes)
    device = SecondFactor(user=user, key=key)
    secret = b32encode(device.bin_key).decode()
    context = {
        "drawing": qr_drawing(device.config_url),
        "secret": " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        "link": device.config_url,
    }
    return form_page(request, "accounts/two_factor_set_up.html", form, first_field="code", **context)


@confirmed_page
def two_factor_codes(request: HttpRequest) -> HttpResponse:
    """Make other recovery codes, for who shows both factors again."""
    user = cast("User", request.user)
    if second_factor_of(user) is None:
        return redirect("two-factor")
    form = PasswordAndCodeForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        return _codes_shown(request, new_recovery_codes(user=user))
    return form_page(request, "accounts/two_factor_codes.html", form, first_field="code")


@confirmed_page
def two_factor_off(request: HttpRequest) -> HttpResponse:
    """Turn two-factor authentication off for people who give password and code again."""
    user = cast("User", request.user)
    if second_factor_of(user) is None:
        return redirect("two-factor")
    form = PasswordAndCodeForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        turn_off(user=user)
        if request.session.get(SHOWN) != BY_PROVIDER:
            request.session.pop(SHOWN, None)
        messages.success(request, _("Two-factor authentication is off, so you now sign in without a code."))
        return redirect("account")
    return form_page(request, "accounts/two_factor_off.html", form, first_field="code")


def _turned_on(request: HttpRequest, user: User, codes: list[str]) -> HttpResponse:
    del request.session[_KEY]
    device = second_factor_of(user)
    request.session[SHOWN] = device.pk if device else None
    # What was signed in with less becomes another session.
    request.session.cycle_key()
    return _codes_shown(request, codes, first=True)


def _codes_shown(request: HttpRequest, codes: list[str], *, first: bool = False) -> HttpResponse:
    """Show codes in the answer itself: nothing keeps them to show them again."""
    return render(request, "accounts/recovery_codes.html", {"codes": codes, "first": first})
