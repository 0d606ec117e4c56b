"""Terms as they were shown: signed, for one person, for half an hour, with the key of the one request they are for."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.utils.translation import gettext as _

from surveys.common.numbers import exactly
from surveys.models import Question, Survey

SHOWN_FOR_SECONDS = 30 * 60
SALT = "surveys.release-terms"
LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Shown:
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
            "epsilon": exactly(Fraction(self.epsilon)),
            "delta": exactly(Fraction(self.delta)),
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
    return exactly(Fraction(value)) if isinstance(value, str) else value


def new_request_key() -> str:
    """Return a key for one release that somebody asks for."""
    return str(uuid4())


def read_shown(signed: str, user: User) -> Shown:
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
    shown = Shown(**content | {"questions": tuple(content["questions"])})
    if shown.user != user.pk:
        raise forms.ValidationError(_("These terms were shown to somebody else. Begin again."))
    return shown
