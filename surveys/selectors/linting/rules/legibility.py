"""What is hard to read on a phone."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion

# Some six lines of a phone's width; the answers should be seen with the question.
LONGEST_TEXT = 220
LONGEST_OPTION = 70
_CAPITALS = re.compile(r"\b[^\W\d_a-zà-ÿ]{5,}(?:\W{1,3}[^\W\d_a-zà-ÿ]{2,}){1,40}\b")


def long_text(question: LintedQuestion) -> Iterator[Finding]:
    """Find a question that fills a phone's screen."""
    if len(question.text) > LONGEST_TEXT:
        yield Finding(
            rule="long_text",
            level=Level.HINT,
            what=_("The question is long: %(length)s characters.") % {"length": len(question.text)},
            why=_("On a phone its end and its answers do not fit on one screen, and people answer what they remember."),
            fix=_("Say in the introduction what belongs to all questions; keep this one below %(most)s characters.")
            % {"most": LONGEST_TEXT},
        )


def long_options(question: LintedQuestion) -> Iterator[Finding]:
    """Find an option that takes several lines."""
    for option in question.options:
        if len(option) > LONGEST_OPTION:
            yield Finding(
                rule="long_option",
                level=Level.HINT,
                what=_("An option is long."),
                why=_(
                    "Options of several lines are compared badly; the first and the short ones are taken more often."
                ),
                fix=_("Say it in a few words."),
                evidence=option,
            )
            return


def all_capitals(question: LintedQuestion) -> Iterator[Finding]:
    """Find several words in capitals; a single one, or an abbreviation, is emphasis."""
    if found := _CAPITALS.search(question.text):
        yield Finding(
            rule="capitals",
            level=Level.HINT,
            what=_("Several words are in capitals."),
            why=_("They read slowly and sound like shouting; some screen readers spell them letter by letter."),
            fix=_("Write them as usual."),
            evidence=found[0],
        )
