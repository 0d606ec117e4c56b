"""Finds out which messages respondents meet: their pages are followed from file to file."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from tests.i18n.catalogs import Message

ROOT = Path(__file__).resolve().parent.parent.parent
# The result on the receipt is a page of the results.
_ROOM, _PAGES = ("surveys/answering/", "surveys/results/pages/receipt.py"), "templates/answering/"
# What an address of an instructors' page asks for: nobody asks the receipt for anything.
_ASKED_FOR = ("surveys/results/report.py", "surveys/results/forms.py")
# An invitation is mailed in the survey's language.
_MAIL = "templates/accounts/mail/survey_invitation.txt"
# Whom a course platform sends.
_LAUNCHED, _TYPED = "templates/lti", "surveys/lti/forms.py"
# Django looks for these by their names.
_ERROR_PAGES = ("400.html", "403.html", "404.html", "500.html")
_TEMPLATE = re.compile(r"[\"']([\w/]+\.html)[\"']")
_LIBRARIES = re.compile(r"{%\s*load ([\w. ]+?)\s*%}")
# What a page of instructors says in a survey's language is for respondents: a poster, the code on the projector; so is
# what a lesson says on phones around a page of the lab.
_SPOKEN = re.compile(r"{%\s*language (?:survey|definition)\.language\s*%}(.*?){%\s*endlanguage\s*%}", re.DOTALL)
_VALUE = re.compile(r"{{\s*(\w+)\s*}}")
# What is stored has names for its columns, which the administration shows.
_STORED = re.compile(r"^class \w+\(.*\bAbstractBaseSession\b|\bmodels\.(?:Model|CharField)\b", re.MULTILINE)
# Above what a survey owner wrote.
_HEADING, _HEADINGS = re.compile(r'\bheading=_\("([^"]+)"\)'), "surveys/questionnaire/document.py"


def is_respondents(message: Message) -> bool:
    """Whether a respondent can meet this message."""
    marked = f'"{message.text}"', f"%}}{message.text}{{%"
    return (
        not _files().isdisjoint(message.places)
        or message.text in _headings()
        or any(text in words for text in marked for words in _spoken())
    )


@lru_cache(maxsize=1)
def _headings() -> frozenset[str]:
    return frozenset(_HEADING.findall((ROOT / _HEADINGS).read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def _files() -> frozenset[str]:
    """Return the files that make respondents' pages: templates and modules, each with all that it uses."""
    graph = pytest.importorskip("grimp").build_graph("surveys")
    templates: set[str] = set()
    waiting = [f"templates/{name}" for name in _ERROR_PAGES]
    waiting += [file for file in map(_file, graph.modules) if file.startswith(_ROOM)]
    waiting += [_TYPED, *(str(path.relative_to(ROOT)) for path in (ROOT / _LAUNCHED).glob("*.html"))]
    for name, text in _with_spoken():
        waiting += _of_template(text, loaded=name.read_text(encoding="utf-8"))
    while waiting:
        path = waiting.pop()
        if path in templates or path in _ASKED_FOR:
            continue
        templates.add(path)
        text = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(".html"):
            waiting += _of_template(text, loaded=text)
        else:
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            waiting += map(_file, graph.find_modules_directly_imported_by(module))
            # A kind of question also names what its author fills in.
            waiting += [name for name in _templates(text) if name.startswith(_PAGES) or path.startswith(_ROOM)]
    stored = {path for path in templates if _STORED.search((ROOT / path).read_text(encoding="utf-8"))}
    return frozenset(templates - stored | {_MAIL})


@lru_cache(maxsize=1)
def _spoken() -> tuple[str, ...]:
    """Return what pages of instructors say in a survey's language, as catalogs write it."""
    words = (" ".join(_VALUE.sub(r"%(\1)s", text).split()) for _name, text in _with_spoken())
    return tuple(text.replace("%} ", "%}").replace(" {%", "{%") for text in words)


def _with_spoken() -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for text in _SPOKEN.findall(path.read_text(encoding="utf-8")):
            yield path, text


def _of_template(text: str, *, loaded: str) -> list[str]:
    libraries = " ".join(_LIBRARIES.findall(loaded)).split()
    modules = [f"surveys.{name}" for name in libraries if "." in name]
    return [*_templates(text), *map(_file, modules)]


def _templates(text: str) -> list[str]:
    return [f"templates/{name}" for name in _TEMPLATE.findall(text) if (ROOT / "templates" / name).is_file()]


def _file(module: str) -> str:
    path = module.replace(".", "/")
    return f"{path}.py" if (ROOT / f"{path}.py").is_file() else f"{path}/__init__.py"
