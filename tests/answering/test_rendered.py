"""The page is compressed once; what each request fills in stands in the stream as it is."""

import gzip
import re

import pytest
from django.test import Client

from tests.factories import make_open, one_of, yes_no

pytestmark = pytest.mark.django_db


def _without_own_values(html: str) -> str:
    return re.sub(r'(name="nonce" value=")[^"]+', r"\1", html)


def test_compressed_and_plain_pages_are_the_same_but_for_the_nonce() -> None:
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


def test_every_visitor_gets_a_nonce_of_their_own() -> None:
    survey = make_open()
    pages = [Client().get(f"/s/{survey.code}/").content.decode() for _ in range(2)]
    values = [set(re.findall(r'name="nonce" value="([^"]+)"', page)) for page in pages]
    assert [len(nonces) for nonces in values] == [1, 1]
    assert values[0] != values[1]


def test_the_page_and_its_style_fit_into_the_first_round_trip() -> None:
    page = Client(headers={"Accept-Encoding": "gzip"}).get(f"/s/{make_open().code}/")
    assert len(page.content) <= 14 * 1024
