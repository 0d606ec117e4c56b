"""Step 3: exactly the terms that were shown; where one person decides, confirmed by typing their ε.

Terms as they were shown are signed, for one person, for half an hour, with the key of the one request they are for.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Survey
from surveys.numbers.words import exact_number
from surveys.releases.families.options import DecimalField
from surveys.releases.forms.fields import ReasonField
from surveys.releases.services.request import ReleaseRequest

SHOWN_FOR_SECONDS = 30 * 60
NOT_SHOWN = gettext_lazy("These terms differ from the terms shown. Start again.")
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

    def request(self) -> ReleaseRequest:
        return ReleaseRequest(
            survey=Survey.objects.get(pk=self.survey),
            questions=tuple(self.questions),
            mechanism=self.mechanism,
            epsilon=Fraction(self.epsilon),
            delta=Fraction(self.delta),
            options=dict(self.options),
            reason=self.reason,
            key=self.key,
        )

    def sign(self) -> str:
        """Return these terms so that nobody can confirm other ones."""
        return signing.dumps(asdict(self), salt=SALT, compress=True)


def _as_typed(value: int | str) -> int | str:
    """Return an exact number as somebody would type it; no field takes one that needs more decimals."""
    return exact_number(Fraction(value)) if isinstance(value, str) else value


def show(request: ReleaseRequest, user: User) -> ShownTerms:
    return ShownTerms(
        user=user.pk,
        survey=request.survey.pk,
        questions=tuple(request.questions),
        mechanism=request.mechanism,
        epsilon=str(request.epsilon),
        delta=str(request.delta),
        options=request.options,
        reason=request.reason,
        lines=request.survey.budget.entries,
        request_key=str(request.key),
    )


def read_shown(signed: str, user: User) -> ShownTerms:
    """Return the terms that were shown to this person; a ValidationError names what is wrong with them."""
    try:
        content = signing.loads(signed, salt=SALT, max_age=SHOWN_FOR_SECONDS)
    except signing.SignatureExpired:
        raise forms.ValidationError(
            _("These terms were shown more than %(minutes)s minutes ago. Review them again.")
            % {"minutes": SHOWN_FOR_SECONDS // 60},
            code="expired",
        ) from None
    except signing.BadSignature:
        raise forms.ValidationError(NOT_SHOWN, code="not_shown") from None
    shown = ShownTerms(**content | {"questions": tuple(content["questions"])})
    if shown.user != user.pk:
        raise forms.ValidationError(_("These terms were shown to someone else. Start again."), code="other_person")
    return shown


class ProposeForm(forms.Form):
    """The signed terms alone: proposing costs nothing."""

    terms = forms.CharField(
        widget=forms.HiddenInput,
        max_length=LONGEST_TERMS,
        error_messages={"required": NOT_SHOWN},
    )
    shown: ShownTerms | None = None

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_terms(self) -> ShownTerms:
        self.shown = read_shown(self.cleaned_data["terms"], self.user)
        return self.shown


class ReleaseConfirmForm(ProposeForm):
    """The signed terms, and the ε typed once more."""

    confirmation = DecimalField(
        label=gettext_lazy("Type the value of ε to confirm"),
        error_messages={"required": gettext_lazy("Type the value of ε to confirm the charge.")},
    )

    def clean(self) -> dict[str, Any]:
        """Refuse any other number than the ε that was shown."""
        cleaned: dict[str, Any] = super().clean() or {}
        typed = cleaned.get("confirmation")
        if self.shown and typed is not None and typed != (epsilon := Fraction(self.shown.epsilon)):
            self.add_error(
                "confirmation",
                _(
                    "You typed %(typed)s, but the release costs ε = %(epsilon)s. Nothing was charged. "
                    "Check the cost and type it again."
                )
                % {"typed": self.data["confirmation"], "epsilon": exact_number(epsilon)},
            )
        return cleaned


class DeclineForm(forms.Form):
    """Why what somebody proposes is not released."""

    reason = ReasonField(
        label=gettext_lazy("Reason for declining"),
        error_messages={"required": gettext_lazy("Enter a reason. The person who proposed the release can read it.")},
    )
