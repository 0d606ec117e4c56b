"""Between a question as it is typed in the editor and as it is stored: its details and its design's parameters."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.caches import cached
from surveys.common.forms import (
    NumberField,
    NumbersField,
    ProbabilityField,
    SharesField,
    nothing_to_chance,
    typed_probability,
)
from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.editor.figures import dial_of
from surveys.numbers.words import readable
from surveys.privacy.designs import probability_of
from surveys.privacy.designs.grid import USUAL_GRID, USUAL_WINDOW
from surveys.privacy.designs.scrambling import USUAL_FACTORS, USUAL_VALUES
from surveys.privacy.rationals import exact
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.designs import INNOCUOUS_LENGTH
from surveys.questionnaire.kinds import Detail, LeaveOut, Typed, all_details, details_of, named, pair_of
from surveys.questionnaire.question import LARGEST_EPSILON, QUESTION_FIELDS, Question
from surveys.questionnaire.texts import check_line

# A box to tick for an answer to an earlier question: 2.1 is the first answer to question 2.
BOX = r"[1-9]\d?\.[1-9]\d?"
_ALWAYS = frozenset({"kind", "text", "design", "leave_out", "arms", "quantity", "asked_if"})


def needed_fields(kind: str, design: str) -> frozenset[str]:
    """Return the names of the fields that matter for this kind and this design."""
    ordered = frozenset({"random_order"} if named(kind).takes_options else ())
    return _ALWAYS | ordered | named(kind).field_names | {*details_of(kind, design)} | designs.named(design).fields


def details_typed(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details as they are stored; what is missing is omitted, for the model to name it."""
    details: dict[str, Any] = {}
    typed = _typed_as()
    # In one order: what is stored is exported, and a set has another order in every process.
    for name in sorted(details_of(cleaned["kind"], cleaned["design"])):
        value = cleaned[name]
        match typed.get(name):
            case Typed.NUMBERS:
                details[name] = [pair_of(number) for number in value]
            case Typed.NUMBER if value is None:
                pass
            case Typed.NUMBER:
                details[name] = pair_of(value)
            case _:
                details[name] = value
    return details


def typed_of(question: Question) -> dict[str, str]:
    """Return a stored question as it was typed."""
    typed = {name: getattr(question, name) for name in ("kind", "text", "design", "leave_out")}
    typed |= {"options": "\n".join(question.options), "accepts_infinite": "on" if question.accepts_infinite else ""}
    answers = question.asked_if.get("answers", ())
    typed["asked_if"] = ", ".join(f"{question.asked_if['question']}.{code + 1}" for code in answers)
    typed["random_order"] = "on" if question.random_order else ""
    typed |= {"arms": ", ".join(map(str, question.arms)), "quantity": str(question.quantity or "")}
    typed_as = _typed_as()
    for name, value in question.details.items():
        match typed_as.get(name):
            case Typed.NUMBERS:
                typed[name] = ", ".join(readable(Fraction(*number)) for number in value)
            case Typed.NUMBER:
                typed[name] = readable(Fraction(*value))
            case _:
                typed[name] = str(value)
    shares = question.chance.shares(question.parameters)
    return typed | {name: ", ".join(map(typed_probability, pairs)) for name, pairs in shares.items()}


def _typed_as() -> dict[str, Typed]:
    return {detail.name: detail.typed for detail in all_details()}


# Choosing a question's probability by the ε that it shall have.


SMALLEST_EPSILON = Fraction(1, 20)
# With it every design that a device carries out is in order, whatever stands in the field.
_SOME_PROBABILITY = "3/4"


def truth_at(typed: Mapping[str, str], wished: str) -> str:
    """Return what to write into the field of the coin so that the question's ε is the wished one, or just below it.

    Of several options the wished ε is that of all together. Raises ValidationError in words for the survey owner where
    there is no such probability.
    """
    design = designs.find(typed.get("design"))
    if design and not design.protects:
        raise ValidationError(_("This design doesn’t randomize answers, so there is no ε to choose."))
    if design and design.in_the_head:
        raise ValidationError(
            _(
                "This design randomizes with a fact about people. To get this ε, choose a fact that is "
                "true of a different share of people."
            )
        )
    if design and design.always_proves:
        raise ValidationError(
            _("With this design, ε is infinite whatever the probability. Choose another design to set ε.")
        )
    epsilon = _epsilon(wished)
    form = QuestionForm({**typed, "text": "?", "truth": _SOME_PROBABILITY})
    if not form.is_valid() or form.question is None:
        raise ValidationError(_("Complete the question first. Enter its answers and its second coin or spinner."))
    asked = dial_of(form.question, class_size=1).question
    return str(_probability(asked, epsilon / len(asked.losses)))


