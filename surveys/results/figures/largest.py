"""The largest share of a question: with limits that allow for its having been chosen, and what may be more common."""

from dataclasses import dataclass

from surveys.estimation.claims import FigureOptions
from surveys.estimation.largest import may_be_largest
from surveys.results.figures.questions import ItemResult, OptionResult, QuestionResult, option_results

Shown = tuple[OptionResult, ItemResult]


@dataclass(frozen=True, slots=True)
class LargestShare:
    """The first of the largest estimates of a question."""

    option: OptionResult  # of several, with limits that hold for whichever is chosen
    item: ItemResult
    code: int
    chosen_from: int  # how many shares are shown
    rivals: tuple[Shown, ...]  # the others that may be more common


def largest_share(result: QuestionResult, level: float) -> LargestShare | None:
    """Return the largest share of a question at a confidence level; None where none is claimed."""
    shown = [(item, code) for item in result.items for code in item.shown_codes]
    claimed = [(item, code) for item, code in shown if item.options[code].claimed and not item.oddities]
    if not claimed:
        return None
    item, code = max(claimed, key=lambda share: share[0].options[share[1]].estimate)
    if len(shown) == 1:
        return LargestShare(item.options[code], item, code, 1, ())
    together = {one.item.key: _together(one, result, level) for one in result.items}
    option = together[item.item.key][code]
    if len(result.items) == 1 and item.prevalence is not None:
        in_set = may_be_largest(item.prevalence, level)
        rivals = [(other, at) for other, at in shown if in_set[at]]
    else:
        # Of several options only each one's reports are known here: those whose limits, which hold together, overlap.
        highest = max(together[other.item.key][at].low for other, at in claimed)
        rivals = [
            share for share in shown if share not in claimed or together[share[0].item.key][share[1]].high >= highest
        ]
    others = tuple((other.options[at], other) for other, at in rivals if (other, at) != (item, code))
    return LargestShare(option, item, code, len(shown), others)


def _together(item: ItemResult, result: QuestionResult, level: float) -> tuple[OptionResult, ...]:
    """Return an item's shares with limits that hold at once for all shares of its question."""
    if item.prevalence is None:
        return item.options
    wanted = FigureOptions(item.method, level, simultaneous=True, forged=item.forged)
    return option_results(item.item, item.prevalence, wanted, together=len(result.items))
