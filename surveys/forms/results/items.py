"""Choosing an item by its key."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.models.definition import Item


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
