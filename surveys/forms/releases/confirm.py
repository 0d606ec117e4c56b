"""Step 3: exactly the terms that were shown, confirmed by typing their ε."""

from fractions import Fraction
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.numbers import exactly
from surveys.forms.releases.shown import LONGEST, Shown, read_shown
from surveys.releases.options import DecimalField


class ConfirmForm(forms.Form):
    """The signed terms, and the ε typed once more."""

    terms = forms.CharField(
        widget=forms.HiddenInput,
        max_length=LONGEST,
        error_messages={"required": gettext_lazy("These are not the terms that were shown. Begin again.")},
    )
    confirmation = DecimalField(
        label=gettext_lazy("Type the ε to confirm"),
        error_messages={"required": gettext_lazy("Type the ε to confirm that it is to be charged.")},
    )
    shown: Shown | None = None

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_terms(self) -> Shown:
        """Return what was shown."""
        self.shown = read_shown(self.cleaned_data["terms"], self.user)
        return self.shown

    def clean(self) -> dict[str, Any]:
        """Refuse any other number than the ε that was shown."""
        cleaned: dict[str, Any] = super().clean() or {}
        typed = cleaned.get("confirmation")
        if self.shown and typed is not None and typed != (epsilon := Fraction(self.shown.epsilon)):
            self.add_error(
                "confirmation",
                _("You typed %(typed)s, and the release costs ε = %(epsilon)s. Nothing was charged.")
                % {"typed": self.data["confirmation"], "epsilon": exactly(epsilon)},
            )
        return cleaned
