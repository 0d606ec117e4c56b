"""Finds text in templates that no translator will ever see, and all text that a page shows."""

import re
from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

from django.contrib import admin

from tests.i18n.catalogs import messages

# The product's name, and names that are the same everywhere.
ALLOWED = ("Deniable", "SHA-256", "SRI", "SVG", "PNG", "CSV", "JSON", "BibTeX", "UTC")
# Time zones have the names of their database, which are the same everywhere.
_ZONE = re.compile(r"\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[\w/ -]+")
# A letter by itself is a symbol of the field: the same in every language.
_WORD = re.compile(r"[^\W\d_]{2,}")
# What is typed or read letter by letter is no prose; a formula and the name of a work are the same everywhere.
_VERBATIM = frozenset({"cite", "code", "pre", "samp", "kbd", "script", "style", "math"})
# Texts that a filter writes and no reader reads: an attribute's two values, a template's name.
ALLOWED_IN_FILTERS = ("rtl,ltr", "no,yes", "learn/page.html")
_READ_ALOUD = frozenset(
    {"alt", "aria-description", "aria-label", "aria-roledescription", "aria-valuetext", "label", "placeholder", "title"}
)
_BUTTONS = frozenset({"submit", "button", "reset"})
_TRANSLATED = re.compile(r"{%\s*blocktrans(?:late)?\b.*?{%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
# Blocks whose content is the value of an attribute, or code to copy.
_ATTRIBUTES = re.compile(
    r"{%\s*block (?:body_?class|language|direction|live_url|python|r)\s*%}.*?{%\s*endblock\b.*?%}", re.DOTALL
)
_COMMENT = re.compile(r"{#.*?#}|{%\s*comment\b.*?{%\s*endcomment\s*%}", re.DOTALL)
_CODE = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
_FILTER_TEXT = re.compile(r"\|\s*(?:yesno|default|default_if_none|add|join)\s*:\s*\"([^\"]*)\"")
_PLURALIZE = re.compile(r"\|\s*pluralize\b")

_LATIN = re.compile(r"[A-Za-z]{2,}")
# Names: ours, those of the languages and of what is the same in all of them, of a relation and of a host.
_NAMES = {
    "Deniable",
    "JavaScript",
    "English",
    "Deutsch",
    "Español",
    "Espa",
    "ol",
    "Esperanto",
    "REPLACE",
    "ONE",
    "testserver",
    "http",
    "https",
}


def untranslated(template: str) -> list[str]:
    """Return each text that is shown as it stands, with its line."""
    bare = _COMMENT.sub(_lines, template)
    found = list(_in_filters(bare))
    for pattern in (_ATTRIBUTES, _TRANSLATED, _CODE):
        bare = pattern.sub(_lines, bare)
    return found + shown(bare)


def shown(markup: str) -> list[str]:
    """Return each text that is read or spoken, with its line."""
    page = _Page()
    page.feed(markup)
    page.close()
    return page.found


def leaks(page: str, *names: str) -> list[str]:
    """Return each text with a Latin word of ours, on a page in a language of other letters."""
    named = re.compile("|".join(map(re.escape, names)) or "$^")
    return [
        text
        for text in shown(page)
        if set(_LATIN.findall(named.sub("", text))) - _NAMES
        and text.partition(": ")[2] not in _untranslated_by_django()
    ]


@lru_cache(maxsize=1)
def _untranslated_by_django() -> frozenset[str]:
    """Return what its admin site says: not all of it has been translated into every language."""
    return frozenset(text.text for text in messages(Path(admin.__file__).parent / "locale/en/LC_MESSAGES/django.po"))


def _lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _in_filters(template: str) -> Iterator[str]:
    for match in _PLURALIZE.finditer(template):
        yield f"{_line(template, match)}: pluralize knows English only"
    for match in _FILTER_TEXT.finditer(template):
        if match[1] not in ALLOWED_IN_FILTERS and _is_text(match[1]):
            yield f"{_line(template, match)}: {match[1]}"


def _line(template: str, match: re.Match[str]) -> int:
    return template.count("\n", 0, match.start()) + 1


def _is_text(text: str) -> bool:
    text = _ZONE.sub("", text)
    for allowed in ALLOWED:
        text = text.replace(allowed, "")
    return _WORD.search(text) is not None


class _Page(HTMLParser):
    """Collects what is read: text, and the attributes that are shown or spoken."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._verbatim = 0

    def handle_data(self, data: str) -> None:
        if not self._verbatim and _is_text(data):
            self._note(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._verbatim += tag in _VERBATIM
        given = dict(attrs)
        shown = set(_READ_ALOUD)
        if tag == "input" and given.get("type") in _BUTTONS:
            shown.add("value")
        if tag == "meta" and given.get("name") == "description":
            shown.add("content")
        for name, value in attrs:
            if name in shown and value and _is_text(value):
                self._note(value)

    def handle_endtag(self, tag: str) -> None:
        self._verbatim -= tag in _VERBATIM

    def _note(self, text: str) -> None:
        line, _column = self.getpos()
        self.found.append(f"{line}: {' '.join(text.split())}")
