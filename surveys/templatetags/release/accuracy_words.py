"""How far off a release may be, in one sentence: the same on the admin's pages and on public ones."""

import math

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from surveys.models.definition import AskedQuestion
from surveys.models.kinds import Kind, with_unit
from surveys.releases.accuracy import POINTS
from surveys.releases.mechanism import PartTerms
from surveys.selectors.releases.rounding import rounded_up
from surveys.templatetags.figures import level_words

register = template.Library()


@register.simple_tag
def accuracy_says(terms: PartTerms, level: float) -> str:
    """Say what the mechanism alone may change, with this confidence, from public numbers only."""
    accuracy = terms.accuracy(level)
    facts = {
        "level": level_words(level),
        "amount": measured(accuracy.at_most, terms.asked, accuracy.unit),
        "points": amount(accuracy.points),
        "best": measured(accuracy.at_best, terms.asked, accuracy.unit),
    }
    sentence = terms.offer.accuracy_words(accuracy) % facts
    # Where nothing is promised at best, it is said of a refusal.
    if not accuracy.says_nothing or accuracy.at_best == math.inf:
        return sentence
    return _("%(sentence)s That can be everything: it may say nothing.") % {"sentence": sentence}


@register.simple_tag
def reports_say(terms: PartTerms, level: float) -> str:
    """Say what sampling and the respondents' own chance bring, whatever a release costs; "" where it is not known."""
    points, number = terms.points_from_reports(level), terms.number_from_reports(level)
    if points is None and number is None:
        return ""
    if points is not None:
        return _(
            "Sampling and the chance in the reports themselves bring up to about ±%(points)s percentage points with "
            "%(level)s confidence, whatever the release costs."
        ) % {"points": amount(points), "level": level_words(level)}
    return _(
        "Sampling and the chance in the reports themselves bring up to about ±%(amount)s with %(level)s confidence, "
        "whatever the release costs."
    ) % {"amount": measured(number or 0.0, terms.asked, terms.offer.unit), "level": level_words(level)}


def amount(value: float) -> str:
    """Write a bound with three digits at most, upwards: 0.0123, 4.57, 1,240."""
    if value == math.inf:
        return "∞"
    rounded = rounded_up(value, 3)
    if rounded >= 100:
        return number_format(math.ceil(rounded), 0, force_grouping=True)
    decimals = 0 if rounded == 0 else max(0, 2 - math.floor(math.log10(rounded)))
    written = f"{rounded:.{decimals}f}"
    return (written.rstrip("0").rstrip(".") if decimals else written).replace(".", str(get_format("DECIMAL_SEPARATOR")))


def measured(value: float, asked: AskedQuestion, unit: str) -> str:
    """Write a bound in the unit of an accuracy: numbers of people have none of their own."""
    if unit == POINTS:
        return _("%(points)s percentage points") % {"points": amount(value)}
    name = str(asked.details.get("unit", ""))
    if unit == "square" and asked.kind != Kind.SCALE:
        return _("%(amount)s (%(unit)s squared)") % {"amount": amount(value), "unit": name} if name else amount(value)
    return with_unit(amount(value), name if unit in {"number", "total", "price"} else "")
