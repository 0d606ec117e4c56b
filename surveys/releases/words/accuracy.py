"""How far off a release may be, in one sentence: the same on the admin's pages and on public ones."""

import math

from django import template
from django.utils.translation import gettext as _

from surveys.models.asked_question import AskedQuestion
from surveys.numbers.words import level_words, three_digits, with_unit
from surveys.releases.families.accuracy import POINTS
from surveys.releases.families.mechanism import PartTerms

register = template.Library()


@register.simple_tag
def accuracy_says(terms: PartTerms, level: float) -> str:
    """Say what the mechanism alone may change, with this confidence, from public numbers only."""
    accuracy = terms.accuracy(level)
    facts = {
        "level": level_words(level),
        "amount": accuracy_words(accuracy.at_most, terms.asked, accuracy.unit),
        "points": three_digits(accuracy.points),
        "best": accuracy_words(accuracy.at_best, terms.asked, accuracy.unit),
    }
    sentence = terms.offer.accuracy_words(accuracy) % facts
    # Where nothing is promised at best, it is said of a refusal.
    if not accuracy.is_uninformative or accuracy.at_best == math.inf:
        return sentence
    return _("%(sentence)s This limit can be as large as the whole range, so the release may show nothing.") % {
        "sentence": sentence
    }


@register.simple_tag
def reports_say(terms: PartTerms, level: float) -> str:
    """Say what error sampling and the respondents' coins cause, whatever a release costs; "" where it is not known."""
    points, number = terms.points_from_reports(level), terms.number_from_reports(level)
    if points is None and number is None:
        return ""
    if points is not None:
        return _(
            "Sampling and the randomized reports themselves cause an error of up to about ±%(points)s "
            "percentage points with %(level)s confidence, whatever the release costs."
        ) % {"points": three_digits(points), "level": level_words(level)}
    return _(
        "Sampling and the randomized reports themselves cause an error of up to about ±%(amount)s with "
        "%(level)s confidence, whatever the release costs."
    ) % {"amount": accuracy_words(number or 0.0, terms.asked, terms.offer.unit), "level": level_words(level)}


@register.simple_tag
def expectation_says(terms: PartTerms) -> str:
    """Say how precise what is computed from it is expected to be, from public numbers only; "" for nothing more."""
    return terms.offer.expectation_words(terms)


def accuracy_words(value: float, asked: AskedQuestion, unit: str) -> str:
    """Write a bound in the unit of an accuracy: numbers of people have none of their own."""
    amount, name = three_digits(value), str(asked.details.get("unit", ""))
    if unit == POINTS:
        return _("%(points)s percentage points") % {"points": amount}
    if unit == "square" and name:
        return _("%(amount)s (%(unit)s squared)") % {"amount": amount, "unit": name}
    return with_unit(amount, name if unit in {"number", "total", "price"} else "")
