"""What chance does, in words and dots: everything is computed from the design matrix that is in force."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf, prod

from django import template

from surveys.models.definition import Definition, Item
from surveys.models.response import CODES, LEFT_OUT
from surveys.models.survey import Kind
from surveys.privacy.own_chance import Line, Stage, Step, own_chance

register = template.Library()

_SECONDS_A_QUESTION = 20
_COUNTED = ("a die", "one coin", "two coins, one after the other", "three coins, in order", "four coins, in order")


@dataclass(frozen=True, slots=True)
class Odds:
    """One report and how often it is sent when it is the true answer and when it is not."""

    label: str
    other: str
    when_true: Fraction
    when_not: Fraction


@register.filter
def truth_choices(item: Item) -> list[tuple[int, str]]:
    """Numbers and labels of the true answers in the order in which people expect them: Yes before No."""
    numbered = list(enumerate(item.labels))
    return [numbered[1], numbered[0], *numbered[2:]] if item.kind == Kind.YES_NO else numbered


@register.filter
def report_choices(item: Item) -> list[tuple[str, str]]:
    """One-character codes and labels in the same order, with leaving out where that is allowed."""
    codes = [(CODES[truth], label) for truth, label in truth_choices(item)]
    return [*codes, (LEFT_OUT, "Leave this question out (visible: that is stored)")] if item.can_be_left_out else codes


@register.filter
def can_leave_out_visibly(definition: Definition) -> bool:
    """Whether any question lets people leave it out in a way that is stored."""
    return any(item.can_be_left_out for item in definition.items)


@register.filter
def value_of(given: Mapping[str, str], item: Item) -> str:
    """Return what a refused own-coin form held for an item."""
    return given.get(f"item-{item.question_number}", "") if given else ""


@register.filter
def odds(item: Item) -> list[Odds] | None:
    """One entry a report worth telling; None where a report's chance differs between the answers it does not match.

    Two answers need one entry. More answers need one if all are treated alike, else one each.
    """
    matrix = item.design.matrix
    others = [{row[truth] for truth in range(item.design.k) if truth != report} for report, row in enumerate(matrix)]
    if item.design.m != item.design.k or any(len(entries) != 1 for entries in others):
        return None
    two = item.design.k == 2
    told = [
        Odds(
            label=item.labels[report],
            other=item.labels[1 - report] if two else "another one",
            when_true=matrix[report][report],
            when_not=next(iter(others[report])),
        )
        for report in range(item.design.k)
    ]
    if two:
        return told[1:]
    alike = len({(entry.when_true, entry.when_not) for entry in told}) == 1
    return told[:1] if alike else told


@register.filter
def of_hundred(share: Fraction) -> str:
    """75 for 3/4, 66.7 for 2/3, and 99.99 for 9999/10000: what is possible is never written as 0, nor as 100."""
    hundred = share * 100
    if hundred.denominator == 1:
        return str(hundred)
    digits = 1
    while round(hundred, digits) in {0, 100}:
        digits += 1
    return f"{float(hundred):.{digits}f}"


@register.filter
def dots(share: Fraction) -> str:
    """Return the path that covers this share of ten rows of ten dots."""
    rows, rest = divmod(share * 10, 1)
    return f"M0 0H100V{rows * 10}H0ZM0 {rows * 10}H{float(rest) * 100:g}V{rows * 10 + 10}H0Z"


@register.filter
def odds_rows(item: Item) -> list[tuple[str, tuple[Fraction, ...]]]:
    """Every report with its chance under each true answer."""
    return list(zip(item.labels, item.design.matrix, strict=True))


@register.filter
def walk(item: Item) -> list[tuple[str, str]]:
    """For two answers: which numbers drawn by the phone mean what. More answers make a list nobody reads."""
    design = item.design
    if design.k != 2 or design.m != 2:
        return []
    ends = sorted({0, design.denominator, *(column[0] for column in design.columns)})
    meanings = []
    for start, stop in pairwise(ends):
        reports = tuple(int(start >= column[0]) for column in design.columns)
        meanings.append((_span(start + 1, stop), _report_words(item, reports, "it sends")))
    return meanings


@register.filter
def least_protected(definition: Definition) -> Item | None:
    """Return the item whose reports can give most away: what the promise shows holds for the others all the more."""
    return max(definition.items, key=lambda item: item.design.epsilon, default=None)


@register.filter
def designs_differ(definition: Definition) -> bool:
    """Whether the odds of one item are not those of all."""
    return len({item.design.matrix for item in definition.items}) > 1


@register.filter
def odds_factor(items: Sequence[Item]) -> str:
    """Return e to the total epsilon as people say it, from the exact odds of every item; "" where it is infinite."""
    factor = prod(max(item.design.odds) for item in items)
    if factor == inf:
        return ""
    return f"{ceil(factor):,}" if factor >= 10 else f"{ceil(factor * 10) / 10:g}"


@register.filter
def own_factor(item: Item) -> str:
    """Return e to this item's epsilon, likewise."""
    return odds_factor([item])


@register.filter
def minutes(definition: Definition) -> int:
    """Minutes needed, rounded up."""
    return 1 + len(definition.items) * _SECONDS_A_QUESTION // 60


@register.filter
def throws(item: Item) -> tuple[Stage, ...]:
    """Return what to throw so that no device is needed; nothing where coins cannot make these chances."""
    found = own_chance(item.design)
    return found.stages if found else ()


@register.filter
def possible_with_coins(definition: Definition) -> bool:
    """Whether every question can be answered with coins or a die."""
    return all(own_chance(item.design) for item in definition.items)


@register.filter
def thrown(stage: Stage) -> str:
    """Say what is thrown."""
    return _COUNTED[stage.coins]


@register.simple_tag
def outcome_words(stage: Stage, line: Line) -> str:
    """Say which outcomes a line is about."""
    if not stage.coins:
        return _span(line.outcomes[0] + 1, line.outcomes[-1] + 1)
    return "; or ".join(_faces(block, bits, stage.coins) for block, bits in _blocks(line.outcomes, stage.coins))


@register.simple_tag
def action_words(item: Item, line: Line) -> str:
    """Say what to do after this outcome."""
    if line.step == Step.NEXT:
        return "throw once more, see below"
    if line.step == Step.AGAIN:
        return "does not count: throw again"
    return _report_words(item, line.reports, "tap")


def _report_words(item: Item, reports: Sequence[int], verb: str) -> str:
    """Say which report follows, one given for each truth."""
    if len(set(reports)) == 1:
        return f"{verb} “{item.labels[reports[0]]}”"
    if tuple(reports) == tuple(range(len(reports))):
        return f"{verb} your true answer"
    pairs = zip(item.labels, reports, strict=True)
    return "; ".join(f"if “{truth}” is true, {verb} “{item.labels[report]}”" for truth, report in pairs)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} or {last}" if last == first + 1 else f"{first} to {last}"


def _blocks(outcomes: Sequence[int], coins: int) -> list[tuple[int, int]]:
    """Cut consecutive outcomes into runs that share their first faces: (those faces as bits, how many of them)."""
    start, stop, blocks = outcomes[0], outcomes[-1] + 1, []
    while start < stop:
        free = 0
        while free < coins and start % 2 ** (free + 1) == 0 and start + 2 ** (free + 1) <= stop:
            free += 1
        blocks.append((start >> free, coins - free))
        start += 2**free
    return blocks


def _faces(block: int, bits: int, coins: int) -> str:
    faces = ", ".join("tails" if block >> place & 1 else "heads" for place in reversed(range(bits)))
    if not bits:
        return "anything"
    return faces if bits == coins else f"{faces}, then anything"
