"""Form fields for exact shares in percent."""

from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from surveys.privacy.rationals import exact

# In a line of several shares, one that is not said.
UNSAID = "-"


class PercentField(forms.CharField):
    """An exact percentage, typed as "30", "12.5", "12,5" or "100/3"; cleans to a share, or to None where empty."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"inputmode": "decimal"}), **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the share as a Fraction from 0 to 1."""
        typed = super().clean(value)
        return _share(typed) if typed else None


class PercentsField(forms.CharField):
    """So many percentages in one line, "-" for those that share the rest; cleans to a list of shares and None."""

    def __init__(self, *, number: int, **kwargs: Any) -> None:
        super().__init__(max_length=40 * number, **kwargs)
        self.number = number

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the shares in the order typed; nothing typed is no share said."""
        parts = super().clean(value).split() or [UNSAID] * self.number
        if len(parts) != self.number:
            raise forms.ValidationError(
                _("Write %(wanted)s shares with spaces between them, one for each answer; these are %(given)s.")
                % {"wanted": self.number, "given": len(parts)}
            )
        return [None if part == UNSAID else _share(part) for part in parts]


def _share(typed: str) -> Fraction:
    try:
        # A percentage has no thousands, so a comma stands before decimals.
        share = exact(typed.removesuffix("%").strip().replace(",", "."), "share") / 100
    except ValueError:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise forms.ValidationError(
            _("“%(typed)s” is no percentage: write a number from 0 to 100, such as 30 or 12.5.") % {"typed": typed}
        )
    return share
