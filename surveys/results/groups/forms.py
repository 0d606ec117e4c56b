"""What to compare between groups, from the query string."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.results.forms import ItemChoice, chosen_item, item_choices
from surveys.results.groups.figures import ADJUSTMENTS

MEAN = "mean"
_ADJUSTMENT_LABELS = {
    "holm": gettext_lazy("Holm"),
    "bonferroni": gettext_lazy("Bonferroni"),
    "none": gettext_lazy("Not adjusted"),
}


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """An answer that can be compared; the mean of a number is one in words of the page."""

    value: str
    label: str
    authored: bool  # in the survey's language


@dataclass(frozen=True, slots=True)
class GroupsQuery:
    """The item, one of its answers, and how p-values are adjusted."""

    items: tuple[ItemChoice, ...]
    item: Item
    by: Item | None  # what is not protected, whose answers are compared; None: the groups
    by_choices: tuple[ItemChoice, ...]
    options: tuple[OptionChoice, ...]
    chosen: OptionChoice
    adjustment: str
    notices: tuple[str, ...]

    @property
    def option(self) -> int | None:
        """The answer's code; None for the mean."""
        return None if self.chosen.value == MEAN else int(self.chosen.value)

    @property
    def adjustments(self) -> list[tuple[str, str]]:
        """What can be chosen."""
        return [(name, adjustment_label(name)) for name in ADJUSTMENTS]


def adjustment_label(adjustment: str) -> str:
    """Return an adjustment as people call it."""
    return str(_ADJUSTMENT_LABELS[adjustment])


def parse_groups(
    query: QueryDict, items: Sequence[Item], definition: Definition, *, any_groups: bool = True
) -> GroupsQuery:
    """Read `item`, `option`, `by` and `adjustment`.

    What is unknown becomes the default, with a notice that names it.
    """
    notices: list[str] = []
    item = chosen_item(query, "item", items, items[0], notices)
    plain = sorted(
        (each for each in items if not each.protects), key=lambda each: not definition.asks_together(item, each)
    )
    # Without groups the answers to the first one are compared.
    by = None if any_groups or not plain else plain[0]
    if plain and query.get("by", "group" if any_groups else plain[0].key) != "group":
        by = chosen_item(query, "by", plain, plain[0], notices)
    options = option_choices(item)
    chosen = default = _natural(item, options)
    wanted = query.get("option", default.value)
    # Another question was chosen beside an answer of the one before: that answer is not asked for.
    if query.get("of", item.key) == item.key:
        chosen = next((choice for choice in options if choice.value == wanted), default)
        if chosen.value != wanted:
            told = {"option": wanted[:40], "shown": default.label}
            notices.append(_("This question has no answer “%(option)s”. “%(shown)s” is shown.") % told)
    adjustment = query.get("adjustment", "holm")
    if adjustment not in ADJUSTMENTS:
        told = {"adjustment": adjustment[:40]}
        notices.append(_("There is no adjustment “%(adjustment)s”. Holm’s is shown.") % told)
        adjustment = "holm"
    return GroupsQuery(item_choices(items), item, by, item_choices(plain), options, chosen, adjustment, tuple(notices))


def option_choices(item: Item) -> tuple[OptionChoice, ...]:
    """Return the answers of an item that are worth comparing: of a number its mean, not the ends it was rounded to."""
    answers = tuple(OptionChoice(str(code), label, authored=True) for code, label in enumerate(item.labels))
    unsaid = () if item.grid else answers[2:]
    return (OptionChoice(MEAN, _("Mean"), authored=False), *unsaid) if item.range else answers


def _natural(item: Item, options: tuple[OptionChoice, ...]) -> OptionChoice:
    return options[1] if item.traits.yes_or_no else options[0]
