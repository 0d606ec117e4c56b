"""What one report says: how often it is sent with each true answer, and what it proves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import inf
from typing import cast

from django import template
from django.utils.translation import get_language_bidi
from django.utils.translation import gettext as _

from surveys.charts.words import from_right_to_left
from surveys.models.asked_question import Item
from surveys.models.kinds import LeaveOut
from surveys.numbers.words import of_100

register = template.Library()
register.filter("of_hundred", of_100)


@dataclass(frozen=True, slots=True)
class Odds:
    """One report and how often it is sent when it is the true answer and when another one is."""

    label: str
    other: str
    when_true: Fraction
    when_not: Fraction
    number: str = ""  # of a report that stands for a value, the first of the numbers for which it is likeliest


@dataclass(frozen=True, slots=True)
class TappedReport:
    """One report where a fact in the head stands for chance, and how often people with either answer tap it."""

    label: str
    when_yes: Fraction
    when_no: Fraction


@dataclass(frozen=True, slots=True)
class Proof:
    """A report that rules true answers out, and the one true answer that is left, if it is one."""

    report: str
    truth: str
    ruled_out: tuple[str, ...]


@register.filter
def odds(item: Item) -> list[Odds]:
    """One entry a report worth telling; none where no device adds chance.

    Two answers need one entry. More answers need one if all are treated alike, else one each.
    """
    if item.tapped:
        return []
    labels, matrix = item.labels, item.design.matrix
    if item.grid:
        return [most_telling(item)]
    two = item.design.k == 2
    told = [
        Odds(
            label=label,
            other=labels[1 - report] if two else _("another one"),
            when_true=matrix[report][report],
            # In every design that a device carries out here, all other truths have the same chance.
            when_not=matrix[report][report - 1],
        )
        for report, label in enumerate(labels)
    ]
    if two or len({(entry.when_true, entry.when_not) for entry in told}) == 1:
        # Of a number, too, the upper end; people expect Yes before No.
        return told[:1] if item.traits.one_of_list and not two else told[1:2]
    return told


def largest_change(chances: Sequence[Fraction]) -> Fraction | float:
    """Return how much a report with these chances can change odds."""
    return max(chances) / min(chances) if min(chances) else inf


@register.filter
def most_telling(item: Item) -> Odds:
    """Return the report on a number that changes odds most; where all are treated alike, one in the middle."""
    matrix, middle = item.design.matrix, item.design.m - 1
    code = min(
        range(item.design.m),
        key=lambda code: (-largest_change(matrix[code]), -max(matrix[code]), abs(2 * code - middle)),
    )
    row = matrix[code]
    return Odds(item.report_labels[code], "", max(row), min(row), item.labels[row.index(max(row))])


@register.filter
def of_grid(item: Item, name: str) -> str:
    """Return what a design says under this name of the report that tells most of a number."""
    entry, reports = most_telling(item), item.report_labels
    return str(getattr(item.asked_with.grid_words, name)) % {
        "label": entry.label,
        "number": entry.number,
        "here": of_100(entry.when_true),
        "there": of_100(entry.when_not),
        "points": item.design.k,
        "first": reports[0],
        "last": reports[-1],
    }


@register.filter
def chance_line(item: Item) -> str:
    """Say in one line what chance does to an answer; nothing where it does not treat all answers alike."""
    entries = odds(item)
    if len(entries) != 1:
        return ""
    if item.grid:
        return of_grid(item, "line")
    (entry,) = entries
    told = {
        "label": quote_answer(entry.label, item),
        "other": quote_answer(entry.other, item),
        "here": of_100(entry.when_true),
        "there": of_100(entry.when_not),
    }
    if item.range:
        words = _("If it rounds to %(label)s, %(here)s of 100 phones send that; if not, %(there)s.")
    elif item.traits.yes_or_no and item.design.k == 2 and not item.traits.one_true:
        words = _("If you mean %(label)s, %(here)s of 100 phones send %(label)s; if %(other)s, %(there)s.")
    else:
        words = _("If an answer is yours, %(here)s of 100 phones send it; if not, %(there)s.")
    return words % told


@register.filter
def tapped_report(item: Item) -> TappedReport:
    """Return what people tap to whom a fact in their heads gives the chance: the last report says it all."""
    when_no, when_yes = item.design.matrix[1]
    return TappedReport(item.report_labels[1], when_yes, when_no)


@register.filter
def parameter(item: Item, name: str) -> Fraction:
    """Return one exact probability that the design was made with."""
    return cast("Fraction", dict(item.design.exact_parameters)[name])


def _ruled_out(item: Item, row: Sequence[Fraction]) -> Iterator[str]:
    """Yield what a report with these chances rules out: of numbers also those between two that it does."""
    for possible, group in groupby(zip(item.labels, row, strict=True), key=lambda entry: bool(entry[1])):
        labels = [quote_answer(label, item) for label, _share in group]
        if possible:
            continue
        if item.grid and len(labels) > 1:
            yield _("a number from %(low)s to %(high)s") % {"low": labels[0], "high": labels[-1]}
        else:
            yield from labels


@register.filter
def proofs(item: Item) -> list[Proof]:
    """Return the reports that prove something; of a number, which is rounded first, they only rule an end out.

    An answer that is sent as it is is no proof in spite of chance: it has words of its own.
    """
    if not item.protects:
        return []
    found = []
    not_saying = quote_answer(item.labels[-1], item) if item.range and item.leave_out == LeaveOut.PROTECTED else ""
    for label, row in zip(item.report_labels, item.design.matrix, strict=True):
        ruled_out = tuple(_ruled_out(item, row))
        left = [quote_answer(truth, item) for truth, share in zip(item.labels, row, strict=True) if share]
        if ruled_out:
            proven = left[0] if len(left) == 1 and (not item.range or item.tapped or left[0] == not_saying) else ""
            found.append(Proof(quote_answer(label, item), proven, ruled_out))
    return found


@register.filter
def proves_everything(item: Item) -> bool:
    """Whether each report leaves one true answer only."""
    return all(proof.truth for proof in proofs(item)) and len(proofs(item)) == item.design.m


@register.filter
def hides_leaving_out(item: Item) -> bool:
    """Whether “prefer not to say” is reported for people with other answers too."""
    return item.leave_out == LeaveOut.PROTECTED and all(item.design.matrix[-1])


@register.filter
def quote_answer(label: str, item: Item) -> str:
    """Put an answer that an author worded in quotation marks; Yes and No need none."""
    plain = item.traits.yes_or_no and label in item.labels[:2]
    quoted = label if plain else _("“%(label)s”") % {"label": label}
    # Else what follows in a sentence from left to right would go along with it.
    return f"\u2068{quoted}\u2069" if from_right_to_left(label) and not get_language_bidi() else quoted


@register.filter
def listed_words(words: Sequence[str]) -> str:
    """Join words as a list."""
    return ", ".join(words)


@register.filter
def dots(share: Fraction) -> str:
    """Return the path that covers this share of ten rows of ten dots."""
    rows, rest = divmod(share * 10, 1)
    return f"M0 0H100V{rows * 10}H0ZM0 {rows * 10}H{float(rest) * 100:g}V{rows * 10 + 10}H0Z"
