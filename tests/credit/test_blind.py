"""Blind signatures against the vectors of RFC 9474, and against what somebody may send in their place."""

import math
import secrets
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicNumbers,
    rsa_crt_dmp1,
    rsa_crt_dmq1,
    rsa_crt_iqmp,
)
from cryptography.hazmat.primitives.hashes import SHA384
from hypothesis import given
from hypothesis import strategies as st

from surveys.credit import blind
from tests.golden import cases

VECTORS = cases("blind_signatures", "RSABSSA")
MESSAGE = blind.prepare(b"serial".ljust(32, b"."), b"prefix".ljust(32, b"."))


@dataclass(frozen=True)
class _Vector:
    """One of the RFC's. Those without a salt are of another variant, which is blinded and signed in the same way."""

    case: dict[str, Any]

    def bytes(self, name: str) -> bytes:
        return bytes.fromhex(self.case[name])

    def number(self, name: str) -> int:
        return int(self.case[name], 16)

    @property
    def key(self) -> RSAPrivateKey:
        p, q, d = (self.number(name) for name in "pqd")
        public = RSAPublicNumbers(self.number("e"), self.number("n"))
        crt = rsa_crt_dmp1(d, p), rsa_crt_dmq1(d, q), rsa_crt_iqmp(p, q)
        return RSAPrivateNumbers(p, q, d, *crt, public).private_key(unsafe_skip_rsa_key_validation=True)

    @property
    def factor_below(self) -> int:
        """What `randbelow` has to return for the vector's blinding factor."""
        return pow(self.number("inv"), -1, self.number("n")) - 1


@cache
def _key(number: int = 0) -> RSAPrivateKey:
    return blind.new_key()


def _modulus(key: RSAPrivateKey) -> int:
    return key.public_key().public_numbers().n


@pytest.fixture(params=VECTORS, ids=lambda case: case["id"])
def vector(request: pytest.FixtureRequest) -> _Vector:
    return _Vector(request.param)


def test_a_message_is_prepared_encoded_and_blinded_as_in_the_rfc(vector: _Vector) -> None:
    modulus = vector.number("n")
    prefix, message, salt = (vector.bytes(name) for name in ("msg_prefix", "msg", "salt"))
    prepared = blind.prepare(message, prefix) if prefix else message
    assert prepared == vector.bytes("prepared_msg")
    assert blind.encode(prepared, modulus.bit_length() - 1, salt) == vector.bytes("encoded_msg")
    blinded, inverse = blind.blind(
        modulus, prepared, token_bytes=lambda _: salt, randbelow=lambda _: vector.factor_below
    )
    assert (blinded, inverse) == (vector.bytes("blinded_msg"), vector.number("inv"))


def test_a_blinded_message_is_signed_as_in_the_rfc(vector: _Vector) -> None:
    assert blind.blind_sign(vector.key, vector.bytes("blinded_msg")) == vector.bytes("blind_sig")


def test_a_signature_is_taken_out_and_verified_as_in_the_rfc(vector: _Vector) -> None:
    given = vector.number("n"), vector.bytes("prepared_msg"), vector.bytes("blind_sig"), vector.number("inv")
    if vector.bytes("salt"):
        assert blind.finalize(*given) == vector.bytes("sig")
    else:
        # Another variant: the same messages, and no signatures of ours.
        assert not blind.verify(vector.number("n"), vector.bytes("prepared_msg"), vector.bytes("sig"))
        with pytest.raises(ValueError, match="no signature"):
            blind.finalize(*given)


@given(serial=st.binary(max_size=100), salt=st.binary(min_size=48, max_size=48))
def test_what_is_encoded_here_another_library_finds_in_a_signature(serial: bytes, salt: bytes) -> None:
    key, message = _key(), blind.prepare(serial, bytes(32))
    numbers = key.private_numbers()
    modulus = numbers.public_numbers.n
    encoded = int.from_bytes(blind.encode(message, modulus.bit_length() - 1, salt))
    signature = pow(encoded, numbers.d, modulus).to_bytes(256)
    key.public_key().verify(signature, message, PSS(MGF1(SHA384()), 48), SHA384())
    assert blind.verify(modulus, message, signature)


