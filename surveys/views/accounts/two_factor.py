"""The second factor: set up, other recovery codes, turned off."""

from base64 import b32encode
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from surveys.forms.accounts.second_factor import PasswordAndCodeForm, SetUpForm
from surveys.forms.problems import blame, problems_of
from surveys.models import SecondFactor
from surveys.selectors.accounts import recovery_codes_left, second_factor_of
from surveys.services.accounts.second_factor import new_key, new_recovery_codes, turn_off, turn_on
from surveys.views.access import instructor_page
from surveys.views.accounts.gate import SHOWN
from surveys.views.qr import qr_drawing

# The secret on its way to an app, until a code has come back; it is stored with the session, on the server.
_KEY = "second_factor_key"


@sensitive_post_parameters()
@instructor_page("GET", "HEAD", "POST")
def two_factor(request: HttpRequest) -> HttpResponse:
    """Show the secret and take the first code; for who has a second factor, what can be done with it."""
    user = cast("User", request.user)
    if second_factor_of(user) is not None:
        return render(request, "account/two_factor.html", {"codes_left": recovery_codes_left(user)})
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
        "form": form,
        "problems": problems_of(form, first_field="code") if form.is_bound else None,
        "drawing": qr_drawing(device.config_url),
        "secret": " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        "link": device.config_url,
    }
    return render(request, "account/two_factor_set_up.html", context, status=422 if form.is_bound else 200)


@sensitive_post_parameters()
@instructor_page("GET", "HEAD", "POST")
def two_factor_codes(request: HttpRequest) -> HttpResponse:
    """Make other recovery codes, for who shows both factors again."""
    user = cast("User", request.user)
    if second_factor_of(user) is None:
        return redirect("two-factor")
    form = PasswordAndCodeForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        return _codes_shown(request, new_recovery_codes(user=user))
    return _asked(request, "account/two_factor_codes.html", form)


@sensitive_post_parameters()
@instructor_page("GET", "HEAD", "POST")
def two_factor_off(request: HttpRequest) -> HttpResponse:
    """Remove the second factor, for who shows both factors again."""
    user = cast("User", request.user)
    if second_factor_of(user) is None:
        return redirect("two-factor")
    form = PasswordAndCodeForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        turn_off(user=user)
        request.session.pop(SHOWN, None)
        messages.success(request, _("Your second factor is off: from now on the password alone lets you in."))
        return redirect("account")
    return _asked(request, "account/two_factor_off.html", form)


def _turned_on(request: HttpRequest, user: User, codes: list[str]) -> HttpResponse:
    del request.session[_KEY]
    device = second_factor_of(user)
    request.session[SHOWN] = device.pk if device else None
    # What was signed in with less becomes another session.
    request.session.cycle_key()
    return _codes_shown(request, codes, first=True)


def _codes_shown(request: HttpRequest, codes: list[str], *, first: bool = False) -> HttpResponse:
    """Show codes in the answer itself: nothing keeps them to show them again."""
    return render(request, "account/recovery_codes.html", {"codes": codes, "first": first})


def _asked(request: HttpRequest, template: str, form: PasswordAndCodeForm) -> HttpResponse:
    problems = problems_of(form, first_field="password") if form.is_bound else None
    return render(request, template, {"form": form, "problems": problems}, status=422 if problems else 200)
