"""Which two questions to relate, from the query string."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.results.forms import ItemChoice, chosen_item, item_choices


@dataclass(frozen=True, slots=True)
class RelateQuery:
    """Two different items."""

    items: tuple[ItemChoice, ...]
    a: Item
    b: Item
    notices: tuple[str, ...]


def parse_relate(query: QueryDict, items: Sequence[Item], definition: Definition) -> RelateQuery | None:
    """Read `a` and `b`; what is unknown, or the same, becomes another item, with a notice; None of a single item."""
    if len(items) < 2:
        return None
    notices: list[str] = []
    a = chosen_item(query, "a", items, items[0], notices)
    others = [item for item in items if not item.is_about(a)]
    if not others:
        return None
    another = next((item for item in others if definition.asks_together(a, item)), others[0])
    b = chosen_item(query, "b", items, another, notices)
    if a.is_about(b):
        told = {"key": a.key if a.key == b.key else a.question_number, "shown": another.key}
        notices.append(_("Question %(key)s cannot be related to itself. Question %(shown)s is shown beside it.") % told)
        b = another
    return RelateQuery(item_choices(items), a, b, tuple(notices))
