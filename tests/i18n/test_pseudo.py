"""The languages of the tests change every text and break none."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation
from pytest_django.fixtures import Settings

from tests.i18n.catalogs import Message, messages, source
from tests.i18n.extraction import ROOT
from tests.i18n.pseudo import build, long, right_to_left, use_pseudo
from tests.programs import GETTEXT

pytestmark = pytest.mark.skipif(GETTEXT.find() is None, reason=GETTEXT.how_to_install)

TEXT = 'With <strong>%(share)s</strong> of {n}, 95%% see <a href="%(back)s">all &amp; more</a>.'
KEPT = ["<strong>", "%(share)s", "</strong>", "{n}", "95%%", '<a href="%(back)s">', "&amp;", "</a>"]


def test_right_to_left_is_in_hebrew_letters_with_placeholders_and_tags_as_they_were() -> None:
    changed = right_to_left(TEXT)
    assert [part for part in KEPT if part not in changed] == []
    rest = re.sub(r"<[^>]*>|%\(\w+\)s|\{\w+\}|%%|&amp;", "", changed)
    assert re.search("[A-Za-z]", rest) is None
    assert re.search("[א-ת]", rest)


def test_long_is_half_as_long_again_with_placeholders_and_tags_once() -> None:
    changed = long(TEXT)
    assert [part for part in KEPT if changed.count(part) != TEXT.count(part)] == []
    assert 1.5 * len(TEXT) <= len(changed) < 1.5 * len(TEXT) + 10


def test_a_text_without_words_stays_a_text() -> None:
    assert (long("%(n)s"), right_to_left("%(n)s"), long("“…”")) == ("%(n)s", "%(n)s", "“…”")


@pytest.mark.parametrize("change", [right_to_left, long])
def test_no_real_text_is_torn(change: Callable[[str], str]) -> None:
    changed = [
        Message(text.context, text.text, text.plural, (change(text.text), change(text.plural or text.text)), text.flags)
        for text in messages(source(ROOT, "de"))
    ]
    assert [message.text for message in changed if message.torn or message.missing] == []


def test_both_catalogs_are_compiled(tmp_path: Path) -> None:
    assert len(list(build(tmp_path).glob("*/LC_MESSAGES/django.mo"))) == 2


@pytest.mark.django_db
def test_a_page_speaks_them(client: Client, settings: Settings) -> None:
    use_pseudo(settings)
    page = client.get("/", headers={"accept-language": "ar"}).content.decode()
    assert '<html lang="ar" dir="rtl">' in page
    assert right_to_left("Join with a code") in page
    page = client.get("/", headers={"accept-language": "eo"}).content.decode()
    assert '<html lang="eo" dir="ltr">' in page
    assert long("Join with a code") in page


def test_afterwards_nobody_speaks_them() -> None:
    with translation.override("ar"):
        assert translation.gettext("Join with a code") == "Join with a code"
