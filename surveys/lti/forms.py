"""What is typed here: a receipt, a survey's join code, a platform's own description."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from surveys.common.servers import is_safe
from surveys.credit.selectors import survey_with_credit
from surveys.models import Survey

# A receipt, and the longest address before it.
_LONGEST_RECEIPT = 1000


class RedeemForm(forms.Form):
    # The script of receipts looks for a field of this name.
    receipt = forms.CharField(
        label=_("Your receipt"),
        max_length=_LONGEST_RECEIPT,
        widget=forms.Textarea(
            attrs={
                "rows": 5,
                "class": "mono",
                "dir": "ltr",
                "autocomplete": "off",
                "autocapitalize": "off",
                "spellcheck": "false",
            }
        ),
        error_messages={
            "required": _("Paste your receipt: the whole link, or the text after #."),
            "max_length": _("This is too long for a receipt. Paste one receipt."),
        },
    )


class CourseSurveyForm(forms.Form):
    """A join code; cleans to the survey."""

    code = forms.CharField(
        label=_("Join code"),
        max_length=12,
        help_text=_("The survey must give credit and must have been opened."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
        error_messages={"required": _("Enter the survey’s join code.")},
    )

    def clean_code(self) -> Survey:
        survey = survey_with_credit(self.cleaned_data["code"])
        if survey is None:
            raise ValidationError(_("No survey with this code has been opened and gives credit. Check the code."))
        return survey


class CoursePlatformForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    """Of the admin, which knows the fields."""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        for name in ("issuer", "login_address", "token_address", "keys_address"):
            if name in self.cleaned_data and not is_safe(self.cleaned_data[name]):
                self.add_error(name, _("Enter an address that begins with https://."))
        return cleaned
