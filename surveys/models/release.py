"""Privacy budgets and the releases charged to them."""

import secrets
from fractions import Fraction

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.models.question import Question
from surveys.models.survey import Survey

MICRO = 1_000_000
PICO = 1_000_000_000_000


def new_release_id() -> str:
    """Return an identifier that cannot be guessed from another."""
    return secrets.token_urlsafe(9)


class Mechanism(models.TextChoices):
    """The central mechanisms a release can use."""

    LAPLACE_HISTOGRAM = "laplace_histogram", _("Noisy histogram (discrete Laplace)")
    MOST_COMMON = "most_common", _("Most common answer (exponential mechanism)")


class Budget(models.Model):
    """How much a survey may ever publish; integers, so that no rounding lends anything."""

    survey = models.OneToOneField(Survey, on_delete=models.PROTECT, related_name="budget", verbose_name=_("survey"))
    total_micro_epsilon = models.PositiveBigIntegerField(_("total ε (millionths)"))
    spent_micro_epsilon = models.PositiveBigIntegerField(_("spent ε (millionths)"), default=0, editable=False)
    total_pico_delta = models.PositiveBigIntegerField(_("total δ (trillionths)"), default=0)
    spent_pico_delta = models.PositiveBigIntegerField(_("spent δ (trillionths)"), default=0, editable=False)

    class Meta:
        """The last line of defence against overspending."""

        verbose_name = _("budget")
        verbose_name_plural = _("budgets")
        constraints = (
            models.CheckConstraint(
                condition=Q(spent_micro_epsilon__lte=F("total_micro_epsilon")), name="budget_epsilon_not_overspent"
            ),
            models.CheckConstraint(
                condition=Q(spent_pico_delta__lte=F("total_pico_delta")), name="budget_delta_not_overspent"
            ),
        )

    def __str__(self) -> str:
        return gettext("Budget of %(survey)s") % {"survey": self.survey}

    @property
    def total_epsilon(self) -> Fraction:
        """Total central ε."""
        return Fraction(self.total_micro_epsilon, MICRO)

    @property
    def spent_epsilon(self) -> Fraction:
        """Central ε spent, by basic composition."""
        return Fraction(self.spent_micro_epsilon, MICRO)

    @property
    def remaining_epsilon(self) -> Fraction:
        """Central ε left."""
        return self.total_epsilon - self.spent_epsilon


class Release(models.Model):
    """One charge and the one drawn output it paid for; the database refuses to change it."""

    id = models.CharField(primary_key=True, max_length=16, default=new_release_id, editable=False)
    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="releases", verbose_name=_("survey"))
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="releases")
    mechanism = models.CharField(_("mechanism"), max_length=20, choices=Mechanism.choices)
    # Everything the mechanism was run with, and everything it said: {"sensitivity": …} and {"noisy_counts": […]}.
    parameters = models.JSONField()
    output = models.JSONField()
    relation = models.CharField(_("neighbouring relation"), max_length=20)
    micro_epsilon = models.PositiveBigIntegerField(_("ε charged (millionths)"))
    pico_delta = models.PositiveBigIntegerField(_("δ charged (trillionths)"), default=0)
    # The answers counted: public, because a release's neighbours replace one answer and keep their number.
    n = models.PositiveBigIntegerField(_("answers counted"))
    data_version = models.CharField(max_length=80)
    request_key = models.UUIDField(unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="releases")
    created_at = models.DateTimeField(auto_now_add=True)
    published = models.BooleanField(_("published"), default=False)

    class Meta:
        """Rules that also hold for raw SQL."""

        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering = ("created_at", "id")
        constraints = (
            models.CheckConstraint(condition=Q(mechanism__in=Mechanism.values), name="release_mechanism_known"),
            models.CheckConstraint(condition=Q(micro_epsilon__gt=0), name="release_costs_something"),
        )

    def __str__(self) -> str:
        return f"{self.get_mechanism_display()}: {self.question}"

    @property
    def epsilon(self) -> Fraction:
        """The central ε charged."""
        return Fraction(self.micro_epsilon, MICRO)
