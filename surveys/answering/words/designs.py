"""What a design does to an answer, in words: how it is randomized, what a report says, and what ε bounds."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from math import ceil, inf, prod
from typing import cast

from django import template
from django.utils.text import get_text_list
from django.utils.translation import get_language_bidi, gettext
from django.utils.translation import gettext as _

from surveys.drafts.selectors import OtherVersions
from surveys.numbers.words import epsilon_at_most, from_right_to_left, of_100, percent, readable, span, times, upwards
from surveys.privacy.designs import odds_of_one, total_epsilon
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.branches import Condition
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.designs import InTheHead
from surveys.questionnaire.kinds import LeaveOut, Loss

register = template.Library()


# What one report says: how often it is sent with each true answer, and what it proves.


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
    """One report where a fact in the head replaces the coins, and how often people with either answer tap it."""

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
    """One entry per report worth showing; none where no device randomizes.

    Two answers need one entry. More answers need one if all are treated alike, else one each.
    """
    if item.tapped:
        return []
    labels, matrix = item.labels, item.design.matrix
    if item.grid:
        return [most_telling(item)]
    two = item.design.k == 2
    entries = [
        Odds(
            label=label,
            other=labels[1 - report] if two else _("another answer"),
            when_true=matrix[report][report],
            # In every design that a device carries out here, all other true answers have the same probability.
            when_not=matrix[report][report - 1],
        )
        for report, label in enumerate(labels)
    ]
    if two or len({(entry.when_true, entry.when_not) for entry in entries}) == 1:
        # Of a number, too, the upper end; people expect Yes before No.
        return entries[:1] if item.answers.one_of_list and not two else entries[1:2]
    return entries


def largest_change(chances: Sequence[Fraction]) -> Fraction | float:
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
    """Return what a design says under this name of the report that reveals most about a number."""
    entry, reports = most_telling(item), item.report_labels
    return str(getattr(item.chance.grid_words, name)) % {
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
    """Say in one line how the design randomizes an answer; nothing where it does not treat all answers alike."""
    entries = odds(item)
    if len(entries) != 1:
        return ""
    if item.grid:
        return of_grid(item, "line")
    (entry,) = entries
    values = {
        "label": quote_answer(entry.label, item),
        "other": quote_answer(entry.other, item),
        "here": of_100(entry.when_true),
        "there": of_100(entry.when_not),
    }
    if item.range:
        values |= {"low": readable(item.range.low), "high": readable(item.range.high)}
        words = _(
            "Your number is randomly rounded to %(low)s or %(high)s. If %(high)s, %(here)s of 100 phones send "
            "%(high)s. If not, %(there)s do."
        )
    elif item.answers.yes_or_no and item.design.k == 2 and not item.answers.one_true:
        words = _("If you mean %(label)s, %(here)s of 100 phones send %(label)s. If you mean %(other)s, %(there)s do.")
    else:
        words = _("If an answer is your own, %(here)s of 100 phones send it. If it isn’t, %(there)s do.")
    return words % values


@register.filter
def tapped_report(item: Item) -> TappedReport:
    """Return what people tap whose coins are replaced by a fact in their heads: the last report says it all."""
    when_no, when_yes = item.design.matrix[1]
    return TappedReport(item.report_labels[1], when_yes, when_no)


@register.filter
def parameter(item: Item, name: str) -> Fraction:
    return cast("Fraction", dict(item.design.exact_parameters)[name])


def _ruled_out(item: Item, row: Sequence[Fraction]) -> Iterator[str]:
    """Yield what a report with these probabilities rules out: of numbers also those between two that it does."""
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

    An answer that is sent as it is is no proof despite randomization: it has its own words.
    """
    if not item.protects:
        return []
    rows = []
    not_saying = quote_answer(item.labels[-1], item) if item.range and item.leave_out == LeaveOut.PROTECTED else ""
    for label, row in zip(item.report_labels, item.design.matrix, strict=True):
        ruled_out = tuple(_ruled_out(item, row))
        left = [quote_answer(truth, item) for truth, share in zip(item.labels, row, strict=True) if share]
        if ruled_out:
            proven = left[0] if len(left) == 1 and (not item.range or item.tapped or left[0] == not_saying) else ""
            rows.append(Proof(quote_answer(label, item), proven, ruled_out))
    return rows


@register.filter
def proves_everything(item: Item) -> bool:
    """Whether each report leaves one true answer only."""
    return all(proof.truth for proof in proofs(item)) and len(proofs(item)) == item.design.m


@register.filter
def hides_leaving_out(item: Item) -> bool:
    return item.leave_out == LeaveOut.PROTECTED and all(item.design.matrix[-1])


