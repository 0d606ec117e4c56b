"""One question of the editor: what is asked, and how chance is added."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from surveys.forms.fields import ProbabilityField, SharesField, written
from surveys.models import Kind, LeaveOut, Question
from surveys.models.survey import DesignName, parameter
from surveys.services.surveys import QuestionDraft

# Nine fields a question and sixteen others stay below the 200 fields that a request may carry.
MAX_QUESTIONS = 20

_HALF = Fraction(1, 2)
_COLUMNS = ("kind", "text", "options", "design", "parameters", "leave_out")
_DESIGNS = (
    (DesignName.FORCED_RESPONSE, "Two coins (forced response)"),
    (DesignName.WARNER, "Statement or its opposite (Warner)"),
    (DesignName.K_ARY, "Coin, then spinner (k-ary)"),
)
_LEAVE_OUT = (
    (LeaveOut.VISIBLY, "Visible: stored as missing"),
    (LeaveOut.PROTECTED, "Protected: one more answer"),
    (LeaveOut.NO, "Not possible"),
)


class QuestionForm(forms.Form):
    """A question as it is typed; `question` is the unsaved row once all but the text is in order."""

    question: Question | None = None

    kind = forms.ChoiceField(label="Kind of answer", choices=Kind.choices, initial=Kind.YES_NO)
    text = forms.CharField(
        label="Question",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Write the question, or remove it."},
    )
    options = forms.CharField(
        label="Options",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For one of several options: one a line.",
    )
    design = forms.ChoiceField(label="How chance is added", choices=_DESIGNS, initial=DesignName.FORCED_RESPONSE)
    truth = ProbabilityField(
        label="Coin",
        initial="1/2",
        help_text="The probability that the question itself is asked: 1/2 is a fair coin. Also 3/4 or 0.75.",
        error_messages={"required": "Coin: write a probability, such as 1/2."},
    )
    chance = SharesField(
        label="Second coin or spinner",
        required=False,
        help_text="Empty is fair. Else the second coin’s probability of Yes, or the spinner’s shares: 1/2, 1/4, 1/4.",
    )
    leave_out = forms.ChoiceField(label="Leaving it out", choices=_LEAVE_OUT, initial=LeaveOut.VISIBLY)

    def clean(self) -> dict[str, Any]:
        """Hold the question against the rules of the model, and put what they refuse beside the field it came from."""
        cleaned = super().clean() or {}
        if self.errors.keys() - {"text"}:
            return cleaned
        cleaned["options"] = _lines(cleaned["options"]) if cleaned["kind"] == Kind.ONE_OF else []
        try:
            question = Question(kind=cleaned["kind"], options=cleaned["options"], leave_out=cleaned["leave_out"])
            question.text, question.design = cleaned.get("text", ""), cleaned["design"]
            question.parameters = cleaned["parameters"] = _parameters(cleaned, len(question.labels))
            # The constraints only repeat the choices, each with a query; the service checks them when it stores.
            question.full_clean(
                exclude={"survey", "position", "text"}, validate_unique=False, validate_constraints=False
            )
        except ValidationError as error:
            for name, messages in error.message_dict.items():
                for message in messages:
                    self.add_error("truth" if name == "parameters" else name, message)
            return cleaned
        self.question = question
        return cleaned

    @property
    def removed(self) -> bool:
        """Whether the author wants this question gone."""
        return bool(self["DELETE"].value())

    def draft(self) -> QuestionDraft:
        """Return the question as the service takes it."""
        return QuestionDraft(**{name: self.cleaned_data[name] for name in _COLUMNS})


if TYPE_CHECKING:
    _FormSet = forms.BaseFormSet[QuestionForm]  # generic for the type checker only
else:
    _FormSet = forms.BaseFormSet


class _Questions(_FormSet):
    """The questions of one survey, in the order of their positions."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Validate every row: an empty one is told so instead of vanishing."""
        return {**super().get_form_kwargs(index), "empty_permitted": False}

    def add_fields(self, form: QuestionForm, index: int | None) -> None:
        """Give new rows a position too."""
        super().add_fields(form, index)
        position = form.fields["ORDER"]
        position.label = "Position"
        position.initial = index + 1 if index is not None else None
        form.fields["DELETE"].label = "Remove this question"


QuestionFormSet = forms.formset_factory(
    QuestionForm,
    formset=_Questions,
    extra=0,
    can_order=True,
    can_delete=True,
    max_num=MAX_QUESTIONS,
    validate_max=True,
    absolute_max=MAX_QUESTIONS,
)


def typed_of(question: Question) -> dict[str, str]:
    """Return a stored question as it was typed."""
    stored = question.parameters
    chance = [stored["yes"]] if "yes" in stored else stored.get("weights", [])
    if chance == [[1, 2]]:
        chance = []
    return {
        "kind": question.kind,
        "text": question.text,
        "options": "\n".join(question.options),
        "design": question.design,
        "truth": written(stored.get("truth") or stored["p"]),
        "chance": ", ".join(written(share) for share in chance),
        "leave_out": question.leave_out,
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _parameters(cleaned: Mapping[str, Any], answers: int) -> dict[str, Any]:
    """Return the design's parameters as they are stored; raises ValidationError naming the form's field."""
    truth, chance = cleaned["truth"], cleaned["chance"]
    match cleaned["design"]:
        case DesignName.WARNER:
            if truth == _HALF:
                raise ValidationError(
                    {"truth": "Coin: with 1/2 the reports tell nothing. Choose another, such as 3/4."}
                )
            return {"p": parameter(truth)}
        case DesignName.FORCED_RESPONSE:
            if len(chance) > 1:
                raise ValidationError({"chance": "Second coin: give one probability, that of Yes."})
            return {"truth": parameter(truth), "yes": parameter(chance[0] if chance else _HALF)}
        case _:
            if chance and len(chance) != answers:
                raise ValidationError(
                    {"chance": f"Spinner: give one share for each of {answers} answers, not {len(chance)}, or none."}
                )
            if chance and sum(chance) != 1:
                raise ValidationError({"chance": f"Spinner: the shares must sum to 1; these sum to {sum(chance)}."})
            shares = {"weights": [parameter(share) for share in chance]} if chance else {}
            return {"truth": parameter(truth), **shares}
