"""A number, for its mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from surveys.numbers.words import readable, with_unit
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds.checks import checked_number, pair_of
from surveys.questionnaire.kinds.kind import Answers, Detail, Figures, Range, Typed

MAX_STEPS = 1_000_000
_LIMITS = ("low", "high", "step")
# Of numbers in bands too.
UNIT = Detail(
    "unit",
    pgettext_lazy("of a number", "Unit"),
    help_text=_("Such as hours or €. Optional."),
    longest=20,
    may_be_empty=True,
)
EDITOR_PART = "editor/kinds/_number.html"


@dataclass(frozen=True)
class NumberMean(Answers):
    """A number between two ends: it is first rounded at random to one of them, or to a value between them."""

    name = "number_mean"
    label = _("A number, to find the mean")
    short_label = _("Number")
    details = (
        Detail("low", _("Smallest number"), Typed.NUMBER, initial="0"),
        Detail("high", _("Largest number"), Typed.NUMBER, initial="10"),
        Detail(
            "step",
            _("Step"),
            Typed.NUMBER,
            help_text=_("Possible answers start at the smallest number and go up in steps of this size."),
            initial="1",
        ),
        UNIT,
    )
    usual_truth = "3/4"  # 7/10 needs two people more than thirty
    editor_part = EDITOR_PART
    one_of_list = False
    controls = "answering/_question_number_mean.html"
    figures = Figures.MEAN

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    step: Fraction = Fraction(1)

    def suits(self, design: Chance) -> bool:
        """Whether it can be asked with this design: only a device rounds a number at random, unless none is rounded."""
        return (design.for_numbers or not design.tapped) and not design.only_yes_or_no

    def check_details(self, details: Mapping[str, Any]) -> None:
        """Refuse ends that are none, and steps that do not lead from one to the other."""
        low, high, step = (checked_number(name, details.get(name)) for name in _LIMITS)
        if not low < high:
            raise ValidationError({"high": gettext("The largest number must be higher than the smallest.")})
        if not step > 0 or ((high - low) / step).denominator != 1:
            raise ValidationError(
                {"step": gettext("The largest number must be a whole number of steps above the smallest.")}
            )
        if (high - low) / step > MAX_STEPS:
            raise ValidationError(
                {
                    "step": gettext("At most %(most)s steps are allowed. Make the steps larger.")
                    % {"most": f"{MAX_STEPS:,}"}
                }
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The two ends."""
        return tuple(with_unit(readable(end), self.unit) for end in (self.low, self.high))

    @property
    def range(self) -> Range:
        """The numbers that are rounded at random to two ends."""
        return Range(self.low, self.high, self.step, self.unit)

    @property
    def exported(self) -> dict[str, Any]:
        """The ends, the step and the unit."""
        return {**{name: pair_of(getattr(self, name)) for name in _LIMITS}, "unit": self.unit}
