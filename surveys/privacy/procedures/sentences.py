"""Sentences that hold an exact share, so that a page can word and mark it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


def out_of(share: Fraction, counted: str = "") -> str:
    """Word a share of what is counted exactly: "3 of 4 times", "none of the times"; without a noun "all"."""
    if share.denominator > 1:
        return f"{share.numerator} of {share.denominator} {counted}".rstrip()
    whole = "all" if share else "none"
    return f"{whole} of the {counted}" if counted else whole


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with at most one share, what it is a share of if that is said, and what stands before and after."""

    before: str
    share: Fraction | None = None
    after: str = ""
    counted: str = ""

    def words(self, wording: Callable[[Fraction, str], str] = out_of) -> str:
        """Return the whole sentence, the share and its noun worded as asked."""
        return self.before + ("" if self.share is None else wording(self.share, self.counted)) + self.after


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
