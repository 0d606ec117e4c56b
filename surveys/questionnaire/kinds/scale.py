"""A scale with labelled ends."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.kinds.checks import LABEL_LENGTH
from surveys.questionnaire.kinds.kind import Detail, Figures, QuestionKind, Typed

MAX_POINTS = 11


class Scale(QuestionKind):
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

    def check_details(self, details: Mapping[str, Any]) -> None:
        """Refuse too few or too many points."""
        points = details.get("points")
        if type(points) is not int or not 2 <= points <= MAX_POINTS:
            raise ValidationError(
                {"points": gettext("Enter a number of points from 2 to %(most)s.") % {"most": MAX_POINTS}}
            )

    def labels(self, options: Sequence[str], details: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the points, the ends with what they mean."""
        ends = {1: details["low_end"], details["points"]: details["high_end"]}
        return tuple(
            gettext("%(point)s (%(meaning)s)") % {"point": point, "meaning": ends[point]}
            if point in ends
            else str(point)
            for point in range(1, details["points"] + 1)
        )

    def values(self, details: Mapping[str, Any]) -> tuple[Fraction, ...]:
        """Return 1, 2, …: points taken as numbers the same distance apart."""
        return tuple(Fraction(point) for point in range(1, details["points"] + 1))