@register.filter
def quote_answer(label: str, item: Item) -> str:
    """Put an answer in the survey owner's words in quotation marks; Yes and No need none."""
    plain = item.answers.yes_or_no and label in item.labels[:2]
    quoted = label if plain else _("“%(label)s”") % {"label": label}
    # Else what follows in a sentence from left to right would go along with it.
    return f"\u2068{quoted}\u2069" if from_right_to_left(label) and not get_language_bidi() else quoted


@register.filter
def listed_words(words: Sequence[str]) -> str:
    return ", ".join(words)


@register.filter
def dots(share: Fraction) -> str:
    """Return the path that covers this share of ten rows of ten dots."""
    rows, rest = divmod(share * 10, 1)
    return f"M0 0H100V{rows * 10}H0ZM0 {rows * 10}H{float(rest) * 100:g}V{rows * 10 + 10}H0Z"


# How far reports change odds, all of them together, and their ε.


register.filter("epsilon_at_most", epsilon_at_most)

# Beyond it a factor says no more to anybody than that it is huge.
_LARGEST_FACTOR = 1_000_000
# Reports that change odds more than this, 1 to 20, are evidence that people act on.
_STRONG_EVIDENCE = 20


@register.filter
def odds_factor(losses: Sequence[Loss]) -> str:
    """Return e to the total ε as people say it, upwards, from the exact odds; "" where it is infinite or huge."""
    factor = exact_factor(losses)
    if factor > _LARGEST_FACTOR:
        return ""
    # Three digits say enough: 2.4, 27, and 59,100 for 59,049.
    return upwards(Fraction(factor), 1 if factor < 10 else min(0, 3 - len(str(ceil(factor)))))


@register.filter
def odds_bound(losses: Sequence[Loss]) -> str:
    bound = {"factor": odds_factor(losses), "epsilon": epsilon_of(losses)}
    if not bound["factor"]:
        return bound["epsilon"]
    return _("at most %(factor)s‑fold (%(epsilon)s)") % bound


