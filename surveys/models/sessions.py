"""Where sessions are kept: one row of `SignIn` each, found by the hash of the key in the cookie."""

import datetime as dt
import hashlib
from typing import Any, cast

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from surveys.models.accounts import SignIn

_SIGNED_IN_AT = "_signed_in_at"


def stored_key(session_key: str) -> str:
    """Return what stands in the database for a cookie's key; that one has 165 bits, so a plain hash does."""
    return hashlib.blake2b(session_key.encode(), digest_size=16, person=b"deniable.session").hexdigest()


class SessionStore(DatabaseStore):
    """Django's store in the database, over `SignIn`; the server is WSGI, so its asynchronous half is not used."""

    @classmethod
    def get_model_class(cls) -> type[SignIn]:
        """Return the model of a session."""
        return SignIn

    def _get_session_from_db(self) -> SignIn | None:
        key, now = self.session_key, timezone.now()
        row = SignIn.objects.filter(pk=stored_key(key), expire_date__gt=now).first() if key else None
        if row is None:
            # So that a key that the visitor brought is never taken over.
            self._session_key = None
        elif row.seen_at is not None and row.seen_at < _hour(now):
            SignIn.objects.filter(pk=row.pk, seen_at__lt=_hour(now)).update(seen_at=_hour(now))
        return row

    def exists(self, session_key: str) -> bool:
        """Return whether there is a session with this key."""
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
            row.seen_at = _hour(now)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """End the session with this key, or this one."""
        if key := session_key or self.session_key:
            SignIn.objects.filter(pk=stored_key(key)).delete()


def _hour(moment: dt.datetime) -> dt.datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
