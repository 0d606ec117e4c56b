"""What is counted of a question: how often each report came, or of several options how often each was reported."""

from surveys.estimation import item_counts
from surveys.models.definition import AskedQuestion, Item
from surveys.privacy.adjacency import Counted
from surveys.privacy.designs import Design, against_rest
from surveys.selectors.responses import Tally

TICKED = 1
"""The report of an option that says it applies; the others are No and, where it is protected, not saying."""


def counted_of(asked: AskedQuestion) -> Counted:
    """Return what one response adds to the counts."""
    return Counted.BITS if asked.traits.several else Counted.CODES


def length_of(asked: AskedQuestion) -> int:
    """Return how many counts there are."""
    return len(asked.items) if counted_of(asked) is Counted.BITS else asked.design.m


def design_counted(asked: AskedQuestion) -> Design:
    """Return what leads from the true answers to the counts: for each of several options “does it apply?”."""
    return against_rest(asked.design, TICKED) if counted_of(asked) is Counted.BITS else asked.design


def counts_of(asked: AskedQuestion, tally: Tally) -> list[int]:
    """Return the counts."""
    if counted_of(asked) is Counted.BITS:
        return [reports_of(item, tally)[TICKED] for item in asked.items]
    return reports_of(asked.first, tally)


def reports_of(item: Item, tally: Tally) -> list[int]:
    """Return how often each report of an item came; who left it out visibly is not counted."""
    counts, _left_out = item_counts(tally.patterns, tally.counts, item.number, item.design.m)
    return [int(count) for count in counts]
