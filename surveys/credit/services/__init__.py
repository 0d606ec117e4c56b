"""A survey's key, and what it signs.

Nothing here is imported with `cryptography` until a survey gives credit: respondents of all others need none of it.
"""

import base64
import binascii
from typing import TYPE_CHECKING

from surveys.common.caches import cached
from surveys.common.selectors import definition_of
from surveys.models import CreditKey, Survey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


def make_key(survey: Survey) -> str:
    """Make and store a survey's key, and return what checks its signatures: the modulus."""
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415

    from surveys.credit import blind  # noqa: PLC0415

    key = blind.new_key()
    der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    CreditKey.objects.create(survey=survey, private_key=der)
    return written(key.public_key().public_numbers().n.to_bytes(blind.BITS // 8))


def is_blinded(credit_key: str, blinded: str) -> bool:
    """Whether this is a number that can be signed under a survey's key, both as they are written."""
    from surveys.credit import blind  # noqa: PLC0415

    return blind.is_blinded(modulus_of(credit_key), read(blinded) or b"")


def sign(survey: Survey, blinded: str) -> str:
    """Return the signature of a blinded number, always the same one; raises ValueError where it is none.

    Whoever is given one has a receipt: only for what is stored, and only once its transaction has been committed.
    """
    from surveys.credit import blind  # noqa: PLC0415

    key = _private_key(survey.pk, modulus_of(definition_of(survey).credit_key))
    return written(blind.blind_sign(key, read(blinded) or b""))


@cached(64)
def _private_key(survey_id: int, modulus: int) -> "RSAPrivateKey":
    """Return the key that was frozen with the survey; raises RuntimeError where another one is in its place."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_der_private_key  # noqa: PLC0415

    stored = bytes(CreditKey.objects.values_list("private_key", flat=True).get(survey_id=survey_id))
    # That its primes are primes need not be looked into again: each signature is checked.
    key = load_der_private_key(stored, None, unsafe_skip_rsa_key_validation=True)
    if not isinstance(key, RSAPrivateKey) or key.public_key().public_numbers().n != modulus:
        raise RuntimeError(f"the stored key of survey {survey_id} is not the one that was frozen with it")
    return key


def modulus_of(credit_key: str) -> int:
    return int.from_bytes(read(credit_key) or b"")


def written(data: bytes) -> str:
    """Return bytes as they are written in forms and links: base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read(text: str) -> bytes | None:
    """Return the bytes that were written so, and None for any other text, also for another writing of the same."""
    try:
        data = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
    except (UnicodeEncodeError, binascii.Error):
        return None
    return data if written(data) == text else None
