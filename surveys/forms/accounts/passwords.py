"""Passwords: set, changed, asked for again, reset by mail."""

from typing import Any

from django import forms
from django.contrib.auth.forms import SetPasswordForm as DjangosSetPasswordForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.forms.accounts.sign_in import wait_for
from surveys.forms.accounts.widgets import focus_first
from surveys.models.account_names import check_address
from surveys.services.accounts.signing_in import password_again
from surveys.services.accounts.tries import TooManyTries

ADVICE = gettext_lazy("At least 12 characters. A few words that have nothing to do with each other are easy to keep.")


class EmailForm(forms.Form):
    """Where a link is to be sent."""

    email = forms.EmailField(
        label=gettext_lazy("Mail address"),
        max_length=254,
        validators=[check_address],
        widget=forms.EmailInput(attrs={"autocomplete": "email", "spellcheck": "false"}),
        error_messages={
            "required": gettext_lazy("Write your mail address."),
            "invalid": gettext_lazy("This is no mail address. It looks like name@example.org."),
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


class PasswordAgainField(forms.CharField):
    """The password of somebody who is signed in, asked for again."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=gettext_lazy("Your password"),
            strip=False,
            widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
            error_messages={"required": gettext_lazy("Write your password.")},
            **kwargs,
        )


def require_password(user: User, password: str) -> None:
    """Refuse anything but the person's password."""
    try:
        right = password_again(user=user, password=password)
    except TooManyTries as closed:
        raise ValidationError(_("Too many tries.") + " " + wait_for(closed)) from None
    if not right:
        raise ValidationError(_("This is not your password."))


class PasswordChangeForm(SetPasswordForm):
    """The old password, then the new one twice."""

    password = PasswordAgainField()
    field_order = ("password", "new_password1", "new_password2")

    def clean_password(self) -> str:
        """Look whether it is theirs."""
        password: str = self.cleaned_data["password"]
        require_password(self.user, password)
        return password


def advise(form: forms.BaseForm, first: str, second: str) -> None:
    """Say in plain words what Django's list of rules would say, and name both fields alike everywhere."""
    form.fields[first].label = _("New password")
    form.fields[first].help_text = ADVICE
    form.fields[first].error_messages["required"] = _("Choose a password.")
    form.fields[second].label = _("New password again")
    form.fields[second].help_text = ""
    form.fields[second].error_messages["required"] = _("Write the password a second time.")
