"""Passwords: reset by mail, and changed by somebody who is signed in."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from surveys.forms.accounts.passwords import EmailForm, PasswordChangeForm, SetPasswordForm
from surveys.forms.problems import problems_of
from surveys.services.accounts.passwords import LinkIsSpent, ask_for_reset, reset_password, set_password
from surveys.views.access import instructor_page
from surveys.views.accounts.known_browser import mark_browser


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password_reset(request: HttpRequest) -> HttpResponse:
    """Ask where the link is to be sent."""
    form = EmailForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        ask_for_reset(email=form.cleaned_data["email"], request=request)
        return redirect("password-reset-sent")
    problems = problems_of(form, first_field="email") if form.is_bound else None
    context = {"form": form, "problems": problems}
    return render(request, "account/password_reset.html", context, status=422 if problems else 200)


@never_cache
@require_http_methods(["GET", "HEAD"])
def password_reset_sent(request: HttpRequest) -> HttpResponse:
    """Say that a mail is on its way, if there is an account."""
    return render(request, "account/password_reset_sent.html")


class PasswordReset(PasswordResetConfirmView):
    """Django's view: it takes the token out of the address first, so that no referrer or history holds it."""

    form_class = SetPasswordForm
    template_name = "account/password_set.html"
    http_method_names = ("get", "head", "post")

    def get_user(self, uidb64: str) -> User | None:
        """Return whose link it is; accounts that were switched off have none."""
        user = super().get_user(uidb64)
        return user if isinstance(user, User) and user.is_active else None

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        """Store the password, and know this browser: whoever reads the owner's mail is no stranger."""
        token = self.request.session.pop(INTERNAL_RESET_SESSION_TOKEN)
        try:
            user = reset_password(user=form.user, token=token, password=form.cleaned_data["new_password1"])
        except LinkIsSpent:
            return render(self.request, "account/link_spent.html", status=410)
        messages.success(self.request, _("Your new password is stored, and you are signed out everywhere else."))
        response = redirect("login")
        mark_browser(response, user)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the summary of what is wrong."""
        context = super().get_context_data(**kwargs)
        form = context.get("form")
        return context | {"problems": problems_of(form, first_field="new_password1") if form and form.errors else None}

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Say with the status too when a link leads nowhere or something is wrong."""
        if not context["validlink"]:
            return render(self.request, "account/link_spent.html", status=410)
        return super().render_to_response(context, status=422 if context["problems"] else 200, **kwargs)


@sensitive_post_parameters()
@instructor_page("GET", "HEAD", "POST")
def password_change(request: HttpRequest) -> HttpResponse:
    """Change the password of whoever is signed in, and end their other sign-ins."""
    user = cast("User", request.user)
    form = PasswordChangeForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        changed = set_password(
            user=user, password=form.cleaned_data["new_password1"], except_key=request.session.session_key
        )
        update_session_auth_hash(request, changed)
        messages.success(request, _("Your password is changed, and you are signed out everywhere else."))
        return redirect("account")
    problems = problems_of(form, first_field="password") if form.is_bound else None
    context = {"form": form, "problems": problems}
    return render(request, "account/password_change.html", context, status=422 if problems else 200)
