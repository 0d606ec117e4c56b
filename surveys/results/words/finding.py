"""The finding: a question’s main figure as one sentence, whatever was estimated, and what stands large below it."""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.numbers.words import (
    Units,
    estimate_of_100,
    interval_cell,
    percent,
    says_too_little,
    sure_sentence,
    sure_words,
    tenths_of_100,
    whole_number,
)
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.figures.items import ItemResult, OptionResult
from surveys.results.figures.means import MeanResult
from surveys.results.figures.overview import QuestionResult
from surveys.results.figures.people import PeopleOf100, people_of
from surveys.results.words.means import mean_name, units_of
from surveys.results.words.shares import is_claimed, row_name


@dataclass(frozen=True, slots=True)
class Headline:
    """What is read first; without an estimate only the title, which says so.

    Where the title says that the answers cannot tell, the value is the interval: no estimate stands below it.
    """

    title: str
    value: str = ""
    is_estimate: bool = True
    unit: str = ""
    sure: str = ""
    people: PeopleOf100 | None = None
    origin: str = ""  # how the figure follows from the reports
    alone: str = ""  # the title where no value stands below it, if that is another


_SHARES = (
    *(Fraction(1, whole) for whole in (20, 10, 8, 6, 5, 4, 3)),
    Fraction(2, 5),
    Fraction(1, 2),
    Fraction(3, 5),
    *(Fraction(parts - 1, parts) for parts in (3, 4, 5, 6, 8, 10, 20)),
)
_NEAR = 0.025  # an estimate is “about” a share that is no farther away, nor than a tenth of it
_HARDLY_ANY = 0.005


def finding_of(result: QuestionResult, level: float) -> Headline:
    """Return the finding of a question that enough answered: a mean where one was asked for, else the largest share."""
    if result.all_odd:
        return Headline(_("No estimate to trust"))
    if found := main_mean(result.first):
        return _of_mean(*found, level)
    largest = largest_share(result)
    if not largest:
        return Headline(_("No estimate from these reports"))
    option, item = largest
    answer, low, high = row_name(option, item), option.low, option.high
    wide = says_too_little(low, high)
    return Headline(
        title=share_title(option, answer if item.item.traits.yes_or_no and not item.item.option else quoted(answer)),
        value=interval_cell(low, high) if wide else estimate_of_100(option.estimate, low, high),
        is_estimate=not wide,
        unit=_("of 100"),
        sure=(sure_words(level) if wide else sure_sentence(level, low, high)) + _tied(result, option),
        people=people_of(option),
        origin=_origin(option, item),
    )


def largest_share(result: QuestionResult) -> tuple[OptionResult, ItemResult] | None:
    """Return the share that the headline is about, the first of the largest; None where none is claimed."""
    return max(_claimed_shares(result), key=lambda share: share[0].estimate, default=None)


def method_of(result: QuestionResult) -> str:
    """Return the method of the interval below the headline."""
    found = main_mean(result.first)
    return found[0].method if found else result.first.method


def _claimed_shares(result: QuestionResult) -> list[tuple[OptionResult, ItemResult]]:
    shares = [(option, item) for item in result.items for option in item.shown]
    return [(option, item) for option, item in shares if is_claimed(option, item)]


def _tied(result: QuestionResult, largest: OptionResult) -> str:
    """Name the other answers whose estimate is written as the largest is."""
    written = estimate_of_100(largest.estimate, largest.low, largest.high)
    others = [
        quoted(row_name(option, item))
        for option, item in _claimed_shares(result)
        if option is not largest and estimate_of_100(option.estimate, option.low, option.high) == written
    ]
    return ", " + _("tied with %(answers)s") % {"answers": get_text_list(others, _("and"))} if others else ""


def quoted(answer: str) -> str:
    """Return an author's words as they stand in a sentence."""
    return _("“%(answer)s”") % {"answer": answer}


def share_title(share: OptionResult, answer: str) -> str:
    """Say how many would answer so without chance, as roughly as the interval allows."""
    if says_too_little(share.low, share.high):
        return _("These answers cannot tell how many would truly answer %(answer)s") % {"answer": answer}
    if share.low < _HARDLY_ANY or share.high > 1 - _HARDLY_ANY:
        told = {"limits": interval_cell(share.low, share.high), "answer": answer}
        return _("%(limits)s of 100 would truly answer %(answer)s") % told
    near = min(_SHARES, key=lambda rough: abs(rough - share.estimate))
    far = abs(float(near) - share.estimate)
    tenth = min(share.estimate, 1 - share.estimate) / 10
    if not share.low <= near <= share.high or far > min(_NEAR, tenth):
        value = estimate_of_100(share.estimate, share.low, share.high)
        return _("About %(value)s of 100 would truly answer %(answer)s") % {"value": value, "answer": answer}
    if near == Fraction(1, 2):
        return _("About half would truly answer %(answer)s") % {"answer": answer}
    words = ngettext(
        "About %(parts)s in %(whole)s would truly answer %(answer)s",
        "About %(parts)s in %(whole)s would truly answer %(answer)s",
        near.numerator,
    )
    return words % {"parts": near.numerator, "whole": near.denominator, "answer": answer}


def _origin(option: OptionResult, item: ItemResult) -> str:
    """Say how an estimate follows from the reports; nothing where that depends on several shares."""
    code = item.options.index(option)
    row = item.item.design.matrix[code]
    if len({chance for truth, chance in enumerate(row) if truth != code}) > 1:
        return ""
    nobody, everybody = row[1 if code == 0 else 0], row[code]
    told = {
        "count": whole_number(option.count),
        "n": whole_number(item.n),
        "report": option.report,
        "observed": tenths_of_100(option.observed),
        "label": option.label,
        "nobody": tenths_of_100(nobody),
        "everybody": tenths_of_100(everybody),
        "part": percent(option.moment, 1),
    }
    words = _(
        "%(count)s of %(n)s reports say “%(report)s”: %(observed)s of 100. If nobody’s true answer were “%(label)s”, "
        "chance would make it %(nobody)s; if everybody’s were, %(everybody)s. %(observed)s is %(part)s of the way from "
        "%(nobody)s to %(everybody)s."
    )
    limited = _("More or less than nobody and everybody there cannot be: the estimate is limited to that.")
    return f"{words % told} {limited}" if option.limited else words % told


_Means = tuple[NumberEstimate, Units, str]


def main_mean(item: ItemResult) -> _Means | None:
    """Return the mean that a question asks for, its units, and what it is called; None where none is claimed."""
    for result in (item.mean, item.scale, item.bands):
        if result is None or item.oddities:
            continue
        mean = result if isinstance(result, MeanResult) else result.mean
        if mean.claimed:
            return mean, units_of(result), mean_name(among_those_who_say=result.among_those_who_say)
    return None


def _of_mean(mean: NumberEstimate, units: Units, name: str, level: float) -> Headline:
    wide = says_too_little(mean.low, mean.high, float(units.high - units.low))
    told, bare = {"value": units.write(mean.estimate), "name": name}, Units(units.low, units.high, "")
    return Headline(
        title=_("These answers cannot tell the mean") if wide else name,
        value=interval_cell(mean.low, mean.high, bare) if wide else bare.write(mean.estimate),
        is_estimate=not wide,
        unit=units.unit or _("on a scale from %(low)s to %(high)s") % units.ends,
        sure=sure_words(level) if wide else sure_sentence(level, mean.low, mean.high, units),
        alone="" if wide else _("%(name)s: about %(value)s") % told,
    )
