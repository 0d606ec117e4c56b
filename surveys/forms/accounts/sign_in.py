"""Signing in: a name and a password, then a code."""

import math
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.forms.accounts.widgets import CodeInput, focus_first
from surveys.services.accounts.second_factor import code_is_right, recovery_code_is_right
from surveys.services.accounts.signing_in import person_with
from surveys.services.accounts.tries import TooManyTries


class SignInForm(AuthenticationForm):
    """A name and a password; `closed` says that there were too many tries, whatever was typed."""

    def __init__(self, request: HttpRequest, *args: Any, mark: str = "", **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.fields["username"].widget.attrs.pop("autofocus", None)
        focus_first(self)
        self.mark = mark
        self.closed: TooManyTries | None = None

    def clean(self) -> dict[str, Any]:
        """Look up whose they are; the words are the same for names of nobody."""
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if username is None or password is None:
            return self.cleaned_data
        assert self.request is not None  # noqa: S101 - given above
        try:
            user = person_with(request=self.request, username=username, password=password, mark=self.mark)
        except TooManyTries as closed:
            self.closed = closed
            raise ValidationError(
                _("Too many tries to sign in with this username.") + " " + wait_for(closed), code="closed"
            ) from None
        if user is None:
            raise self.get_invalid_login_error()
        self.user_cache = user
        return self.cleaned_data


class CodeForm(forms.Form):
    """A code of the app, at the second step of signing in."""

    code = forms.CharField(
        label=gettext_lazy("Code of your app"),
        max_length=20,
        help_text=gettext_lazy("Six digits that change every 30 seconds."),
        widget=CodeInput(autocomplete="one-time-code", numeric=True),
        error_messages={"required": gettext_lazy("Write the six digits that your app shows.")},
    )

    def __init__(self, data: Any = None, *, user: User) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        focus_first(self)
        self.user = user
        self.closed: TooManyTries | None = None

    def clean_code(self) -> str:
        """Look whether the app shows it now."""
        code = "".join(self.cleaned_data["code"].split())
        try:
            right = code_is_right(user=self.user, code=code)
        except TooManyTries as closed:
            self.closed = closed
            raise ValidationError(_("There were wrong codes before.") + " " + wait_for(closed)) from None
        if not right:
            raise ValidationError(_("This code is wrong, or was used already. Wait for the next one."))
        return code


class RecoveryForm(forms.Form):
    """A recovery code, at the second step of signing in."""

    recovery = forms.CharField(
        label=gettext_lazy("Recovery code"),
        max_length=40,
        help_text=gettext_lazy("One of the ten you wrote down, such as ABCD-EFGH-JKMN. Each is good once."),
        widget=CodeInput(autocomplete="off"),
        error_messages={"required": gettext_lazy("Write one of your recovery codes.")},
    )

    def __init__(self, data: Any = None, *, user: User) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        self.user = user
        self.closed: TooManyTries | None = None

    def clean_recovery(self) -> str:
        """Spend it."""
        code: str = self.cleaned_data["recovery"]
        try:
            right = recovery_code_is_right(user=self.user, code=code)
        except TooManyTries as closed:
            self.closed = closed
            raise ValidationError(_("There were wrong codes before.") + " " + wait_for(closed)) from None
        if not right:
            raise ValidationError(_("This is none of your recovery codes, or it was used already."))
        return code


def seconds_left(closed: TooManyTries) -> int:
    """Return for how long nothing will be looked at."""
    return max(1, math.ceil((closed.until - timezone.now()).total_seconds()))


def wait_for(closed: TooManyTries) -> str:
    """Say how long that is."""
    seconds = seconds_left(closed)
    if seconds < 60:
        return ngettext("Wait %(n)s second.", "Wait %(n)s seconds.", seconds) % {"n": seconds}
    minutes = math.ceil(seconds / 60)
    return ngettext("Wait %(n)s minute.", "Wait %(n)s minutes.", minutes) % {"n": minutes}
