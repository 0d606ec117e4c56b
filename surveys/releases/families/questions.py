"""What mechanisms read of a question: what is counted, what numbers its answers stand for, and why it does not suit."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from django.utils.translation import gettext as _

from surveys.privacy.adjacency import Counted
from surveys.privacy.designs import Design, against_rest
from surveys.privacy.mechanisms.reported_numbers import (
    ReportedNumbers,
    numbers_of_bands,
    numbers_of_limits,
)
from surveys.questionnaire.asked_question import AskedQuestion

TICKED = 1
"""The report of an option that says it applies; the others are No and, where it is protected, not saying."""


def counted_of(asked: AskedQuestion) -> Counted:
    """Return what one response adds to the counts."""
    return Counted.BITS if asked.answers.by_option else Counted.CODES


def length_of(asked: AskedQuestion) -> int:
    return len(asked.items) if counted_of(asked) is Counted.BITS else asked.design.m


def design_counted(asked: AskedQuestion) -> Design:
    """Return what leads from the true answers to the counts: for each of several options “does it apply?”."""
    return against_rest(asked.design, TICKED) if counted_of(asked) is Counted.BITS else asked.design


def has_numbers(asked: AskedQuestion) -> bool:
    """Whether its answers are numbers: each one, or the ends of random rounding."""
    return bool(asked.values) or asked.first.range is not None


def limits_of(asked: AskedQuestion) -> tuple[Fraction, Fraction]:
    numbers = reported_numbers(asked)
    return numbers.low, numbers.high


def reported_numbers(asked: AskedQuestion) -> ReportedNumbers:
    """Return what each report counts for in sums; “prefer not to say” counts for no number."""
    if asked.edges:
        return numbers_of_bands(asked.edges, asked.design)
    if asked.first.range:
        return numbers_of_limits(asked.first.range.low, asked.first.range.high, asked.design)
    points = asked.values
    return ReportedNumbers((*points, *(None,) * asked.protects_leaving_out), points[0], points[-1], asked.design)


def smallest_difference(asked: AskedQuestion) -> Fraction:
    """Return how far the two nearest ordered answers are apart."""
    return min(high - low for low, high in pairwise(asked.values))


def saying_answers(asked: AskedQuestion) -> int:
    """Return how many of the answers say something: all but a protected “prefer not to say”, which is the last."""
    return asked.design.k - asked.protects_leaving_out


def unit_of(asked: AskedQuestion) -> str:
    """Return the unit of a question's numbers; points of a scale have none."""
    return asked.answers.unit


def labels_of(asked: AskedQuestion) -> tuple[str, ...]:
    """Return what can be chosen, in the words of the survey: options of several, or answers."""
    if asked.answers.by_option:
        return tuple(item.option for item in asked.items)
    return asked.first.labels


Reason = Callable[[AskedQuestion], str]


def first_of(asked: AskedQuestion, *reasons: Reason) -> str:
    return next((why for reason in reasons if (why := reason(asked))), "")


def only_a_mean(asked: AskedQuestion) -> str:
    """Return why randomized numbers are no answers to count."""
    if not asked.first.grid:
        return ""
    return _("The reports on “%(question)s” are randomized numbers, for which no release is offered.") % {
        "question": asked.text
    }


def several_answers(asked: AskedQuestion) -> str:
    """Return why one report a person is needed."""
    if not asked.answers.by_option:
        return ""
    return _("“%(question)s” has several reports per person, but this mechanism needs exactly one.") % {
        "question": asked.text
    }


def two_limits(asked: AskedQuestion) -> str:
    """Return why reports of a number's two limits are no answers."""
    if asked.first.range is None:
        return ""
    return _("Each report on “%(question)s” shows only one of two end values, not the number that was entered.") % {
        "question": asked.text
    }


def two_answers(asked: AskedQuestion) -> str:
    """Return why one count of two is no smaller release than both."""
    if asked.design.m > 2:
        return ""
    return _(
        "“%(question)s” has only two possible reports, so noisy counts of both cost no more than a count of "
        "one answer would."
    ) % {"question": asked.text}


def no_order(asked: AskedQuestion) -> str:
    """Return why answers without an order have no median."""
    if asked.values:
        return ""
    return _("The answers to “%(question)s” have no order, but this mechanism needs a scale or a number in bands.") % {
        "question": asked.text
    }


def no_numbers(asked: AskedQuestion) -> str:
    """Return why answers that are no numbers have no sum."""
    if has_numbers(asked):
        return ""
    return _("The answers to “%(question)s” are not numbers, but this mechanism needs numbers.") % {
        "question": asked.text
    }


def no_bands(asked: AskedQuestion) -> str:
    """Return why only a number in bands has bands."""
    if asked.edges:
        return ""
    return _("“%(question)s” does not ask for a number in bands, but this mechanism needs bands.") % {
        "question": asked.text
    }


def below_zero(asked: AskedQuestion) -> str:
    """Return why a number that can be negative is no price."""
    if asked.edges[0] >= 0:
        return ""
    return _("The bands of “%(question)s” start below 0, but a price cannot be negative.") % {"question": asked.text}


def too_few_numbers(asked: AskedQuestion) -> str:
    """Return why two numbers are too few for a variance, or for a median that could be far away or near."""
    if saying_answers(asked) > 2 and asked.first.range is None:
        return ""
    return _("The answers to “%(question)s” stand for only two numbers, but this mechanism needs three or more.") % {
        "question": asked.text
    }


def not_saying(asked: AskedQuestion) -> str:
    """Return why “prefer not to say” as one more answer does not suit."""
    if not asked.protects_leaving_out:
        return ""
    return _("“Prefer not to say” is an answer to “%(question)s”, and this mechanism cannot exclude it.") % {
        "question": asked.text
    }
