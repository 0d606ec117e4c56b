"""Releases: what was drawn once, part by part, and never changes."""

import secrets
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from surveys.models.survey import ExactFigures, Survey
from surveys.models.units import MICRO, PICO, Amount


def new_release_id() -> str:
    """Return an identifier that cannot be guessed from another."""
    return secrets.token_urlsafe(9)


def this_second() -> datetime:
    """Return the time in whole seconds: parts of them, stored with releases, would tell how long draws take."""
    return timezone.now().replace(microsecond=0)


class Mechanism(models.TextChoices):
    """The central mechanisms a release can use; `surveys.releases.mechanisms` has a file for each."""

    LAPLACE_HISTOGRAM = "laplace_histogram", _("Noisy counts (discrete Laplace)")
    GAUSSIAN_HISTOGRAM = "gaussian_histogram", _("Noisy counts (discrete Gaussian)")
    ONE_COUNT = "one_count", _("Noisy count of one answer (discrete Laplace)")
    TREE_COUNTS = "tree_counts", _("Whole distribution (noisy tree of counts)")
    MOST_COMMON = "most_common", _("Most common answer (exponential mechanism)")
    PERMUTE_AND_FLIP = "permute_and_flip", _("Most common answer (permute-and-flip)")
    TOP = "top", _("Most common answers, in order (peeling)")
    QUANTILE = "quantile", _("Median or another quantile (exponential mechanism)")
    BEST_PRICE = "best_price", _("Revenue-maximizing price (exponential mechanism)")
    TOTAL = "total", _("Total of numeric answers (discrete Laplace)")
    MEAN = "mean", _("Mean of numeric answers (discrete Laplace)")
    VARIANCE = "variance", _("Variance of numeric answers (discrete Laplace)")
    BOUNDS = "bounds", _("Range of numeric answers (approximate bounds)")
    SMOOTH_MEDIAN = "smooth_median", _("Median (smooth sensitivity, Cauchy)")
    STABLE_MODE = "stable_mode", _("Most common answer (propose-test-release)")
    STABLE_MEDIAN = "stable_median", _("Median (propose-test-release)")
    JOINT_TABLE = "joint_table", _("A model of several questions (noisy joint table)")
    FIGURES_BY_GROUP = "figures_by_group", _("Figures by group (noisy joint table)")
    BEST_PREDICTOR = "best_predictor", _("Question most associated with an outcome (exponential mechanism)")


class Release(models.Model):
    """One charge and what was drawn for it, from one question or several; the database refuses to change it."""

    id = models.CharField(primary_key=True, max_length=16, default=new_release_id, editable=False)
    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="releases", verbose_name=_("survey"))
    mechanism = models.CharField(_("mechanism"), max_length=20, choices=Mechanism.choices)
    relation = models.CharField(_("neighbouring relation"), max_length=20)
    micro_epsilon = models.PositiveBigIntegerField(_("ε charged (millionths)"))
    pico_delta = models.PositiveBigIntegerField(_("δ charged (trillionths)"), default=0)
    data_version = models.CharField(max_length=80)
    request_key = models.UUIDField(unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="releases")
    created_at = models.DateTimeField(default=this_second, editable=False)
    # As the survey's was when this was drawn: the label says it.
    exact_figures = models.CharField(
        max_length=12, choices=ExactFigures.choices, default=ExactFigures.NOT_SHOWN, editable=False
    )
    published = models.BooleanField(_("published"), default=False)

    epsilon = Amount("micro_epsilon", MICRO)
    delta = Amount("pico_delta", PICO)

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering = ("created_at", "id")
        constraints = (
            models.CheckConstraint(condition=Q(mechanism__in=Mechanism.values), name="release_mechanism_known"),
            models.CheckConstraint(condition=Q(micro_epsilon__gt=0), name="release_costs_something"),
            models.CheckConstraint(
                condition=Q(exact_figures__in=ExactFigures.values), name="release_exact_figures_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_mechanism_display()} ({self.pk})"

    @property
    def has_two_people(self) -> bool:
        return hasattr(self, "proposal")


class ReleasePart(models.Model):
    """What a release says about one question, and the part of the charge that paid for it."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="parts")
    position = models.PositiveSmallIntegerField()
    # As people count them, from 1.
    question = models.PositiveSmallIntegerField()
    # Everything the mechanism was run with, and everything it said: {"sensitivity": …} and {"noisy_counts": […]}.
    parameters = models.JSONField()
    output = models.JSONField()
    micro_epsilon = models.PositiveBigIntegerField(_("ε charged (millionths)"))
    pico_delta = models.PositiveBigIntegerField(_("δ charged (trillionths)"), default=0)
    # The answers counted: public, because a release's neighbours replace one answer and keep their number.
    n = models.PositiveBigIntegerField(_("answers counted"))

    epsilon = Amount("micro_epsilon", MICRO)
    delta = Amount("pico_delta", PICO)

    class Meta:
        ordering = ("release", "position")
        constraints = (
            models.UniqueConstraint(fields=("release", "position"), name="release_part_position_once"),
            models.UniqueConstraint(fields=("release", "question"), name="release_part_question_once"),
            models.CheckConstraint(condition=Q(micro_epsilon__gt=0), name="release_part_costs_something"),
        )

    def __str__(self) -> str:
        return f"{self.release}: question {self.question}"

    @property
    def text(self) -> str:
        return self.release.survey.questions[self.question - 1].text

    @property
    def questions(self) -> tuple[int, ...]:
        """The numbers of those whose reports were counted: the question, and those counted jointly with it."""
        return (self.question, *self.parameters.get("beside", ()))
