"""Options that read nearly the same."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _

from surveys.linting.findings import Level, LintFinding
from surveys.linting.subject import LintedQuestion, line_of, words_of
from surveys.models.kinds import LeaveOut

_SHORTEST = 5
_ARTICLES = frozenset({"a", "an", "the", "der", "die", "das", "ein", "eine", "el", "la", "los", "las", "un", "una"})


def nearly_the_same(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find two options that differ by an article, a dot or one letter within a long word."""
    for one, other in combinations(question.options, 2):
        if _alike(_core(one), _core(other)):
            yield LintFinding(
                rule="options_alike",
                level=Level.HINT,
                what=_("Two options read nearly the same."),
                why=_("On a phone people take one for the other, or for a slip of the pen."),
                fix=_("Keep one of them, or say what sets them apart in the first word."),
                evidence=f"{one} / {other}",
            )
            return


def _core(option: str) -> tuple[str, ...]:
    return tuple(word for word in words_of(option) if word not in _ARTICLES)


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if not one or len(one) != len(other):
        return False
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return not differing or (len(differing) == 1 and _one_letter(*differing[0]))


def _one_letter(one: str, other: str) -> bool:
    """Whether two long words differ by one letter, but for the first ones: “legal” and “illegal” are opposites."""
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST or len(long) - len(short) > 1 or short[:2] != long[:2]:
        return False
    if any(letter.isdigit() for letter in short + long):
        return False
    same = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    rest = same + 1 if len(short) == len(long) else same
    return short[rest:] == long[same + 1 :]


# A list of things none of which may fit.


_ASKS_WHICH = {
    "en": re.compile(r"\b(?:which (?!of these (?:two|applies))|what kind|what sort|whom?\b|where)"),
    "de": re.compile(r"\b(?:welche[nrsm]?|wen|wem|wer|wo|womit|wodurch)\b"),
    "es": re.compile(r"\b(?:cuál(?:es)?|qué tipo|quién(?:es)?|dónde)\b"),
}
_CATCHES_ALL = re.compile(
    r"\b(?:others?|none|nothing|never|no one|nobody|neither|something else|somewhere else|somebody else"
    r"|anything else|else"
    r"|not|no|don't|andere[rsnm]?|anderes|anderswo|keine?[rsnm]?|nichts|niemand|nie|weder|sonstige[sr]?|nicht|nein"
    r"|otr[oa]s?|ningun[oa]|ninguno|ninguna|nada|nadie|nunca|no)\b"
)
_FEWEST = 3


def nothing_fits(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find “which of these” without “none of these” or “another one”."""
    pattern = _ASKS_WHICH.get(question.language)
    if pattern is None or not question.one_option_each or len(question.options) < _FEWEST:
        return
    numbers = sum(any(letter.isdigit() for letter in option) for option in question.options)
    if numbers or not pattern.search(line_of(question.text)):
        return
    if not any(_CATCHES_ALL.search(line_of(option)) for option in question.options):
        must = question.leave_out == LeaveOut.NO
        yield LintFinding(
            rule="nothing_fits",
            level=Level.HINT,
            what=_("None of the options may fit."),
            why=_("Who finds nothing true must say something untrue: it cannot be left out.")
            if must
            else _(
                "Who finds nothing true leaves it out, or says something untrue; the results cannot tell them apart."
            ),
            fix=_("If the list is not complete, add “None of these” or “Another one”."),
            evidence=" / ".join(question.options[:4]),
        )


# Options of which two fit one person.


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


def overlapping(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find bands that share a number, and an option that holds another one."""
    if not question.one_option_each:
        return
    for one, other in combinations(question.options, 2):
        bands = _band(one), _band(other)
        if (bands[0] and bands[1] and bands[0].meets(bands[1])) or _holds(one, other) or _holds(other, one):
            yield LintFinding(
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
