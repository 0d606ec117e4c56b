"""Whom to ask for which roles, and whom to give a survey to."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Role, Survey
from surveys.people.selectors import Member


class _Roles(forms.MultipleChoiceField):
    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Roles"),
            choices=Role.choices,
            widget=forms.CheckboxSelectMultiple,
            error_messages={
                "required": gettext_lazy("Choose at least one role."),
                "invalid_choice": gettext_lazy("Choose roles from the list."),
            },
        )


class InviteForm(forms.Form):
    """Somebody, by username or email address, and what they may do."""

    to = forms.CharField(
        label=gettext_lazy("Username or email address"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Enter a username or an email address.")},
    )
    roles = _Roles()


class RolesForm(forms.Form):
    """The roles of somebody who takes part already; each person's form has ids of its own on the page."""

    roles = _Roles()

    @classmethod
    def of(cls, member: Member, data: Any = None) -> "RolesForm":  # noqa: ANN401 - what forms take
        return cls(data, initial={"roles": list(member.roles)}, auto_id=f"id_{member.user.pk}_%s")


class TransferForm(forms.Form):
    """Who shall own the survey, what becomes of its owner so far, and the code typed to mean it."""

    to = forms.ChoiceField(
        label=gettext_lazy("New owner"),
        help_text=gettext_lazy("A team member, who is asked first and can decline."),
        error_messages={
            "required": gettext_lazy("Choose the new owner."),
            "invalid_choice": gettext_lazy("Choose a member of the survey’s team."),
        },
    )
    stays = forms.BooleanField(
        label=gettext_lazy("Stay on the team as editor and analyst"),
        required=False,
        help_text=gettext_lazy("Otherwise you lose access to the survey."),
    )
    code = forms.CharField(
        label=gettext_lazy("Type the survey’s code to confirm"),
        max_length=12,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Type the survey’s code to confirm.")},
    )

    def __init__(self, survey: Survey, members: list[Member], data: Any = None) -> None:  # noqa: ANN401 - what forms take
        super().__init__(data, initial={"stays": True})
        self.survey = survey
        names = [member.user.get_username() for member in members]
        self.fields["to"].choices = [("", _("Choose a person")), *((name, name) for name in names)]  # type: ignore[attr-defined]

    def clean_code(self) -> str:
        typed = str(self.cleaned_data["code"]).strip().upper()
        if typed != self.survey.code:
            raise forms.ValidationError(
                _("This isn’t the survey’s code. Type %(code)s to confirm.") % {"code": self.survey.code}
            )
        return typed
