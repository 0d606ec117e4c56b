"""Who is signed in where: sessions, one row of `SignIn` each, found by the hash of the key in the cookie."""

import datetime as dt
import hashlib
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import Q
from django.utils import timezone

_SIGNED_IN_AT = "_signed_in_at"


def stored_key(session_key: str) -> str:
    """Return what stands in the database for a cookie's key; that one has 165 bits, so a plain hash does."""
    return hashlib.blake2b(session_key.encode(), digest_size=16, person=b"deniable.session").hexdigest()


class SignIn(AbstractBaseSession):
    """A session, and the sign-in that began it: the row is the session, so deleting it ends it.

    The key is stored as a hash: a copy of the database opens no session. Of where somebody signed in, and with what
    browser, nothing is stored; when they were last seen, to the hour.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="sign_ins")
    signed_in_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)

    class Meta(AbstractBaseSession.Meta):  # type: ignore[name-defined]  # the stubs leave it out
        """Nobody's session has no times, everybody else's has both."""

        constraints = (
            models.CheckConstraint(
                name="sign_in_has_its_times",
                condition=Q(user=None, signed_in_at=None, seen_at=None)
                | Q(user__isnull=False, signed_in_at__isnull=False, seen_at__isnull=False),
            ),
        )

    @classmethod
    def get_session_store_class(cls) -> "type[SessionStore]":
        return SessionStore


class SessionStore(DatabaseStore):
    """Django's store in the database, over `SignIn`; the server is WSGI, so its asynchronous half is not used."""

    @classmethod
    def get_model_class(cls) -> type[SignIn]:
        return SignIn

    def _get_session_from_db(self) -> SignIn | None:
        key, now = self.session_key, timezone.now()
        row = SignIn.objects.filter(pk=stored_key(key), expire_date__gt=now).first() if key else None
        if row is None:
            # So that a key that the visitor brought is never taken over.
            self._session_key = None
        elif row.seen_at is not None and row.seen_at < whole_hour(now):
            SignIn.objects.filter(pk=row.pk, seen_at__lt=whole_hour(now)).update(seen_at=whole_hour(now))
        return row

    def exists(self, session_key: str) -> bool:
        return SignIn.objects.filter(pk=stored_key(session_key)).exists()

    def create_model_instance(self, data: dict[str, Any]) -> SignIn:
        """Return the row of this session; when somebody signed in stays as it was when they did."""
        now = timezone.now()
        if user_id := data.get(SESSION_KEY):
            began = data.setdefault(_SIGNED_IN_AT, int(now.timestamp()) // 60 * 60)
        row = cast("SignIn", super().create_model_instance(data))
        row.session_key = stored_key(row.session_key)
        if user_id:
            row.user_id = int(user_id)
            row.signed_in_at = dt.datetime.fromtimestamp(began, dt.UTC)
            row.seen_at = whole_hour(now)
        return row

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            SignIn.objects.filter(pk=stored_key(key)).delete()


def whole_hour(moment: dt.datetime) -> dt.datetime:
    """Return the moment to the hour: as exactly as it is stored when a person last signed in or was last seen."""
    return moment.replace(minute=0, second=0, microsecond=0)