@register.filter
def twice(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers twice: each report is randomized separately."""
    return (*losses, *losses)


@register.filter
def with_second_answer(losses: Sequence[Loss], definition: Definition) -> tuple[Loss, ...]:
    """Return the losses of somebody who answers twice, the second time in the arm that costs most."""
    costliest = max(definition.all_arms.each_arm, key=lambda met: met.bounded_epsilon)
    return (*losses, *bounded_losses(costliest))


@register.filter
def with_others(losses: Sequence[Loss], others: OtherVersions) -> tuple[Loss, ...]:
    return (*losses, *others.losses)


@register.filter
def bounded_losses(definition: Definition) -> tuple[Loss, ...]:
    """Return what changes odds by no more than the sum of its ε."""
    return tuple(loss for loss in definition.losses if loss.epsilon < inf)


def exact_factor(losses: Sequence[Loss]) -> Fraction | float:
    """Return how far reports change odds together: the product of what each does."""
    factors = [loss.odds for loss in losses]
    return inf if inf in factors else prod((Fraction(each) for each in factors), start=Fraction(1))


@register.filter
def strong_evidence(losses: Sequence[Loss]) -> bool:
    """Whether the reports together prove nothing, but come close to it."""
    return _STRONG_EVIDENCE < exact_factor(losses) < inf


@register.filter
def any_in_the_head(losses: Sequence[Loss]) -> bool:
    """Return whether a fact replaces the coins in one of them: their ε does not hold for people who know the fact."""
    return any(loss.in_the_head for loss in losses)


@register.filter
def reports_in(losses: Sequence[Loss]) -> int:
    """Return how many reports give these away."""
    return sum(loss.reports for loss in losses)


@register.filter
def epsilon_of(losses: Sequence[Loss]) -> str:
    return epsilon_at_most(total_epsilon(loss.epsilon for loss in losses))


@register.filter
def is_finite(epsilon: float) -> bool:
    return epsilon < inf


# What the questions show: answers in the order people expect, and what the phone draws, in words.


@register.filter
def asked_after(condition: Condition) -> str:
    """Return the answers, as a list, of those whom a question is asked."""
    return str(get_text_list([_("“%(label)s”") % {"label": answer} for answer in condition.answers], _("or")))


@register.filter
def truth_choices(item: Item) -> list[tuple[int, str]]:
    """Numbers and labels of the true answers in the order in which people expect them: Yes before No."""
    return _expected_order(item, item.labels)


@register.filter
def tap_choices(item: Item) -> list[tuple[int, str]]:
    """Numbers and labels of the reports likewise: what people tap where a fact in their heads randomizes."""
    return _expected_order(item, item.report_labels)


def _expected_order(item: Item, labels: Sequence[str]) -> list[tuple[int, str]]:
    numbered = list(enumerate(labels))
    return [numbered[1], numbered[0], *numbered[2:]] if item.answers.yes_or_no else numbered


@register.filter
def walk(item: Item) -> list[tuple[str, str]]:
    """For two answers: which numbers drawn by the phone mean what. More answers make a list nobody reads."""
    design = item.design
    if design.k != 2 or design.m != 2 or item.grid:
        return []
    ends = sorted({0, design.denominator, *(column[0] for column in design.columns)})
    meanings = []
    for start, stop in pairwise(ends):
        reports = tuple(int(start >= column[0]) for column in design.columns)
        meanings.append((span(start + 1, stop), _meaning(item, reports)))
    return meanings


def _meaning(item: Item, reports: tuple[int, ...]) -> str:
    if reports[0] == reports[1]:
        return gettext("it sends “%(report)s”, whatever your true answer is") % {"report": item.labels[reports[0]]}
    if item.range:
        kept = gettext("it sends the end value your number was rounded to")
        return kept if reports == (0, 1) else gettext("it sends the other end value")
    kept = gettext("it sends your true answer")
    return kept if reports == (0, 1) else gettext("it sends the other answer")


@register.filter
def both_questions(question: AskedQuestion) -> str:
    """Name what the report is about: two questions, where a fact in the respondent's head randomizes."""
    chance = question.chance
    if not isinstance(chance, InTheHead):
        return question.text
    return str(chance.both) % {"question": question.text, "innocuous": chance.innocuous}


def exact(share: Fraction) -> str:
    """3/4 (75.0%), and 0 or 1 as they are."""
    if share.denominator == 1:
        return str(share.numerator)
    return _("%(fraction)s (%(percent)s)") % {"fraction": str(share), "percent": percent(float(share), 1)}


@register.filter
def procedure(item: Item) -> str:
    """Describe how an answer is randomized, in one sentence or two with the exact probabilities."""
    return item.chance.procedure(item.design, item.report_labels if item.tapped else item.labels)


@register.filter
def innocuous_numbers(item: Item) -> str:
    asked_with = item.chance
    return asked_with.innocuous_numbers(item.design, item.report_labels) if isinstance(asked_with, InTheHead) else ""


@register.filter
def rounding(item: Item) -> str:
    """Say what happens to a number first; nothing where none is asked."""
    if not item.range or item.tapped:
        return ""
    if item.grid:
        return _(
            "First the phone rounds the number at random to one of the two nearest of %(points)s values. On "
            "average, rounding leaves the number unchanged."
        ) % {"points": item.design.k}
    return _(
        "First the phone rounds the number at random to %(low)s or to %(high)s. On average, rounding "
        "leaves the number unchanged."
    ) % {
        "low": item.labels[0],
        "high": item.labels[1],
    }


@register.filter
def matrix_sentence(item: Item) -> str:
    matrix = item.design.matrix
    if item.grid and item.chance.grid_words.of_matrix:
        chances = {"near": exact(max(matrix[0])), "far": exact(min(matrix[0]))}
        return str(item.chance.grid_words.of_matrix) % chances
    if item.design.m == 2:
        return _(
            "If the true answer is “%(yes)s”, the report is “%(report)s” with probability %(when_yes)s. If the "
            "true answer is “%(no)s”, that probability is %(when_no)s."
        ) % {
            "yes": item.labels[1],
            "no": item.labels[0],
            "report": item.report_labels[1],
            "when_yes": exact(matrix[1][1]),
            "when_no": exact(matrix[1][0]),
        }
    kept = {matrix[code][code] for code in range(item.design.k)}
    if len(kept) == 1:
        return _("The report names the true answer, whatever it is, with probability %(kept)s.") % {
            "kept": exact(kept.pop())
        }
    return _("The report names the true answer with probability %(least)s to %(most)s, depending on the answer.") % {
        "least": exact(min(kept)),
        "most": exact(max(kept)),
    }


@register.filter
def odds_sentence(item: Item) -> str:
    """Say how far one report can change the odds between two true answers; of options one of which is true, all."""
    if item.answers.one_true:
        return _("All reports together change the odds between any two options by a factor of at most %(factor)s.") % {
            "factor": times(Fraction(odds_of_one(item.design)))
        }
    largest = max(item.design.odds)
    if isinstance(largest, float) and math.isinf(largest):
        return _("A report can prove the answer, so it can change the odds between two true answers without limit.")
    return _("A report changes the odds between any two true answers by a factor of at most %(factor)s.") % {
        "factor": times(Fraction(largest))
    }
