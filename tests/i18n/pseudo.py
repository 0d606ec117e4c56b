"""Two languages that nobody speaks, to see what translating does to a page before anybody has translated it.

`ar` is every text in Hebrew letters, sound by sound, so that all pages run from right to left, also those of
instructors, who have no such language; `eo` is every text with accents and half as long again. English text on such a
page is text that nobody can translate.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.i18n.catalogs import Message, messages, source
from tests.i18n.extraction import ROOT, compile_catalog

LANGUAGES = [("ar", "כל אות"), ("eo", "Esperanto")]
_KEPT = re.compile(r"(%\(\w+\)[-#0 +]*[\d.]*[a-z]|%.|\{\w*\}|</?\w+[^<>]*>|&#?\w+;)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SOUNDS = str.maketrans(_LETTERS + _LETTERS.upper(), "אבקדעפגהיזכלמנופקרסתוושציז" * 2)
_ACCENTS = str.maketrans("aceghijnosuyACEGHIJNOSUY", "áĉéĝĥíĵñóŝŭýÁĈÉĜĤÍĴÑÓŜŬÝ")
_HEADER = r"""msgid ""
msgstr ""
"Language: {code}\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
"""


def right_to_left(text: str) -> str:
    """Return the text in Hebrew letters, with every placeholder and tag as it was."""
    return _outside(text, lambda words: words.translate(_SOUNDS))


def long(text: str) -> str:
    """Return the text with accents and its own words said again, until it is half as long again."""
    ending = text[len(text.rstrip()) :]
    accented = _outside(text, lambda words: words.translate(_ACCENTS)).rstrip()
    words = re.findall(r"\w{2,}", _outside(accented, lambda words: words, kept=" "))
    wanted = len(text) * 1.5
    for word in _again(words):
        if len(accented) >= wanted:
            break
        accented += f" {word}"
    return accented + ending


def _again(words: list[str]) -> Iterator[str]:
    return cycle(words) if words else iter(())


def _outside(text: str, change: Callable[[str], str], kept: str = "") -> str:
    parts = _KEPT.split(text)
    return "".join((kept or part) if place % 2 else change(part) for place, part in enumerate(parts))


def build(directory: Path) -> Path:
    """Write and compile both catalogs below `directory`, from the texts of the real ones; return where they are."""
    texts = messages(source(ROOT, "de"))
    for code, change in (("ar", right_to_left), ("eo", long)):
        path = directory / code / "LC_MESSAGES" / "django.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        entries = "\n".join(_entry(message, change) for message in texts)
        path.write_text(f"{_HEADER.format(code=code)}\n{entries}", encoding="utf-8")
        compile_catalog(path, path.with_suffix(".mo"))
    return directory


@lru_cache(maxsize=1)
def _built() -> tempfile.TemporaryDirectory[str]:
    """Build them once in a process, in a folder that is deleted when it ends."""
    temporary = tempfile.TemporaryDirectory(prefix="deniable-languages-")
    build(Path(temporary.name))
    return temporary


def use_pseudo(settings: Any) -> None:  # noqa: ANN401 - pytest-django's fixture
    """Let a test's settings speak both: `survey.language = "ar"`, or a browser that asks for `eo`."""
    settings.LOCALE_PATHS = [Path(_built().name), *settings.LOCALE_PATHS]
    settings.LANGUAGES = [*settings.LANGUAGES, *LANGUAGES]
    settings.RESPONDENTS_LANGUAGES = [*settings.RESPONDENTS_LANGUAGES, *LANGUAGES]


def _entry(message: Message, change: Callable[[str], str]) -> str:
    lines = [f"msgctxt {_quoted(message.context)}"] if message.context else []
    lines.append(f"msgid {_quoted(message.text)}")
    if message.plural:
        lines.append(f"msgid_plural {_quoted(message.plural)}")
        forms = (message.text, message.plural)
        lines += [f"msgstr[{number}] {_quoted(change(form))}" for number, form in enumerate(forms)]
    else:
        lines.append(f"msgstr {_quoted(change(message.text))}")
    if "%" in message.text + message.plural:
        lines.insert(0, "#, python-format")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
