"""The forms of sharing: groups, invitations, QR codes and posters."""

import re
from typing import ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.models import Group, Survey
from surveys.models.account_names import check_address, fold_name
from surveys.sharing.services import MOST_ADDRESSES, MOST_AT_ONCE, new_batch


class GroupForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("Group members see this name before they answer."),
        error_messages={"required": _("Enter a name for the group.")},
    )
    slug = forms.CharField(
        label=_("Link ending"),
        max_length=40,
        required=False,
        help_text=_(
            "Lower-case letters, digits and hyphens. Leave the field empty to create the ending from the name."
        ),
    )


class RenameForm(forms.Form):
    """Another name for a group, in a form of its own on the page of all groups."""

    name = forms.CharField(
        label=_("New name"), max_length=80, error_messages={"required": _("Enter a name for the group.")}
    )

    @classmethod
    def of(cls, group: Group, data: object = None) -> "RenameForm":
        """Return the form of one group; its fields have ids of their own on the page."""
        return cls(data, initial={"name": group.name}, auto_id=f"id_{group.slug}_%s")  # type: ignore[arg-type]


# How many invitations to make, and which batch a page shows.


USUAL_NUMBER = 30


class _BatchForm(forms.Form):
    """A batch of invitations; `batch` comes from the page, so that sending it twice makes one."""

    batch = forms.CharField(widget=forms.HiddenInput, max_length=22, required=False)
    group = forms.ChoiceField(
        label=_("Group"),
        required=False,
        help_text=_("The group’s link ending appears in these invitation links."),
        error_messages={"invalid_choice": _("This survey has no such group. Choose another.")},
    )

    def __init__(self, survey: Survey, data: QueryDict | None = None, **initial: object) -> None:
        super().__init__(data, initial={"batch": new_batch(), **initial}, auto_id=self.auto_id)
        groups = [(group.slug, group.name) for group in survey.groups.all()]
        if groups:
            self.fields["group"].choices = [("", _("No group")), *groups]  # type: ignore[attr-defined]
        else:
            del self.fields["group"]


class InvitationForm(_BatchForm):
    auto_id = "id_%s"
    number = forms.IntegerField(
        label=_("Number of invitations"),
        min_value=1,
        max_value=MOST_AT_ONCE,
        help_text=_("One per person, at most 2,000 at a time. Create a few more than you need."),
        error_messages={
            "required": _("Enter the number of invitations."),
            "invalid": _("Enter a whole number, such as 30."),
            "min_value": _("Enter a number from 1 to 2,000."),
            "max_value": _("Enter a number from 1 to 2,000."),
        },
    )
    sheet = forms.IntegerField(widget=forms.HiddenInput, min_value=1, required=False)


_MOST_FAULTS = 5
_is_address = EmailValidator()


class AddressesField(forms.CharField):
    """Email addresses, one a line or separated by commas; cleans to a list in which none is twice."""

    default_error_messages: ClassVar = {"required": _("Enter at least one email address.")}

    def clean(self, value: str) -> list[str]:
        """Return the addresses; raises ValidationError naming the lines of those that are none."""
        addresses: dict[str, str] = {}
        faults = []
        for number, line in enumerate(super().clean(value).splitlines(), start=1):
            for address in filter(None, map(str.strip, re.split(r"[,;]", line))):
                try:
                    _is_address(address)
                    check_address(address)
                except ValidationError:
                    words = gettext("Line %(line)s: change “%(typed)s” to a full email address.")
                    faults.append(words % {"line": number, "typed": address[:60]})
                addresses.setdefault(fold_name(address), address)
        if faults:
            raise ValidationError(faults[:_MOST_FAULTS])
        if not addresses:
            raise ValidationError(self.error_messages["required"])
        if len(addresses) > MOST_ADDRESSES:
            words = gettext("Enter at most %(most)s addresses at a time; you entered %(given)s.")
            raise ValidationError(words % {"most": MOST_ADDRESSES, "given": len(addresses)})
        return list(addresses.values())


class MailForm(_BatchForm):
    auto_id = "id_mail_%s"
    addresses = AddressesField(
        label=_("Email addresses"),
        help_text=_("One per line, or separated by commas; at most 100 at a time."),
        max_length=30_000,
        # Lines are named by their numbers.
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
    )


# What is asked of a QR code and of posters, in the query string.


# In millimetres: a handout, a poster, a door, a hall.
PRINT_SIZES = (30, 60, 90, 140)
EVERYBODY, EACH_GROUP = "", "groups"


class _OfGroups(forms.Form):
    before_groups: tuple[tuple[str, Promise], ...] = ()  # choices that stand before those of groups

    def __init__(self, survey: Survey, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.groups = {group.slug: group for group in survey.groups.all()}
        named = ((slug, group.name) for slug, group in self.groups.items())
        self.fields["group"].choices = [*self.before_groups, *named]  # type: ignore[attr-defined]

    def group_asked_for(self) -> Group | None:
        return self.groups.get(self.cleaned_data["group"])


class QrForm(_OfGroups):
    """A QR code as a file: of which link, how wide on paper, with or without what to type."""

    size = forms.ChoiceField(required=False, choices=[(size, f"{size} mm") for size in PRINT_SIZES])
    group = forms.ChoiceField(required=False)
    label = forms.BooleanField(required=False)

    def millimetres(self) -> int:
        """Return the width on paper; 0 for the screen."""
        return int(self.cleaned_data["size"] or 0)


class PosterForm(_OfGroups):
    """Whom posters are for, and whether strips to tear off hang at their foot."""

    before_groups = ((EVERYBODY, _("Everybody")), (EACH_GROUP, _("Each group on its own page")))
    group = forms.ChoiceField(label=_("Posters for"), required=False)
    strips = forms.BooleanField(label=_("Tear-off strips"), required=False)

    def chosen(self) -> list[Group | None]:
        """Return whom pages are for, one each; None is everybody."""
        asked = self.cleaned_data["group"] if self.is_valid() else EVERYBODY
        if asked == EACH_GROUP:
            return list(self.groups.values()) or [None]
        return [self.groups.get(asked)]
