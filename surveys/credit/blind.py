"""RSA blind signatures, RFC 9474, in the variant RSABSSA-SHA384-PSS-Randomized.

A browser hides a message in a number, the server signs the number, and the browser takes a signature of the message out
of it. The number is random whatever the message is, so the server cannot recognize what it has signed.

Python promises nothing about constant time: how long its integers take depends on their values. So a number is
multiplied by a random one before the private key touches it. How long that takes then says nothing about the number
that somebody has chosen; that it says nothing at all of the key, nobody can promise in Python. tests/load/signing.py
measures it.
"""

import hashlib
import math
import secrets
from collections.abc import Callable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicNumbers,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA384

BITS, EXPONENT = 2048, 65_537
PREFIX_BYTES, SALT_BYTES = 32, 48


def new_key() -> RSAPrivateKey:
    return generate_private_key(public_exponent=EXPONENT, key_size=BITS)


def prepare(serial: bytes, prefix: bytes) -> bytes:
    """Return the message: a random prefix, then what it is to say."""
    if len(prefix) != PREFIX_BYTES:
        raise ValueError(f"the prefix must have {PREFIX_BYTES} bytes, got {len(prefix)}")
    return prefix + serial


def blind(
    modulus: int,
    message: bytes,
    *,
    token_bytes: Callable[[int], bytes] = secrets.token_bytes,
    randbelow: Callable[[int], int] = secrets.randbelow,
) -> tuple[bytes, int]:
    """Return the message hidden in a random number, and what takes it out again."""
    encoded = int.from_bytes(encode(message, modulus.bit_length() - 1, token_bytes(SALT_BYTES)))
    # A modulus of small primes, which a sound key never has, would be recognized in what is blinded.
    if math.gcd(encoded, modulus) != 1:
        raise ValueError("the message and the modulus have a divisor in common")
    factor = 1 + randbelow(modulus - 1)
    # Whoever meets a number that has no inverse has found a factor of the modulus, and pow raises ValueError.
    inverse = pow(factor, -1, modulus)
    return _written(encoded * pow(factor, EXPONENT, modulus) % modulus, modulus), inverse


def blind_sign(key: RSAPrivateKey, blinded: bytes, *, randbelow: Callable[[int], int] = secrets.randbelow) -> bytes:
    """Return the signature of a number, always the same one; raises ValueError where nothing hides in it."""
    numbers = key.private_numbers()
    modulus, exponent = numbers.public_numbers.n, numbers.public_numbers.e
    if not is_blinded(modulus, blinded):
        raise ValueError("the number must be above 1 and below the modulus less 1, and as long as the modulus")
    number = int.from_bytes(blinded)
    factor = 1 + randbelow(modulus - 1)
    hidden = number * pow(factor, exponent, modulus) % modulus
    signature = _sign(numbers, hidden) * pow(factor, -1, modulus) % modulus
    # A signature that went wrong with one of the primes would give them both away.
    if pow(signature, exponent, modulus) != number:
        raise RuntimeError("the processor or the memory has made a mistake: the signature is not given out")
    return _written(signature, modulus)


def is_blinded(modulus: int, blinded: bytes) -> bool:
    """Whether these bytes are a number that something may hide in: 0, 1 and -1 sign themselves."""
    return len(blinded) == _size(modulus) and 1 < int.from_bytes(blinded) < modulus - 1


def finalize(modulus: int, message: bytes, signature: bytes, inverse: int) -> bytes:
    """Return the signature of the message, from that of the number it hid in; raises ValueError where it is none."""
    if len(signature) != _size(modulus):
        raise ValueError(f"the signature must have {_size(modulus)} bytes, got {len(signature)}")
    found = _written(int.from_bytes(signature) * inverse % modulus, modulus)
    if not verify(modulus, message, found):
        raise ValueError("this is no signature of the message under this key")
    return found


def verify(modulus: int, message: bytes, signature: bytes) -> bool:
    """Whether this is a signature of the message: RSASSA-PSS with SHA-384 and a salt of 48 bytes."""
    key = RSAPublicNumbers(EXPONENT, modulus).public_key()
    try:
        key.verify(signature, message, PSS(MGF1(SHA384()), SALT_BYTES), SHA384())
    except InvalidSignature:
        return False
    return True


def encode(message: bytes, bits: int, salt: bytes) -> bytes:
    """Return EMSA-PSS-ENCODE of RFC 8017, section 9.1.1, with SHA-384."""
    length = -(-bits // 8)
    digest = _sha384(bytes(8) + _sha384(message) + salt)
    padding = length - len(salt) - len(digest) - 2
    if padding < 0:
        raise ValueError(f"a modulus of {bits + 1} bits is too short")
    block = bytes(padding) + b"\x01" + salt
    masked = bytes(a ^ b for a, b in zip(block, _mask(digest, len(block)), strict=True))
    return bytes([masked[0] & 0xFF >> (8 * length - bits)]) + masked[1:] + digest + b"\xbc"


def _mask(seed: bytes, length: int) -> bytes:
    """Return MGF1 of RFC 8017, appendix B.2.1."""
    blocks = -(-length // 48)
    return b"".join(_sha384(seed + number.to_bytes(4)) for number in range(blocks))[:length]


def _sha384(data: bytes) -> bytes:
    return hashlib.sha384(data).digest()


def _sign(numbers: RSAPrivateNumbers, number: int) -> int:
    """Return the number to the power of the private exponent, by each prime alone."""
    by_p, by_q = pow(number, numbers.dmp1, numbers.p), pow(number, numbers.dmq1, numbers.q)
    return by_q + numbers.q * (numbers.iqmp * (by_p - by_q) % numbers.p)


def _size(modulus: int) -> int:
    return -(-modulus.bit_length() // 8)


def _written(number: int, modulus: int) -> bytes:
    return number.to_bytes(_size(modulus))
