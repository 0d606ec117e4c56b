"""One thing has one name in every language: locale/glossary.md."""

import re
from dataclasses import dataclass

import pytest

from tests.i18n.catalogs import LOCALES, Message, messages, source
from tests.i18n.extraction import ROOT

_LANGUAGES = {"en": 1, "de": 2, "es": 3, "he": 4}
_ROW = re.compile(r"^\| (?!English|---)(.+) \|$", re.MULTILINE)
# Placeholders, tags, and what is typed as it stands, such as CODE.
_NO_WORDS = re.compile(r"%\(\w+\)[-#0 +]*[\d.]*[a-z]|\{\w*\}|</?\w+[^<>]*>|\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Term:
    """What a thing is called, by language, as patterns."""

    names: dict[str, re.Pattern[str]]

    def broken_by(self, message: Message, locale: str) -> bool:
        """Whether the English text names the thing and a translation calls it something else."""
        forms = [message.text] + [message.plural or message.text] * (len(message.translations) - 1)
        return any(
            self.names["en"].search(_NO_WORDS.sub("", form)) and not self.names[locale].search(translation)
            for form, translation in zip(forms, message.translations, strict=True)
        )


def _pattern(cell: str, *, whole: bool) -> re.Pattern[str]:
    words = "|".join(re.escape(word).replace("…", r"\w*") for word in cell.split("/"))
    return re.compile(rf"\b(?:{words})\b" if whole else words, re.IGNORECASE)


def _terms() -> list[Term]:
    rows = [row.split(" | ") for row in _ROW.findall((ROOT / "locale" / "glossary.md").read_text(encoding="utf-8"))]
    return [
        Term({language: _pattern(row[at - 1], whole=language == "en") for language, at in _LANGUAGES.items()})
        for row in rows
    ]


@pytest.mark.parametrize("locale", LOCALES)
def test_every_translation_calls_a_thing_by_its_name(locale: str) -> None:
    catalog = messages(source(ROOT, locale))
    wrong = [
        (message.text, message.translations)
        for term in _terms()
        for message in catalog
        if term.broken_by(message, locale)
    ]
    assert wrong == []


def test_a_thing_by_another_name_is_found() -> None:
    seal = next(term for term in _terms() if term.names["en"].fullmatch("sealed"))
    message = Message("", "It was sealed.", "", ("Sie wurde geschlossen.",), frozenset())
    assert seal.broken_by(message, "de")
    assert not seal.broken_by(Message("", "It was sealed.", "", ("Sie ist versiegelt.",), frozenset()), "de")
