"""Making an account from an invitation."""

from typing import Any

from django import forms
from django.contrib.auth.forms import SetPasswordMixin, UsernameField
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from surveys.forms.accounts.passwords import advise
from surveys.forms.accounts.widgets import focus_first
from surveys.models.account_names import check_name


class SignUpForm(SetPasswordMixin, forms.Form):  # type: ignore[type-arg]  # no parameters at run time
    """A username and a password; the mail address is the invitation's."""

    username = UsernameField(
        label=gettext_lazy("Username"),
        max_length=150,
        help_text=gettext_lazy("Letters, digits and . + - _ only. People you work with may see it."),
        validators=[check_name],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Choose a username.")},
    )
    password1, password2 = SetPasswordMixin.create_password_fields()

    def __init__(self, data: Any = None, *, email: str) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        self.email = email
        advise(self, "password1", "password2")
        focus_first(self)

    def clean(self) -> dict[str, Any]:
        """Look at the password beside the name and the address: it must not be like them."""
        self.validate_passwords()
        user = User(username=self.cleaned_data.get("username", ""), email=self.email)
        self.validate_password_for_user(user, "password1")
        return self.cleaned_data
