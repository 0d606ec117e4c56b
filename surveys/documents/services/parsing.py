"""Reading JSON within limits and checking its shapes: every problem with its place, all of them at once."""

import codecs
import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.numbers.words import with_commas
from surveys.privacy.rationals import show_value
from surveys.questionnaire.question import Column

MOST_TOLD = 50
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """One thing that is wrong, and where: such as `questions[3].parameters.truth`, "" for the whole."""

    place: str
    words: str

    def __str__(self) -> str:
        return f"{self.place}: {self.words}" if self.place else self.words


class DocumentRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """A document cannot be read; `problems` says all that is wrong with it."""

    def __init__(self, problems: Iterable[DocumentProblem]) -> None:
        self.problems = tuple(problems)
        # Readers of the places must know that the first entry of a list has the number 0.
        self.in_lists = any("[" in problem.place for problem in self.problems)
        super().__init__("\n".join(map(str, self.problems)))


class Problems:
    """A list of problems under way; each is listed once, and of very many the first."""

    def __init__(self) -> None:
        self._found: dict[DocumentProblem, None] = {}

    def add(self, place: str, words: str) -> None:
        self._found[DocumentProblem(place, words)] = None

    def add_refused(self, refused: ValidationError, places: dict[str, str], otherwise: str) -> None:
        """Note what a model's rules refused, each field under its place."""
        by_field = refused.message_dict if hasattr(refused, "error_dict") else {"": refused.messages}
        for field, messages in by_field.items():
            for message in messages:
                # A rule may quote what it refuses.
                self.add(places.get(field, otherwise), _printable(message))

    def __len__(self) -> int:
        return len(self._found)

    def refuse_if_any(self) -> None:
        """Raise DocumentRefused when something is wrong."""
        if not self._found:
            return
        shown = list(self._found)[:MOST_TOLD]
        if more := len(self._found) - len(shown):
            words = ngettext("There is %(more)s more problem.", "There are %(more)s more problems.", more)
            shown.append(DocumentProblem("", words % {"more": with_commas(more)}))
        raise DocumentRefused(shown)


def refuse(words: str, place: str = "") -> DocumentRefused:
    """Return the refusal for one problem, to be raised."""
    return DocumentRefused([DocumentProblem(place, words)])


def place_within(place: str, name: str) -> str:
    """Return the place of a name in an object, as it can be shown."""
    return f"{place}.{visible_text(name)}" if place else visible_text(name)


def visible_text(text: str) -> str:
    """Return a text as it can be shown: short, on one line, and without characters that cannot be seen or stored."""
    short = text[:_LONGEST_SHOWN]
    return _printable(short) + ("…" if len(text) > len(short) else "")


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)


def describe_value(value: object) -> str:
    """Say what stands in a place, for a message that says what should."""
    match value:
        case None:
            return _("nothing (null)")
        case bool():
            return "true" if value else "false"
        case str():
            return _("the text “%(text)s”") % {"text": visible_text(value)}
        case dict():
            return _("an object")
        case list():
            return _("a list of length %(number)s") % {"number": with_commas(len(value))}
    return _("the number %(number)s") % {"number": visible_text(show_value(value))}


# Whether the parts of a document are what their places want: objects, lists, texts, numbers, times.


_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{6})?)?(Z|[+-]\d{2}:\d{2})", re.ASCII)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def column_of(model: type[models.Model], name: str) -> Column:
    """Return a model's column by its name."""
    return cast("Column", model._meta.get_field(name))  # noqa: SLF001 - Django documents it


