"""static/js/blind.js and qr.js in a real Chromium: as RFC 9474, Python and segno have it, and no forgery passes."""

import hashlib
import math
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
import segno
from playwright.sync_api import Browser, Error, Page
from pytest_django.live_server_helper import LiveServer
from segno import encoder

from surveys.credit import blind
from surveys.credit.services import written
from tests.golden import cases

[VECTOR] = cases("blind_signatures", "RSABSSA-SHA384-PSS-Randomized")

# Everything goes in and comes out in hexadecimal: what is not, is no number of bytes.
_ASK = """async ([name, ...given]) => {
  const module = await import("/static/js/blind.js");
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const number = (hex) => BigInt(`0x${hex}`);
  const written = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const ask = {
    hashes: (list) => list.map((hex) => written(module.sha384(bytes(hex)))),
    blind: (modulus, message, drawn) => {
      const left = drawn?.map(bytes);
      const { blinded, inverse } = module.blind(number(modulus), bytes(message), left && (() => left.shift()));
      return { blinded: written(blinded), inverse: inverse.toString(16), left: left?.length };
    },
    finalize: (modulus, message, signature, inverse) =>
      written(module.finalize(number(modulus), bytes(message), bytes(signature), number(inverse))),
    verify: (modulus, message, signature) => module.verify(number(modulus), bytes(message), bytes(signature)),
    texts: (list) => list.map((hex) => module.toText(bytes(hex))).map((text) => [text, written(module.fromText(text))]),
  };
  return ask[name](...given);
}"""
KEY = blind.new_key()
MODULUS = KEY.public_key().public_numbers().n
MESSAGE = blind.prepare(secrets.token_bytes(32), secrets.token_bytes(32))


@pytest.fixture(scope="module")
def module_page(headless_shell: Browser, live_server: LiveServer) -> Iterator[Page]:
    """One page for all of this file: nothing that is asked of the modules stays on it."""
    with headless_shell.new_context(base_url=str(live_server.url)) as context:
        page = context.new_page()
        page.goto("/")
        yield page


def _ask(page: Page, name: str, *given: object) -> Any:  # noqa: ANN401 - as many types as there are functions
    return page.evaluate(_ASK, [name, *given])


def _hex(number: int) -> str:
    return number.to_bytes(256).hex()


def test_hashes_of_every_length_are_those_of_sha_384(module_page: Page) -> None:
    texts = [secrets.token_bytes(length) for length in range(301)]
    hashes = _ask(module_page, "hashes", [text.hex() for text in texts])
    assert hashes == [hashlib.sha384(text).hexdigest() for text in texts]


