"""The key with which this server shows platforms who it is; made with the first of them."""

import time
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey

from surveys.models import CoursePlatform, ToolKey

ALGORITHM = "RS256"
_BITS = 2048
# Platforms may have slow clocks; a message is read within seconds.
_SECONDS = 300


def store_platform(platform: CoursePlatform) -> None:
    """Store a platform, and before the first one the key that it will ask for: looking for a key makes none."""
    _make_key_once()
    platform.save()


def _make_key_once() -> None:
    if not ToolKey.objects.exists():
        made = RSAKey.generate_key(_BITS)
        ToolKey.objects.create(key_id=made.thumbprint(), private_key=made.as_der(private=True))


def _keys() -> list[RSAKey]:
    """Return all keys, the one in use first: of two that were made at once, both may have signed."""
    return [_read(row) for row in ToolKey.objects.order_by("key_id")]


def _read(row: ToolKey) -> RSAKey:
    return RSAKey.import_key(bytes(row.private_key), {"kid": row.key_id, "use": "sig", "alg": ALGORITHM})


def public_keys() -> dict[str, Any]:
    """Return what platforms check signatures with (RFC 7517)."""
    return {"keys": [key.as_dict(private=False) for key in _keys()]}


def sign(claims: dict[str, Any]) -> str:
    """Return a token that says this for five minutes."""
    # An operator who has deleted it gets another one.
    _make_key_once()
    key, now = _keys()[0], int(time.time())
    return jwt.encode({"alg": ALGORITHM, "kid": key.kid}, {**claims, "iat": now, "exp": now + _SECONDS}, key)