def _epsilon(wished: str) -> Fraction:
    try:
        epsilon = exact(wished.strip().replace(",", "."), "epsilon")
    except ValueError:
        raise ValidationError(_("Enter ε as a number, such as 1 or 0.7.")) from None
    if not epsilon >= SMALLEST_EPSILON:
        raise ValidationError(_("Enter an ε of at least %(least)s.") % {"least": float(SMALLEST_EPSILON)})
    return epsilon


def _probability(asked: AskedQuestion, epsilon: Fraction) -> Fraction:
    if not SMALLEST_EPSILON / 20 <= epsilon <= LARGEST_EPSILON:
        raise ValidationError(
            _("Enter at most %(most)s for the ε of one answer. Above that, a report practically reveals the answer.")
            % {"most": LARGEST_EPSILON}
        )
    family, stored = asked.chance.matrices, asked.design
    others: dict[str, Any] = {name: value for name, value in stored.exact_parameters if name != family.turned_by}
    design = asked.answers.at_epsilon(family, epsilon, asked.answer_count, **others)
    turned_by = probability_of(design)
    if turned_by is None or not math.isfinite(design.epsilon):
        raise ValidationError(
            _("No probability that a device can use gives this ε with this design. Choose another ε or design.")
        )
    return turned_by[1]


# One question of the editor: what is asked, and how it is randomized.


_LEAVE_OUT = (
    (LeaveOut.VISIBLY, gettext_lazy("Visible: stored as skipped")),
    (LeaveOut.PROTECTED, gettext_lazy("Protected: an extra answer")),
    (LeaveOut.NO, gettext_lazy("Not possible")),
)

_FIELDS: dict[Typed, type[forms.Field]] = {
    Typed.WHOLE: forms.IntegerField,
    Typed.NUMBER: NumberField,
    Typed.NUMBERS: NumbersField,
}


def _text(
    label: Any,  # noqa: ANN401 - lazy strings
    length: int,
    help_text: Any = "",  # noqa: ANN401
    rows: int = 1,
    initial: Any = "",  # noqa: ANN401
) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows}) if rows > 1 else forms.TextInput()
    return forms.CharField(
        label=label, required=False, max_length=length, help_text=help_text, widget=widget, initial=initial
    )


def _field_of(detail: Detail) -> forms.Field:
    """Return the field in which a survey owner types a detail of a kind; the model judges what is typed."""
    if detail.typed is Typed.LINE:
        return _text(detail.label, detail.longest, detail.help_text, initial=detail.initial)
    made: Callable[..., forms.Field] = _FIELDS[detail.typed]
    return made(label=detail.label, required=False, initial=detail.initial or None, help_text=detail.help_text)


def _acceptance_words() -> SafeString:
    """Say what is accepted with each design whose reports may prove something; the script shows the chosen one's."""
    words = ((design.name, design.acceptance_words) for design in designs.every() if design.acceptance)
    return format_html_join(" ", '<span data-needs="{}">{}</span>', words)


