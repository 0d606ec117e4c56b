"""What to plan, from the query string."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.drafts.figures import USUAL_DIFFERENCE
from surveys.models.asked_question import Item
from surveys.results.forms import ItemChoice, chosen_item, item_choices, number_of, whole_number_of
from surveys.results.groups.forms import MEAN, OptionChoice, option_choices

ALTERNATIVES = ("two-sided", "one-sided")
_LONGEST = 40  # characters that are repeated in a notice
_MOST = 10**15


@dataclass(frozen=True, slots=True)
class PlanQuery:
    """An answer, the precision wished for, and the difference to be found; None is what nobody typed.

    Shares, differences and the half-width are between 0 and 1; of a mean the half-width is a part of the range.
    """

    items: tuple[ItemChoice, ...]
    item: Item
    options: tuple[OptionChoice, ...]
    chosen: OptionChoice
    half_width: float | None
    share: float | None
    null: float | None
    difference: float
    n: int | None
    power: float
    alternative: str
    written: dict[str, str]
    notices: tuple[str, ...]

    @property
    def option(self) -> int | None:
        """The answer's code; None for the mean of a number."""
        return None if self.chosen.value == MEAN else int(self.chosen.value)


def parse_plan(query: QueryDict, items: Sequence[Item]) -> PlanQuery:
    """Read the plan's fields; what is unknown or impossible becomes the default, with a notice that names it."""
    notices: list[str] = []
    item = chosen_item(query, "item", items, items[0], notices)
    options = option_choices(item)
    chosen = _option(query, item, options, notices)
    written = {
        name: query.get(name, "").strip()[:_LONGEST]
        for name in ("half_width", "share", "null", "difference", "n", "power")
    }

    def read(
        name: str,
        fits: Callable[[float], bool],
        refusal: str,
        number_in: Callable[[str], float | None] = number_of,
    ) -> float | None:
        text = written[name]
        if not text:
            return None
        number = number_in(text)
        if number is None or not fits(number):
            notices.append(refusal % {"given": text})
            written[name] = ""
            return None
        return number

    half_width = read("half_width", *_half_width_rule(item, chosen))
    inside = _("Share: write a number from 0.1 to 99.9, not “%(given)s”. What was found is planned for.")
    share = read("share", lambda number: 0.1 <= number <= 99.9, inside)
    null = read(
        "null",
        lambda number: 0 <= number <= 100,
        _("Against: write a number from 0 to 100, not “%(given)s”. Half of the share is shown."),
    )
    difference = read(
        "difference",
        lambda number: 0 < number <= 100,
        _("Difference: write a number of points above 0 and at most 100, not “%(given)s”. Ten points are shown."),
    )
    n = read(
        "n",
        lambda number: 1 <= number <= _MOST,
        _("People: write a whole number from 1 to 10¹⁵, not “%(given)s”. As many as now are planned for."),
        whole_number_of,
    )
    target = read(
        "power",
        lambda number: 0 < number < 100,
        _("Power: write a number above 0 and below 100, not “%(given)s”. 80%% is shown."),
    )
    alternative = query.get("alternative", ALTERNATIVES[0])
    if alternative not in ALTERNATIVES:
        notices.append(_("There is no test “%(given)s”. The two-sided one is shown.") % {"given": alternative[:40]})
        alternative = ALTERNATIVES[0]
    return PlanQuery(
        items=item_choices(items),
        item=item,
        options=options,
        chosen=chosen,
        half_width=_part(item, chosen, half_width),
        share=_hundredth(share),
        null=_hundredth(null),
        difference=USUAL_DIFFERENCE if difference is None else difference / 100,
        n=None if n is None else int(n),
        power=0.8 if target is None else target / 100,
        alternative=alternative,
        written=written,
        notices=tuple(notices),
    )


def _option(query: QueryDict, item: Item, options: tuple[OptionChoice, ...], notices: list[str]) -> OptionChoice:
    default = options[1] if item.traits.yes_or_no else options[0]
    wanted = query.get("option", default.value)
    # Another question was chosen beside an answer of the one before: that answer is not asked for.
    if query.get("of", item.key) != item.key:
        return default
    found = next((choice for choice in options if choice.value == wanted), None)
    if found is None:
        told = {"option": wanted[:40], "shown": default.label}
        notices.append(_("This question has no answer “%(option)s”. “%(shown)s” is shown.") % told)
    return found or default


def _half_width_rule(item: Item, chosen: OptionChoice) -> tuple[Callable[[float], bool], str]:
    if chosen.value == MEAN and item.range:
        widest = float(item.range.high - item.range.low)
        return lambda number: 0 < number <= widest, _(
            "Half-width: write a number above 0 and at most the range of the numbers, not “%(given)s”."
        )
    return lambda number: 0 < number <= 100, _(
        "Half-width: write a number of points above 0 and at most 100, not “%(given)s”."
    )


def _part(item: Item, chosen: OptionChoice, half_width: float | None) -> float | None:
    if half_width is not None and chosen.value == MEAN and item.range:
        return half_width / float(item.range.high - item.range.low)
    return _hundredth(half_width)


def _hundredth(number: float | None) -> float | None:
    return None if number is None else number / 100
