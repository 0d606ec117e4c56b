"""The page is compressed once; what each request fills in stands in the stream as it is."""

import gzip
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH
from django.test import Client

from surveys.answering.views import compressed
from tests.factories import make_open, one_of, yes_no

pytestmark = pytest.mark.django_db


def _without_own_values(html: str) -> str:
    return re.sub(r'(name="(?:nonce|csrfmiddlewaretoken)" value=")[^"]+', r"\1", html)


def test_compressed_and_plain_pages_are_the_same_but_for_nonce_and_token() -> None:
    survey = make_open(yes_no("Überall “wahr”?"), one_of())
    plain = Client().get(f"/s/{survey.code}/")
    packed = Client(headers={"Accept-Encoding": "br, gzip"}).get(f"/s/{survey.code}/")
    assert packed["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain
    # gzip checks the stream's checksum and length itself.
    unpacked = gzip.decompress(packed.content).decode()
    assert _without_own_values(unpacked) == _without_own_values(plain.content.decode())
    assert unpacked != plain.content.decode()
    assert len(packed.content) < len(plain.content) / 2
    for response in (plain, packed):
        assert "Accept-Encoding" in response["Vary"]


def test_every_visitor_gets_a_nonce_and_a_token_of_their_own() -> None:
    survey = make_open()
    pages = [Client().get(f"/s/{survey.code}/").content.decode() for _ in range(2)]
    for name in ("nonce", "csrfmiddlewaretoken"):
        values = [set(re.findall(rf'name="{name}" value="([^"]+)"', page)) for page in pages]
        assert [len(found) for found in values] == [1, 1]
        assert values[0] != values[1]


def test_the_token_goes_with_its_cookie_for_who_comes_again_too() -> None:
    page, visitor = f"/s/{make_open().code}/", Client(enforce_csrf_checks=True)
    cookies = set()
    for _ in range(2):
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', visitor.get(page).content.decode())
        assert token is not None
        cookies.add(visitor.cookies["csrftoken"].value)
        # What is missing is answered by the view, behind Django's check of the token.
        assert visitor.post(page, {"csrfmiddlewaretoken": token[1]}).status_code == 400
        assert visitor.post(page, {"csrfmiddlewaretoken": token[1][::-1]}).status_code == 403
    assert len(cookies) == 1


def _letters_of(monkeypatch: pytest.MonkeyPatch, numbers: Iterator[int]) -> Counter[str]:
    """Count the letters that are made of these bytes, as long as they last."""
    monkeypatch.setattr(compressed.secrets, "token_bytes", lambda n: bytes(next(numbers) for _ in range(n)))
    found: Counter[str] = Counter()
    for _ in range(31):
        found.update(compressed._letters())
    return found


def test_all_letters_of_a_token_are_equally_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    # 31 strings of 32 letters are 992, of 248 bytes four times: each byte that may be used comes as often as any other.
    usable = len(CSRF_ALLOWED_CHARS) * 4
    first_half = [byte for byte in range(256) if byte < usable]

    def drawn() -> Iterator[int]:
        for place in range(31):
            # Half of what is drawn is not needed, and what is left over comes in between.
            needed = [first_half[(32 * place + letter) % usable] for letter in range(CSRF_SECRET_LENGTH)]
            yield from (needed[0], *range(usable, 256), *needed[1:], *[0] * (CSRF_SECRET_LENGTH - 256 + usable))

    assert _letters_of(monkeypatch, drawn()) == dict.fromkeys(CSRF_ALLOWED_CHARS, 16)
    # The planted fault: nothing is left over.
    monkeypatch.setattr(compressed, "_LEFT_OVER", b"")
    assert len(set(_letters_of(monkeypatch, drawn()).values())) > 1


def test_the_page_and_its_style_fit_into_the_first_round_trip() -> None:
    page = Client(headers={"Accept-Encoding": "gzip"}).get(f"/s/{make_open().code}/")
    assert len(page.content) <= 14 * 1024