def test_the_numbers_of_the_rfc_come_out(module_page: Page) -> None:
    modulus, message = VECTOR["n"], VECTOR["prepared_msg"]
    factor = pow(int(VECTOR["inv"], 16), -1, int(modulus, 16)).to_bytes(len(modulus) // 2).hex()
    made = _ask(module_page, "blind", modulus, message, [VECTOR["salt"], factor])
    assert made["blinded"] == VECTOR["blinded_msg"]
    assert int(made["inverse"], 16) == int(VECTOR["inv"], 16)
    assert _ask(module_page, "finalize", modulus, message, VECTOR["blind_sig"], VECTOR["inv"]) == VECTOR["sig"]
    assert _ask(module_page, "verify", modulus, message, VECTOR["sig"])


def test_what_the_phone_blinds_python_signs_and_finds_valid(module_page: Page) -> None:
    made = [_ask(module_page, "blind", _hex(MODULUS), MESSAGE.hex()) for _ in range(2)]
    assert made[0] != made[1]
    signed = blind.blind_sign(KEY, bytes.fromhex(made[0]["blinded"]))
    found = _ask(module_page, "finalize", _hex(MODULUS), MESSAGE.hex(), signed.hex(), made[0]["inverse"])
    assert blind.verify(MODULUS, MESSAGE, bytes.fromhex(found))
    assert bytes.fromhex(found) == blind.finalize(MODULUS, MESSAGE, signed, int(made[0]["inverse"], 16))


def test_what_python_blinds_and_takes_apart_the_phone_finds_valid(module_page: Page) -> None:
    blinded, inverse = blind.blind(MODULUS, MESSAGE)
    signed = blind.blind_sign(KEY, blinded)
    found = _ask(module_page, "finalize", _hex(MODULUS), MESSAGE.hex(), signed.hex(), _hex(inverse))
    assert found == blind.finalize(MODULUS, MESSAGE, signed, inverse).hex()
    assert _ask(module_page, "verify", _hex(MODULUS), MESSAGE.hex(), found)


def test_numbers_that_share_a_divisor_with_the_modulus_blind_nothing(module_page: Page) -> None:
    """A modulus of small primes: which of them divide the message would be seen in what is blinded."""
    modulus, salt = 3 * (1 << 2046) + 3, bytes(48)
    for number in range(16):
        message = blind.prepare(bytes([number]) * 32, bytes(32))
        if math.gcd(int.from_bytes(blind.encode(message, 2047, salt)), modulus) != 1:
            with pytest.raises(Error, match="in common"):
                _ask(module_page, "blind", _hex(modulus), message.hex(), [salt.hex(), _hex(1)])
        else:
            assert _ask(module_page, "blind", _hex(modulus), message.hex(), [salt.hex(), _hex(1)])["inverse"] == "1"
            with pytest.raises(Error, match="in common"):
                _ask(module_page, "blind", _hex(modulus), message.hex(), [salt.hex(), _hex(3)])


def test_a_factor_that_is_no_number_below_the_modulus_is_drawn_again(module_page: Page) -> None:
    drawn = [bytes(48).hex(), _hex(0), _hex(MODULUS), _hex(2**2048 - 1), _hex(MODULUS - 1), _hex(5)]
    made = _ask(module_page, "blind", _hex(MODULUS), MESSAGE.hex(), drawn)
    assert made["left"] == 1
    assert int(made["inverse"], 16) == MODULUS - 1


def test_nothing_but_the_signature_of_the_message_under_the_key_is_taken(module_page: Page) -> None:
    blinded, inverse = blind.blind(MODULUS, MESSAGE)
    signed = blind.blind_sign(KEY, blinded)
    other, another_message = blind.new_key(), MESSAGE[:-1] + bytes([MESSAGE[-1] ^ 1])
    blinded_too, _ = blind.blind(MODULUS, another_message)
    wrong = {
        "0": _hex(0),
        "1": _hex(1),
        "n - 1": _hex(MODULUS - 1),
        "n": _hex(MODULUS),
        "nothing": "",
        "a byte less": signed[:-1].hex(),
        "a byte more": "00" + signed.hex(),
        "another number": _hex(int.from_bytes(signed) ^ 1),
        "of another key": blind.blind_sign(other, (int.from_bytes(blinded) >> 1).to_bytes(256)).hex(),
        "of another message": blind.blind_sign(KEY, blinded_too).hex(),
    }
    for signature in wrong.values():
        with pytest.raises(Error, match="not of this message"):
            _ask(module_page, "finalize", _hex(MODULUS), MESSAGE.hex(), signature, _hex(inverse))
    found = blind.finalize(MODULUS, MESSAGE, signed, inverse)
    taken = [
        _ask(module_page, "verify", _hex(modulus), message.hex(), signature.hex())
        for modulus, message, signature in (
            (MODULUS, another_message, found),
            (other.public_key().public_numbers().n, MESSAGE, found),
            (MODULUS, MESSAGE, found[:-1]),
            (MODULUS, MESSAGE, b"\0" + found),
            (MODULUS, MESSAGE, found),
        )
    ]
    assert taken == [False, False, False, False, True]


def test_bytes_are_written_as_python_writes_them(module_page: Page) -> None:
    lists = [b"\xff" * 3, bytes(range(256)), b"\xfb\xef", b"a", secrets.token_bytes(320)]
    texts = _ask(module_page, "texts", [each.hex() for each in lists])
    assert texts == [[written(each), each.hex()] for each in lists]


def _modules(page: Page, text: str) -> list[list[bool]] | None:
    drawn: list[list[bool]] | None = page.evaluate(
        'async (text) => (await import("/static/js/qr.js")).modulesOf(text)', text
    )
    return drawn


def test_the_drawn_code_is_segnos(module_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where a text ends with a byte, segno 1.6.6 writes a byte of padding that ISO/IEC 18004 has not.
    monkeypatch.setattr(encoder, "write_padding_bits", lambda buff, _version, length: buff.extend([0] * (-length % 8)))
    link = f"https://survey.example.org/credit/ABCDEF/#{secrets.token_urlsafe(320)}"
    for text in (link, "é" * 200, "a", *("x" * length for length in range(580, 587))):
        encoding = None if text.isascii() else "utf-8"
        drawn = segno.make(text, version=16, error="l", mask=0, boost_error=False, mode="byte", encoding=encoding)
        assert _modules(module_page, text) == [[bool(module) for module in row] for row in drawn.matrix], text
    assert _modules(module_page, "x" * 587) is None
