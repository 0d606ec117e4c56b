"""Options that read nearly the same."""

from collections.abc import Iterator
from itertools import combinations

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import words_of

_SHORTEST = 5
_ARTICLES = frozenset({"a", "an", "the", "der", "die", "das", "ein", "eine", "el", "la", "los", "las", "un", "una"})


def nearly_the_same(question: LintedQuestion) -> Iterator[Finding]:
    """Find two options that differ by an article, a dot or one letter within a long word."""
    for one, other in combinations(question.options, 2):
        if _alike(_core(one), _core(other)):
            yield Finding(
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
