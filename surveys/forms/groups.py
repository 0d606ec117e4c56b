"""A group's name and link, as its survey's owner types them."""

from django import forms
from django.utils.translation import gettext_lazy as _

from surveys.models import Group


class GroupForm(forms.Form):
    """A new group."""

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("Its members read this name before they answer."),
        error_messages={"required": _("Give the group a name.")},
    )
    slug = forms.CharField(
        label=_("End of its link"),
        max_length=40,
        required=False,
        help_text=_("Small letters, digits and hyphens. Left empty, it is made from the name."),
    )


class RenameForm(forms.Form):
    """Another name for a group, in a form of its own on the page of all groups."""

    name = forms.CharField(label=_("New name"), max_length=80, error_messages={"required": _("Give the group a name.")})

    @classmethod
    def of(cls, group: Group, data: object = None) -> "RenameForm":
        """Return the form of one group; its fields have ids of their own on the page."""
        return cls(data, initial={"name": group.name}, auto_id=f"id_{group.slug}_%s")  # type: ignore[arg-type]
