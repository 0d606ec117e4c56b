"""Step 1: an opened survey that has a budget, and one or several of its questions."""

from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.common.selectors import definition_of
from surveys.common.totals import all_in_figures
from surveys.models import Survey
from surveys.numbers.words import exact_number, whole_number
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.selectors.doors import (
    Look,
    answer_count,
    asked_of,
    look_now,
    releasable_surveys,
    why_suppressed,
)
from surveys.releases.services.request import too_few_answers


class _Surveys(forms.ModelChoiceField):  # type: ignore[type-arg]  # no parameters at run time
    def label_from_instance(self, survey: Survey) -> str:
        """Return its title, where it stands, and what is left of its budget."""
        return _("%(survey)s, %(state)s: ε = %(left)s of %(total)s remaining") % {
            "survey": survey,
            "state": survey.get_state_display(),
            "left": exact_number(survey.budget.remaining_epsilon),
            "total": exact_number(survey.budget.total_epsilon),
        }


class SurveyChoiceForm(forms.Form):
    """The survey alone, `among` those that somebody may release from; its questions are shown next."""

    survey = _Surveys(
        label=gettext_lazy("Survey"),
        queryset=Survey.objects.none(),
        empty_label=gettext_lazy("Choose a survey"),
        help_text=gettext_lazy(
            "The list shows surveys that have been opened, have a budget and are not sealed. Next to "
            "each is its remaining budget."
        ),
        error_messages={
            "required": gettext_lazy("Choose a survey."),
            "invalid_choice": gettext_lazy(
                "Choose another survey. This one is a draft or sealed, has no budget, or does not exist."
            ),
        },
    )

    def __init__(self, *args: Any, among: QuerySet[Survey] | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = releasable_surveys()
        if among is not None:
            offered = offered.filter(pk__in=among)
        self.surveys.queryset = offered

    @property
    def surveys(self) -> "forms.ModelChoiceField[Survey]":
        return cast("forms.ModelChoiceField[Survey]", self.fields["survey"])


def _label(survey: Survey, asked: AskedQuestion, look: Look) -> str:
    """Return what was asked, how, and how many answers there are, where that may be shown."""
    notes = [str(asked.answers.label)]
    if not why_suppressed((asked,), look):
        n = answer_count(survey, (asked,))
        notes.append(ngettext("%(n)s answer", "%(n)s answers", n) % {"n": whole_number(n)})
    # The same may be asked with the same words in several arms.
    arms = definition_of(survey).arm_names(asked)
    text = f"{asked.text} · {arms}" if arms else asked.text
    return format_html('<span lang="{}" dir="auto">{}</span> ({})', survey.language, text, ", ".join(notes))


class QuestionsForm(SurveyChoiceForm):
    questions = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Questions"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Several questions are released together with one mechanism. Its ε is split evenly among the "
            "questions, unless the mechanism counts them jointly."
        ),
        error_messages={
            "required": gettext_lazy("Choose at least one question."),
            "invalid_choice": gettext_lazy("This question does not belong to the survey. Choose another one."),
        },
    )

    def __init__(self, *args: Any, survey: Survey | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if survey is not None:
            field = cast("forms.TypedMultipleChoiceField", self.fields["questions"])
            definition = definition_of(survey)
            look = look_now(survey, definition)
            field.choices = [(asked.number, _label(survey, asked, look)) for asked in definition.questions]
            if not all_in_figures(survey):
                field.help_text = format_lazy(
                    "{} {}",
                    field.help_text,
                    _("Until the survey closes, answers are counted in batches, as on the results pages."),
                )

    def clean_questions(self) -> list[int]:
        """Refuse, by name, a question of which nothing may be shown, or that has too few answers for that."""
        questions = sorted(self.cleaned_data["questions"])
        survey = self.cleaned_data.get("survey")
        if survey is not None:
            definition = definition_of(survey)
            look = look_now(survey, definition)
            for asked in asked_of(definition, questions):
                if why := why_suppressed((asked,), look):
                    raise forms.ValidationError(why, code="suppressed")
                n = answer_count(survey, (asked,))
                if n < definition.minimum_n:
                    few = too_few_answers(survey, n, definition.minimum_n)
                    raise forms.ValidationError(f"“{asked.text}”: {few}", code="too_few")
        return questions
