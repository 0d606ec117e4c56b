"""The editor: a survey's own fields and its questions, read, checked and shown as one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.forms.dial import Dial, NoDial, total_epsilon, typed_dial
from surveys.forms.fields import named_message
from surveys.forms.question import MAX_QUESTIONS, QuestionForm, QuestionFormSet
from surveys.forms.stored import typed_of
from surveys.models import Survey
from surveys.services.surveys import QuestionDraft

USUAL_CLASS_SIZE = 30
_PREFIX = "questions"
_WHEN = "%Y-%m-%dT%H:%M"


if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Survey]  # generic for the type checker only
else:
    _ModelForm = forms.ModelForm


class SurveyForm(_ModelForm):
    """Everything about a survey but its questions; the class size is for planning and is not stored."""

    class_size = forms.IntegerField(
        label=gettext_lazy("How many answers do you expect?"),
        min_value=1,
        max_value=10_000_000,
        initial=USUAL_CLASS_SIZE,
        help_text=gettext_lazy(
            "For planning only: it is not stored. The expected precision below is for this many answers."
        ),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the respondents’ pages"),
        choices=settings.LANGUAGES,
        initial=settings.LANGUAGE_CODE,
        help_text=gettext_lazy("For all that the pages say themselves; what you write stays as it is."),
    )

    class Meta:
        """Columns an author may write."""

        model = Survey
        fields = (
            "title",
            "introduction",
            "consent",
            "support",
            "language",
            "minimum_n",
            "response_cap",
            "opens_at",
            "closes_at",
            "by_invitation",
            "server_mode_allowed",
        )
        widgets: ClassVar = {
            "introduction": forms.Textarea(attrs={"rows": 3}),
            "consent": forms.Textarea(attrs={"rows": 3}),
            "support": forms.Textarea(attrs={"rows": 2}),
            "opens_at": forms.DateTimeInput(format=_WHEN, attrs={"type": "datetime-local"}),
            "closes_at": forms.DateTimeInput(format=_WHEN, attrs={"type": "datetime-local"}),
        }
        error_messages: ClassVar = {"title": {"required": gettext_lazy("Write a title.")}}
        labels: ClassVar = {
            "opens_at": gettext_lazy("Opens (UTC)"),
            "closes_at": gettext_lazy("Closes (UTC)"),
        }
        help_texts: ClassVar = {
            "introduction": gettext_lazy("What it is about and why you ask. Respondents see it first."),
            "consent": gettext_lazy("Anything they should agree to before they answer."),
        }

    def columns(self) -> dict[str, Any]:
        """Return what the service stores."""
        return {name: self.cleaned_data[name] for name in self._meta.fields or ()}


@dataclass(frozen=True, slots=True)
class Row:
    """One question of the editor: its form and its numbers."""

    number: int
    form: QuestionForm
    dial: Dial | NoDial


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of the error summary: what is wrong, and the field to go to."""

    field_id: str
    message: str


class SurveyEditor:
    """Both forms together.

    Bound, it validates and hands over drafts. Otherwise it shows what is stored, or what has been typed so far without
    complaining about it: that is how rows are added and numbers worked out again without JavaScript.
    """

    def __init__(self, survey: SurveyForm, questions: Any) -> None:  # noqa: ANN401 - formset_factory's class has no name
        self.survey = survey
        self.questions = questions

    @classmethod
    def stored(cls, survey: Survey | None) -> "SurveyEditor":
        """Show what is in the database; a new survey begins with one empty question."""
        rows: list[dict[str, Any]] = [dict(typed_of(question)) for question in survey.questions.all()] if survey else []
        return cls(SurveyForm(instance=survey), _unbound(rows or [{}]))

    @classmethod
    def posted(cls, data: QueryDict, survey: Survey | None) -> "SurveyEditor":
        """Take what was sent, to be validated."""
        return cls(SurveyForm(data, instance=survey), QuestionFormSet(data, prefix=_PREFIX))

    def typed(self, *, add: bool) -> "SurveyEditor":
        """Return an editor that shows what was sent as it was typed, with one more question if wished."""
        rows = [_raw(form) for form in self.questions.forms]
        if add and len(rows) < MAX_QUESTIONS:
            rows.append({"ORDER": str(len(rows) + 1)})
        return SurveyEditor(SurveyForm(instance=self.survey.instance, initial=_raw(self.survey)), _unbound(rows))

    def is_valid(self) -> bool:
        """Validate both, so that all problems are told at once."""
        return all([self.survey.is_valid(), self.questions.is_valid()])

    def drafts(self) -> list[QuestionDraft]:
        """Return the questions to be stored, by position."""
        return [form.draft() for form in self.questions.ordered_forms]

    def blame(self, error: ValidationError) -> None:
        """Put what a service refused beside the field it names, or above all fields."""
        by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
        for field, messages in by_field.items():
            for message in messages:
                self.survey.add_error(field if field in self.survey.fields else None, message)

    @property
    def class_size(self) -> int:
        """The number of answers to plan for; the usual one while what is typed is none."""
        try:
            return int(self.survey.fields["class_size"].clean(self.survey["class_size"].value()))
        except ValidationError:
            return USUAL_CLASS_SIZE

    @cached_property
    def rows(self) -> list[Row]:
        """Return the questions with their numbers."""
        size = self.class_size
        return [
            Row(number, form, typed_dial(_raw(form), class_size=size))
            for number, form in enumerate(self.questions.forms, start=1)
        ]

    @property
    def epsilon(self) -> float | None:
        """The total of the rows that stay."""
        return total_epsilon([row.dial for row in self.rows if not row.form.removed])

    @property
    def proves(self) -> bool:
        """Whether a report can prove an answer: the total is infinite."""
        return self.epsilon == math.inf

    def problems(self) -> list[Problem]:
        """Return everything wrong, in the order of the page."""
        found = _problems(self.survey, first_field="id_title")
        for row, form in enumerate(self.questions.forms, start=1):
            if not form.removed:
                found += [
                    Problem(problem.field_id, _in_question(row, problem.message))
                    for problem in _problems(form, first_field=form["text"].id_for_label)
                ]
        return found + [Problem("questions", message) for message in self.questions.non_form_errors()]


def _unbound(rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - formset_factory's class has no name
    return QuestionFormSet(
        prefix=_PREFIX, initial=[{"ORDER": number, **row} for number, row in enumerate(rows, start=1)]
    )


def _raw(form: forms.BaseForm) -> dict[str, Any]:
    """Return every field as it is typed or, in an unbound form, as it is shown."""
    values: Mapping[str, Any] = {name: form[name].value() for name in form.fields}
    return dict(values)


def _problems(form: forms.BaseForm, *, first_field: str) -> list[Problem]:
    return [
        Problem(
            form[name].id_for_label if name in form.fields else first_field, named_message(form, name, str(message))
        )
        for name, messages in form.errors.items()
        for message in messages
    ]


def _in_question(number: int, message: str) -> str:
    return _("Question %(number)s: %(message)s") % {"number": number, "message": message}
