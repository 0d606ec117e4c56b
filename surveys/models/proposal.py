"""Proposals of releases: the terms that one person asks for and another approves; nothing is read, drawn or charged."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from surveys.models.budget import REASON_LENGTH
from surveys.models.release import Mechanism, Release, this_second
from surveys.models.survey import Survey
from surveys.models.units import MICRO, PICO, Amount


class Proposal(models.Model):
    """The terms of one release, all of them public, and what became of them; decided once and never changed then."""

    class State(models.TextChoices):
        OPEN = "open", _("Waiting")
        APPROVED = "approved", _("Approved")
        DECLINED = "declined", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="proposals", verbose_name=_("survey"))
    # Numbers of the questions in their order, and of each how many answers were counted: a public number.
    questions = models.JSONField()
    answered = models.JSONField()
    content_hash = models.CharField(max_length=64)
    mechanism = models.CharField(_("mechanism"), max_length=20)
    micro_epsilon = models.PositiveBigIntegerField()
    pico_delta = models.PositiveBigIntegerField(default=0)
    options = models.JSONField(default=dict)
    reason = models.CharField(_("reason"), max_length=REASON_LENGTH)
    # That of the release as well, which therefore is made once, however often and by however many it is approved.
    request_key = models.UUIDField(unique=True)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="proposals", verbose_name=_("made by")
    )
    # What accounts were called then, as in the ledger.
    proposed_by_name = models.CharField(_("made by"), max_length=150)
    proposed_at = models.DateTimeField(_("made on"), default=this_second, editable=False)
    state = models.CharField(_("state"), max_length=9, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="decided_proposals"
    )
    decided_by_name = models.CharField(max_length=150, default="")
    decided_at = models.DateTimeField(null=True)
    why_declined = models.CharField(max_length=REASON_LENGTH, default="")
    release = models.OneToOneField(Release, on_delete=models.PROTECT, null=True, related_name="proposal")

    epsilon = Amount("micro_epsilon", MICRO)
    delta = Amount("pico_delta", PICO)

    class Meta:
        """Rules that also hold for raw SQL; that a release is of these terms is a trigger's."""

        verbose_name = _("proposal")
        verbose_name_plural = _("proposals")
        ordering = ("-proposed_at", "-pk")
        # People who may add releases propose them, and staff who may publish them approve.
        default_permissions = ()
        constraints = (
            models.CheckConstraint(condition=Q(micro_epsilon__gt=0), name="proposal_costs_something"),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(proposed_by_name=""), name="proposal_says_why_and_who"),
            models.CheckConstraint(
                condition=~Q(state__in=("approved", "declined"))
                | (Q(decided_by__isnull=False) & ~Q(decided_by=F("proposed_by"))),
                name="proposal_decided_by_somebody_else",
            ),
            models.CheckConstraint(
                condition=Q(
                    state="open",
                    decided_by__isnull=True,
                    decided_by_name="",
                    decided_at__isnull=True,
                    why_declined="",
                    release__isnull=True,
                )
                | (
                    Q(decided_by__isnull=False, decided_at__isnull=False)
                    & ~Q(decided_by_name="")
                    & (
                        Q(state="approved", release__isnull=False, why_declined="")
                        | (Q(state="declined", release__isnull=True) & ~Q(why_declined=""))
                        | Q(state="withdrawn", release__isnull=True, why_declined="", decided_by=F("proposed_by"))
                    )
                ),
                name="proposal_is_in_one_state",
            ),
        )

    def __str__(self) -> str:
        return f"{self.mechanism_label} ({self.survey.code})"

    @property
    def mechanism_label(self) -> str:
        return str(Mechanism(self.mechanism).label)

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN
