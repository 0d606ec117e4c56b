"""A hundred people as dots: the promise's picture of randomization, and other answers that send the same."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.answering.words.designs import largest_change, most_telling, odds, of_grid, quote_answer, tapped_report
from surveys.answering.words.promise import group_like_questions
from surveys.models import Mode
from surveys.numbers.words import of_100
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition

register = template.Library()

# Who randomizes, and so who sends the outcome.
_SENT: dict[str, Promise] = {
    Mode.DEVICE: gettext_lazy("%(share)s of 100 phones send %(report)s"),
    Mode.OWN_COIN: gettext_lazy("%(share)s of 100 tap %(report)s"),
    Mode.SERVER: gettext_lazy("%(share)s of 100 answers are stored as %(report)s"),
}
_SENT_AS_IT_IS: dict[str, Promise] = {
    Mode.DEVICE: gettext_lazy("%(share)s of 100 phones send it"),
    Mode.OWN_COIN: gettext_lazy("%(share)s of 100 tap it"),
    Mode.SERVER: gettext_lazy("Stored for %(share)s of 100 people"),
}
# Words of a survey owner that may stand before what there is to press.
_SHORT = 30


@dataclass(frozen=True, slots=True)
class Hundred:
    """A hundred people of one true answer: whom it is about, what so many of them send, and their dots."""

    about: str
    sent: str
    drawn: tuple[tuple[str, str], ...]  # patterns and the paths that they fill


@dataclass(frozen=True, slots=True)
class Hundreds:
    """What a survey's randomization does where it protects least, to people with one answer and with another."""

    whose: str  # which questions are shown, where others have other odds
    both: tuple[Hundred, Hundred]


@register.filter
def least_protected(definition: Definition, mode: str = Mode.DEVICE) -> Hundreds | None:
    """Return the picture of the promise: the report that changes odds most, of the questions protected least.

    None where no question is protected.
    """
    groups = group_like_questions(definition)
    if not groups:
        return None
    group, item, count = groups[0], groups[0].first.first, len(groups[0].questions)
    whose = ""
    if group.change > groups[-1].change:
        whose = ngettext(
            "Question %(numbers)s, the least protected:", "Questions %(numbers)s, the least protected:", count
        )
    elif len(groups) > 1 or definition.unprotected:
        whose = ngettext("Question %(numbers)s:", "Questions %(numbers)s:", count)
    if whose and definition.random_order:
        # What a question’s number is, is drawn on the phone.
        whose = _("Where protection is weakest:") if group.change > groups[-1].change else _("For example:")
    else:
        whose %= {"numbers": group.numbers}
    if item.grid:
        return _of_numbers(item, whose, str(_SENT[Mode.OWN_COIN if item.tapped else mode]))
    if item.in_the_head:
        return _of_people(item, whose)
    return _of_answers(item, whose, mode, labels_differ=group.labels_differ)


def _of_people(item: Item, whose: str) -> Hundreds:
    tapped = tapped_report(item)
    sentence = _("%(share)s of 100 tap “%(report)s”")
    patterns = item.chance.drawn_as
    shares = [{"share": of_100(share), "report": tapped.label} for share in (tapped.when_yes, tapped.when_no)]
    here = _grid((patterns[0], tapped.when_yes), ("ring", 1 - tapped.when_yes))
    there = _grid(("lit", tapped.when_no), (patterns[1], 1 - tapped.when_no))
    return Hundreds(
        whose,
        (
            Hundred(_("If you mean %(answer)s") % {"answer": item.labels[1]}, sentence % shares[0], here),
            Hundred(_("If you mean %(answer)s") % {"answer": item.labels[0]}, sentence % shares[1], there),
        ),
    )


def _of_answers(item: Item, whose: str, mode: str, *, labels_differ: bool) -> Hundreds:
    shown = max(odds(item), key=lambda entry: largest_change((entry.when_true, entry.when_not)))
    label, other = (quote_answer(answer, item) for answer in (shown.label, shown.other))
    two = item.design.k == 2
    here, there = _("If you mean %(answer)s"), _("If you mean something else")
    sentence = str(_SENT[mode])
    if item.range and shown.label in item.labels[:2]:
        here, there = _("If your number is rounded to %(answer)s"), _("If not")
    elif labels_differ or item.answers.one_true:
        here, there, sentence = _("If an answer is yours"), _("If not"), str(_SENT_AS_IT_IS[mode])
    about = here % {"answer": label}, here % {"answer": other} if two and not item.answers.one_true else there
    shares = [sentence % {"share": of_100(share), "report": label} for share in (shown.when_true, shown.when_not)]
    # The others send their owner's answer, at least so many of them, or a third one.
    report = item.labels.index(shown.label)
    kept = min(item.design.matrix[code][code] for code in range(item.design.k) if code != report)
    kept = 1 - shown.when_not if two else min(kept, 1 - shown.when_not)
    drawn = (
        _grid(("yes", shown.when_true), ("ring", 1 - shown.when_true)),
        _grid(("lit", shown.when_not), ("no", kept), ("ring", 1 - shown.when_not - kept)),
    )
    return Hundreds(whose, (Hundred(about[0], shares[0], drawn[0]), Hundred(about[1], shares[1], drawn[1])))


def _of_numbers(item: Item, whose: str, sentence: str) -> Hundreds:
    """Return the picture of a number that is sent: those for whose own it is likeliest, and all others."""
    shown = most_telling(item)
    shares = [
        sentence % {"share": of_100(share), "report": _("“%(label)s”") % {"label": shown.label}}
        for share in (shown.when_true, shown.when_not)
    ]
    here = _grid(("yes", shown.when_true), ("ring", 1 - shown.when_true))
    there = _grid(("lit", shown.when_not), ("ring", 1 - shown.when_not))
    return Hundreds(
        whose,
        (
            Hundred(of_grid(item, "here"), shares[0], here),
            Hundred(of_grid(item, "there"), shares[1], there),
        ),
    )


def _grid(*parts: tuple[str, Fraction]) -> tuple[tuple[str, str], ...]:
    ends = accumulate((100 * share for _pattern, share in parts), initial=Fraction(0))
    return tuple(
        (pattern, area(start, stop, 10))
        for (pattern, share), (start, stop) in zip(parts, pairwise(ends), strict=True)
        if share
    )


def area(start: Fraction, stop: Fraction, columns: int) -> str:
    """Return the path around these dots, in rows of so many: part of a row, full rows, part of a row."""
    path = ""
    while start < stop:
        row, left = divmod(start, columns)
        rows = (stop - start) // columns if left == 0 else 0
        end = start + rows * columns if rows else min(stop, Fraction((row + 1) * columns))
        right = columns if rows else left + end - start
        corners = [f"{float(10 * corner):g}" for corner in (left, row, right, row + max(rows, 1))]
        path += "M{0} {1}H{2}V{3}H{0}Z".format(*corners)
        start = end
    return path


@register.filter
def is_short(text: str) -> bool:
    """Return whether a survey owner's text is so short that it may stand before what there is to press."""
    return len(text.split()) <= _SHORT
