"""Responses: perturbed reports and nothing else."""

from django.db import models
from django.db.models import Q

from surveys.models.survey import Group, Survey

# One character an item; 35 codes at most leaves room for every option and "prefer not to say".
CODES = "0123456789abcdefghijklmnopqrstuvwxyz"
LEFT_OUT = "-"
# The form without JavaScript sends one field an item, and Django accepts 200 fields.
MAX_ITEMS = 150


class Mode(models.TextChoices):
    """Who flipped the coins."""

    DEVICE = "device", "The respondent’s device"
    OWN_COIN = "own_coin", "The respondent’s own coins"
    SERVER = "server", "This server, for a moment"


class Response(models.Model):
    """One submission: no user, address, time, duration, coin or truth."""

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="responses")
    group = models.ForeignKey(
        Group, on_delete=models.PROTECT, null=True, blank=True, db_index=False, related_name="responses"
    )
    mode = models.CharField(max_length=8, choices=Mode.choices)
    reports = models.CharField(max_length=MAX_ITEMS)
    # Keyed hash of the page's nonce: sending twice stores once, and the table gives no nonce away.
    nonce_hash = models.BinaryField(max_length=16, unique=True)

    class Meta:
        """Rules that also hold for raw SQL."""

        constraints = (
            models.CheckConstraint(condition=Q(mode__in=Mode.values), name="response_mode_known"),
            models.CheckConstraint(condition=~Q(reports=""), name="response_has_reports"),
        )

    def __str__(self) -> str:
        return self.reports
