"""How a design is told: how chance comes in, its matrix entry by entry, how far a report changes the odds."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from django import template
from django.utils.text import get_text_list
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from surveys.models.asked_question import AskedQuestion, Item
from surveys.models.branches import Condition
from surveys.models.designs import InTheHead
from surveys.numbers.words import percent, span, times
from surveys.privacy.designs import odds_of_one

# What the questions show: answers in the order people expect, and what the phone draws, in words.


register = template.Library()


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
    """Numbers and labels of the reports likewise: what somebody taps whose head has added the chance."""
    return _expected_order(item, item.report_labels)


def _expected_order(item: Item, labels: Sequence[str]) -> list[tuple[int, str]]:
    numbered = list(enumerate(labels))
    return [numbered[1], numbered[0], *numbered[2:]] if item.traits.yes_or_no else numbered


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
        return gettext("it sends “%(report)s”, whatever is true") % {"report": item.labels[reports[0]]}
    if item.range:
        kept = gettext("it sends the end that your number was rounded to")
        return kept if reports == (0, 1) else gettext("it sends the other end")
    kept = gettext("it sends your true answer")
    return kept if reports == (0, 1) else gettext("it sends the other answer")


@register.filter
def both_questions(question: AskedQuestion) -> str:
    """Name what the report is about: two questions, where the respondent's head adds the chance."""
    technique = question.asked_with
    if not isinstance(technique, InTheHead):
        return question.text
    return str(technique.both) % {"question": question.text, "innocuous": question.details["innocuous"]}


def exact(share: Fraction) -> str:
    """3/4 (75.0%), and 0 or 1 as they are."""
    if share.denominator == 1:
        return str(share.numerator)
    return _("%(fraction)s (%(percent)s)") % {"fraction": str(share), "percent": percent(float(share), 1)}


@register.filter
def procedure(item: Item) -> str:
    """Describe how chance comes into an answer, in one sentence or two with the exact probabilities."""
    return item.asked_with.procedure(item.design, item.report_labels if item.tapped else item.labels)


@register.filter
def innocuous_numbers(item: Item) -> str:
    """Say how often an innocuous number is which."""
    technique = item.asked_with
    return technique.innocuous_numbers(item.design, item.report_labels) if isinstance(technique, InTheHead) else ""


@register.filter
def rounding(item: Item) -> str:
    """Say what happens to a number first; nothing where none is asked."""
    if not item.range or item.tapped:
        return ""
    if item.grid:
        return _(
            "First the phone rounds the number by chance to one of the two nearest of %(points)s values, "
            "so that the mean stays."
        ) % {"points": item.design.k}
    return _("First the phone rounds the number by chance to %(low)s or to %(high)s, so that the mean stays.") % {
        "low": item.labels[0],
        "high": item.labels[1],
    }


@register.filter
def matrix_sentence(item: Item) -> str:
    """Say in a sentence what the matrix does."""
    matrix = item.design.matrix
    if item.grid and item.asked_with.grid_words.of_matrix:
        chances = {"near": exact(max(matrix[0])), "far": exact(min(matrix[0]))}
        return str(item.asked_with.grid_words.of_matrix) % chances
    if item.design.m == 2:
        return _(
            "If the true answer is “%(yes)s”, the report is “%(report)s” with probability %(when_yes)s; "
            "if it is “%(no)s”, with probability %(when_no)s."
        ) % {
            "yes": item.labels[1],
            "no": item.labels[0],
            "report": item.report_labels[1],
            "when_yes": exact(matrix[1][1]),
            "when_no": exact(matrix[1][0]),
        }
    kept = {matrix[code][code] for code in range(item.design.k)}
    if len(kept) == 1:
        return _("Whatever the true answer is, the report names it with probability %(kept)s.") % {
            "kept": exact(kept.pop())
        }
    return _("The report names the true answer with probability %(least)s to %(most)s, depending on the answer.") % {
        "least": exact(min(kept)),
        "most": exact(max(kept)),
    }


@register.filter
def odds_sentence(item: Item) -> str:
    """Say how far one report can change the odds between two true answers; of options one of which is true, all."""
    if item.traits.one_true:
        return _("All reports together change the odds between any two options by a factor of at most %(factor)s.") % {
            "factor": times(Fraction(odds_of_one(item.design)))
        }
    largest = max(item.design.odds)
    if isinstance(largest, float) and math.isinf(largest):
        return _("A report can prove the answer: the odds between two true answers have no bound.")
    return _("A report changes the odds between any two true answers by a factor of at most %(factor)s.") % {
        "factor": times(Fraction(largest))
    }
