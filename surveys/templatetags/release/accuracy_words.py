"""How far off a release may be, in one sentence: the same on the admin's pages and on public ones."""

import math

from django import template
from django.utils.translation import gettext as _

from surveys.common.numbers import level_words, three_digits, with_unit
from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.selectors.releases.offer import POINTS, Accuracy
from surveys.selectors.releases.terms import PartTerms

register = template.Library()


@register.simple_tag
def accuracy_says(terms: PartTerms, level: float) -> str:
    """Say what the mechanism alone may change, with this confidence, from public numbers only."""
    accuracy = terms.accuracy(level)
    facts = {
        "level": level_words(level),
        "amount": measured(accuracy.at_most, terms.asked, accuracy.unit),
        "points": three_digits(accuracy.points),
        "best": measured(accuracy.at_best, terms.asked, accuracy.unit),
        "whole": measured(accuracy.whole, terms.asked, accuracy.unit),
    }
    if accuracy.unit == "refusal" or accuracy.at_best == math.inf:
        return _refusal(accuracy) % facts
    by_data = accuracy.depends_on_data
    sentence = (_by_data(terms, accuracy) if by_data else _CERTAIN[terms.offer.name]()) % facts
    if not accuracy.says_nothing:
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
        ) % {"points": three_digits(points), "level": level_words(level)}
    return _(
        "Sampling and the chance in the reports themselves bring up to about ±%(amount)s with %(level)s confidence, "
        "whatever the release costs."
    ) % {"amount": measured(number or 0.0, terms.asked, terms.offer.unit), "level": level_words(level)}


def measured(value: float, asked: AskedQuestion, unit: str) -> str:
    """Write a bound in the unit of an accuracy: numbers of people have none of their own."""
    amount, name = three_digits(value), str(asked.details.get("unit", ""))
    if unit == POINTS:
        return _("%(points)s percentage points") % {"points": amount}
    if unit == "square" and name:
        return _("%(amount)s (%(unit)s squared)") % {"amount": amount, "unit": name}
    return with_unit(amount, name if unit in {"number", "total", "price"} else "")


def _refusal(accuracy: Accuracy) -> str:
    if accuracy.says_nothing:
        return _(
            "Even if all reports were the same answer it would be refused too often to promise it with %(level)s "
            "certainty; a refusal costs as much."
        )
    return _(
        "What is published is exactly what is most common by the reports. If all of them are the same answer, it is "
        "published with %(level)s certainty; the closer the answers are, the likelier is a refusal, which costs as "
        "much."
    )


def _by_data(terms: PartTerms, accuracy: Accuracy) -> str:
    if terms.offer.name in {Mechanism.MEAN, Mechanism.VARIANCE}:
        return _(
            "If everybody says a number, the noise moves the result by at most %(best)s with %(level)s certainty; the "
            "fewer say one, the more, up to anything within the range."
        )
    if accuracy.at_most < math.inf:
        return _(
            "The release itself says how far the noise may have moved the median, with %(level)s certainty. For "
            "the most favourable data, where all reports are the same answer, that is at most %(best)s in at least "
            "%(level)s of draws; for the least favourable ones it can be all of %(amount)s, and nothing is learned."
        )
    return _(
        "For the most favourable data, where all reports are the same answer, the median is published, and the noise "
        "moves it by at most %(best)s, with %(level)s certainty; for others it may be refused, which costs as much."
    )


def _counts() -> str:
    return _(
        "With %(level)s certainty the noise moves no count by more than %(amount)s, and no estimated share by more "
        "than %(points)s percentage points."
    )


def _chosen() -> str:
    return _(
        "With %(level)s certainty the answer chosen is at most %(amount)s people (%(points)s percentage points) short "
        "of the most common one, as estimated from the reports."
    )


def _sum() -> str:
    return _("With %(level)s certainty the noise moves the result by at most %(amount)s.")


_CERTAIN = {
    Mechanism.LAPLACE_HISTOGRAM: _counts,
    Mechanism.GAUSSIAN_HISTOGRAM: _counts,
    Mechanism.ONE_COUNT: _counts,
    Mechanism.BOUNDS: _counts,
    Mechanism.MOST_COMMON: _chosen,
    Mechanism.PERMUTE_AND_FLIP: _chosen,
    Mechanism.TOP: lambda: _(
        "With %(level)s certainty each answer named is at most %(amount)s people (%(points)s percentage points) short "
        "of the most common one not named before it, as estimated from the reports."
    ),
    Mechanism.QUANTILE: lambda: _(
        "With %(level)s certainty at most %(amount)s people (%(points)s percentage points) are between the answer "
        "chosen and the rank asked for, as estimated from the reports."
    ),
    Mechanism.BEST_PRICE: lambda: _(
        "With %(level)s certainty the revenue at the price chosen is at most %(amount)s short of the largest one, as "
        "estimated from the reports."
    ),
    Mechanism.TOTAL: _sum,
    Mechanism.MEAN: _sum,
    Mechanism.VARIANCE: _sum,
    # Where n answers are so many that even the least favourable ones cannot do more.
    Mechanism.SMOOTH_MEDIAN: _sum,
}
"""Where one bound holds for all data."""
