"""The largest share of a question, and what may be more common."""

from dataclasses import dataclass

from surveys.estimation.claims import FigureOptions
from surveys.estimation.largest import may_be_largest
from surveys.results.figures.questions import (
    ItemResult,
    OptionResult,
    QuestionResult,
    option_results,
    shares_together,
)

Shown = tuple[OptionResult, ItemResult]


@dataclass(frozen=True, slots=True)
class LargestShare:
    """The first of the largest estimates of a question."""

    item: ItemResult
    code: int
    chosen_from: int  # how many shares are shown
    rivals: tuple[Shown, ...]  # the others that may be more common

    @property
    def option(self) -> OptionResult:
        """With the limits that it has everywhere; if intervals are simultaneous, they allow for its being chosen."""
        return self.item.options[self.code]


def largest_share(result: QuestionResult, level: float) -> LargestShare | None:
    """Return the largest share of a question at a confidence level; None where none is claimed."""
    shown = [(item, code) for item in result.items for code in item.shown_codes]
    claimed = [(item, code) for item, code in shown if item.options[code].claimed and not item.oddities]
    if not claimed:
        return None
    item, code = max(claimed, key=lambda share: share[0].options[share[1]].estimate)
    if len(shown) == 1:
        return LargestShare(item, code, 1, ())
    if len(result.items) == 1 and item.prevalence is not None:
        in_set = may_be_largest(item.prevalence, level)
        rivals = [(other, at) for other, at in shown if in_set[at]]
    else:
        # Of several options only each one's reports are known here: those whose limits, which hold together, overlap.
        together = {one.item.key: _together(one, result, level) for one in result.items}
        highest = max(together[other.item.key][at].low for other, at in claimed)
        rivals = [
            share for share in shown if share not in claimed or together[share[0].item.key][share[1]].high >= highest
        ]
    others = tuple((other.options[at], other) for other, at in rivals if (other, at) != (item, code))
    return LargestShare(item, code, len(shown), others)


def _together(item: ItemResult, result: QuestionResult, level: float) -> tuple[OptionResult, ...]:
    """Return an item's shares with limits that hold at once for all shares of its question."""
    if item.prevalence is None:
        return item.options
    wanted = FigureOptions(item.method, level, simultaneous=True, forged=item.forged)
    return option_results(item.item, item.prevalence, wanted, together=shares_together(result.question))
