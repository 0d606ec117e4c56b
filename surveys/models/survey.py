"""Surveys and their groups."""

import datetime as dt
import secrets
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from surveys.questionnaire.document import COLUMNS, SMALLEST_MINIMUM_N, Questionnaire, read
from surveys.questionnaire.question import Column, Question
from surveys.questionnaire.texts import check_line

# Spoken and written without mistakes: no 0 and O, no 1, I and L.
CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 6
# Further out a time zone's offset leaves what a date can be.
_YEARS = range(2000, 3000)


def new_code() -> str:
    """Return a join code that says nothing about how many surveys there are."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


@cache
def time_zones() -> frozenset[str]:
    """Return the names of the time zones that this machine knows; reading them takes a walk through its files."""
    return frozenset(available_timezones())


class State(models.TextChoices):
    """Where a survey stands; the database lets it move only along the arrows of `TRANSITIONS`."""

    DRAFT = "draft", _("Draft")
    OPEN = "open", _("Open")
    PAUSED = "paused", _("Paused")
    CLOSED = "closed", _("Closed")
    SEALED = "sealed", _("Sealed")
    PURGED = "purged", _("Purged")


class ExactFigures(models.TextChoices):
    """Whether figures without a release's noise reached people with the code: on a receipt, or on the projector."""

    NOT_SHOWN = "not_shown"
    SHOWN = "shown"


TRANSITIONS: dict[str, tuple[str, ...]] = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.PAUSED, State.CLOSED),
    State.PAUSED: (State.OPEN, State.CLOSED),
    State.CLOSED: (State.SEALED, State.PURGED),
    State.SEALED: (State.PURGED,),
    State.PURGED: (),
}


class InDocument(models.Func):
    """What SQL asks of the stored questionnaire, in the words of each database.

    A number that is not whole, or is no number, is NULL or an error.
    """

    def __init__(self, sqlite: str, postgresql: str) -> None:
        super().__init__(models.F("document"), sqlite=sqlite, postgresql=postgresql)

    def as_sqlite(self, compiler: Any, connection: Any, **_context: Any) -> Any:  # noqa: ANN401 - as Django has it
        return self.as_sql(compiler, connection, template=self.extra["sqlite"])

    def as_postgresql(self, compiler: Any, connection: Any, **_context: Any) -> Any:  # noqa: ANN401
        return self.as_sql(compiler, connection, template=self.extra["postgresql"])


def _generated(sqlite: str, postgresql: str, output: Column, label: Any = "") -> models.GeneratedField:  # noqa: ANN401
    """Return a column that the database takes from the document, and that nobody writes."""
    return models.GeneratedField(
        expression=InDocument(sqlite, postgresql), output_field=output, db_persist=True, verbose_name=label or None
    )


