"""A finding of the linter, how much it matters, and what the editor can set to mend it."""

from dataclasses import dataclass
from enum import IntEnum

from django.utils.translation import gettext

from surveys.numbers.words import spans
from surveys.questionnaire.designs import USUAL_FOR_MANY, Chance
from surveys.questionnaire.kinds import LeaveOut


class Level(IntEnum):
    """How much it matters."""

    PROBLEM = 0
    WARNING = 1
    HINT = 2

    @property
    def label(self) -> str:
        words = {Level.PROBLEM: gettext("Problem"), Level.WARNING: gettext("Warning"), Level.HINT: gettext("Hint")}
        return words[self]

    @property
    def slug(self) -> str:
        """For style sheets and scripts."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class LintFinding:
    """What was found, why it matters and what would help.

    Attributes
    ----------
    rule : str
        The name of the rule.
    level : Level
        How much it matters.
    what, why, fix : str
        In words, each a sentence or two.
    evidence : str
        The survey owner's words that it is about.
    source : str
        Where the reason is from.
    numbers : tuple of int
        The questions it is about; () for the survey.
    sets : tuple of (str, str)
        What to type into which fields of the question, where that mends it.
    """

    rule: str
    level: Level
    what: str
    why: str
    fix: str
    evidence: str = ""
    source: str = ""
    numbers: tuple[int, ...] = ()
    sets: tuple[tuple[str, str], ...] = ()

    @property
    def where(self) -> str:
        """The questions that it is about, in words; "" where it is about the survey."""
        if not self.numbers:
            return ""
        if len(self.numbers) == 1:
            return gettext("Question %(number)s.") % {"number": self.numbers[0]}
        return gettext("Questions %(numbers)s.") % {"numbers": spans(self.numbers)}


# What mends a finding by itself: a button types it into the question's fields.


Mend = tuple[tuple[str, str], ...]


def mend_of(rule: str, design: Chance | None) -> Mend:
    """Return what to type, field by field, into a question with this design; () where nothing mends it."""
    if rule == "infinite_epsilon" and design and design.without_proof:
        return (("design", str(design.without_proof)),)
    if rule == "seen_to_leave_out":
        return (("design", str(USUAL_FOR_MANY.name)), ("leave_out", str(LeaveOut.PROTECTED)), ("chance", ""))
    return ()
