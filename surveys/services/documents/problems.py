"""What is wrong with a document: every problem with its place, all of them at once."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.numbers import with_commas
from surveys.privacy.rationals import shown

MOST_TOLD = 50
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where: such as `questions[3].parameters.truth`, "" for the whole."""

    place: str
    words: str

    def __str__(self) -> str:
        return f"{self.place}: {self.words}" if self.place else self.words


class DocumentRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """A document cannot be read; `problems` says all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        # Whoever reads the places must know that the first entry of a list has the number 0.
        self.in_lists = any("[" in problem.place for problem in self.problems)
        super().__init__("\n".join(map(str, self.problems)))


class Problems:
    """A list of problems under way; each is told once, and of very many the first."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}

    def add(self, place: str, words: str) -> None:
        """Note a problem."""
        self._found[Problem(place, words)] = None

    def add_refused(self, refused: ValidationError, places: dict[str, str], otherwise: str) -> None:
        """Note what a model's rules refused, each field under its place."""
        by_field = refused.message_dict if hasattr(refused, "error_dict") else {"": refused.messages}
        for field, messages in by_field.items():
            for message in messages:
                self.add(places.get(field, otherwise), message)

    def __len__(self) -> int:
        return len(self._found)

    def refuse_if_any(self) -> None:
        """Raise DocumentRefused when something is wrong."""
        if not self._found:
            return
        told = list(self._found)[:MOST_TOLD]
        if more := len(self._found) - len(told):
            words = ngettext("There is %(more)s more problem.", "There are %(more)s more problems.", more)
            told.append(Problem("", words % {"more": with_commas(more)}))
        raise DocumentRefused(told)


def refuse(words: str, place: str = "") -> DocumentRefused:
    """Return the refusal for one problem, to be raised."""
    return DocumentRefused([Problem(place, words)])


def within(place: str, name: str) -> str:
    """Return the place of a name in an object, as it can be shown."""
    return f"{place}.{seen(name)}" if place else seen(name)


def seen(text: str) -> str:
    """Return a text as it can be shown: short, on one line, and without characters that cannot be seen or stored."""
    short = text[:_LONGEST_SHOWN]
    letters = (letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in short)
    return "".join(letters) + ("…" if len(text) > len(short) else "")


def found(value: object) -> str:
    """Say what stands in a place, for a message that says what should."""
    match value:
        case None:
            return _("nothing (null)")
        case bool():
            return "true" if value else "false"
        case str():
            return _("the text “%(text)s”") % {"text": seen(value)}
        case dict():
            return _("an object")
        case list():
            return _("a list of %(number)s") % {"number": with_commas(len(value))}
    return _("the number %(number)s") % {"number": seen(shown(value))}
