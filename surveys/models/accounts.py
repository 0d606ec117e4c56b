"""Accounts: their names, who may sign up, what failed lately, and recovery codes."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.models.account_names import check_address
from surveys.models.hashing import HASH_BYTES, keyed_hashes
from surveys.questionnaire.texts import check_line


class AccountName(models.Model):
    """What an account's name has in common with all that could be taken for it: no two accounts share it."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    # Twice as long as a name: ß and the like become two letters.
    skeleton = models.CharField(max_length=300, unique=True)

    def __str__(self) -> str:
        return self.skeleton


class ProviderAccount(models.Model):
    """By which account at the provider somebody signs in: who the provider is, and a keyed hash of its name for them.

    Nothing else that a provider says of people is stored.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    issuer = models.CharField(max_length=500)
    subject_hash = models.BinaryField(max_length=HASH_BYTES)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="provider_account_is_one_persons", fields=["issuer", "subject_hash"]),
        )

    def __str__(self) -> str:
        return self.issuer


class Tries(models.Model):
    """How often something failed in one window of time, by the keyed hash of what it failed for.

    For names of accounts and for names that nobody has alike. Rows of earlier windows are deleted as new ones come.
    """

    name_hash = models.BinaryField(max_length=HASH_BYTES, unique=True)
    window = models.PositiveIntegerField(db_index=True)
    number = models.PositiveSmallIntegerField(default=1)

    def __str__(self) -> str:
        return str(self.number)


class SignUpInvitation(models.Model):
    """A single-use link to an account, sent to one email address: by an admin, or asked for where sign-up is open."""

    email = models.EmailField(_("email address"), validators=[check_address])
    note = models.CharField(
        _("note"),
        max_length=200,
        blank=True,
        validators=[check_line],
        help_text=_("Shown only in the list of invitations and never sent."),
    )
    token_hash = models.BinaryField(max_length=HASH_BYTES, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("invited by"),
    )
    made_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("valid until"), editable=False)
    used_at = models.DateTimeField(_("used"), null=True, editable=False)

    class Meta:
        verbose_name = _("sign-up invitation")
        verbose_name_plural = _("sign-up invitations")

    def __str__(self) -> str:
        return self.email


class SecondFactor(TOTPDevice):
    """A person's app that shows codes, by a name of ours for the admin site."""

    class Meta:
        proxy = True
        verbose_name = _("authentication app")
        verbose_name_plural = _("authentication apps")


class RecoveryCodes(StaticDevice):
    """A person's recovery codes, of which only keyed hashes are stored."""

    class Meta:
        proxy = True

    def verify_token(self, token: str) -> bool:
        """Return whether this is one of the codes, and spend it then."""
        hashes = self.hashes_of(token)
        known = self.token_set.filter(token__in=hashes).values_list("token", flat=True).first()
        accepted: bool = super().verify_token(known or hashes[0])
        return accepted

    def hashes_of(self, code: str) -> list[str]:
        """Return what a code may be stored as, under the key in use first; it fits django-otp's column."""
        return [hashed.hex()[:16] for hashed in keyed_hashes("recovery", f"{self.user_id}:{code}")]