@given(message=st.binary(max_size=200), bits=st.integers(min_value=8 * (48 + 48 + 2), max_value=4096))
def test_what_is_encoded_is_below_every_modulus_of_its_length(message: bytes, bits: int) -> None:
    encoded = blind.encode(message, bits, bytes(48))
    assert len(encoded) == -(-bits // 8)
    assert int.from_bytes(encoded) < 1 << bits
    assert encoded.endswith(b"\xbc")


def test_a_modulus_too_short_for_the_padding_is_refused() -> None:
    blind.encode(b"", 8 * (48 + 48 + 2), bytes(48))
    with pytest.raises(ValueError, match="too short"):
        blind.encode(b"", 8 * (48 + 48 + 2) - 8, bytes(48))


def test_a_prefix_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        blind.prepare(b"serial", bytes(31))


def test_the_server_sees_another_number_each_time_and_signs_each_number_in_one_way() -> None:
    key = _key()
    modulus = _modulus(key)
    (one, take_one), (other, take_other) = blind.blind(modulus, MESSAGE), blind.blind(modulus, MESSAGE)
    assert one != other
    assert blind.blind_sign(key, one) == blind.blind_sign(key, one) != blind.blind_sign(key, other)
    for blinded, inverse in ((one, take_one), (other, take_other)):
        assert blind.verify(modulus, MESSAGE, blind.finalize(modulus, MESSAGE, blind.blind_sign(key, blinded), inverse))


def test_what_the_server_saw_fits_every_receipt_alike() -> None:
    """Of each receipt there is a factor that leads from it to any number that the server has signed."""
    key = _key()
    modulus, numbers = _modulus(key), key.private_numbers()
    seen, inverse = blind.blind(modulus, MESSAGE)
    blind.finalize(modulus, MESSAGE, blind.blind_sign(key, seen), inverse)
    others = int.from_bytes(blind.encode(b"somebody else's", modulus.bit_length() - 1, bytes(48)))
    factor = pow(int.from_bytes(seen) * pow(others, -1, modulus), numbers.d, modulus)
    assert others * pow(factor, 65_537, modulus) % modulus == int.from_bytes(seen)


@given(number=st.integers(min_value=2, max_value=1 << 2047), factor=st.integers(min_value=0, max_value=1 << 2046))
def test_every_number_is_signed_whatever_hides_it_from_the_private_key(number: int, factor: int) -> None:
    key = _key()
    numbers = key.private_numbers()
    signed = blind.blind_sign(key, (number % numbers.public_numbers.n).to_bytes(256), randbelow=lambda _: factor)
    assert int.from_bytes(signed) == pow(number, numbers.d, numbers.public_numbers.n)


def _edges(modulus: int) -> dict[str, bytes]:
    return {
        "zero": bytes(256),
        "one": (1).to_bytes(256),
        "minus one": (modulus - 1).to_bytes(256),
        "the modulus": modulus.to_bytes(256),
        "above the modulus": (modulus + 2).to_bytes(256),
        "all bits": b"\xff" * 256,
        "nothing": b"",
        "a byte less": (2).to_bytes(255),
        "a byte more": (2).to_bytes(257),
    }


def test_numbers_that_hide_nothing_are_not_signed() -> None:
    key = _key()
    edges = _edges(_modulus(key))
    assert not [name for name, blinded in edges.items() if blind.is_blinded(_modulus(key), blinded)]
    for blinded in edges.values():
        with pytest.raises(ValueError, match="must be above 1"):
            blind.blind_sign(key, blinded)


def test_the_numbers_beside_those_are_signed() -> None:
    key = _key()
    for number in (2, 3, _modulus(key) - 2):
        blind.blind_sign(key, number.to_bytes(256))


@pytest.mark.parametrize("prime", ["p", "q", "dmp1", "dmq1", "iqmp"])
def test_a_signature_that_went_wrong_is_not_given_out(prime: str) -> None:
    """Planted: one flipped bit of the private key in memory. Signed all the same, it would give the primes away."""
    key = _key()
    numbers = key.private_numbers()
    parts = {name: getattr(numbers, name) for name in ("p", "q", "d", "dmp1", "dmq1", "iqmp")}
    parts[prime] ^= 1 << 100

    class Faulty:
        def private_numbers(self) -> RSAPrivateNumbers:
            return RSAPrivateNumbers(**parts, public_numbers=numbers.public_numbers)

    blinded, _inverse = blind.blind(_modulus(key), MESSAGE)
    with pytest.raises(RuntimeError, match="mistake"):
        blind.blind_sign(Faulty(), blinded)  # type: ignore[arg-type]


def test_the_private_key_touches_another_number_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[int] = []
    signing = blind._sign
    monkeypatch.setattr(blind, "_sign", lambda numbers, number: touched.append(number) or signing(numbers, number))
    key = _key()
    blinded, _inverse = blind.blind(_modulus(key), MESSAGE)
    blind.blind_sign(key, blinded)
    blind.blind_sign(key, blinded)
    assert len({*touched, int.from_bytes(blinded)}) == 3


def _signed() -> tuple[int, bytes]:
    key = _key()
    blinded, inverse = blind.blind(_modulus(key), MESSAGE)
    return _modulus(key), blind.finalize(_modulus(key), MESSAGE, blind.blind_sign(key, blinded), inverse)


@cache
def _one_signature() -> tuple[int, bytes]:
    return _signed()


@given(place=st.integers(min_value=0, max_value=2047))
def test_no_bit_of_a_signature_can_be_changed(place: int) -> None:
    modulus, signature = _one_signature()
    changed = (int.from_bytes(signature) ^ 1 << place).to_bytes(256)
    assert blind.verify(modulus, MESSAGE, signature)
    assert not blind.verify(modulus, MESSAGE, changed)


@given(place=st.integers(min_value=0, max_value=8 * len(MESSAGE) - 1))
def test_no_bit_of_a_message_can_be_changed(place: int) -> None:
    modulus, signature = _one_signature()
    changed = (int.from_bytes(MESSAGE) ^ 1 << place).to_bytes(len(MESSAGE))
    assert not blind.verify(modulus, changed, signature)


@given(data=st.binary(max_size=300))
def test_bytes_that_nobody_signed_are_no_signature(data: bytes) -> None:
    modulus, _signature = _one_signature()
    assert not blind.verify(modulus, MESSAGE, data)


def test_a_signature_written_otherwise_is_none() -> None:
    modulus, signature = _one_signature()
    number = int.from_bytes(signature)
    # The same number modulo n, longer, shorter, negated.
    others = [(number + modulus).to_bytes(257), b"\0" + signature, signature[1:], (modulus - number).to_bytes(256)]
    if number + modulus < 1 << 2048:
        others.append((number + modulus).to_bytes(256))
    assert not [other for other in others if blind.verify(modulus, MESSAGE, other)]


def test_a_product_of_signatures_signs_nothing() -> None:
    modulus, signature = _signed()
    _modulus_again, other = _signed()
    product = int.from_bytes(signature) * int.from_bytes(other) % modulus
    assert not blind.verify(modulus, MESSAGE, product.to_bytes(256))


def test_a_signature_under_another_key_is_none() -> None:
    key, other = _key(), _key(1)
    modulus = _modulus(key)
    blinded, inverse = blind.blind(modulus, MESSAGE)
    # A server that signed with a key of one person's own is noticed by that person's browser.
    signature = pow(int.from_bytes(blinded) % _modulus(other), other.private_numbers().d, _modulus(other))
    with pytest.raises(ValueError, match="no signature"):
        blind.finalize(modulus, MESSAGE, signature.to_bytes(256), inverse)
    assert not blind.verify(_modulus(other), MESSAGE, _one_signature()[1])


@pytest.mark.parametrize("length", [0, 255, 257])
def test_an_answer_of_another_length_is_no_signature(length: int) -> None:
    modulus, _signature = _one_signature()
    with pytest.raises(ValueError, match="256 bytes"):
        blind.finalize(modulus, MESSAGE, secrets.token_bytes(length), 1)


def test_salts_of_another_length_are_not_ours() -> None:
    key = _key()
    for length in (0, 32, 47, 49, 64):
        signature = key.sign(MESSAGE, PSS(MGF1(SHA384()), length), SHA384())
        assert not blind.verify(_modulus(key), MESSAGE, signature)
    assert blind.verify(_modulus(key), MESSAGE, key.sign(MESSAGE, PSS(MGF1(SHA384()), 48), SHA384()))


def test_a_message_that_shares_a_divisor_with_the_modulus_is_not_blinded() -> None:
    """A modulus of small primes: which of them divide the encoded message would be seen in what is blinded."""
    modulus, salt = 3 * (1 << 2046) + 3, bytes(48)
    found = set()
    for number in range(64):
        message = blind.prepare(bytes([number]), bytes(32))
        divides = math.gcd(int.from_bytes(blind.encode(message, 2047, salt)), modulus) != 1
        found.add(divides)
        try:
            blind.blind(modulus, message, token_bytes=lambda _length: salt, randbelow=lambda _bound: 0)
        except ValueError:
            assert divides
        else:
            assert not divides
    assert found == {True, False}


def test_a_new_key_is_as_long_as_receipts_are_and_another_each_time() -> None:
    one, other = blind.new_key().public_key().public_numbers(), blind.new_key().public_key().public_numbers()
    assert (one.n.bit_length(), one.e) == (2048, 65_537)
    assert one.n != other.n
