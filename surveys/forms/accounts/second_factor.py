"""Setting up a second factor, and what needs the password and a code."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.forms.accounts.passwords import PasswordAgainField, require_password
from surveys.forms.accounts.sign_in import wait_for
from surveys.forms.accounts.widgets import CodeInput
from surveys.services.accounts.second_factor import code_is_right, recovery_code_is_right
from surveys.services.accounts.tries import TooManyTries

_NO_CODE = gettext_lazy("Write the six digits that your app shows.")


class SetUpForm(forms.Form):
    """The password, and the code that shows that the app has the secret."""

    code = forms.CharField(
        label=gettext_lazy("Code that the app shows"),
        max_length=20,
        widget=CodeInput(autocomplete="one-time-code", numeric=True),
        error_messages={"required": _NO_CODE},
    )
    password = PasswordAgainField()

    def __init__(self, data: Any = None, *, user: User) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        self.user = user

    def clean_code(self) -> str:
        """Take the spaces out that some apps show."""
        return "".join(self.cleaned_data["code"].split())

    def clean_password(self) -> str:
        """Look whether it is theirs."""
        password: str = self.cleaned_data["password"]
        require_password(self.user, password)
        return password


class PasswordAndCodeForm(forms.Form):
    """Both factors again, for what weakens the second: the app's code or a recovery code."""

    password = PasswordAgainField()
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        help_text=gettext_lazy("Six digits of your app, or one of your recovery codes."),
        widget=CodeInput(autocomplete="one-time-code"),
        error_messages={"required": _NO_CODE},
    )

    def __init__(self, data: Any = None, *, user: User) -> None:  # noqa: ANN401 - what a request was posted with
        super().__init__(data)
        self.user = user

    def clean_password(self) -> str:
        """Look whether it is theirs."""
        password: str = self.cleaned_data["password"]
        require_password(self.user, password)
        return password

    def clean_code(self) -> str:
        """Look at the code only behind the right password: a wrong one spends and delays nothing."""
        code = "".join(self.cleaned_data["code"].split())
        if "password" not in self.cleaned_data:
            return code
        check = code_is_right if code.isdigit() else recovery_code_is_right
        try:
            right = check(user=self.user, code=code)
        except TooManyTries as closed:
            raise ValidationError(_("There were wrong codes before.") + " " + wait_for(closed)) from None
        if not right:
            raise ValidationError(_("This code is wrong, or was used already."))
        return code
