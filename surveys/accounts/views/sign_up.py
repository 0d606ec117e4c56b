"""Making an account: by an invitation, or, where that is allowed, by asking for one."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from surveys.accounts.forms import EmailForm, SignUpForm
from surveys.accounts.selectors import invitation_behind
from surveys.accounts.services.credentials import LinkIsSpent, ask_for_link
from surveys.accounts.services.sign_in import TooManyTries, count_try
from surveys.accounts.services.sign_up import accept
from surveys.accounts.views.sign_in import sign_in_ways, signed_in
from surveys.common.forms import blame, form_page
from surveys.models import SignUpInvitation

# A link shows whether a username is taken: not of a whole list of names.
_NAMES_A_WINDOW = 20


def _for_strangers(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send people who are signed in to their account: a link in an email never changes who they are."""

    @never_cache
    @wraps(view)
    def page(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        if request.user.is_authenticated:
            messages.info(request, _("You are signed in. Sign out first to create another account."))
            return redirect("account")
        return view(request, *args, **kwargs)

    return page


@require_http_methods(["GET", "HEAD", "POST"])
@_for_strangers
def sign_up(request: HttpRequest) -> HttpResponse:
    """Ask for an email address, or say how accounts are had here."""
    if settings.SIGN_UP != "open":
        return render(request, "accounts/sign_up_closed.html", status=403)
    form = EmailForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        ask_for_link("sign_up", email=form.cleaned_data["email"], request=request)
        return redirect("sign-up-sent")
    return form_page(request, "accounts/sign_up.html", form, first_field="email")


@require_http_methods(["GET", "HEAD"])
@_for_strangers
def sign_up_sent(request: HttpRequest) -> HttpResponse:
    """Say that an email is on its way, whether or not the address has an account."""
    return render(request, "accounts/sign_up_sent.html")


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@_for_strangers
def sign_up_invited(request: HttpRequest, token: str) -> HttpResponse:
    """Make the account that a link leads to; looking at the page does not use the link."""
    invitation, ways = invitation_behind(token), sign_in_ways()
    if not settings.OIDC_INVITATIONS:
        ways["provider"] = ""
    if invitation is None or not any(ways.values()):
        return render(request, "accounts/link_spent.html", status=410)
    sent = request.POST if request.method == "POST" and settings.PASSWORD_SIGN_IN else None
    form = SignUpForm(sent, email=invitation.email)
    if form.is_valid():
        try:
            return _account_made(request, invitation, form)
        except LinkIsSpent:
            return render(request, "accounts/link_spent.html", status=410)
        except TooManyTries:
            form.add_error("username", _("You have tried too many usernames. Try again in 15 minutes."))
        except ValidationError as refused:
            blame(form, refused)
    context = {"email": invitation.email, "token": token, **ways}
    return form_page(request, "accounts/sign_up_invited.html", form, first_field="username", **context)


def _account_made(request: HttpRequest, invitation: SignUpInvitation, form: SignUpForm) -> HttpResponse:
    count_try(what="names", name=str(invitation.pk), limit=_NAMES_A_WINDOW)
    user = accept(
        invitation=invitation, username=form.cleaned_data["username"], password=form.cleaned_data["password1"]
    )
    messages.success(request, _("Welcome, %(name)s. Your account is ready.") % {"name": user.get_username()})
    return signed_in(request, user)
