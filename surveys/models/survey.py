"""Surveys, their questions and their groups."""

import datetime as dt
import secrets
from fractions import Fraction
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from surveys.privacy import designs

# Spoken and written without mistakes: no 0 and O, no 1, I and L.
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 6
SMALLEST_MINIMUM_N = 5
# Further out a time zone's offset leaves what a date can be.
_YEARS = range(2000, 3000)
# The browser draws below the common denominator from 32 random bits.
LARGEST_DENOMINATOR = 1_000_000
# Beyond it a report all but gives the answer away (odds change 400-fold), whatever the page says about chance.
LARGEST_EPSILON = 6
MAX_OPTIONS = 20
OPTION_LENGTH = 120


def new_code() -> str:
    """Return a join code that says nothing about how many surveys there are."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


class State(models.TextChoices):
    """Where a survey stands; the database lets it move only along the arrows of `TRANSITIONS`."""

    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    PAUSED = "paused", "Paused"
    CLOSED = "closed", "Closed"
    SEALED = "sealed", "Sealed"


TRANSITIONS: dict[str, tuple[str, ...]] = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.PAUSED, State.CLOSED),
    State.PAUSED: (State.OPEN, State.CLOSED),
    State.CLOSED: (State.SEALED,),
    State.SEALED: (),
}


class Kind(models.TextChoices):
    """What a question asks for."""

    YES_NO = "yes_no", "Yes or no"
    ONE_OF = "one_of", "One of several options"


class DesignName(models.TextChoices):
    """How chance is added; the matrices are in `surveys.privacy.designs`."""

    FORCED_RESPONSE = "forced_response", "Two coins (forced response)"
    WARNER = "warner", "Statement or its opposite (Warner)"
    K_ARY = "k_ary", "Coin, then spinner (k-ary)"


class LeaveOut(models.TextChoices):
    """How a respondent may leave a question out."""

    NO = "no", "Not at all"
    VISIBLY = "visibly", "Visibly: it is stored that the answer is missing"
    PROTECTED = "protected", "Protected: “prefer not to say” is one more answer that chance hides"


class Survey(models.Model):
    """A survey: a draft that its owner edits, then a frozen design that collects reports."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="surveys")
    code = models.CharField(
        "join code",
        max_length=12,
        unique=True,
        default=new_code,
        validators=[
            RegexValidator(rf"^[{CODE_ALPHABET}]{{4,12}}$", "Use 4 to 12 of the letters and digits " + CODE_ALPHABET)
        ],
    )
    title = models.CharField(max_length=200)
    introduction = models.TextField(blank=True, max_length=2000)
    consent = models.TextField("consent text", blank=True, max_length=2000)
    support = models.TextField(
        "where to find support",
        blank=True,
        max_length=1000,
        help_text="Shown on the receipt: people and places that help.",
    )
    language = models.CharField(max_length=12, default="en")
    state = models.CharField(max_length=6, choices=State.choices, default=State.DRAFT, editable=False)
    opens_at = models.DateTimeField("opens", null=True, blank=True)
    closes_at = models.DateTimeField("closes", null=True, blank=True)
    response_cap = models.PositiveIntegerField(
        "most responses accepted", null=True, blank=True, validators=[MinValueValidator(1)]
    )
    minimum_n = models.PositiveIntegerField(
        "fewest responses to show results",
        default=10,
        validators=[MinValueValidator(SMALLEST_MINIMUM_N), MaxValueValidator(100_000)],
        help_text="Below this number the results show nothing but the count.",
    )
    server_mode_allowed = models.BooleanField(
        "offer “let the server flip for me”",
        default=False,
        help_text="For people without JavaScript and without coins. They must trust this server for that moment.",
    )
    content_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        """Rules that also hold for raw SQL."""

        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(condition=Q(state__in=State.values), name="survey_state_known"),
            models.CheckConstraint(condition=Q(state=State.DRAFT) | ~Q(content_hash=""), name="survey_opened_has_hash"),
            models.CheckConstraint(
                condition=Q(minimum_n__gte=SMALLEST_MINIMUM_N), name="survey_minimum_n_large_enough"
            ),
            models.CheckConstraint(
                condition=Q(response_cap__isnull=True) | Q(response_cap__gte=1), name="survey_response_cap_positive"
            ),
            models.CheckConstraint(
                condition=Q(opens_at__isnull=True) | Q(closes_at__isnull=True) | Q(opens_at__lt=models.F("closes_at")),
                name="survey_opens_before_it_closes",
            ),
        )

    def __str__(self) -> str:
        return f"{self.title} ({self.code})"

    def clean(self) -> None:
        """Name the field when a date cannot be meant or the two are the wrong way round."""
        for name in ("opens_at", "closes_at"):
            when = getattr(self, name)
            if when is not None and when.year not in _YEARS:
                raise ValidationError({name: "The year must be between 2000 and 2999."})
        if self.opens_at and self.closes_at and not self.opens_at < self.closes_at:
            raise ValidationError({"closes_at": "The survey must close after it opens."})

    @property
    def is_draft(self) -> bool:
        """Whether the design may still change."""
        return self.state == State.DRAFT

    def why_not_collecting(self, now: dt.datetime) -> str:
        """Return why no answer is accepted at `now` (a state, "not_yet" or "over"), or "" when answers are."""
        if self.state != State.OPEN:
            return self.state
        if self.opens_at and now < self.opens_at:
            return "not_yet"
        if self.closes_at and now >= self.closes_at:
            return "over"
        return ""


