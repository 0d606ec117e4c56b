"""Which question is the anchor, and which reports somebody may always tap, from the query string."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.http import QueryDict
from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.results.adherence.figures import MOST_QUESTIONS, answered_together, denial
from surveys.results.forms import ItemChoice, item_choices, number_of

_LONGEST = 40  # characters that are repeated in a notice
_DENIAL = "no"


@dataclass(frozen=True, slots=True)
class AnchorQuery:
    """The anchor, none while nobody has chosen one, and how many truly answer Yes to it."""

    items: tuple[ItemChoice, ...]
    anchor: Item | None
    known: Fraction
    written: str  # of 100
    notices: tuple[str, ...]

    @property
    def key(self) -> str:
        """The anchor as the select names it."""
        return self.anchor.key if self.anchor else ""


def parse_anchor(query: QueryDict, anchors: Sequence[Item]) -> AnchorQuery:
    """Read `anchor` and `known`; what is unknown becomes none, and 0 of 100, with a notice that names it."""
    notices: list[str] = []
    wanted = query.get("anchor", "")
    anchor = next((item for item in anchors if item.key == wanted), None)
    if wanted and anchor is None:
        notices.append(_("Question “%(key)s” cannot be an anchor of this one.") % {"key": wanted[:_LONGEST]})
    written = query.get("known", "").strip()[:_LONGEST]
    number = number_of(written) if written else 0.0
    if number is None or not 0 <= number <= 100:
        notices.append(
            _("Known to answer Yes: write a number from 0 to 100, not “%(given)s”. 0 is taken.") % {"given": written}
        )
        number, written = 0.0, ""
    known = Fraction(repr(number)) / 100
    return AnchorQuery(item_choices(anchors), anchor, known, written or "0", tuple(notices))


@dataclass(frozen=True, slots=True)
class FixedReportQuery:
    """The questions looked at together, and the reports that some may tap to all of them whatever is true."""

    items: tuple[ItemChoice, ...]
    chosen: tuple[Item, ...]
    reports: tuple[int, ...]
    always: str
    patterns: tuple[tuple[str, tuple[int, ...]], ...]  # what can be chosen, by its name in the address
    is_asked: bool  # whether anybody has chosen anything: it takes long
    notices: tuple[str, ...]

    @property
    def keys(self) -> frozenset[str]:
        """The questions as the boxes name them."""
        return frozenset(item.key for item in self.chosen)


def parse_fixed(
    query: QueryDict, items: Sequence[Item], definition: Definition, *, whole: bool
) -> FixedReportQuery | None:
    """Read `tapped`, once a question, and `always`; None where no two questions are answered by the same people.

    Where only pairs of questions are kept of the responses, two are taken.
    """
    if not items:
        return None
    most = MOST_QUESTIONS if whole else 2
    notices: list[str] = []
    wanted = query.getlist("tapped")
    named = tuple(item for item in items if item.key in wanted)
    notices += [
        _("This survey has no question “%(key)s” that is answered in the head.") % {"key": key[:_LONGEST]}
        for key in dict.fromkeys(wanted)
        if key not in {item.key for item in named}
    ]
    chosen = answered_together(named, definition, most)
    if named and len(chosen) < len(named):
        notices.append(
            _("At most %(most)s questions that the same people answer are looked at together.") % {"most": most}
        )
    if len(chosen) < 2:
        if named:
            notices.append(_("It takes two questions: others are shown."))
        chosen = _usual(items, definition, most)
    patterns = _patterns(chosen)
    always = query.get("always", _DENIAL)
    if always not in dict(patterns):
        notices.append(_("There is nothing “%(given)s” to tap always.") % {"given": always[:_LONGEST]})
        always = _DENIAL
    return FixedReportQuery(
        items=item_choices(items),
        chosen=chosen,
        reports=dict(patterns)[always],
        always=always,
        patterns=patterns,
        is_asked=not query.keys().isdisjoint({"tapped", "always"}),
        notices=tuple(notices),
    )


def _usual(items: Sequence[Item], definition: Definition, most: int) -> tuple[Item, ...]:
    """Return the first of the items that are answered together with others."""
    starts = (answered_together(items[place:], definition, most) for place in range(len(items)))
    return next(found for found in starts if len(found) > 1)


def _patterns(items: Sequence[Item]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return what one may always tap: what denies each, or the same report to all; each pattern once."""
    found = {tuple(denial(item) for item in items): _DENIAL}
    for code in (0, 1):
        found.setdefault((code,) * len(items), str(code))
    return tuple((name, pattern) for pattern, name in found.items())
