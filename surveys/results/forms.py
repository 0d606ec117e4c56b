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


# Choosing an item by its key, and one of its answers.


def chosen_item(query: QueryDict, field: str, items: Sequence[Item], default: Item, notices: list[str]) -> Item:
    """Return the item whose key the field holds; for an unknown one the default, with a notice that names it."""
    wanted = query.get(field, default.key)
    chosen = next((item for item in items if item.key == wanted), None)
    if chosen is None:
        values = {"key": wanted[:40], "shown": default.key}
        notices.append(_("This survey has no question “%(key)s”. Question %(shown)s is shown instead.") % values)
    return chosen or default


_MEAN = "mean"


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """An answer as a select offers it, by its code; the mean of a number has none, and a label in words of the page."""

    code: int | None
    label: str

    @property
    def value(self) -> str:
        """As it stands in an address."""
        return _MEAN if self.code is None else str(self.code)


def option_choices(item: Item) -> tuple[OptionChoice, ...]:
    """Return the answers of an item that are worth comparing: of a number its mean, not the ends it was rounded to."""
    answers = tuple(OptionChoice(code, label) for code, label in enumerate(item.labels))
    unsaid = () if item.grid else answers[2:]
    return (OptionChoice(None, _("Mean")), *unsaid) if item.range else answers


def chosen_option(query: QueryDict, item: Item, options: Sequence[OptionChoice], notices: list[str]) -> OptionChoice:
    """Return the answer that `option` names; for an unknown one the default, with a notice that names it."""
    default = options[1] if item.answers.yes_or_no else options[0]
    wanted = query.get("option", default.value)
    # Another question was chosen beside an answer of the one before: that answer is not asked for.
    if query.get("of", item.key) != item.key:
        return default
    chosen = next((choice for choice in options if choice.value == wanted), None)
    if chosen is None:
        values = {"option": wanted[:40], "shown": default.label}
        notices.append(_("This question has no answer “%(option)s”. “%(shown)s” is shown instead.") % values)
    return chosen or default
