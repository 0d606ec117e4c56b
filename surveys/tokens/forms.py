"""What a token is called, and how long it is valid."""

from django import forms
from django.utils.translation import gettext_lazy as _

from surveys.models.access_token import LONGEST_LABEL
from surveys.questionnaire.texts import check_line


class TokenForm(forms.Form):
    label = forms.CharField(
        label=_("Name"),
        help_text=_("The program that will use it, such as “weekly analysis”."),
        max_length=LONGEST_LABEL,
        validators=[check_line],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _("Enter a name for the token.")},
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=[(30, _("30 days")), (90, _("90 days")), (365, _("1 year"))],
        coerce=int,
        initial=90,
        error_messages={
            "required": _("Choose how long the token is valid."),
            "invalid_choice": _("Choose from the list."),
        },
    )
