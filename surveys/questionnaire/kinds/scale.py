"""A scale with labelled ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.kinds.checks import LABEL_LENGTH
from surveys.questionnaire.kinds.kind import Answers, Detail, Figures, Typed

MAX_POINTS = 11


@dataclass(frozen=True)
class Scale(Answers):
    """Points from 1 on, of which the first and the last are labelled."""

    name = "scale"
    label = _("A scale with labelled ends")
    short_label = _("Scale")
    details = (
        Detail(
            "points",
            _("Points"),
            Typed.WHOLE,
            help_text=_("From 2 to 11. Respondents see the points numbered from 1."),
            initial="5",
            least=2,
            most=MAX_POINTS,
        ),
        Detail(
            "low_end",
            _("Meaning of lowest point"),
            initial=pgettext_lazy("end of a scale", "Not at all"),
            longest=LABEL_LENGTH,
        ),
        Detail(
            "high_end",
            _("Meaning of highest point"),
            initial=pgettext_lazy("end of a scale", "Very much"),
            longest=LABEL_LENGTH,
        ),
    )
    editor_part = "editor/kinds/_scale.html"
    controls = "answering/_question_scale.html"
    figures = Figures.POINTS

    points: int = 0
    low_end: str = ""
    high_end: str = ""

    def check_details(self, details: Mapping[str, Any]) -> None:
        """Refuse too few or too many points."""
        points = details.get("points")
        if type(points) is not int or not 2 <= points <= MAX_POINTS:
            raise ValidationError(
                {"points": gettext("Enter a number of points from 2 to %(most)s.") % {"most": MAX_POINTS}}
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The points, the ends with what they mean."""
        ends = {1: self.low_end, self.points: self.high_end}
        return tuple(
            gettext("%(point)s (%(meaning)s)") % {"point": point, "meaning": ends[point]}
            if point in ends
            else str(point)
            for point in range(1, self.points + 1)
        )

    @property
    def values(self) -> tuple[Fraction, ...]:
        """1, 2, …: points taken as numbers the same distance apart."""
        return tuple(Fraction(point) for point in range(1, self.points + 1))
