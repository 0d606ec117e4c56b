"""Why a question does not suit a mechanism, in words: each function returns them, or "" where it suits."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from surveys.models.definition import AskedQuestion
from surveys.selectors.releases.numbers import has_numbers, said

Reason = Callable[[AskedQuestion], str]


def first_of(asked: AskedQuestion, *reasons: Reason) -> str:
    """Return the first of these reasons that there is."""
    return next((why for reason in reasons if (why := reason(asked))), "")


def several_answers(asked: AskedQuestion) -> str:
    """Return why one answer a person is needed."""
    if not asked.traits.several:
        return ""
    return _("“%(question)s” has several answers a person, and this mechanism needs one answer of each.") % {
        "question": asked.text
    }


def two_limits(asked: AskedQuestion) -> str:
    """Return why reports of a number's two limits are no answers."""
    if asked.first.range is None:
        return ""
    return _("The reports to “%(question)s” are of a number’s two limits, which are nobody’s answers.") % {
        "question": asked.text
    }


def two_answers(asked: AskedQuestion) -> str:
    """Return why one count of two is no smaller release than both."""
    if asked.design.m > 2:
        return ""
    return _("“%(question)s” has two reports only: their noisy counts are one count already, at the same cost.") % {
        "question": asked.text
    }


def no_order(asked: AskedQuestion) -> str:
    """Return why answers without an order have no median."""
    if asked.values:
        return ""
    return _("The answers to “%(question)s” have no order: this needs a scale, or a number in bands.") % {
        "question": asked.text
    }


def no_numbers(asked: AskedQuestion) -> str:
    """Return why answers that are no numbers have no sum."""
    if has_numbers(asked):
        return ""
    return _("The answers to “%(question)s” are no numbers.") % {"question": asked.text}


def no_bands(asked: AskedQuestion) -> str:
    """Return why only a number in bands has bands."""
    if asked.edges:
        return ""
    return _("“%(question)s” does not ask for a number in bands.") % {"question": asked.text}


def below_zero(asked: AskedQuestion) -> str:
    """Return why a number that can be negative is no price."""
    if asked.edges[0] >= 0:
        return ""
    return _("The bands of “%(question)s” begin below 0, and no price does.") % {"question": asked.text}


def too_few_numbers(asked: AskedQuestion) -> str:
    """Return why two numbers are too few for a variance, or for a median that could be far away or near."""
    if said(asked) > 2 and asked.first.range is None:
        return ""
    return _("The answers to “%(question)s” stand for two numbers only, and this mechanism needs three or more.") % {
        "question": asked.text
    }


def not_saying(asked: AskedQuestion) -> str:
    """Return why “prefer not to say” as one more answer does not suit."""
    if not asked.protects_leaving_out:
        return ""
    return _("“Prefer not to say” is an answer to “%(question)s”, and this mechanism cannot set it aside.") % {
        "question": asked.text
    }
