"""The forms of the results pages: numbers as people type them, and the question that is chosen."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.questionnaire.asked_question import Item

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
    chosen = next((item for item in items if item.key == wanted), None)
    if chosen is None:
        values = {"key": wanted[:40], "shown": default.key}
        notices.append(_("This survey has no question “%(key)s”. Question %(shown)s is shown instead.") % values)
    return chosen or default