class Shapes:
    """Reads values of a document; what is not as it should be becomes a problem, and is dropped."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def entries(
        self, value: object, place: str, *, names: Collection[str], required: Collection[str] = ()
    ) -> dict[str, Any]:
        """Return an object's values by name, but for names that nothing has here."""
        if not isinstance(value, dict):
            self._problems.add(
                place, _("Expected an object ({…}), but found %(found)s.") % {"found": describe_value(value)}
            )
            return {}
        for name in value:
            if name not in names:
                self._problems.add(
                    place_within(place, str(name)), _("This key isn’t allowed here. Remove or rename it.")
                )
        for name in required:
            if name not in value:
                self._problems.add(place_within(place, name), _("This value is missing. Add it."))
        return {name: value[name] for name in names if name in value}

    def listed(self, value: object, place: str, *, most: int) -> list[object]:
        """Return a list's entries; of too long a list none, because each would only repeat that."""
        if not isinstance(value, list):
            self._problems.add(
                place, _("Expected a list ([…]), but found %(found)s.") % {"found": describe_value(value)}
            )
            return []
        if len(value) > most:
            words = _("This list has %(number)s entries. Shorten it to at most %(most)s.")
            self._problems.add(place, words % {"number": with_commas(len(value)), "most": most})
            return []
        return value

    def column(self, field: Column, value: object, place: str) -> tuple[Any, ...]:
        """Return what a column would store, as the only entry of a tuple; () when it could not."""
        if value is None and field.null:
            return (None,)
        if isinstance(field, models.JSONField):
            return self._json(value, type(field.get_default()), place)
        readers: tuple[tuple[type[Column], Callable[[object, str], tuple[Any, ...]]], ...] = (
            (models.BooleanField, self._flag),
            (models.IntegerField, self.integer),
            (models.DateTimeField, self._time),
            (models.DateField, self._day),
        )
        for kind, read in readers:
            if isinstance(field, kind):
                return read(value, place)
        return self.text(value, place, longest=field.max_length or 0)

    def _flag(self, value: object, place: str) -> tuple[bool, ...]:
        return self._typed(value, bool, place, _("Expected true or false, but found %(found)s."))

    def integer(self, value: object, place: str) -> tuple[int, ...]:
        """Return a whole number as the only entry of a tuple; () when it is none."""
        return self._typed(value, int, place, _("Expected a whole number, but found %(found)s."))

    def text(self, value: object, place: str, *, longest: int) -> tuple[str, ...]:
        """Return a text as the only entry of a tuple; () when it is none, or too long."""
        texts = self._typed(value, str, place, _("Expected text, but found %(found)s."))
        if texts and len(texts[0]) > longest:
            words = _("This text has %(number)s characters. Shorten it to at most %(most)s.")
            self._problems.add(place, words % {"number": with_commas(len(texts[0])), "most": with_commas(longest)})
            return ()
        return texts

    def _json(self, value: object, wanted: type[object], place: str) -> tuple[Any, ...]:
        """Return a list or an object, whatever is in it: that the model's rules judge."""
        if isinstance(value, wanted):
            return (value,)
        words = _("Expected an object ({…}), but found %(found)s.")
        if wanted is list:
            words = _("Expected a list ([…]), but found %(found)s.")
        self._problems.add(place, words % {"found": describe_value(value)})
        return ()

    def _typed(self, value: object, wanted: type, place: str, words: str) -> tuple[Any, ...]:
        # True is an integer to Python, and to nobody who writes a document.
        if type(value) is wanted:
            return (value,)
        self._problems.add(place, words % {"found": describe_value(value)})
        return ()

    def _day(self, value: object, place: str) -> tuple[dt.date, ...]:
        if isinstance(value, str) and _DAY.fullmatch(value):
            try:
                return (dt.date.fromisoformat(value),)
            except ValueError:
                pass
        words = _("Expected a date such as 2026-05-01, but found %(found)s.")
        self._problems.add(place, words % {"found": describe_value(value)})
        return ()

    def _time(self, value: object, place: str) -> tuple[dt.datetime, ...]:
        if isinstance(value, str) and _TIME.fullmatch(value):
            try:
                return (dt.datetime.fromisoformat(value).astimezone(dt.UTC),)
            except (ValueError, OverflowError):
                pass
        words = _("Expected a date and time with UTC offset, such as 2026-05-01T09:30:00+02:00, but found %(found)s.")
        self._problems.add(place, words % {"found": describe_value(value)})
        return ()


# From bytes to what they hold: JSON within limits, read so that nothing in it is lost or takes the server down.


MOST_BYTES = 1_000_000
MOST_LEVELS = 12
# What columns of both databases hold, and the schema allows.
LARGEST_NUMBER = 2**63 - 1
_MOST_DIGITS = 40
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# A text with all that it holds, or one bracket. Possessive, and a text need not end: each letter is looked at once.
# Fifty questions of twenty options with a share each have about 1,300.
_MOST_OPENED = 20_000
_TEXT_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


class JsonObject(dict[str, Any]):
    """An object of JSON that remembers which names stood in it more than once."""

    repeated: tuple[str, ...] = ()


class OddNumber:
    """A number that no document holds: with decimals, infinite, or endlessly long. It is shown as it was written."""

    def __init__(self, written: str) -> None:
        self._written = written

    def __repr__(self) -> str:
        return self._written

    @property
    def is_whole(self) -> bool:
        """Whether it is an integer, and too long."""
        return self._written.removeprefix("-").isdigit()


def is_too_large(value: object) -> bool:
    """Whether this is an integer that no document holds, however many digits it has."""
    if isinstance(value, OddNumber):
        return value.is_whole
    return isinstance(value, int) and abs(value) > LARGEST_NUMBER


def parse_json(raw: bytes) -> object:
    """Return what JSON in UTF-8 holds; raises DocumentRefused.

    Objects are `JsonObject`; all numbers but integers of a length that somebody may mean are `OddNumber`.
    """
    text = _text(raw)
    _check_depth(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=OddNumber,
            parse_constant=OddNumber,
        )
    except json.JSONDecodeError as error:
        words = _("This isn’t valid JSON. Line %(line)s, character %(column)s: %(reason)s.")
        raise refuse(words % {"line": error.lineno, "column": error.colno, "reason": error.msg}) from None


def _text(raw: bytes) -> str:
    if len(raw) > MOST_BYTES:
        raise refuse(_("The document is too large. The limit is 1 MB."))
    if not raw.strip():
        raise refuse(_("The document is empty. Choose another file, or paste other text."))
    if raw.startswith(b"\x1f\x8b"):
        raise refuse(_("The file is compressed (gzip). Unpack it first."))
    if raw.startswith(_UTF_16):
        raise refuse(_("The file is in UTF-16. Save it as UTF-8."))
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise refuse(
            _("The file isn’t valid UTF-8 (see byte %(byte)s). Save it as UTF-8.") % {"byte": error.start + 1}
        ) from None


def _check_depth(text: str) -> None:
    """Refuse what is nested too deeply, before a parser that calls itself for each level reads it."""
    level = opened = 0
    for match in _TEXT_OR_BRACKET.finditer(text):
        first = text[match.start()]
        level += (first in "[{") - (first in "]}")
        opened += first in "[{"
        if opened > _MOST_OPENED:
            raise refuse(
                _(
                    "The document has more lists and objects than any survey can have. Check that you chose "
                    "the right file."
                )
            )
        if level > MOST_LEVELS:
            words = _("Lists and objects are nested too deeply. The limit is %(most)s levels.")
            raise refuse(words % {"most": MOST_LEVELS})


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        counts = Counter(name for name, _value in pairs)
        made.repeated = tuple(name for name, count in counts.items() if count > 1)
    return made


def _integer(digits: str) -> int | OddNumber:
    return int(digits) if len(digits) <= _MOST_DIGITS else OddNumber(digits)
