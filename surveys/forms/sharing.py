"""What is asked of a QR code and of posters, in the query string."""

from django import forms
from django.utils.translation import gettext_lazy as _

from surveys.models import Group, Survey

# In millimetres: a handout, a poster, a door, a hall.
PRINT_SIZES = (30, 60, 90, 140)
EVERYBODY, EACH_GROUP = "", "groups"


class _OfGroups(forms.Form):
    def __init__(self, survey: Survey, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.groups = {group.slug: group for group in survey.groups.all()}

    def group_asked_for(self) -> Group | None:
        """Return the group asked for, if it is one."""
        return self.groups.get(self.cleaned_data["group"])


class QrForm(_OfGroups):
    """A QR code as a file: of which link, how wide on paper, with or without what to type."""

    size = forms.ChoiceField(required=False, choices=[(size, f"{size} mm") for size in PRINT_SIZES])
    group = forms.ChoiceField(required=False)
    label = forms.BooleanField(required=False)

    def __init__(self, survey: Survey, *args: object) -> None:
        super().__init__(survey, *args)
        self.fields["group"].choices = [(slug, group.name) for slug, group in self.groups.items()]  # type: ignore[attr-defined]

    def millimetres(self) -> int:
        """Return the width on paper; 0 for the screen."""
        return int(self.cleaned_data["size"] or 0)


class PosterForm(_OfGroups):
    """Whom posters are for, and whether strips to tear off hang at their foot."""

    group = forms.ChoiceField(label=_("For"), required=False)
    strips = forms.BooleanField(label=_("Strips to tear off"), required=False)

    def __init__(self, survey: Survey, *args: object) -> None:
        super().__init__(survey, *args)
        self.fields["group"].choices = [  # type: ignore[attr-defined]
            (EVERYBODY, _("Everybody")),
            (EACH_GROUP, _("Each group, one page each")),
            *((slug, group.name) for slug, group in self.groups.items()),
        ]

    def chosen(self) -> list[Group | None]:
        """Return whom pages are for, one each; None is everybody."""
        asked = self.cleaned_data["group"] if self.is_valid() else EVERYBODY
        if asked == EACH_GROUP:
            return list(self.groups.values()) or [None]
        return [self.groups.get(asked)]
