"""The forms of accounts: passwords, two-factor authentication, signing in and signing up."""

import math
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, SetPasswordMixin, UsernameField
from django.contrib.auth.forms import SetPasswordForm as DjangosSetPasswordForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.accounts.selectors import signs_in_by_password
from surveys.accounts.services.credentials import code_is_right, recovery_code_is_right
from surveys.accounts.services.sign_in import TooManyTries, password_again, person_with
from surveys.models.account_names import check_address, check_name


class CodeInput(forms.TextInput):
    """A code, which is good once: a wrong or used one is not written back."""

    def __init__(self, *, numeric: bool = False, **attrs: Any) -> None:
        digits = {"inputmode": "numeric"} if numeric else {"autocapitalize": "characters"}
        super().__init__({"spellcheck": "false", **digits, **attrs})

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:  # noqa: ANN401 - Widget's signature
        return super().get_context(name, None, attrs)


def focus_first(form: forms.BaseForm) -> None:
    """Begin in the first field, unless there are problems to read first."""
    if not form.is_bound:
        next(iter(form.visible_fields())).field.widget.attrs["autofocus"] = True


# Passwords: set, changed, asked for again, reset by email.


ADVICE = gettext_lazy("At least 12 characters. A few unrelated words are easy to remember.")


class EmailForm(forms.Form):
    """Where a link is to be sent."""

    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        max_length=254,
        validators=[check_address],
        widget=forms.EmailInput(attrs={"autocomplete": "email", "spellcheck": "false"}),
        error_messages={
            "required": gettext_lazy("Enter your email address."),
            "invalid": gettext_lazy("Enter an email address, like name@example.org."),
        },
    )

    def __init__(self, data: Any = None) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        focus_first(self)


class SetPasswordForm(DjangosSetPasswordForm):  # type: ignore[type-arg]  # no parameters at run time
    """A new password, twice; it is stored by a service."""

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        advise(self, "new_password1", "new_password2")


