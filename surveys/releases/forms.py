"""What releasers type as numbers: decimals, cleaned to exact Fractions without a float on the way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast
from uuid import UUID, uuid4

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.common.selectors import definition_of
from surveys.models import Proposal, Question, Survey
from surveys.models.budget import REASON_LENGTH
from surveys.models.definition import AskedQuestion
from surveys.numbers.words import exact_number
from surveys.releases.families.accuracy import COEFFICIENT, POINTS
from surveys.releases.families.joint import GROUPS
from surveys.releases.families.mechanism import Offer
from surveys.releases.families.options import DecimalField, OptionError
from surveys.releases.figures.wanted import epsilon_for, units_for
from surveys.releases.ledger.services import pico_rho
from surveys.releases.mechanisms import OFFERS, offered_options
from surveys.releases.selectors.doors import answer_count, releasable_questions
from surveys.releases.selectors.terms import Terms
from surveys.releases.services.refusals import (
    NoReason,
    ReleaseRefused,
    TooFewAnswers,
    micro_epsilon,
    pico_delta,
    stated_reason,
)
from surveys.releases.services.releasing import check
from surveys.responses.selectors.tally import all_in_figures


class _AmountField(DecimalField):
    def _checked(self, value: Any, check: Callable[[object], int]) -> Any:  # noqa: ANN401 - Field's signature
        number = super().clean(value)
        if number is not None:
            try:
                check(number)
            except ReleaseRefused as error:
                raise forms.ValidationError(str(error)) from None
        return number


class EpsilonField(_AmountField):
    """A central ε typed as a decimal; cleans to an exact Fraction, a whole number of millionths."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        return self._checked(value, micro_epsilon)

    @property
    def words(self) -> str:
        """What is said of a text that is no such number."""
        return _("“%(typed)s” is not an ε. Write a decimal number above 0, such as 0.5.")


class RhoField(_AmountField):
    """A central ρ typed as a decimal; cleans to an exact Fraction, or to None where nothing is typed."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        return self._checked(value, pico_rho)


class DeltaField(_AmountField):
    """A central δ typed as a decimal; cleans to an exact Fraction, a whole number of trillionths; nothing is 0."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        return self._checked(value, pico_delta) or Fraction(0)

    @property
    def words(self) -> str:
        """What is said of a text that is no such number."""
        return _("“%(typed)s” is not a δ. Write a decimal number such as 0.000001, or 0.")


# Step 1: an opened survey that has a budget, and one or several of its questions.