class QuestionForm(forms.Form):
    """A question as it is typed; `question` is set once all but the text is in order.

    Every field is always there; what the kind and the design do not need is neither read nor complained about.
    """

    question: Question | None = None

    kind = forms.ChoiceField(
        label=gettext_lazy("Type of answer"),
        choices=kinds.choices,
        initial=kinds.YES_OR_NO.name,
        widget=forms.RadioSelect,
    )
    text = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=500,
        widget=forms.Textarea(
            attrs={"rows": 2, "class": "question-text", "placeholder": gettext_lazy("Enter the question")}
        ),
        error_messages={"required": gettext_lazy("Enter the question, or remove it.")},
    )
    options = forms.CharField(
        label=gettext_lazy("Options"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "One per line, 2 to 20. If respondents can choose several, each option has its own coin."
        ),
    )
    design = forms.ChoiceField(label=gettext_lazy("Design"), choices=designs.choices, initial=designs.USUAL.name)
    truth = ProbabilityField(
        label=gettext_lazy("How often the true answer is kept"),
        required=False,
        certain=Fraction(1),
        initial=kinds.YES_OR_NO.usual_truth,
        help_text=gettext_lazy("A fraction or a decimal, such as 3/4 or 0.75. A fair coin is 1/2."),
    )
    chance = SharesField(
        label=gettext_lazy("Second coin or spinner"),
        required=False,
        help_text=gettext_lazy(
            "Leave empty if fair. Otherwise, enter the second coin’s probability of Yes or the "
            "spinner’s shares, for example 1/2, 1/4, 1/4."
        ),
    )
    grid = forms.IntegerField(
        label=gettext_lazy("Number of values to round to"),
        required=False,
        initial=USUAL_GRID,
        help_text=gettext_lazy("The values are equally spaced and include both ends."),
    )
    window = forms.IntegerField(
        label=gettext_lazy("Window around the true number"),
        required=False,
        initial=USUAL_WINDOW,
        help_text=gettext_lazy("How many numbers are sent more often than the others. A wider window protects more."),
    )
    multiplied = forms.IntegerField(
        label=gettext_lazy("Number of values to multiply"),
        required=False,
        initial=USUAL_VALUES,
        help_text=gettext_lazy(
            "Answers are rounded to this many equally spaced values, including 0 and the largest number."
        ),
    )
    factors = forms.IntegerField(
        label=gettext_lazy("Largest factor"),
        required=False,
        initial=USUAL_FACTORS,
        help_text=gettext_lazy("The phone multiplies by a whole number from 1 to this factor."),
    )
    other_deck = ProbabilityField(
        label=gettext_lazy("Share of Yes in the deck for people whose answer is No"),
        required=False,
        initial="3/10",
        help_text=gettext_lazy(
            "The previous field is for people whose answer is Yes. For example, enter 7/10 there and 3/10 here."
        ),
    )
    innocuous = _text(
        gettext_lazy("Innocuous question"),
        INNOCUOUS_LENGTH,
        gettext_lazy(
            "The answer must be Yes or No. For an unrelated number, the answer must be one of your question’s "
            "numbers. The answer must be one that nobody here knows. The answer must reveal nothing about your "
            "question or about any fact that another question uses."
        ),
        rows=2,
    )
    innocuous_share = ProbabilityField(
        label=gettext_lazy("Share of people whose answer is Yes"),
        required=False,
        help_text=gettext_lazy("The share must be known exactly, for example 1/4."),
    )
    innocuous_shares = SharesField(
        label=gettext_lazy("Share of people with each number"),
        required=False,
        help_text=gettext_lazy(
            "Leave empty if all numbers are equally common, like last digits. Otherwise, enter one share per "
            "number, beginning with the smallest number, for example 1/2, 1/4, 1/4."
        ),
    )
    innocuous_source = _text(
        gettext_lazy("Source of this share"),
        INNOCUOUS_LENGTH,
        gettext_lazy("Respondents see the source, so they can judge the share."),
    )
    selector = _text(
        gettext_lazy("Fact that decides which question is answered"),
        INNOCUOUS_LENGTH,
        gettext_lazy(
            "Enter the fact as a question. People who answer Yes to it then answer your question. The others "
            "answer the innocuous question."
        ),
        rows=2,
    )
    selector_share = ProbabilityField(
        label=gettext_lazy("Share of people for whom the fact is true"),
        required=False,
        help_text=gettext_lazy("The share must be known exactly, for example 7/10."),
    )
    selector_source = _text(gettext_lazy("Source of the fact’s share"), INNOCUOUS_LENGTH)
    accepts_infinite = forms.BooleanField(
        label=gettext_lazy("I accept that a report can prove an answer"),
        required=False,
        help_text=lazy(_acceptance_words, str)(),
    )
    leave_out = forms.ChoiceField(label=gettext_lazy("Skipping"), choices=_LEAVE_OUT, initial=LeaveOut.VISIBLY)
    random_order = forms.BooleanField(
        label=gettext_lazy("Show the options in random order"),
        required=False,
        help_text=gettext_lazy(
            "Each respondent’s phone randomizes the order. Without JavaScript, the order stays as you entered it."
        ),
    )
    # Boxes to tick for the answers to earlier questions.
    asked_if = forms.RegexField(
        rf"\A{BOX}(, {BOX})*\Z",
        label=gettext_lazy("Ask only people who gave these answers"),
        required=False,
        help_text=gettext_lazy(
            "Leave all answers unticked to ask everyone. Otherwise, fewer people will answer than the "
            "precision shown here assumes."
        ),
        error_messages={"invalid": gettext_lazy("Tick answers from the list.")},
    )
    # Boxes to tick where the survey has arms; the service judges whether it has those.
    arms = forms.RegexField(
        r"\A[1-9](, [1-9])*\Z",
        label=gettext_lazy("Asked in arms"),
        required=False,
        error_messages={
            "invalid": gettext_lazy("Choose arms in this survey, each once and in order, or none to use all of them.")
        },
    )
    quantity = forms.IntegerField(
        label=gettext_lazy("Number shared by questions that measure the same thing"),
        required=False,
        min_value=1,
        max_value=MAX_QUESTIONS,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # A form copies them: its own are those of its class with the details of all kinds that there are now.
        self.base_fields = question_fields()  # type: ignore[misc]
        super().__init__(*args, **kwargs)

    def clean_text(self) -> str:
        """Refuse what does not read as it is stored."""
        text: str = self.cleaned_data["text"]
        check_line(text)
        return text

    def clean_arms(self) -> list[int]:
        return [int(number) for number in self.cleaned_data["arms"].split(", ") if number]

    def clean_asked_if(self) -> dict[str, Any]:
        """Return the question that decides and its answers; nothing where everybody is asked."""
        ticked = [typed.split(".") for typed in self.cleaned_data["asked_if"].split(", ") if typed]
        numbers = {int(number) for number, _answer in ticked}
        if len(numbers) > 1:
            raise ValidationError(_("Choose answers to only one question."))
        return (
            {"question": number, "answers": sorted({int(answer) - 1 for _n, answer in ticked})}
            if (number := sum(numbers))
            else {}
        )

    def clean_quantity(self) -> int:
        """Return 0 for a question that is compared with no other."""
        return self.cleaned_data["quantity"] or 0

    def clean(self) -> dict[str, Any]:
        """Hold the question against the rules of the model, and put what they refuse beside the field it came from."""
        cleaned = super().clean() or {}
        if not self.errors.keys() & {"kind", "design"}:
            self._forget_all_but(needed_fields(cleaned["kind"], cleaned["design"]))
            if designs.named(cleaned["design"]).keeps_every_answer(cleaned.get("truth")):
                self.add_error("truth", nothing_to_chance("1"))
        if self.errors.keys() - {"text"}:
            return cleaned
        design = cleaned["design"]
        takes_options = kinds.named(cleaned["kind"]).takes_options
        cleaned["options"] = _lines(cleaned["options"]) if takes_options else []
        cleaned["random_order"] = takes_options and cleaned["random_order"]
        cleaned["accepts_infinite"] = bool(designs.named(design).acceptance) and cleaned["accepts_infinite"]
        cleaned["details"] = details_typed(cleaned)
        try:
            typed = {name: cleaned[name] for name in QUESTION_FIELDS if name not in {"text", "parameters"}}
            question = Question(text=cleaned.get("text", ""), **typed)
            if design in kinds.suitable_designs(question.kind):
                # What is wrong here leaves a question without labels to count.
                question.clean_answers()
                question = replace(question, parameters=question.chance.stored(cleaned, len(question.labels)))
            question.full_clean(exclude=("text", "parameters"))
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
        return needed_fields(kind, design) if kinds.find(kind) and designs.find(design) else frozenset(self.fields)


@cached(1)
def question_fields() -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    for name, field in QuestionForm.base_fields.items():
        fields[name] = field
        if name == "options":
            fields |= {detail.name: _field_of(detail) for detail in kinds.all_details()}
    return fields


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
