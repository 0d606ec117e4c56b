"""Every text is in every catalog, translated, with its placeholders, and compiled."""

import ast
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.i18n.catalogs import LOCALES, WHOLE, Key, Message, compiled, messages, plural_forms, source
from tests.i18n.extraction import ROOT, compile_catalog, extract
from tests.programs import GETTEXT

pytestmark = pytest.mark.skipif(GETTEXT.find() is None, reason=GETTEXT.how_to_install)


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("extracted")
    extract(directory)
    return directory


@cache
def _kept(locale: str) -> list[Message]:
    return messages(source(ROOT, locale))


def _keys(path: Path) -> set[Key]:
    return {message.key for message in messages(path)}


@pytest.mark.parametrize("locale", LOCALES)
def test_the_catalog_holds_every_text_and_no_other(extracted: Path, locale: str) -> None:
    wanted, kept = _keys(source(extracted, locale)), {message.key for message in _kept(locale)}
    assert (wanted - kept, kept - wanted) == (set(), set()), "run `make messages` and translate what is new"


def test_a_text_that_is_in_no_catalog_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("surveys", "templates", "locale"):
        (tmp_path / "sources" / name).mkdir(parents=True)
    page = '{% load i18n %}{% translate "Nobody has translated this" %}'
    (tmp_path / "sources" / "templates" / "page.html").write_text(page)
    for locale in LOCALES:
        path = source(tmp_path / "sources", locale)
        path.parent.mkdir(parents=True)
        path.write_bytes(source(ROOT, locale).read_bytes())
    monkeypatch.setattr("tests.i18n.extraction.ROOT", tmp_path / "sources")
    extract(tmp_path / "extracted")
    for locale in LOCALES:
        found = _keys(source(tmp_path / "extracted", locale))
        new = {("", "Nobody has translated this", "")} if locale in WHOLE else set()  # respondents do not meet it
        assert found - {message.key for message in _kept(locale)} == new


@pytest.mark.parametrize("locale", LOCALES)
def test_everything_is_translated(locale: str) -> None:
    assert [message.text for message in _kept(locale) if message.missing] == []


@pytest.mark.parametrize("locale", LOCALES)
def test_every_plural_has_all_its_forms(locale: str) -> None:
    forms = plural_forms(source(ROOT, locale))
    wrong = [message.text for message in _kept(locale) if len(message.translations) != (forms if message.plural else 1)]
    assert wrong == []


@pytest.mark.parametrize("locale", LOCALES)
def test_placeholders_and_tags_survive_translation(locale: str) -> None:
    translated = [message for message in _kept(locale) if not message.missing]
    assert [message.text for message in translated if message.torn] == []


def _message(text: str, *translations: str, plural: str = "") -> Message:
    return Message(context="", text=text, plural=plural, translations=translations, flags=frozenset())


@pytest.mark.parametrize(
    "torn",
    [
        _message("Question %(number)s", "Frage"),
        _message("Question %(number)s", "Frage %(nummer)s"),
        _message("{n} of {all}", "{n} von"),
        _message('<a href="%(back)s">Back</a>', "Zurück"),
        _message("<strong>Never</strong>", "<strong>Nie<strong>"),
        _message("one answer", "eine Antwort", "Antworten", plural="%(n)s answers"),
    ],
)
def test_a_torn_translation_is_found(torn: Message) -> None:
    assert torn.torn


def test_a_singular_need_not_say_its_number() -> None:
    assert not _message("one answer", "eine Antwort", "%(n)s Antworten", plural="%(n)s answers").torn


def test_an_empty_a_fuzzy_and_a_half_translation_are_missing() -> None:
    assert _message("Yes", "").missing
    assert replace(_message("Yes", "Ja"), flags=frozenset({"fuzzy"})).missing
    assert _message("one", "eins", "", plural="two").missing
    assert not _message("Yes", "Ja").missing


@pytest.mark.parametrize("locale", LOCALES)
def test_the_compiled_catalog_is_the_catalog(locale: str, tmp_path: Path) -> None:
    compile_catalog(source(ROOT, locale), tmp_path / "django.mo")
    kept = source(ROOT, locale).with_suffix(".mo")
    assert compiled(kept) == compiled(tmp_path / "django.mo"), "run `make messages`"


def test_no_text_is_marked_inside_an_f_string() -> None:
    """Extraction does not look there."""
    marks = {"_", "gettext", "ngettext", "pgettext", "npgettext"}
    hidden = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted((ROOT / "surveys").rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in marks
    ]
    assert hidden == []
