"""Numbers as people type them into the fields of the results pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.results.figures.intervals import LEVELS, METHODS, FigureOptions, method_label

_LONGEST_NUMBER = 20
_LONGEST_WHOLE = 16  # figures of 10¹⁵
_SIGNS = frozenset("0123456789.,-+")


def number_of(text: str) -> float | None:
    """Return a number with a point or a comma, white space around it allowed; None for what is none."""
    text = text.strip().replace("−", "-")
    # Figures of other scripts, underscores, powers of ten and words for what is no number are numbers to Python.
    if len(text) > _LONGEST_NUMBER or not set(text) <= _SIGNS:
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def whole_number_of(text: str) -> int | None:
    """Return a whole number in figures alone: “1,000” is a thousand to some and one to others, so it is none."""
    text = text.strip()
    # Figures of other scripts are digits too, and a number of a thousand digits takes long to read.
    fits = text.isascii() and text.isdigit() and len(text) <= _LONGEST_WHOLE
    return int(text) if fits else None


# Choosing an item by its key.


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """An item as a select offers it."""

    key: str
    label: str


def item_choices(items: Sequence[Item]) -> tuple[ItemChoice, ...]:
    """Return all items with the numbers of their questions."""
    return tuple(ItemChoice(item.key, f"{item.key}. {item.title}") for item in items)


def chosen_item(query: QueryDict, field: str, items: Sequence[Item], default: Item, notices: list[str]) -> Item:
    """Return the item whose key the field holds; for an unknown one the default, with a notice that names it."""
    wanted = query.get(field, default.key)
    found = next((item for item in items if item.key == wanted), None)
    if found is None:
        told = {"key": wanted[:40], "shown": default.key}
        notices.append(_("This survey has no question “%(key)s”. Question %(shown)s is shown.") % told)
    return found or default


# How results are to be computed, from the query string.


_LEVELS = {f"{level:.3f}".removesuffix("0")[1:]: level for level in LEVELS}
_LONGEST_REPEATED = 40  # of what was asked for and does not exist, so much is repeated


@dataclass(frozen=True, slots=True)
class ResultsOptions:
    """Interval method and confidence level; `notices` say in words what was asked for and does not exist."""

    method: str
    level: str
    notices: tuple[str, ...]
    simultaneous: bool = False
    forged: int | None = None

    @property
    def confidence_level(self) -> float:
        """The level as a number."""
        return _LEVELS[self.level]

    @property
    def wanted(self) -> FigureOptions:
        """All options as the figures are computed by them."""
        return FigureOptions(self.method, self.confidence_level, self.simultaneous, self.forged)

    @property
    def query(self) -> str:
        """The options as the query string of an address."""
        told = {"method": self.method, "level": self.level}
        if self.simultaneous:
            told["simultaneous"] = "1"
        if self.forged is not None:
            told["forged"] = str(self.forged)
        return urlencode(told)

    @property
    def method_label(self) -> str:
        """The method as people call it."""
        return method_label(self.method)

    @property
    def methods(self) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(method, method_label(method)) for method in METHODS]

    @property
    def levels(self) -> list[tuple[str, float]]:
        """What can be chosen."""
        return list(_LEVELS.items())


def parse_options(query: QueryDict) -> ResultsOptions:
    """Read the options of all tabs; what is unknown becomes the default, with a notice that names it."""
    notices = []
    method, level = query.get("method", "wilson"), query.get("level", ".95").removeprefix("0")
    if method not in METHODS:
        notices.append(
            _("There is no interval method “%(method)s”. Wilson is shown.") % {"method": method[:_LONGEST_REPEATED]}
        )
        method = "wilson"
    if level in {".8", ".9"}:
        level += "0"
    if level not in _LEVELS:
        notices.append(
            _("There is no confidence level “%(level)s”. 95%% is shown.") % {"level": level[:_LONGEST_REPEATED]}
        )
        level = ".95"
    forged, refused = _forged(query.get("forged", ""))
    return ResultsOptions(
        method,
        level,
        (*notices, *refused),
        simultaneous=query.get("simultaneous") == "1",
        forged=forged,
    )


def too_many_forged(options: ResultsOptions, n: int) -> list[str]:
    """Return what is to be said where more reports are taken to be forged than there are."""
    if options.forged is None or options.forged <= n:
        return []
    return [_("There are %(n)s answers: more cannot be forged.") % {"n": n}]


def _forged(text: str) -> tuple[int | None, list[str]]:
    """Read how many reports are taken to be forged; nothing stands for one of a hundred."""
    if not text:
        return None, []
    if forged := whole_number_of(text):
        return forged, []
    return None, [
        _("“%(number)s” is no number of forged answers. One of a hundred is shown.")
        % {"number": text[:_LONGEST_REPEATED]}
    ]


# Which row of a question a chart is of, from the query string.


def parse_row(query: QueryDict, rows: Sequence[str], usual: int = 0) -> tuple[int, list[str]]:
    """Return which of these rows is asked for, by its number from 1, and what to say where it does not exist."""
    text = query.get("row", str(usual + 1))
    numbers = {str(number): number - 1 for number in range(1, len(rows) + 1)}
    if text in numbers or not rows:
        return numbers.get(text, 0), []
    return 0, [_("There is no answer number “%(row)s” here. The first is shown.") % {"row": text[:40]}]
