"""Options of which two fit one person."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import words_of

_NUMBER = r"(\d{1,9}(?:[.,]\d{1,6})?)"
_SIGN = r"[€$£]?\s?"
_TO = r"\s{0,3}(?:-|–|—|to|bis|a|hasta|until)\s{0,3}"
_SPAN = re.compile(rf"^\W{{0,2}}(?:from |von |de )?{_SIGN}{_NUMBER}\s?%?{_TO}{_SIGN}{_NUMBER}\b(.{{0,80}})$")
_ABOVE = re.compile(rf"^(?:more than|over|above|mehr als|über|más de|>)\s?{_SIGN}{_NUMBER}\b(.{{0,80}})$")
_FROM = re.compile(rf"^(?:at least|mindestens|ab|al menos|≥|from)\s?{_SIGN}{_NUMBER}\b(.{{0,80}})$")
_OR_MORE = re.compile(
    rf"^{_SIGN}{_NUMBER}\s?(?:\+|(?:or more|and more|and over|oder mehr|und mehr|o más|y más)\b)(.{{0,80}})$"
)
_BELOW = re.compile(
    rf"^(?:less than|fewer than|under|below|weniger als|unter|menos de|<)\s?{_SIGN}{_NUMBER}\b(.{{0,80}})$"
)
_UP_TO = re.compile(rf"^(?:up to|at most|bis zu|bis|höchstens|hasta|como máximo|≤)\s?{_SIGN}{_NUMBER}\b(.{{0,80}})$")
_ALONE = re.compile(rf"^{_SIGN}{_NUMBER}\b(?!\s?(?:{_TO}|or|oder|o|\+|:|/))(.{{0,80}})$")
_OR = frozenset({"or", "oder", "o", "u"})


@dataclass(frozen=True, slots=True)
class _Band:
    """The numbers that an option names."""

    low: float
    high: float
    low_in: bool
    high_in: bool
    unit: str

    def meets(self, other: "_Band") -> bool:
        """Whether a number lies in both."""
        first, second = sorted((self, other), key=lambda band: (band.low, not band.low_in))
        if first.unit != second.unit:
            return False
        if first.high == second.low:
            return first.high_in and second.low_in
        return first.high > second.low


def overlapping(question: LintedQuestion) -> Iterator[Finding]:
    """Find bands that share a number, and an option that holds another one."""
    if not question.one_option_each:
        return
    for one, other in combinations(question.options, 2):
        bands = _band(one), _band(other)
        if (bands[0] and bands[1] and bands[0].meets(bands[1])) or _holds(one, other) or _holds(other, one):
            yield Finding(
                rule="options_overlap",
                level=Level.WARNING,
                what=_("Two options overlap."),
                why=_("Somebody whom both fit has to choose one of them: neither share then means what it says."),
                fix=_("Let every person fit one option: “0 to 4” and “5 to 9”, not “0 to 5” and “5 to 10”."),
                evidence=f"{one} / {other}",
            )
            return


def _holds(one: str, other: str) -> bool:
    """Whether the other option is this one “or” something else: “Coffee” and “Coffee or tea”."""
    words, more = words_of(one), words_of(other)
    begins = more[: len(words)] == words and len(more) > len(words)
    return bool(words) and begins and more[len(words)] in _OR and not any(word.isdigit() for word in more)


def _band(option: str) -> _Band | None:
    text = " ".join(option.lower().split())
    if found := _SPAN.match(text):
        return _Band(_value(found[1]), _value(found[2]), True, "below" not in text, _unit(found[3]))
    for pattern, includes in ((_ABOVE, False), (_FROM, True), (_OR_MORE, True)):
        if found := pattern.match(text):
            return _Band(_value(found[1]), math.inf, includes, False, _unit(found[2]))
    for pattern, includes in ((_BELOW, False), (_UP_TO, True)):
        if found := pattern.match(text):
            return _Band(-math.inf, _value(found[1]), False, includes, _unit(found[2]))
    if found := _ALONE.match(text):
        return _Band(_value(found[1]), _value(found[1]), True, True, _unit(found[2]))
    return None


def _value(number: str) -> float:
    whole, _comma, rest = number.replace(",", ".").partition(".")
    # Three digits after it are thousands: 1,000 and 1.000.
    return float(whole + rest) if len(rest) == 3 else float(f"{whole}.{rest or 0}")


def _unit(rest: str) -> str:
    # “1 hour” and “2 hours”, “1 Stunde” and “2 Stunden”.
    return " ".join(word.rstrip("ns") for word in words_of(rest))
