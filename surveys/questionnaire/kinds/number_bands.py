"""A number, in bands."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.numbers.words import readable, with_unit
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds.checks import checked_number, pair_of
from surveys.questionnaire.kinds.kind import Answers, Detail, Figures, Typed
from surveys.questionnaire.kinds.number_mean import EDITOR_PART, UNIT

MAX_BANDS = 20


class NumberBands(Answers):
    """The band that a number lies in."""

    name = "number_bands"
    label = _("A number, in bands")
    short_label = _("Number in bands")
    details = (
        Detail(
            "edges",
            _("Limits of the bands"),
            Typed.NUMBERS,
            help_text=_("Start with the smallest limit and separate limits with commas: 0, 100, 1000 makes two bands."),
            least=3,
            most=MAX_BANDS + 1,
        ),
        UNIT,
    )
    editor_part = EDITOR_PART
    figures = Figures.BANDS

    def suits(self, design: Chance) -> bool:
        """Return whether it can be asked with this design: a number exposes individuals, so it must be protected."""
        return super().suits(design) and design.protects

    def check_details(self, details: Mapping[str, Any]) -> None:
        """Refuse limits that make no bands."""
        edges = details.get("edges")
        if not isinstance(edges, tuple) or not 3 <= len(edges) <= MAX_BANDS + 1:
            raise ValidationError(
                {"edges": gettext("Enter the limits of 2 to %(most)s bands, smallest first.") % {"most": MAX_BANDS}}
            )
        numbers = [checked_number("edges", edge) for edge in edges]
        if not all(left < right for left, right in pairwise(numbers)):
            raise ValidationError({"edges": gettext("Each limit must be higher than the one before.")})

    @property
    def labels(self) -> tuple[str, ...]:
        """The bands; the last one holds its upper limit too."""
        edges, unit = self.edges, self.unit
        bands = [
            gettext("%(low)s to below %(high)s") % {"low": readable(low), "high": with_unit(readable(high), unit)}
            for low, high in pairwise(edges)
        ]
        bands[-1] = gettext("%(low)s to %(high)s") % {
            "low": readable(edges[-2]),
            "high": with_unit(readable(edges[-1]), unit),
        }
        return tuple(bands)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The middles of the bands."""
        return tuple((low + high) / 2 for low, high in pairwise(self.edges))

    @property
    def exported(self) -> dict[str, Any]:
        """The limits and the unit."""
        return {"edges": [pair_of(edge) for edge in self.edges], "unit": self.unit}
