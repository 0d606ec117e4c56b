"""One question of the editor: what is asked, and how chance is added."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from surveys.forms.authoring.stored import details_typed, needed
from surveys.forms.fields import NumberField, NumbersField, ProbabilityField, SharesField
from surveys.models import Kind, LeaveOut, Question, designs, kinds
from surveys.models.designs import INNOCUOUS_LENGTH
from surveys.models.kinds import Detail, QuestionKind, Typed
from surveys.models.texts import check_line
from surveys.services.surveys import QuestionDraft

_COLUMNS = ("kind", "text", "options", "details", "design", "parameters", "leave_out", "accepts_infinite")
_LEAVE_OUT = (
    (LeaveOut.VISIBLY, _("Visible: stored as missing")),
    (LeaveOut.PROTECTED, _("Protected: one more answer")),
    (LeaveOut.NO, _("Not possible")),
)

_FIELDS: dict[Typed, type[forms.Field]] = {
    Typed.WHOLE: forms.IntegerField,
    Typed.NUMBER: NumberField,
    Typed.NUMBERS: NumbersField,
}


def _text(label: Any, length: int, help_text: Any = "", rows: int = 1) -> forms.CharField:  # noqa: ANN401 - lazy strings
    widget = forms.Textarea(attrs={"rows": rows}) if rows > 1 else forms.TextInput()
    return forms.CharField(label=label, required=False, max_length=length, help_text=help_text, widget=widget)


def _field_of(detail: Detail) -> forms.Field:
    """Return the field in which an author types a detail of a kind; the model judges what is typed."""
    if detail.typed is Typed.LINE:
        return _text(detail.label, detail.longest, detail.help_text)
    made: Callable[..., forms.Field] = _FIELDS[detail.typed]
    return made(label=detail.label, required=False, initial=detail.initial or None, help_text=detail.help_text)


class QuestionForm(forms.Form):
    """A question as it is typed; `question` is the unsaved row once all but the text is in order.

    Every field is always there; what the kind and the design do not need is neither read nor complained about.
    """

    question: Question | None = None

    kind = forms.ChoiceField(label=_("Kind of answer"), choices=kinds.choices, initial=Kind.YES_NO)
    text = forms.CharField(
        label=_("Question"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Write the question, or remove it.")},
    )
    options = forms.CharField(
        label=_("Options"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One a line, 2 to 20. Of several options each one is asked with a coin of its own."),
    )
    design = forms.ChoiceField(label=_("How chance is added"), choices=designs.choices, initial=designs.USUAL.name)
    truth = ProbabilityField(
        label=_("How often the coin lets the true answer through"),
        required=False,
        initial="1/2",
        help_text=_("A fraction or a decimal: 1/2 is a fair coin. Also 3/4 or 0.75."),
    )
    chance = SharesField(
        label=_("Second coin or spinner"),
        required=False,
        help_text=_(
            "Empty is fair. Else the second coin’s probability of Yes, or the spinner’s shares: 1/2, 1/4, 1/4."
        ),
    )
    innocuous = _text(
        _("Innocuous question"),
        INNOCUOUS_LENGTH,
        _(
            "Answered Yes or No, by people whose answer nobody here knows. It must tell nothing about your question, "
            "nor about the fact of any other question."
        ),
        rows=2,
    )
    innocuous_share = ProbabilityField(
        label=_("Share of people whose answer to it is Yes"), required=False, help_text=_("Known exactly: such as 1/4.")
    )
    innocuous_source = _text(
        _("Where this share is from"), INNOCUOUS_LENGTH, _("Respondents read it, so that they can judge it.")
    )
    selector = _text(
        _("Fact that decides which of the two is answered"),
        INNOCUOUS_LENGTH,
        _("A question too. Whose answer is Yes answers your question, the others the innocuous one."),
        rows=2,
    )
    selector_share = ProbabilityField(
        label=_("Share of people for whom the fact holds"), required=False, help_text=_("Known exactly: such as 7/10.")
    )
    selector_source = _text(_("Where this second share is from"), INNOCUOUS_LENGTH)
    accepts_infinite = forms.BooleanField(
        label=_("I accept that a report can prove an answer"),
        required=False,
        help_text=lazy(designs.acceptance_words, str)(),
    )
    leave_out = forms.ChoiceField(label=_("Leaving it out"), choices=_LEAVE_OUT, initial=LeaveOut.VISIBLY)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # A form copies them: its own are those of its class with the details of all kinds that there are now.
        self.base_fields = question_fields()  # type: ignore[misc]
        super().__init__(*args, **kwargs)

    def clean_text(self) -> str:
        """Refuse what does not read as it is stored."""
        text: str = self.cleaned_data["text"]
        check_line(text)
        return text

    def clean(self) -> dict[str, Any]:
        """Hold the question against the rules of the model, and put what they refuse beside the field it came from."""
        cleaned = super().clean() or {}
        if not self.errors.keys() & {"kind", "design"}:
            self._forget_all_but(needed(cleaned["kind"], cleaned["design"]))
        if self.errors.keys() - {"text"}:
            return cleaned
        design = cleaned["design"]
        cleaned["options"] = _lines(cleaned["options"]) if kinds.named(cleaned["kind"]).takes_options else []
        cleaned["accepts_infinite"] = designs.named(design).always_proves and cleaned["accepts_infinite"]
        cleaned["details"] = details_typed(cleaned)
        try:
            question = Question(**{name: cleaned[name] for name in _COLUMNS if name not in {"text", "parameters"}})
            question.text = cleaned.get("text", "")
            if design in kinds.suitable_designs(question.kind):
                # What is wrong here leaves a question without labels to count.
                question.traits.check_options(question.options)
                kinds.check_details(question.kind, design, question.details)
                question.parameters = cleaned["parameters"] = question.asked_with.stored(cleaned, len(question.labels))
            # The constraints only repeat the choices, each with a query; the service checks them when it stores.
            question.full_clean(
                exclude={"survey", "position", "text", "parameters"}, validate_unique=False, validate_constraints=False
            )
        except ValidationError as error:
            for name, messages in error.message_dict.items():
                for message in messages:
                    self.add_error(designs.named(design).main_field if name == "parameters" else name, message)
            return cleaned
        self.question = question
        return cleaned

    def _forget_all_but(self, names: frozenset[str]) -> None:
        """Drop what is wrong with fields that this kind and this design do not have: they may not even be seen."""
        for name in self.errors.keys() - names:
            del self.errors[name]

    @property
    def needs(self) -> frozenset[str]:
        """The names of the fields that matter for the kind and the design as typed; all while these are none."""
        kind, design = self["kind"].value(), self["design"].value()
        return needed(kind, design) if kinds.find(kind) and designs.find(design) else frozenset(self.fields)

    def draft(self) -> QuestionDraft:
        """Return the question as the service takes it."""
        return QuestionDraft(**{name: self.cleaned_data[name] for name in _COLUMNS})


def question_fields() -> dict[str, forms.Field]:
    """Return the fields of a question, in their order."""
    return _fields_with(kinds.every())


@lru_cache(maxsize=1)
def _fields_with(_known: tuple[QuestionKind, ...]) -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    for name, field in QuestionForm.base_fields.items():
        fields[name] = field
        if name == "options":
            fields |= {detail.name: _field_of(detail) for detail in kinds.all_details()}
    return fields


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