class PasswordAgainForm(forms.Form):
    """What asks a person who is signed in for their password again; others have been asked by the provider."""

    user: User
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": gettext_lazy("Enter your password.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not signs_in_by_password(self.user):
            del self.fields["password"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        try:
            right = password_again(user=self.user, password=password)
        except TooManyTries as closed:
            raise ValidationError(_("Too many attempts.") + " " + wait_for(closed)) from None
        if not right:
            raise ValidationError(_("Wrong password. Try again."))
        return password


class PasswordChangeForm(PasswordAgainForm, SetPasswordForm):
    field_order = ("password", "new_password1", "new_password2")


def advise(form: forms.BaseForm, first: str, second: str) -> None:
    """Say in plain words what Django's list of rules would say, and name both fields alike everywhere."""
    form.fields[first].label = _("New password")
    form.fields[first].help_text = ADVICE
    form.fields[first].error_messages["required"] = _("Choose a password.")
    form.fields[second].label = _("Repeat new password")
    form.fields[second].help_text = ""
    form.fields[second].error_messages["required"] = _("Enter the new password again.")


# Setting up two-factor authentication, and actions that need the password and a code.


_NO_CODE = gettext_lazy("Enter the six-digit code from your app.")


class FactorForm(forms.Form):
    """What asks for a code; `closed` says that there were too many wrong ones."""

    def __init__(self, data: Any = None, *, user: User) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        self.user = user
        self.closed: TooManyTries | None = None

    def require_code(self, is_right: Callable[..., bool], code: str, wrong: str) -> str:
        """Return a code that is right; refuse any other, and every one after too many."""
        try:
            right = is_right(user=self.user, code=code)
        except TooManyTries as closed:
            self.closed = closed
            raise ValidationError(_("Too many wrong codes.") + " " + wait_for(closed)) from None
        if not right:
            raise ValidationError(wrong)
        return code


class ConnectForm(PasswordAgainForm, FactorForm):
    """The password again, for what adds or removes a way to sign in."""


class SetUpForm(PasswordAgainForm, FactorForm):
    """The code that shows that the app has the secret, and the password."""

    field_order = ("code", "password")
    code = forms.CharField(
        label=gettext_lazy("Code from the app"),
        max_length=20,
        widget=CodeInput(autocomplete="one-time-code", numeric=True),
        error_messages={"required": _NO_CODE},
    )

    def clean_code(self) -> str:
        """Take the spaces out that some apps show."""
        return "".join(self.cleaned_data["code"].split())


class PasswordAndCodeForm(PasswordAgainForm, FactorForm):
    """Both factors again, for what weakens the second: the app's code or a recovery code."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        help_text=gettext_lazy("Six digits from your app, or one of your recovery codes."),
        widget=CodeInput(autocomplete="one-time-code"),
        error_messages={"required": _NO_CODE},
    )

    def clean_code(self) -> str:
        """Look at the code only behind the right password: a wrong one spends and delays nothing."""
        code = "".join(self.cleaned_data["code"].split())
        if "password" in self.fields and "password" not in self.cleaned_data:
            return code
        is_right = code_is_right if code.isdigit() else recovery_code_is_right
        return self.require_code(is_right, code, _("This code is wrong or has already been used. Enter another."))


# Signing in: a name and a password, then a code.


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
                _("Too many attempts to sign in with this username.") + " " + wait_for(closed), code="closed"
            ) from None
        if user is None:
            raise self.get_invalid_login_error()
        self.user_cache = user
        return self.cleaned_data


class CodeForm(FactorForm):
    code = forms.CharField(
        label=gettext_lazy("Authentication code"),
        max_length=20,
        help_text=gettext_lazy("Six digits that change every 30 seconds."),
        widget=CodeInput(autocomplete="one-time-code", numeric=True),
        error_messages={"required": _NO_CODE},
    )

    def __init__(self, data: Any = None, *, user: User) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data, user=user)
        focus_first(self)

    def clean_code(self) -> str:
        wrong = _("This code is wrong or has already been used. Wait for the next one.")
        return self.require_code(code_is_right, "".join(self.cleaned_data["code"].split()), wrong)


class RecoveryForm(FactorForm):
    recovery = forms.CharField(
        label=gettext_lazy("Recovery code"),
        max_length=40,
        help_text=gettext_lazy("One of the ten codes you saved, such as ABCD-EFGH-JKMN. Each code works once."),
        widget=CodeInput(autocomplete="off"),
        error_messages={"required": gettext_lazy("Enter one of your recovery codes.")},
    )

    def clean_recovery(self) -> str:
        wrong = _("This isn’t one of your recovery codes, or it has already been used. Enter another.")
        return self.require_code(recovery_code_is_right, self.cleaned_data["recovery"], wrong)


def seconds_left(closed: TooManyTries) -> int:
    """Return for how long nothing will be looked at."""
    return max(1, math.ceil((closed.until - timezone.now()).total_seconds()))


def wait_for(closed: TooManyTries) -> str:
    seconds = seconds_left(closed)
    if seconds < 60:
        return ngettext("Wait %(n)s second.", "Wait %(n)s seconds.", seconds) % {"n": seconds}
    minutes = math.ceil(seconds / 60)
    return ngettext("Wait %(n)s minute.", "Wait %(n)s minutes.", minutes) % {"n": minutes}


# Making an account from an invitation.


class UsernameForm(forms.Form):
    username = UsernameField(
        label=gettext_lazy("Username"),
        max_length=150,
        help_text=gettext_lazy("Letters, digits and . + - _ only. People you work with may see your username."),
        validators=[check_name],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Choose a username.")},
    )

    def __init__(self, data: Any = None) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        focus_first(self)


class SignUpForm(SetPasswordMixin, UsernameForm):  # type: ignore[type-arg]  # no parameters at run time
    """A username and a password; the email address is the invitation's."""

    password1, password2 = SetPasswordMixin.create_password_fields()

    def __init__(self, data: Any = None, *, email: str) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        self.email = email
        advise(self, "password1", "password2")

    def clean(self) -> dict[str, Any]:
        """Look at the password beside the name and the address: it must not be like them."""
        self.validate_passwords()
        user = User(username=self.cleaned_data.get("username", ""), email=self.email)
        self.validate_password_for_user(user, "password1")
        return self.cleaned_data
