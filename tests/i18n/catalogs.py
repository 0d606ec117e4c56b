"""Reads message catalogs: what has to be translated, and into what it is."""

import ast
import gettext
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# Whole languages, and one that respondents alone are spoken to in.
WHOLE, RESPONDENTS = ("de", "es"), ("he",)
LOCALES = (*WHOLE, *RESPONDENTS)
_FIELD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr)(?:\[\d+\])? (".*")')
# %(name)s, {name} and the tags of HTML: a translation that loses one shows a gap or breaks the page.
_KEPT = re.compile(r"%\(\w+\)[-#0 +]*[\d.]*[a-z]|\{\w*\}|</?\w+[^<>]*>")

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a catalog."""

    context: str
    text: str
    plural: str
    translations: tuple[str, ...]
    flags: frozenset[str]
    places: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """What makes it this message and no other."""
        return self.context, self.text, self.plural

    @property
    def missing(self) -> bool:
        """Whether a reader of this language would see English."""
        return "fuzzy" in self.flags or not all(self.translations)

    @property
    def torn(self) -> bool:
        """Whether a translation has lost, gained or misspelt a placeholder or a tag."""
        first, other = (_kept(form) for form in (self.text, self.plural or self.text))
        return any(
            _kept(form) != other and (place > 0 or not self._says(_kept(form), first))
            for place, form in enumerate(self.translations)
        )

    def _says(self, kept: Counter[str], wanted: Counter[str]) -> bool:
        """Whether the form for one says it all: "one answer" need not write its number, from two on every form must."""
        lost = list((wanted - kept).elements())
        number = self.plural and len(lost) == 1 and lost[0].startswith("%")
        return kept <= wanted and bool(number or not lost)


def _kept(text: str) -> Counter[str]:
    return Counter(_KEPT.findall(text))


def source(root: Path, locale: str) -> Path:
    """Return where a language's catalog is."""
    return root / "locale" / locale / "LC_MESSAGES" / "django.po"


def messages(path: Path) -> list[Message]:
    """Return the messages of a catalog in their order, without its header."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    return [entry for entry in map(message, blocks) if entry and entry.text]


def plural_forms(path: Path) -> int:
    """Return how many forms this catalog's language has."""
    found = re.search(r"nplurals=(\d+)", path.read_text(encoding="utf-8"))
    assert found, f"{path} does not say how many plural forms there are"
    return int(found[1])


def compiled(path: Path) -> dict[object, object]:
    """Return what a compiled catalog holds, however the program that wrote it laid it out."""
    with path.open("rb") as file:
        catalog: dict[object, object] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return catalog


def message(block: str) -> Message | None:
    """Read one entry of a catalog."""
    flags: set[str] = set()
    places: list[str] = []
    fields: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("#,"):
            flags.update(flag.strip() for flag in line[2:].split(","))
        elif line.startswith("#:"):
            places += line[2:].split()
        elif started := _FIELD.fullmatch(line):
            fields.append((started[1], ast.literal_eval(started[2])))
        elif line.startswith('"'):
            name, begun = fields[-1]
            fields[-1] = (name, begun + ast.literal_eval(line))
    if not fields:
        return None
    once = dict(fields)
    return Message(
        context=once.get("msgctxt", ""),
        text=once["msgid"],
        plural=once.get("msgid_plural", ""),
        translations=tuple(text for name, text in fields if name == "msgstr"),
        flags=frozenset(flags),
        places=tuple(places),
    )