class Survey(models.Model):
    """A survey: a draft that its owner edits, then a frozen design that collects reports."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="surveys", verbose_name=_("owner")
    )
    code = models.CharField(
        _("join code"),
        max_length=12,
        unique=True,
        default=new_code,
        validators=[
            RegexValidator(
                rf"^[{CODE_ALPHABET}]{{4,12}}$",
                format_lazy(_("Use 4 to 12 of these letters and digits: {alphabet}"), alphabet=CODE_ALPHABET),
            )
        ],
    )
    state = models.CharField(_("state"), max_length=6, choices=State.choices, default=State.DRAFT, editable=False)
    # Times are stored in UTC; the owner writes and reads them in this zone.
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    opens_at = models.DateTimeField(_("opening time"), null=True, blank=True)
    closes_at = models.DateTimeField(_("closing time"), null=True, blank=True)
    # A promise: once opened it may come earlier and never later. From the beginning of that day in the survey's zone.
    purge_on = models.DateField(_("reports destroyed on"), null=True, blank=True)
    # The last reminder of that day: sent so many days before it.
    reminded = models.PositiveSmallIntegerField(null=True, editable=False)
    response_cap = models.PositiveIntegerField(
        _("maximum number of responses"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    # No part of the frozen design: who asks decides on it, and takes it back, once there is something to show.
    result_on_receipt = models.BooleanField(_("show respondents the result"), default=False, editable=False)
    # Which groups, arms and unprotected answers are shown separately, decided once when it closes: the same in every
    # file.
    partition = models.JSONField(null=True, editable=False)
    # Whether figures without a release's noise ever reached people with the code; it only ever becomes "shown".
    exact_figures = models.CharField(
        max_length=12, choices=ExactFigures.choices, default=ExactFigures.NOT_SHOWN, editable=False
    )
    # For planning only: nothing that respondents see or that is estimated depends on these two.
    expected_n = models.PositiveIntegerField(
        _("expected responses"), default=30, validators=[MinValueValidator(1), MaxValueValidator(10_000_000)]
    )
    expected_share = models.PositiveSmallIntegerField(
        _("expected share, in per cent"), default=30, validators=[MinValueValidator(1), MaxValueValidator(99)]
    )
    revision = models.PositiveIntegerField(_("revision"), default=1, editable=False)
    previous = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="next_versions",
        verbose_name=_("previous version"),
    )
    edition = models.PositiveSmallIntegerField(_("version"), default=1, editable=False)
    archived = models.BooleanField(_("archived"), default=False, editable=False)
    # A copy to rehearse with: it is opened like any survey, but nobody reaches it and all of it may be deleted.
    rehearsal_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        related_name="rehearsal_copies",
        verbose_name=_("rehearsal of"),
    )
    content_hash = models.CharField(_("content hash"), max_length=64, blank=True, editable=False)
    # The questionnaire as it was written once: never encoded anew.
    document = models.TextField(editable=False)
    title = _generated(
        "json_extract(%(expressions)s, '$.title')",
        "(%(expressions)s::json ->> 'title')",
        models.CharField(max_length=200),
        COLUMNS["title"].verbose_name,
    )
    minimum_n = _generated(
        "CASE json_type(%(expressions)s, '$.minimum_n') WHEN 'integer'"
        " THEN json_extract(%(expressions)s, '$.minimum_n') END",
        "(%(expressions)s::json ->> 'minimum_n')::integer",
        models.PositiveIntegerField(),
        COLUMNS["minimum_n"].verbose_name,
    )
    by_invitation = _generated(
        "json_extract(%(expressions)s, '$.by_invitation')",
        "(%(expressions)s::json ->> 'by_invitation')::boolean",
        models.BooleanField(),
        COLUMNS["by_invitation"].verbose_name,
    )
    question_count = _generated(
        "json_array_length(%(expressions)s, '$.questions')",
        "json_array_length(%(expressions)s::json -> 'questions')",
        models.PositiveSmallIntegerField(),
    )
    # Whether another version of it may have been opened: the door of respondents has looked, all others must.
    may_have_versions: bool = True
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("survey")
        verbose_name_plural = _("surveys")
        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(condition=Q(state__in=State.values), name="survey_state_known"),
            models.CheckConstraint(condition=Q(state=State.DRAFT) | ~Q(content_hash=""), name="survey_opened_has_hash"),
            # NULL satisfies a comparison.
            models.CheckConstraint(
                condition=Q(minimum_n__isnull=False, minimum_n__gte=SMALLEST_MINIMUM_N),
                name="survey_minimum_n_large_enough",
            ),
            models.CheckConstraint(
                condition=Q(title__isnull=False, by_invitation__isnull=False, question_count__isnull=False),
                name="survey_has_a_document",
            ),
            models.CheckConstraint(
                condition=Q(response_cap__isnull=True) | Q(response_cap__gte=1), name="survey_response_cap_positive"
            ),
            models.CheckConstraint(
                condition=Q(opens_at__isnull=True) | Q(closes_at__isnull=True) | Q(opens_at__lt=models.F("closes_at")),
                name="survey_opens_before_it_closes",
            ),
            models.CheckConstraint(
                condition=Q(result_on_receipt=False)
                | (~Q(state__in=(State.DRAFT, State.PURGED)) & Q(rehearsal_of__isnull=True)),
                name="survey_shows_a_result_that_there_is",
            ),
            models.CheckConstraint(
                condition=Q(exact_figures__in=ExactFigures.values), name="survey_exact_figures_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.title} ({self.code})"

    def clean(self) -> None:
        """Name the field when the language is not spoken here, or times cannot be meant or are the wrong way round."""
        if self.time_zone not in time_zones():
            raise ValidationError({"time_zone": _("Choose one of the time zones offered.")})
        for name in ("opens_at", "closes_at", "purge_on"):
            when = getattr(self, name)
            if when is not None and when.year not in _YEARS:
                raise ValidationError({name: _("Enter a year from 2000 to 2999.")})
        if self.opens_at and self.closes_at and not self.opens_at < self.closes_at:
            raise ValidationError({"closes_at": _("Choose a closing time after the opening time.")})
        if self.purge_on and self.closes_at and not self.day_there(self.closes_at) < self.purge_on:
            raise ValidationError(
                {"purge_on": _("Choose a day after the survey closes. The reports can only be destroyed then.")}
            )

    @property
    def questionnaire(self) -> Questionnaire:
        return read(self.document)

    def write(self, questionnaire: Questionnaire) -> None:
        """Take another questionnaire; it is stored when the survey is saved."""
        self.document = questionnaire.text
        self.title, self.minimum_n = questionnaire.title, questionnaire.minimum_n
        self.by_invitation, self.question_count = questionnaire.by_invitation, len(questionnaire.questions)

    @property
    def language(self) -> str:
        return self.questionnaire.language

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.questionnaire.questions

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which its owner writes and reads times."""
        return ZoneInfo(self.time_zone)

    @property
    def is_rehearsal(self) -> bool:
        return self.rehearsal_of_id is not None

    @property
    def is_draft(self) -> bool:
        """Whether the design may still change."""
        return self.state == State.DRAFT

    @property
    def may_collect_more(self) -> bool:
        """Whether an answer may still come in, now or later."""
        return self.state in {State.OPEN, State.PAUSED}

    @property
    def is_joinable(self) -> bool:
        """Whether people may join it, now or later: its links and invitations are of use."""
        return self.is_draft or self.may_collect_more

    def as_others_see(self, number: int) -> int:
        """Return how many came in, as those who watch may see it: full batches while more may, to single nobody out."""
        return number // self.minimum_n * self.minimum_n if self.may_collect_more else number

    def days_to_purge(self, now: dt.datetime) -> int | None:
        """Return how many days are left until its reports are to be destroyed; None where no day is set.

        None as well of a draft, which has no reports, and once they are destroyed.
        """
        if self.purge_on is None or self.state in {State.DRAFT, State.PURGED}:
            return None
        return (self.purge_on - self.day_there(now)).days

    def day_there(self, now: dt.datetime) -> dt.date:
        return now.astimezone(self.zone).date()

    def why_not_collecting(self, now: dt.datetime) -> str:
        """Return why no answer is accepted at `now` (a state, "not_yet" or "over"), or "" when answers are."""
        if self.state != State.OPEN:
            return self.state
        if self.opens_at and now < self.opens_at:
            return "not_yet"
        return "over" if self.is_over(now) else ""

    def is_over(self, now: dt.datetime) -> bool:
        """Whether its closing time has come, or the day on which what came in now would be destroyed at once."""
        if self.closes_at and now >= self.closes_at:
            return True
        return self.purge_on is not None and self.purge_on <= self.day_there(now)


class Group(models.Model):
    """A named link of one survey, such as a class section, so that groups compare without asking anyone anything."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="groups")
    slug = models.SlugField(max_length=40)
    name = models.CharField(max_length=80, validators=[check_line])

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("survey", "slug"), name="group_slug_unique_in_survey"),)

    def __str__(self) -> str:
        return self.name
