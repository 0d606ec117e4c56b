"""Credit for taking part: what signs receipts, which of them are spent, and scores that wait to be sent.

Nothing here says which response a receipt was given for: the server has signed a number that it cannot recognize again
(decision 99).
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from surveys.models.hashing import HASH_BYTES
from surveys.models.survey import Survey

# Longer than any address that course systems are known to send.
LONGEST_ADDRESS = 500


class CreditKey(models.Model):
    """The key that signs one survey's receipts; its public part is in the frozen questionnaire.

    A copy of it can make receipts, and does not show whose answer belongs to one.
    """

    survey = models.OneToOneField(Survey, on_delete=models.CASCADE, primary_key=True, related_name="credit_key")
    private_key = models.BinaryField()  # PKCS #8, DER

    def __str__(self) -> str:
        return "credit key"


class Decline(models.Model):
    """Somebody declined and was given a receipt: sent again, it is the same receipt. No answer is stored.

    The hash is of the page's nonce and the blinded number, as that of a response; the table has no order but its own.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="declines")
    nonce_hash = models.BinaryField(max_length=HASH_BYTES, primary_key=True)

    def __str__(self) -> str:
        return "declined"


class SpentReceipt(models.Model):
    """A receipt that is spent: the hash of its serial number, and neither whose it was nor when."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="spent_receipts")
    receipt_hash = models.BinaryField(max_length=HASH_BYTES, primary_key=True)

    def __str__(self) -> str:
        return "spent"


class CoursePlatform(models.Model):
    """A course system that may launch this tool (LTI 1.3), by what it says of itself."""

    name = models.CharField(_("name"), max_length=80)
    issuer = models.URLField(_("issuer"), max_length=LONGEST_ADDRESS)
    client_id = models.CharField(_("client ID"), max_length=255)
    deployment_ids = models.TextField(_("deployment IDs"), help_text=_("One on each line."))
    login_address = models.URLField(_("authentication request URL"), max_length=LONGEST_ADDRESS)
    token_address = models.URLField(_("access token URL"), max_length=LONGEST_ADDRESS)
    keys_address = models.URLField(_("public keyset URL"), max_length=LONGEST_ADDRESS)

    class Meta:
        verbose_name = _("course platform")
        verbose_name_plural = _("course platforms")
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("issuer", "client_id"), name="course_platform_once"),)

    def __str__(self) -> str:
        return self.name


class ToolKey(models.Model):
    """The key with which this server shows course platforms who it is."""

    key_id = models.CharField(max_length=43, primary_key=True)
    private_key = models.BinaryField()  # PKCS #8, DER

    def __str__(self) -> str:
        return self.key_id


class WaitingScore(models.Model):
    """A score that is still to be sent: `subject` is the platform's name for a student, forgotten once it is sent."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="waiting_scores")
    # The admin says that scores wait for a platform, and does not delete it.
    platform = models.ForeignKey(CoursePlatform, on_delete=models.PROTECT, related_name="waiting_scores")
    line_item = models.CharField(max_length=LONGEST_ADDRESS)
    subject = models.CharField(max_length=255)
    # By its own random key: rows numbered as they come would say in which order students came.
    key = models.BinaryField(max_length=HASH_BYTES, primary_key=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("survey", "platform", "line_item", "subject"), name="waiting_score_once_a_student"
            ),
        )

    def __str__(self) -> str:
        return "waiting"