class Group(models.Model):
    """A named link of one survey, such as a class section, so that groups compare without asking anyone anything."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="groups")
    slug = models.SlugField(max_length=40)
    name = models.CharField(max_length=80)

    class Meta:
        """One link a name."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("survey", "slug"), name="group_slug_unique_in_survey"),)

    def __str__(self) -> str:
        return self.name


class Question(models.Model):
    """One question with the exact parameters of its randomized-response design."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.YES_NO)
    text = models.CharField(max_length=500)
    options = models.JSONField(default=list, blank=True)
    design = models.CharField(max_length=20, choices=DesignName.choices, default=DesignName.FORCED_RESPONSE)
    parameters = models.JSONField(default=dict)
    leave_out = models.CharField("leaving it out", max_length=9, choices=LeaveOut.choices, default=LeaveOut.VISIBLY)

    class Meta:
        """Rules that also hold for raw SQL."""

        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("survey", "position"), name="question_position_unique_in_survey"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="question_kind_known"),
            models.CheckConstraint(condition=Q(design__in=DesignName.values), name="question_design_known"),
            models.CheckConstraint(condition=Q(leave_out__in=LeaveOut.values), name="question_leave_out_known"),
        )

    def __str__(self) -> str:
        return self.text

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers by code: what a truth and, for these designs, a report can be."""
        answers = ("No", "Yes") if self.kind == Kind.YES_NO else tuple(self.options)
        return (*answers, "Prefer not to say") if self.leave_out == LeaveOut.PROTECTED else answers

    @property
    def randomizer(self) -> designs.Design:
        """The design matrix; raises ValueError naming the parameter when the stored ones make none."""
        return designs.named(self.design, parameters=self.parameters, k=len(self.labels))

    def clean(self) -> None:
        """Refuse what could not be asked, naming the field."""
        _check_options(self.kind, self.options)
        if self.leave_out == LeaveOut.PROTECTED and self.design != DesignName.K_ARY:
            raise ValidationError(
                {"leave_out": "Two-answer designs cannot protect “prefer not to say”: choose coin, then spinner."}
            )
        if self.kind == Kind.ONE_OF and self.design != DesignName.K_ARY:
            raise ValidationError({"design": "A question with several options needs the design “coin, then spinner”."})
        if not isinstance(self.parameters, dict):
            raise ValidationError({"parameters": "The design's parameters must be an object of integer pairs."})
        try:
            design = self.randomizer
        except ValueError as error:
            raise ValidationError({"parameters": str(error)}) from error
        if design.epsilon == float("inf"):
            raise ValidationError(
                {"parameters": "With these probabilities a report can prove the answer (ε is infinite): choose others."}
            )
        if design.epsilon > LARGEST_EPSILON:
            raise ValidationError(
                {
                    "parameters": f"With these probabilities a report all but gives the answer away: ε would be "
                    f"{design.epsilon:.2f}, and {LARGEST_EPSILON} is the most. Add more chance."
                }
            )
        if design.denominator > LARGEST_DENOMINATOR:
            raise ValidationError(
                {"parameters": f"The probabilities' common denominator must be at most {LARGEST_DENOMINATOR:,}."}
            )


def _check_options(kind: str, options: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
    if kind == Kind.YES_NO:
        if options != []:
            raise ValidationError({"options": "A yes-or-no question has no options of its own."})
        return
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise ValidationError({"options": "The options must be a list of texts."})
    if not 2 <= len(options) <= MAX_OPTIONS:
        raise ValidationError({"options": f"Give 2 to {MAX_OPTIONS} options, one a line."})
    if any(not option.strip() or len(option) > OPTION_LENGTH for option in options):
        raise ValidationError({"options": f"Every option must be a text of 1 to {OPTION_LENGTH} characters."})
    if len({option.strip().casefold() for option in options}) < len(options):
        raise ValidationError({"options": "Two options are the same."})


def parameter(value: Fraction) -> list[int]:
    """Return an exact probability as it is stored: [numerator, denominator]."""
    return [value.numerator, value.denominator]
