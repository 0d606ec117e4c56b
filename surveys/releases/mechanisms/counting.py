"""What is counted of a question: how often each report came, or of several options how often each was reported."""

from surveys.estimation import item_counts
from surveys.models.definition import AskedQuestion, Item
from surveys.privacy.adjacency import Counted
from surveys.releases.families.questions import TICKED, counted_of
from surveys.responses.selectors.tally import Tally


def counts_of(asked: AskedQuestion, tally: Tally) -> list[int]:
    """Return the counts."""
    if counted_of(asked) is Counted.BITS:
        return [reports_of(item, tally)[TICKED] for item in asked.items]
    return reports_of(asked.first, tally)


def reports_of(item: Item, tally: Tally) -> list[int]:
    """Return how often each report of an item came; who left it out visibly is not counted."""
    counts, _left_out = item_counts(tally.patterns, tally.counts, item.number, item.design.m)
    return [int(count) for count in counts]


def answered_of(asked: AskedQuestion, tally: Tally) -> int:
    """Return how many responses do not leave the question out: a public number."""
    return sum(reports_of(asked.first, tally))
