"""Step 2: how to release the chosen questions, for how much or how accurately, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.numbers.words import exact_number
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.joint import GROUPS
from surveys.releases.families.options import DecimalField
from surveys.releases.families.plan import COEFFICIENT, POINTS, Plan, Terms
from surveys.releases.forms.fields import DeltaField, EpsilonField, ReasonField
from surveys.releases.mechanisms import PLANS, all_fields
from surveys.releases.refusals import ReleaseRefused
from surveys.releases.selectors.doors import asked_of
from surveys.releases.services.releasing import check
from surveys.releases.services.request import ReleaseRequest
from surveys.releases.services.wanted import epsilon_for, units_for

UNITS = {
    POINTS: gettext_lazy("percentage points (share of people)"),
    "answers": gettext_lazy("answers, for each count"),
    "people": gettext_lazy("people behind the best choice"),
    "rank": gettext_lazy("people away from the quantile"),
    "number": gettext_lazy("unit of the question"),
    "total": gettext_lazy("total, in the unit of the question"),
    "square": gettext_lazy("unit of the question, squared"),
    "price": gettext_lazy("revenue, in the unit of the question"),
    COEFFICIENT: gettext_lazy("first coefficient: log odds, or unit of the question"),
}


@dataclass(frozen=True, slots=True)
class MechanismChoice:
    """One mechanism for the chosen questions, as releasers meet it: why it may not suit, what else it needs."""

    mechanism: type[Plan]
    why_not: str

    @property
    def name(self) -> str:
        return str(self.mechanism.name)

    @property
    def label(self) -> str:
        return str(self.mechanism.name.label)

    @property
    def needs(self) -> str:
        """What must be typed besides ε, in words."""
        needed = [str(option.needs) for option in self.mechanism.fields if option.needed]
        needs_delta = self.mechanism.uses_delta and not self.mechanism.needs_no_delta
        return _("; ").join([*needed, _("a δ above 0")] if needs_delta else needed)

    @property
    def units(self) -> str:
        """The names of the units in which its accuracy can be wanted, for the script that hides the others."""
        return " ".join(units_for(self.mechanism))

    @property
    def fields(self) -> str:
        """The names of the fields that it reads besides ε, for the same script."""
        names = [option.name for option in self.mechanism.fields]
        return " ".join([*names, *(["delta"] if self.mechanism.uses_delta else [])])


def choices_for(asked: Sequence[AskedQuestion]) -> list[MechanismChoice]:
    """Return every mechanism, each with why it does not suit, or "" where it suits all of these questions."""
    return [MechanismChoice(each, each.unsuitable_together(asked)) for each in PLANS.values()]


class TermsForm(forms.Form):
    """Mechanism, what it needs, an ε or a wanted accuracy, and why."""

    mechanism = forms.ChoiceField(
        label=gettext_lazy("Mechanism"),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose a mechanism."),
            "invalid_choice": gettext_lazy("“%(value)s” is not a mechanism. Choose one from the list."),
        },
    )
    epsilon = EpsilonField(
        label="ε",
        required=False,
        help_text=gettext_lazy(
            "A decimal number such as 0.5. Smaller values protect more but are less accurate. The next page "
            "shows the possible error before anything is charged."
        ),
    )
    wanted = DecimalField(
        label=gettext_lazy("Maximum error (confidence 95%)"),
        required=False,
        help_text=gettext_lazy(
            "Enter an error instead of an ε, and we find the smallest ε that keeps the noise within this "
            "error. For a coefficient, this error is the expected margin of error, coins and sampling included "
            "(0.69 in log odds is a factor of 2)."
        ),
    )
    unit = forms.ChoiceField(
        label=gettext_lazy("Unit"),
        required=False,
        choices=list(UNITS.items()),
        error_messages={
            "invalid_choice": gettext_lazy("Accuracy is not measured in “%(value)s”. Choose a unit from the list.")
        },
    )
    delta = DeltaField(
        label="δ",
        required=False,
        help_text=gettext_lazy(
            "Only for mechanisms that need a δ. The δ should be less than 1 divided by the square of the "
            "number of answers."
        ),
    )
    reason = ReasonField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The ledger keeps the reason permanently, with your name and the date."),
        error_messages={"required": gettext_lazy("Enter a reason. The ledger keeps it permanently.")},
    )
    request: ReleaseRequest
    terms: Terms

    def __init__(self, *args: Any, survey: Survey, questions: Sequence[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey, self.questions = survey, list(questions)
        self.asked = asked_of(definition_of(survey), self.questions)
        mechanism = cast("forms.ChoiceField", self.fields["mechanism"])
        # All of them, so that one that does not suit is refused with its own reason.
        mechanism.choices = [(choice.name, choice.label) for choice in self.mechanisms]
        self.fields |= {option.name: option.field(self.asked) for option in all_fields()}
        self.order_fields(["mechanism", *(option.name for option in all_fields())])
        if self.suitable:
            self.initial.setdefault("mechanism", self.suitable[0].name)

    @classmethod
    def names(cls) -> list[str]:
        return [*cls.base_fields, *(option.name for option in all_fields())]

    @cached_property
    def mechanisms(self) -> list[MechanismChoice]:
        """Every mechanism, each with why it does not suit these questions, if it does not."""
        return choices_for(self.asked)

    @property
    def suitable(self) -> list[MechanismChoice]:
        return [choice for choice in self.mechanisms if not choice.why_not]

    @property
    def usual(self) -> list[MechanismChoice]:
        """The first of those that suit, and what else most releases need."""
        return [choice for choice in self.suitable if choice == self.suitable[0] or choice.mechanism.in_words]

    @property
    def further(self) -> list[MechanismChoice]:
        return [choice for choice in self.suitable if choice not in self.usual]

    @property
    def is_further_chosen(self) -> bool:
        return self["mechanism"].value() in {choice.name for choice in self.further}

    @property
    def unsuitable(self) -> list[MechanismChoice]:
        return [choice for choice in self.mechanisms if choice.why_not]

    @property
    def options_used(self) -> list[str]:
        """The fields besides ε that some suitable mechanism reads."""
        used = {name for choice in self.suitable for name in choice.fields.split()}
        if not self.survey.groups.exists():
            used.discard(GROUPS.name)
        return sorted(used, key=list(self.fields).index)

    def clean(self) -> dict[str, Any]:
        """Find out what a release on these terms would be refused for, beside the field that it is about."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("mechanism"):
            self._check_options(cleaned["mechanism"])
        self._check_amount()
        if not self.errors:
            try:
                request = self._asked_for()
                cleaned["epsilon"] = cleaned["epsilon"] or epsilon_for(
                    request, cleaned["wanted"], cleaned["unit"] or POINTS
                )
                self.request = replace(request, epsilon=cleaned["epsilon"])
                self.terms = check(self.request)
            except ReleaseRefused as refused:
                self._add_refusal(refused.field, str(refused))
        return cleaned

    def _check_options(self, name: str) -> None:
        chosen = next(choice for choice in self.mechanisms if choice.name == name)
        self.options: dict[str, Any] = {}
        if chosen.why_not:
            self.add_error("mechanism", chosen.why_not)
            return
        for option in chosen.mechanism.fields:
            given = self.cleaned_data.get(option.name) not in {None, ""}
            if option.needed and option.name not in self.errors and not given:
                self.add_error(
                    option.name, _("Fill in this field. “%(mechanism)s” needs it.") % {"mechanism": chosen.label}
                )
            if option.needed or given:
                self.options[option.name] = self.cleaned_data.get(option.name)

    def _check_amount(self) -> None:
        if {"epsilon", "wanted"} & set(self.errors):
            return
        epsilon, wanted = self.cleaned_data.get("epsilon"), self.cleaned_data.get("wanted")
        if epsilon is not None and wanted is not None:
            self.add_error("epsilon", _("Enter an ε or a maximum error, not both."))
        elif epsilon is None and wanted is None:
            self.add_error("epsilon", _("Enter an ε, or a maximum error below."))
        elif wanted is not None and not wanted > 0:
            self.add_error("wanted", _("Enter a maximum error above 0."))

    def _asked_for(self) -> ReleaseRequest:
        return ReleaseRequest(
            survey=self.survey,
            questions=self.questions,
            mechanism=self.cleaned_data["mechanism"],
            delta=self.cleaned_data["delta"],
            options={
                name: str(value) if isinstance(value, Fraction) else value for name, value in self.options.items()
            },
            reason=self.cleaned_data["reason"],
        )

    def _add_refusal(self, field: str | None, message: str) -> None:
        """Say it beside the field that it is about; what an accuracy costs is about the accuracy."""
        needed = self.cleaned_data.get("epsilon")
        if field == "epsilon" and needed and self.cleaned_data.get("wanted"):
            field = "accuracy"
            message = _("This accuracy needs ε = %(epsilon)s. %(refused)s") % {
                "epsilon": exact_number(needed),
                "refused": message,
            }
        field = "wanted" if field == "accuracy" else field
        self.add_error(field if field in self.fields else None, message)
