"""One's own account: where one is signed in, and signing out elsewhere."""

from typing import cast

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from surveys.models.sessions import stored_key
from surveys.selectors.accounts import recovery_codes_left, second_factor_of, sign_ins_of
from surveys.services.accounts.signing_out import sign_out, sign_out_everywhere
from surveys.services.copies import discard_of
from surveys.views.access import instructor_page


@instructor_page("GET", "HEAD")
def account(request: HttpRequest) -> HttpResponse:
    """Show the account."""
    user = cast("User", request.user)
    context = {
        "sign_ins": sign_ins_of(user),
        "this": _this(request),
        "second_factor": second_factor_of(user),
        "codes_left": recovery_codes_left(user),
    }
    return render(request, "account/account.html", context)


@instructor_page("POST")
def account_sign_out(request: HttpRequest) -> HttpResponse:
    """End one sign-in, all others, or all of them."""
    user = cast("User", request.user)
    which = request.POST.get("which", "")
    if which in {"all", _this(request)}:
        if which == "all":
            sign_out_everywhere(user=user)
        discard_of(user=user)
        logout(request)
        return redirect("login")
    if which == "others":
        sign_out_everywhere(user=user, except_key=request.session.session_key)
        messages.success(request, _("You are signed out everywhere else."))
    elif sign_out(user=user, sign_in=which):
        messages.success(request, _("That sign-in is ended."))
    else:
        messages.warning(request, _("That sign-in had ended already."))
    return redirect("account")


def _this(request: HttpRequest) -> str:
    return stored_key(request.session.session_key or "")
