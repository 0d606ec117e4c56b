"""Real coins and dice in words, and the plain forms that need no script: what to throw, what to tap."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.answering.forms import padding_of
from surveys.models import Mode
from surveys.numbers.words import readable, span, with_unit
from surveys.privacy.own_chance import DIE, MOST, Instruction, LikeOutcomes, Throw, own_chance, rounding
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import CODES, LEFT_OUT

register = template.Library()
register.filter("padding", padding_of)

_FIRST: dict[int, Promise] = {
    2: gettext_lazy("Throw one coin"),
    4: gettext_lazy("Throw two coins, one after the other"),
    8: gettext_lazy("Throw three coins, one after the other"),
    16: gettext_lazy("Throw four coins, one after the other"),
    DIE: gettext_lazy("Throw a die"),
    2 * DIE: gettext_lazy("Throw one coin, then a die"),
    4 * DIE: gettext_lazy("Throw two coins, one after the other, then a die"),
}
_AFTER: dict[int, Promise] = {
    2: gettext_lazy("Then throw one coin"),
    4: gettext_lazy("Then throw two coins, one after the other"),
    8: gettext_lazy("Then throw three coins, one after the other"),
    16: gettext_lazy("Then throw four coins, one after the other"),
    DIE: gettext_lazy("Then throw a die"),
    2 * DIE: gettext_lazy("Then throw one coin, followed by a die"),
    4 * DIE: gettext_lazy("Then throw two coins, one after the other, followed by a die"),
}
_LEAVE_OUT = gettext_lazy("Skip (we see that you skipped, not why)")


@dataclass(frozen=True, slots=True)
class ThrowTable:
    """One throw: what to throw, and for every outcome what to do; the last column's heading, where it needs one."""

    caption: str
    rows: tuple[tuple[str, str], ...]
    heading: str = ""


@register.filter
def why_not_coins(question: AskedQuestion) -> str:
    """Return why coins and a die cannot make the probabilities of a question, or "" where they can."""
    if question.tapped:
        return ""
    steps = question.first.range.steps if question.first.range else 1
    if rounding(steps) is None:
        return _(
            "Question %(number)s: the number asked for has %(steps)s steps, but one throw of coins and a die "
            "has at most %(most)s outcomes."
        ) % {"number": question.number, "steps": steps, "most": MOST}
    if question.first.grid or own_chance(question.design) is None:
        return _("Question %(number)s: its probabilities are too fine for coins and a die.") % {
            "number": question.number
        }
    return ""


@register.filter
def reasons_against_coins(definition: Definition) -> list[str]:
    return [reason for question in definition.questions if (reason := why_not_coins(question))]


@register.filter
def possible_with_coins(definition: Definition) -> bool:
    """Whether every question can be answered with coins and a die, or needs neither."""
    return not reasons_against_coins(definition)


@register.filter
def throws(question: AskedQuestion) -> list[ThrowTable]:
    """Return what to throw for each item of a question; nothing where what is tapped needs no throw."""
    chance = None if question.tapped else own_chance(question.design)
    if chance is None:
        return []
    item, tables = question.first, []
    if item.range and item.range.steps > 1 and (stage := rounding(item.range.steps)):
        heading = _("“%(high)s” from this number on, “%(low)s” below it") % {
            "low": item.labels[0],
            "high": item.labels[1],
        }
        tables.append(_table(_FIRST, stage, lambda line: _threshold_words(item, line), heading))
    for stage in chance.stages:
        tables.append(_table(_AFTER if tables else _FIRST, stage, lambda line: _action_words(item, line)))
    return tables


@register.filter
def taps(item: Item) -> list[tuple[str, str]]:
    """Return the reports of an item as codes and labels, in the order that people expect: Yes before No."""
    return _choices(item, item.report_labels)


@register.filter
def answers(item: Item) -> list[tuple[str, str]]:
    """Return the true answers of an item likewise; where no device randomizes, what is tapped is a report."""
    return taps(item) if item.tapped else _choices(item, item.labels)


@register.filter
def options(question: AskedQuestion) -> list[tuple[str, str]]:
    """Return the options of which one is chosen, likewise; leaving all of them out has a box of its own."""
    return [(code, item.option) for code, item in zip(CODES, question.items, strict=False)]


@register.filter
def is_ticked(given: Mapping[str, str] | None, question: AskedQuestion) -> bool:
    return f"leave-{question.number}" in (given or {})


def _choices(item: Item, labels: Sequence[str]) -> list[tuple[str, str]]:
    coded = list(zip(CODES, labels, strict=False))
    if item.answers.yes_or_no:
        coded[:2] = reversed(coded[:2])
    # Several options are skipped together, with one box.
    return [*coded, (LEFT_OUT, str(_LEAVE_OUT))] if item.can_be_left_out and not item.option else coded


