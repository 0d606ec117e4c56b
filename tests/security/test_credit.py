"""Somebody who kept everything matches receipts with answers: all requests, the key with its primes, who redeemed what.

A receipt fits an answer if a factor joins them. One joins each pair, and none of them is more likely than another.
"""

import secrets
from collections.abc import Callable
from itertools import product

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key

from surveys.credit import blind
from surveys.credit.services import read
from surveys.models import CreditKey, Survey
from tests.credit.device import Device, answer, decline
from tests.factories import make_open, yes_no

pytestmark = pytest.mark.django_db
PEOPLE = 12


def _class(survey: Survey, devices: list[Device]) -> list[tuple[int, int, int]]:
    """Let one after the other answer or decline; return what each sent and was sent, and the signature they redeem."""
    seen = []
    for number, device in enumerate(devices):
        act = decline if number % 4 == 3 else answer
        signature = act(survey, device).json()["signature"]
        receipt = read(device.receipt(signature)) or b""
        seen.append(
            (int.from_bytes(device.hidden), int.from_bytes(read(signature) or b""), int.from_bytes(receipt[64:]))
        )
    return seen


def _factors(survey: Survey, seen: list[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    """Return the one factor that joins each receipt with each request, by the server's own key."""
    key = load_der_private_key(bytes(CreditKey.objects.get(survey=survey).private_key), None)
    assert isinstance(key, RSAPrivateKey)
    modulus, exponent = key.public_key().public_numbers().n, key.private_numbers().d
    factors = {}
    for (theirs, (blinded, signed, _)), (mine, (*_, signature)) in product(enumerate(seen), repeat=2):
        encoded = pow(signature, blind.EXPONENT, modulus)
        factor = pow(blinded * pow(encoded, -1, modulus), exponent, modulus)
        # What the server was asked, and what it answered.
        assert encoded * pow(factor, blind.EXPONENT, modulus) % modulus == blinded
        assert signature * factor % modulus == signed
        factors[theirs, mine] = factor
    return factors


def _matched(factors: dict[tuple[int, int], int]) -> set[int]:
    """Return whose receipt has one factor that no random draw is likely to give: beside all others it is small."""
    return {
        mine
        for mine in range(PEOPLE)
        if (least := min(range(PEOPLE), key=lambda theirs: factors[theirs, mine])) == mine
        and factors[least, mine].bit_length() < 2048 - 64
    }


def _by(draw: Callable[[int], int], survey: Survey) -> list[Device]:
    devices = []
    for _ in range(PEOPLE):
        at = Device.at(survey)
        message = blind.prepare(secrets.token_bytes(32), secrets.token_bytes(32))
        devices.append(Device(at.modulus, message, *blind.blind(at.modulus, message, randbelow=draw), at.nonce))
    return devices


def test_every_receipt_fits_every_answer_and_every_decline() -> None:
    survey = make_open(yes_no(), credit=True, consent="May we ask you?")
    factors = _factors(survey, _class(survey, _by(secrets.randbelow, survey)))
    assert len(set(factors.values())) == PEOPLE**2
    # A factor so small comes once in 2^64 draws.
    assert not _matched(factors)


@pytest.mark.parametrize("bits", [8, 64, 1024])
def test_factors_that_are_not_drawn_from_all_numbers_give_everybody_away(bits: int) -> None:
    survey = make_open(yes_no(), credit=True, consent="May we ask you?")
    devices = _by(lambda _bound: secrets.randbelow(1 << bits), survey)
    assert _matched(_factors(survey, _class(survey, devices))) == set(range(PEOPLE))
