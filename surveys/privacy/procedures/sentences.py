"""Sentences that hold an exact share, so that a page can word and mark it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


def out_of(share: Fraction) -> str:
    """Word a share exactly: 3/4 as "3 of 4", 0 as "none" and 1 as "all"."""
    if share.denominator == 1:
        return "all" if share else "none"
    return f"{share.numerator} of {share.denominator}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with at most one share, and what stands before and after it."""

    before: str
    share: Fraction | None = None
    after: str = ""

    def words(self, wording: Callable[[Fraction], str] = out_of) -> str:
        """Return the whole sentence, the share worded as asked."""
        return self.before + ("" if self.share is None else wording(self.share)) + self.after


class StepKind(StrEnum):
    """What happens in a step: chance decides, the respondent thinks of something, or the report is found."""

    CHANCE = "chance"
    THINK = "think"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a procedure."""

    kind: StepKind
    sentence: Sentence
