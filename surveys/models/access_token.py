"""Access tokens: with one of them a program reads the exports of one survey."""

import datetime as dt
import re

from django.conf import settings
from django.db import models
from django.db.models import F, Q, QuerySet

from surveys.models.hashing import HASH_BYTES, keyed_hashes
from surveys.models.membership import Membership
from surveys.models.survey import Survey

# Where a token is left in the open, programs that search for secrets find it by this.
PREFIX = "deniable_"
TOKEN_BYTES = 32
LONGEST_LABEL = 60
_TOKEN = re.compile(rf"{PREFIX}[0-9a-f]{{{2 * TOKEN_BYTES}}}")


class AccessToken(models.Model):
    """One token, stored as a keyed hash: a copy of the database opens nothing.

    It belongs to the role that its maker had, so it ends with that role, even if they get it again. An owner has no
    role; the owner's tokens end when the survey gets another owner.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="access_tokens")
    maker = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    role = models.ForeignKey(Membership, on_delete=models.CASCADE, null=True, related_name="+")
    label = models.CharField(max_length=LONGEST_LABEL)
    token_hash = models.BinaryField(max_length=HASH_BYTES, unique=True)
    made_on = models.DateField()
    expires_on = models.DateField()
    # Programs run by a clock: the time of day would say when people work.
    last_used_on = models.DateField(null=True)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("survey", "label"), name="access_token_label_once"),)

    def __str__(self) -> str:
        return self.label


def valid_tokens(today: dt.date) -> QuerySet[AccessToken]:
    """Return the tokens that have not ended by this day."""
    return AccessToken.objects.filter(
        Q(role__isnull=False) | Q(survey__owner=F("maker")), expires_on__gte=today, maker__is_active=True
    )


def access_token_hashes(token: str) -> list[bytes]:
    """Return what a token may be stored as, one hash for each key in use; a malformed token has none."""
    return keyed_hashes("access-token", token) if _TOKEN.fullmatch(token) else []
