"""A list of things none of which may fit."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.models.kinds import LeaveOut
from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import line_of

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


def nothing_fits(question: LintedQuestion) -> Iterator[Finding]:
    """Find “which of these” without “none of these” or “another one”."""
    pattern = _ASKS_WHICH.get(question.language)
    if pattern is None or not question.one_option_each or len(question.options) < _FEWEST:
        return
    numbers = sum(any(letter.isdigit() for letter in option) for option in question.options)
    if numbers or not pattern.search(line_of(question.text)):
        return
    if not any(_CATCHES_ALL.search(line_of(option)) for option in question.options):
        must = question.leave_out == LeaveOut.NO
        yield Finding(
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
