"""Keyed hashes: what is stored in place of tokens and names, and says nothing to who has the database alone."""

import hashlib

from django.conf import settings

HASH_BYTES = 16


def keyed_hash(purpose: str, text: str) -> bytes:
    """Return the hash of a text under the key in use; the same text has another one for each purpose."""
    return _hash(settings.SECRET_KEY, purpose, text)


def keyed_hashes(purpose: str, text: str) -> list[bytes]:
    """Return what a text may be stored as, one hash for each key in use: keys are rotated while links are out."""
    return [_hash(secret, purpose, text) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


def _hash(secret: str, purpose: str, text: str) -> bytes:
    key = hashlib.sha256(f"deniable.{purpose}\0{secret}".encode()).digest()
    return hashlib.blake2b(text.encode(), key=key, digest_size=HASH_BYTES).digest()