class _Surveys(forms.ModelChoiceField):  # type: ignore[type-arg]  # no parameters at run time
    def label_from_instance(self, survey: Survey) -> str:
        """Return its title, where it stands, and what is left of its budget."""
        return _("%(survey)s, %(state)s: ε = %(left)s left of %(total)s") % {
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
        help_text=gettext_lazy("Opened surveys that have a budget and are not sealed, and what is left of it."),
        error_messages={
            "required": gettext_lazy("Choose a survey."),
            "invalid_choice": gettext_lazy(
                "This survey cannot be released from: it is a draft or sealed, has no budget, or does not exist."
            ),
        },
    )

    def __init__(self, *args: Any, among: QuerySet[Survey] | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = Survey.objects.filter(pk__in=releasable_questions().order_by().values("survey_id"))
        if among is not None:
            offered = offered.filter(pk__in=among)
        self.surveys.queryset = offered.select_related("budget")

    @property
    def surveys(self) -> "forms.ModelChoiceField[Survey]":
        """The field of the survey."""
        return cast("forms.ModelChoiceField[Survey]", self.fields["survey"])


class _Questions(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # no parameters at run time
    survey: Survey

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Refuse a key that is too large for any question by the same words as one that is none of the survey's."""
        try:
            return super().clean(value)
        except OverflowError:
            raise forms.ValidationError(self.error_messages["invalid_choice"], code="invalid_choice") from None

    def label_from_instance(self, question: Question) -> str:
        """Return what was asked, how, and how many answers there are."""
        asked = asked_of(self.survey, [question])[0]
        n, arms = answer_count(self.survey, asked), definition_of(self.survey).arm_names(asked)
        answers = ngettext("%(n)s answer", "%(n)s answers", n) % {"n": n}
        # The same may be asked with the same words in several arms.
        return format_html(
            '<span lang="{}" dir="auto">{}</span> ({}, {})',
            self.survey.language,
            f"{question.text} · {arms}" if arms else question.text,
            str(question.traits.label),
            answers,
        )


class QuestionsForm(SurveyChoiceForm):
    """The survey and some of its questions."""

    questions = _Questions(
        label=gettext_lazy("Questions"),
        queryset=Question.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Several are released together by one mechanism; its ε is split evenly among them, unless it counts them "
            "together."
        ),
        error_messages={
            "required": gettext_lazy("Choose at least one question."),
            "invalid_choice": gettext_lazy("This question does not belong to the survey."),
            "invalid_pk_value": gettext_lazy("This question does not belong to the survey."),
        },
    )

    def __init__(self, *args: Any, survey: Survey | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if survey is not None:
            field = cast("_Questions", self.fields["questions"])
            field.survey = survey
            if not all_in_figures(survey):
                field.help_text = format_lazy(
                    "{} {}",
                    field.help_text,
                    _("Until the survey closes, answers are counted in batches, as in its results."),
                )
            field.queryset = survey.questions.order_by("position")

    def clean_questions(self) -> list[Question]:
        """Refuse, by name, a question that has too few answers to show anything of it."""
        questions = list(self.cleaned_data["questions"])
        survey = self.cleaned_data.get("survey")
        if survey is not None:
            minimum = definition_of(survey).minimum_n
            for asked in asked_of(survey, questions):
                n = answer_count(survey, asked)
                if n < minimum:
                    few = TooFewAnswers(n, minimum, in_batches=not all_in_figures(survey))
                    raise forms.ValidationError(f"“{asked.text}”: {few}")
        return questions


def asked_of(survey: Survey, questions: list[Question]) -> list[AskedQuestion]:
    """Return the questions as they were asked, in their order."""
    chosen = {question.pk for question in questions}
    return [asked for asked in definition_of(survey).questions if asked.question_id in chosen]


# Terms as they were shown: signed, for one person, for half an hour, with the key of the one request they are for.


SHOWN_FOR_SECONDS = 30 * 60
SALT = "surveys.release-terms"
LONGEST_TERMS = 10_000


@dataclass(frozen=True, slots=True)
class ShownTerms:
    """What was shown to whom; all of it fit for JSON.

    Attributes
    ----------
    user, survey, questions
        Primary keys.
    mechanism : str
        Its stored name.
    epsilon, delta : str
        Exact, as Fractions write themselves.
    options : mapping
        What else was typed: whole numbers, and exact ones as Fractions write themselves.
    reason : str
        For the ledger.
    lines : int
        How many lines the survey's ledger had: with one more, the budget that was shown is not the budget any more.
    request_key : str
        Makes confirming twice one release.
    """

    user: int
    survey: int
    questions: tuple[int, ...]
    mechanism: str
    epsilon: str
    delta: str
    options: Mapping[str, Any]
    reason: str
    lines: int
    request_key: str

    @property
    def key(self) -> UUID:
        """The request's key."""
        return UUID(self.request_key)

    @property
    def begins_again(self) -> dict[str, Any]:
        """What the form of step 2 shows when somebody goes back to these terms."""
        return {
            "survey": self.survey,
            "questions": list(self.questions),
            "mechanism": self.mechanism,
            "epsilon": exact_number(Fraction(self.epsilon)),
            "delta": exact_number(Fraction(self.delta)),
            "reason": self.reason,
            **{name: _as_typed(value) for name, value in self.options.items()},
        }

    def terms(self) -> dict[str, Any]:
        """Return what `releasing.check` takes; raises `Question.DoesNotExist` where a question is gone."""
        questions = list(Question.objects.filter(pk__in=self.questions).order_by("position"))
        survey = Survey.objects.filter(pk=self.survey).first()
        if survey is None or len(questions) < len(self.questions):
            raise Question.DoesNotExist
        return {
            "survey": survey,
            "questions": questions,
            "mechanism": self.mechanism,
            "epsilon": Fraction(self.epsilon),
            "delta": Fraction(self.delta),
            "options": dict(self.options),
        }

    def sign(self) -> str:
        """Return these terms so that nobody can confirm other ones."""
        return signing.dumps(asdict(self), salt=SALT, compress=True)


def _as_typed(value: int | str) -> int | str:
    """Return an exact number as somebody would type it; no field takes one that needs more decimals."""
    return exact_number(Fraction(value)) if isinstance(value, str) else value


def new_request_key() -> str:
    """Return a key for one release that somebody asks for."""
    return str(uuid4())


def read_shown(signed: str, user: User) -> ShownTerms:
    """Return the terms that were shown to this person; a ValidationError names what is wrong with them."""
    try:
        content = signing.loads(signed, salt=SALT, max_age=SHOWN_FOR_SECONDS)
    except signing.SignatureExpired:
        raise forms.ValidationError(
            _("These terms were shown more than %(minutes)s minutes ago. Look at them again.")
            % {"minutes": SHOWN_FOR_SECONDS // 60}
        ) from None
    except signing.BadSignature:
        raise forms.ValidationError(_("These are not the terms that were shown. Begin again.")) from None
    shown = ShownTerms(**content | {"questions": tuple(content["questions"])})
    if shown.user != user.pk:
        raise forms.ValidationError(_("These terms were shown to somebody else. Begin again."))
    return shown


# Step 2: how to release the chosen questions, for how much or how accurately, and why.


UNITS = {
    POINTS: gettext_lazy("percentage points of the people"),
    "answers": gettext_lazy("answers, of each count"),
    "people": gettext_lazy("people, short of the best choice"),
    "rank": gettext_lazy("people, away from the quantile"),
    "number": gettext_lazy("in the unit of the question"),
    "total": gettext_lazy("of a total, in the unit of the question"),
    "square": gettext_lazy("in the unit of the question, squared"),
    "price": gettext_lazy("of revenue, in the unit of the question"),
    COEFFICIENT: gettext_lazy("first coefficient: log odds, or unit"),
}


@dataclass(frozen=True, slots=True)
class MechanismChoice:
    """One mechanism for the chosen questions, as releasers meet it: why it may not suit, what else it needs."""

    offer: Offer[Any]
    why_not: str

    @property
    def name(self) -> str:
        """The stored name."""
        return str(self.offer.name)

    @property
    def label(self) -> str:
        """What it is called."""
        return str(self.offer.name.label)

    @property
    def sentence(self) -> str:
        """What it publishes."""
        return str(self.offer.sentence)

    @property
    def needs(self) -> str:
        """What must be typed besides ε, in words."""
        needed = [str(option.needs) for option in self.offer.options if option.needed]
        needs_delta = self.offer.uses_delta and not self.offer.needs_no_delta
        return _("; ").join([*needed, _("a δ above 0")] if needs_delta else needed)

    @property
    def units(self) -> str:
        """The names of the units in which its accuracy can be wanted, for the script that hides the others."""
        return " ".join(units_for(self.offer))

    @property
    def fields(self) -> str:
        """The names of the fields that it reads besides ε, for the same script."""
        names = [option.name for option in self.offer.options]
        return " ".join([*names, *(["delta"] if self.offer.uses_delta else [])])


def choices_for(asked: Sequence[AskedQuestion]) -> list[MechanismChoice]:
    """Return every mechanism, each with why it does not suit, or "" where it suits all of these questions."""
    return [MechanismChoice(offer, offer.unsuitable_together(asked)) for offer in OFFERS.values()]


def _kept_reason(typed: str) -> str:
    try:
        return stated_reason(typed)
    except NoReason as refused:
        raise forms.ValidationError(str(refused)) from None


class TermsForm(forms.Form):
    """Mechanism, what it needs, an ε or a wanted accuracy, and why."""

    mechanism = forms.ChoiceField(
        label=gettext_lazy("Mechanism"),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose a mechanism."),
            "invalid_choice": gettext_lazy("There is no mechanism “%(value)s”."),
        },
    )
    epsilon = EpsilonField(
        label="ε",
        required=False,
        help_text=gettext_lazy(
            "A decimal number such as 0.5. Smaller protects more and says less; "
            "the next page shows how far off the result may be, before anything is charged."
        ),
    )
    wanted = DecimalField(
        label=gettext_lazy("Off by at most (confidence 95%)"),
        required=False,
        help_text=gettext_lazy(
            "Instead of an ε: the smallest ε that keeps the noise within this is found for you; of a coefficient, half "
            "of its expected interval (0.69 in log odds is twofold), all chance counted."
        ),
    )
    unit = forms.ChoiceField(
        label=gettext_lazy("Counted in"),
        required=False,
        choices=list(UNITS.items()),
        error_messages={"invalid_choice": gettext_lazy("Accuracy is not counted in “%(value)s”.")},
    )
    delta = DeltaField(
        label="δ",
        required=False,
        help_text=gettext_lazy(
            "Only for the mechanisms that need one: below 1 divided by the square of the number of answers."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=gettext_lazy("The ledger keeps it for good, with your name and the day."),
        error_messages={"required": gettext_lazy("Say why: the ledger keeps it for good.")},
    )
    terms: Terms

    def __init__(self, *args: Any, survey: Survey, questions: Sequence[Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.survey, self.questions = survey, list(questions)
        self.asked = asked_of(survey, self.questions)
        mechanism = cast("forms.ChoiceField", self.fields["mechanism"])
        # All of them, so that one that does not suit is refused with its own reason.
        mechanism.choices = [(choice.name, choice.label) for choice in self.mechanisms]
        self.fields |= {option.name: option.field(self.asked) for option in offered_options()}
        self.order_fields(["mechanism", *(option.name for option in offered_options())])

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all fields."""
        return [*cls.base_fields, *(option.name for option in offered_options())]

    @cached_property
    def mechanisms(self) -> list[MechanismChoice]:
        """Every mechanism, each with why it does not suit these questions, if it does not."""
        return choices_for(self.asked)

    @property
    def suitable(self) -> list[MechanismChoice]:
        """Those that suit all of the questions."""
        return [choice for choice in self.mechanisms if not choice.why_not]

    @property
    def unsuitable(self) -> list[MechanismChoice]:
        """The others."""
        return [choice for choice in self.mechanisms if choice.why_not]

    @property
    def options_used(self) -> list[str]:
        """The fields besides ε that some suitable mechanism reads."""
        used = {name for choice in self.suitable for name in choice.fields.split()}
        if not self.survey.groups.exists():
            used.discard(GROUPS.name)
        return sorted(used, key=list(self.fields).index)

    def clean_reason(self) -> str:
        """Refuse what the ledger would not keep, beside the field."""
        return _kept_reason(self.cleaned_data["reason"])

    def clean(self) -> dict[str, Any]:
        """Find out what a release on these terms would be refused for, beside the field that it is about."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("mechanism"):
            self._check_options(cleaned["mechanism"])
        self._check_amount()
        if not self.errors:
            try:
                cleaned["epsilon"] = cleaned["epsilon"] or self._epsilon_for_wanted()
                self.terms = check(**self._asked_for(), epsilon=cleaned["epsilon"])
            except (ReleaseRefused, OptionError) as refused:
                self._add_refusal(refused.field, str(refused))
        return cleaned

    def shown_to(self, user: User) -> ShownTerms:
        """Return these terms for one person, with a new request key."""
        asked_for = self._asked_for()
        return ShownTerms(
            user=user.pk,
            survey=self.survey.pk,
            questions=tuple(question.pk for question in self.questions),
            mechanism=asked_for["mechanism"],
            epsilon=str(self.cleaned_data["epsilon"]),
            delta=str(asked_for["delta"]),
            options=asked_for["options"],
            reason=self.cleaned_data["reason"],
            lines=self.survey.budget.entries,
            request_key=new_request_key(),
        )

    def _check_options(self, name: str) -> None:
        chosen = next(choice for choice in self.mechanisms if choice.name == name)
        self.options: dict[str, Any] = {}
        if chosen.why_not:
            self.add_error("mechanism", chosen.why_not)
            return
        for option in chosen.offer.options:
            given = self.cleaned_data.get(option.name) not in {None, ""}
            if option.needed and option.name not in self.errors and not given:
                self.add_error(option.name, _("“%(mechanism)s” needs this.") % {"mechanism": chosen.label})
            if option.needed or given:
                self.options[option.name] = self.cleaned_data.get(option.name)

    def _check_amount(self) -> None:
        if {"epsilon", "wanted"} & set(self.errors):
            return
        epsilon, wanted = self.cleaned_data.get("epsilon"), self.cleaned_data.get("wanted")
        if epsilon is not None and wanted is not None:
            self.add_error("epsilon", _("Write an ε or a wanted accuracy, not both."))
        elif epsilon is None and wanted is None:
            self.add_error("epsilon", _("Write an ε, or below how accurate the release must be."))
        elif wanted is not None and not wanted > 0:
            self.add_error("wanted", _("The wanted accuracy must be above 0."))

    def _asked_for(self) -> dict[str, Any]:
        return {
            "survey": self.survey,
            "questions": self.questions,
            "mechanism": self.cleaned_data["mechanism"],
            "delta": self.cleaned_data["delta"],
            "options": {
                name: str(value) if isinstance(value, Fraction) else value for name, value in self.options.items()
            },
        }

    def _epsilon_for_wanted(self) -> Fraction:
        return epsilon_for(
            **self._asked_for(),
            wanted=self.cleaned_data["wanted"],
            unit=self.cleaned_data["unit"] or POINTS,
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


# Step 3: exactly the terms that were shown; where one person decides, confirmed by typing their ε.


class ProposeForm(forms.Form):
    """The signed terms alone: proposing costs nothing."""

    terms = forms.CharField(
        widget=forms.HiddenInput,
        max_length=LONGEST_TERMS,
        error_messages={"required": gettext_lazy("These are not the terms that were shown. Begin again.")},
    )
    shown: ShownTerms | None = None

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_terms(self) -> ShownTerms:
        """Return what was shown."""
        self.shown = read_shown(self.cleaned_data["terms"], self.user)
        return self.shown


class ReleaseConfirmForm(ProposeForm):
    """The signed terms, and the ε typed once more."""

    confirmation = DecimalField(
        label=gettext_lazy("Type the ε to confirm"),
        error_messages={"required": gettext_lazy("Type the ε to confirm that it is to be charged.")},
    )

    def clean(self) -> dict[str, Any]:
        """Refuse any other number than the ε that was shown."""
        cleaned: dict[str, Any] = super().clean() or {}
        typed = cleaned.get("confirmation")
        if self.shown and typed is not None and typed != (epsilon := Fraction(self.shown.epsilon)):
            self.add_error(
                "confirmation",
                _("You typed %(typed)s, and the release costs ε = %(epsilon)s. Nothing was charged.")
                % {"typed": self.data["confirmation"], "epsilon": exact_number(epsilon)},
            )
        return cleaned


def shown_proposal(proposal: Proposal, user: User) -> ShownTerms:
    """Return proposed terms as they are shown to whoever may approve them."""
    return ShownTerms(
        user=user.pk,
        survey=proposal.survey_id,
        questions=tuple(proposal.questions),
        mechanism=proposal.mechanism,
        epsilon=str(proposal.epsilon),
        delta=str(proposal.delta),
        options=proposal.options,
        reason=proposal.reason,
        lines=proposal.survey.budget.entries,
        request_key=str(proposal.request_key),
    )


class DeclineForm(forms.Form):
    """Why what somebody proposes is not released."""

    reason = forms.CharField(
        label=gettext_lazy("Why not"),
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        error_messages={"required": gettext_lazy("Say why, for whoever proposed it.")},
    )

    def clean_reason(self) -> str:
        """Refuse what nobody could read."""
        return _kept_reason(self.cleaned_data["reason"])