@register.filter
def leave_box(question: AskedQuestion, mode: str) -> str:
    """Return the words of a question's box for not answering, or "" where its other controls can say that.

    `surveys.answering.forms.has_own_way_out` reads it.
    """
    typed = question.first.range is not None and not question.tapped and mode == Mode.SERVER
    if question.can_be_left_out and (question.answers.by_option or typed):
        return str(_LEAVE_OUT)
    if question.protects_leaving_out and typed:
        return _("Prefer not to say (protected like every other answer)")
    return ""


@register.filter
def step_words(item: Item) -> str:
    return with_unit(readable(item.range.step), item.range.unit) if item.range else ""


@register.filter
def reaches_thousands(item: Item) -> bool:
    """Whether a number may be so large that people might group its digits."""
    return item.range is not None and max(abs(item.range.low), abs(item.range.high)) >= 1000


@register.filter
def value_of(given: Mapping[str, str] | None, name: str) -> str:
    """Return what a refused form held in a field, or what is wrong with it."""
    return given.get(name, "") if given else ""


def _table(
    captions: Mapping[int, Promise], stage: Throw, words: Callable[[LikeOutcomes], str], heading: str = ""
) -> ThrowTable:
    rows = tuple((outcome_words(stage, line), words(line)) for line in stage.lines)
    return ThrowTable(str(captions[stage.sides]), rows, heading)


def _threshold_words(item: Item, line: LikeOutcomes) -> str:
    if line.step == Instruction.AGAIN or item.range is None:
        return _again()
    number = item.range.low + item.range.step * line.reports.index(1)
    return with_unit(readable(number), item.range.unit)


def _again() -> str:
    """Repeat the throw of this table alone: restarting from the first one would change the probabilities."""
    return _("doesn’t count, so repeat only this throw")


def _action_words(item: Item, line: LikeOutcomes) -> str:
    if line.step == Instruction.NEXT:
        return _("throw once more (see below)")
    if line.step == Instruction.AGAIN:
        return _again()
    reports = line.reports
    if len(set(reports)) == 1:
        return _("tap “%(label)s”") % {"label": item.labels[reports[0]]}
    if tuple(reports) == tuple(range(len(reports))):
        return _("tap your end value") if item.range else _("tap your true answer")
    clause = (
        _("if your end value is “%(truth)s”, tap “%(label)s”")
        if item.range
        else _("if your true answer is “%(truth)s”, tap “%(label)s”")
    )
    pairs = zip(item.labels, reports, strict=True)
    return _either(
        [clause % {"truth": truth, "label": item.labels[report]} for truth, report in pairs], _("%(one)s; %(other)s")
    )


def outcome_words(stage: Throw, line: LikeOutcomes) -> str:
    start, stop = line.outcomes[0], line.outcomes[-1] + 1
    if not stage.die:
        outcomes = [_faces(block, bits, stage.coins) for block, bits in _blocks(start, stop, stage.coins)]
    elif not stage.coins:
        outcomes = [span(start + 1, stop)]
    else:
        outcomes = _with_a_die(start, stop, stage.coins)
    return _either(outcomes, _("%(one)s; or %(other)s"))


def _with_a_die(start: int, stop: int, coins: int) -> list[str]:
    """Word consecutive outcomes: the die's part of the first faces, all of what is between, part of the last ones."""
    outcomes = []
    while start < stop:
        faces, shown = divmod(start, DIE)
        end = min(stop, (faces + 1) * DIE)
        if shown == 0 and end == (faces + 1) * DIE:
            full = stop // DIE
            outcomes += [
                _("any result") if not bits else _("%(coins)s, then any result") % {"coins": _named(block, bits)}
                for block, bits in _blocks(faces, full, coins)
            ]
            start = full * DIE
            continue
        outcomes.append(
            _("%(coins)s and %(numbers)s")
            % {"coins": _named(faces, coins), "numbers": span(shown + 1, end - faces * DIE)}
        )
        start = end
    return outcomes


def _either(outcomes: Sequence[str], both: str) -> str:
    return reduce(lambda one, other: both % {"one": one, "other": other}, outcomes)


def _blocks(start: int, stop: int, coins: int) -> list[tuple[int, int]]:
    """Cut consecutive faces into runs that share their first coins: (those coins as bits, how many of them)."""
    blocks = []
    while start < stop:
        free = 0
        while free < coins and start % 2 ** (free + 1) == 0 and start + 2 ** (free + 1) <= stop:
            free += 1
        blocks.append((start >> free, coins - free))
        start += 2**free
    return blocks


def _faces(block: int, bits: int, coins: int) -> str:
    if not bits:
        return _("any result")
    named = _named(block, bits)
    return named if bits == coins else _("%(coins)s, then any result") % {"coins": named}


def _named(block: int, bits: int) -> str:
    return ", ".join(_("tails") if block >> place & 1 else _("heads") for place in reversed(range(bits)))
