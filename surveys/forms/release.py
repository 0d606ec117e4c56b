"""What releasers type: budgets, the terms of a release, and the confirmation of terms that have been shown."""

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, cast
from uuid import UUID, uuid4

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.utils.formats import sanitize_separators
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Budget, Mechanism, Question
from surveys.selectors.release_terms import Terms
from surveys.selectors.releases import releasable_questions
from surveys.services import releasing

SHOWN_FOR_SECONDS = 30 * 60
_SALT = "surveys.release-terms"
_DECIMAL = re.compile(r"\d{1,6}(\.\d{1,30})?", re.ASCII)


class EpsilonField(forms.CharField):
    """A central ε typed as a decimal; cleans to an exact Fraction, a whole number of millionths."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"inputmode": "decimal", "size": 12}), **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction; no float is made on the way."""
        typed = super().clean(value)
        # Where people write 0,5 they may; 0.5 is understood everywhere.
        plain = sanitize_separators(typed)
        if not _DECIMAL.fullmatch(plain):
            raise forms.ValidationError(
                _("“%(typed)s” is not an ε. Write a decimal number above 0, such as 0.5.") % {"typed": typed}
            )
        number = Fraction(plain)
        try:
            releasing.micro_epsilon(number)
        except releasing.InvalidEpsilon as error:
            raise forms.ValidationError(str(error)) from None
        return number


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at run time
    """A survey's total ε."""

    total_epsilon = EpsilonField(
        label=gettext_lazy("Total ε"),
        help_text=gettext_lazy(
            "All releases of this survey together cost this much at most. A decimal number such as 1 or 0.75."
        ),
    )

    class Meta:
        """`spent` is not a field: only releases change it."""

        model = Budget
        fields = ("survey",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["total_epsilon"] = releasing.written(self.instance.total_epsilon)

    def clean_total_epsilon(self) -> Fraction:
        """Refuse a total below what is spent, with the budget locked until it is saved."""
        total: Fraction = self.cleaned_data["total_epsilon"]
        if self.instance.pk:
            spent = Budget.objects.select_for_update().get(pk=self.instance.pk).spent_epsilon
            if total < spent:
                raise forms.ValidationError(str(releasing.BudgetBelowSpent(spent)))
        return total


def _by_survey(questions: Iterable[Question]) -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Return choices grouped by survey, each group with what its budget has left."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for question in questions:
        left = releasing.written(question.survey.budget.remaining_epsilon)
        name = _("%(survey)s – ε = %(left)s left") % {"survey": question.survey, "left": left}
        groups.setdefault(name, []).append((str(question.pk), question.text))
    return [("", _("Choose a question")), *groups.items()]


class TermsForm(forms.Form):
    """Step 1: what to release, how, and for how much."""

    question = forms.ModelChoiceField(
        label=gettext_lazy("Question"),
        queryset=Question.objects.none(),
        help_text=gettext_lazy("Opened surveys that have a budget, and what is left of it."),
    )
    mechanism = forms.ChoiceField(label=gettext_lazy("Mechanism"), choices=Mechanism.choices)
    epsilon = EpsilonField(
        label="ε",
        help_text=gettext_lazy(
            "A decimal number such as 0.5. Smaller protects more and says less; "
            "the next page shows how far off the result may be, before anything is charged."
        ),
    )
    terms: Terms

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        question = cast("forms.ModelChoiceField[Question]", self.fields["question"])
        question.queryset = releasable_questions()
        question.choices = _by_survey(question.queryset)

    def clean(self) -> dict[str, Any]:
        """Find out what a release on these terms would be refused for, beside the field that it is about."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not self.errors:
            question = cleaned["question"]
            try:
                self.terms = releasing.check(
                    survey=question.survey,
                    question=question,
                    mechanism=cleaned["mechanism"],
                    epsilon=cleaned["epsilon"],
                )
            except releasing.Refused as refused:
                self.add_error(refused.field, str(refused))
        return cleaned

    def signed_for(self, user: User) -> str:
        """Return these terms with a new request key, so that nobody can confirm other terms than were shown."""
        terms = {
            "question": self.cleaned_data["question"].pk,
            "mechanism": self.cleaned_data["mechanism"],
            "epsilon": str(self.cleaned_data["epsilon"]),
            "user": user.pk,
            "request_key": str(uuid4()),
        }
        return signing.dumps(terms, salt=_SALT)


class ConfirmForm(forms.Form):
    """Step 2: exactly the terms that were shown, by the person to whom they were shown, not long ago."""

    terms = forms.CharField(widget=forms.HiddenInput, max_length=1000)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_terms(self) -> dict[str, Any]:
        """Return what `releasing.release` takes."""
        try:
            shown = signing.loads(self.cleaned_data["terms"], salt=_SALT, max_age=SHOWN_FOR_SECONDS)
        except signing.SignatureExpired:
            raise forms.ValidationError(
                _("These terms were shown more than %(minutes)s minutes ago. Look at them again.")
                % {"minutes": SHOWN_FOR_SECONDS // 60}
            ) from None
        except signing.BadSignature:
            raise forms.ValidationError(_("These are not the terms that were shown. Begin again.")) from None
        if shown["user"] != self.user.pk:
            raise forms.ValidationError(_("These terms were shown to somebody else. Begin again."))
        question = Question.objects.select_related("survey").get(pk=shown["question"])
        return {
            "user": self.user,
            "survey": question.survey,
            "question": question,
            "mechanism": shown["mechanism"],
            "epsilon": Fraction(shown["epsilon"]),
            "request_key": UUID(shown["request_key"]),
        }
