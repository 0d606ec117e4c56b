"""How many invitations to make, and which batch a page shows."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from surveys.models import Survey
from surveys.services.inviting import MOST_AT_ONCE, new_batch

USUAL_NUMBER = 30


class InvitationForm(forms.Form):
    """A batch of invitations; `batch` comes from the page, so that sending it twice makes one."""

    number = forms.IntegerField(
        label=_("How many invitations?"),
        min_value=1,
        max_value=MOST_AT_ONCE,
        help_text=_("One for each person; 2,000 at once at most. Make some more than you need."),
        error_messages={
            "required": _("Say how many invitations to make."),
            "invalid": _("Write a whole number, such as 30."),
            "min_value": _("Make 1 to 2,000 invitations at once."),
            "max_value": _("Make 1 to 2,000 invitations at once."),
        },
    )
    batch = forms.CharField(widget=forms.HiddenInput, max_length=22, required=False)
    sheet = forms.IntegerField(widget=forms.HiddenInput, min_value=1, required=False)
    group = forms.ChoiceField(
        label=_("For which group?"),
        required=False,
        help_text=_("Its name is in the links of these invitations."),
        error_messages={"invalid_choice": _("This survey has no such group.")},
    )

    def __init__(self, survey: Survey, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"number": USUAL_NUMBER, "batch": new_batch()})
        groups = [(group.slug, group.name) for group in survey.groups.all()]
        if groups:
            self.fields["group"].choices = [("", _("No group")), *groups]  # type: ignore[attr-defined]
        else:
            del self.fields["group"]
