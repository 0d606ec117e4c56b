"""One thing has one name in every language, and retired words are gone: locale/glossary.md."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.i18n.catalogs import LOCALES, Message, messages, source
from tests.i18n.extraction import ROOT

_COLUMNS = {"en": 1, "retired": 2, "de": 3, "es": 4, "he": 5}
_NOT_CHECKED = ("–", "(")
_ROW = re.compile(r"^\| (?!English|---)(.+) \|$", re.MULTILINE)
# Other things are called so: a method of other authors, titles of their works, what sends email, and letters to many.
_NAMES = re.compile(
    r"(item count|randomized response|survey|sampling) techniques?|theory and techniques|multiple test procedure|"
    r"mail server|mail merge",
    re.IGNORECASE,
)
# Placeholders, tags, and what is typed as it stands, such as CODE.
_NO_WORDS = re.compile(r"%\(\w+\)[-#0 +]*[\d.]*[a-z]|\{\w*\}|</?\w+[^<>]*>|\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Term:
    """What a thing is called, by language, as patterns."""

    names: dict[str, re.Pattern[str]]

    def broken_by(self, message: Message, locale: str) -> bool:
        """Whether the English text names the thing and a translation calls it something else."""
        forms = [message.text] + [message.plural or message.text] * (len(message.translations) - 1)
        return locale in self.names and any(
            self.names["en"].search(_NO_WORDS.sub("", form)) and not self.names[locale].search(translation)
            for form, translation in zip(forms, message.translations, strict=True)
        )


def _pattern(cell: str, *, whole: bool) -> re.Pattern[str]:
    words = "|".join(re.escape(word).replace("…", r"\w*") for word in cell.split("/"))
    return re.compile(rf"\b(?:{words})\b" if whole else words, re.IGNORECASE)


def _terms() -> list[Term]:
    rows = [row.split(" | ") for row in _ROW.findall((ROOT / "locale" / "glossary.md").read_text(encoding="utf-8"))]
    return [
        Term(
            {
                column: _pattern(row[at - 1], whole=column in {"en", "retired"})
                for column, at in _COLUMNS.items()
                if not row[at - 1].startswith(_NOT_CHECKED)
            }
        )
        for row in rows
    ]


def _retired_in(text: str) -> list[str]:
    """Return the retired words of an English text; code, addresses and placeholders are not words."""
    words = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    words = _NAMES.sub("", " ".join(_NO_WORDS.sub("", words).split()))
    found = (term.names["retired"].findall(words) for term in _terms() if "retired" in term.names)
    return [word for of_term in found for word in of_term]


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


def test_no_text_of_the_pages_has_a_retired_word() -> None:
    texts = {text for message in messages(source(ROOT, "de")) for text in (message.text, message.plural)}
    assert {text: words for text in texts if (words := _retired_in(text))} == {}


# Decisions keep the words of their day, and references their authors'.
_KEPT = {"decisions", "references.md"}
_DOCUMENTS = [path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if _KEPT.isdisjoint(path.parts)]


@pytest.mark.parametrize("document", _DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_document_has_a_retired_word(document: Path) -> None:
    assert _retired_in(document.read_text(encoding="utf-8")) == []


def _comments_and_docstrings(source_code: str) -> str:
    """Return the prose of a module; examples, and the names of parameters, which docstrings list, are code."""
    nodes = ast.walk(ast.parse(source_code))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)]
    tokens = tokenize.generate_tokens(io.StringIO(source_code).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return re.sub(r"^(\w+(, \w+)* : |(>>>|\.\.\.) .*$)", "", "\n".join([*docstrings, *comments]), flags=re.MULTILINE)


def test_no_comment_or_docstring_has_a_retired_word() -> None:
    modules = [path for path in (ROOT / "surveys").rglob("*.py") if "migrations" not in path.parts]
    texts = {path: _comments_and_docstrings(path.read_text(encoding="utf-8")) for path in modules}
    assert {path: words for path, text in texts.items() if (words := _retired_in(text))} == {}


def test_prose_of_a_module_is_its_comments_and_docstrings() -> None:
    code = 'truths = "told"  # a truths\ndef told():\n    """Told.\n\n    truths : int\n\n    >>> truths\n    """\n'
    assert _retired_in(_comments_and_docstrings(code)) == ["truths", "Told"]


def test_a_retired_word_is_found_and_code_is_not_searched() -> None:
    assert _retired_in("Whoever asks adds\nchance, and `whoever asks` is a name.") == ["Whoever asks", "adds chance"]
