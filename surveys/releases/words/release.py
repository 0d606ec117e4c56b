"""A release in words: its title, its citation, its numbers; what is promised at most is never rounded down."""

import math
from dataclasses import dataclass
from fractions import Fraction

from django import template
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.numbers import words
from surveys.numbers.words import exact_number
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import plain_decimal
from surveys.releases.families.figure import high_of, low_of, value_of
from surveys.releases.families.plan import Plan, amount_words
from surveys.releases.ledger.selectors import TruthLoss
from surveys.releases.selectors.reading import ReadRelease

# How a release is called and cited; nothing of a visitor or of the site's name gets into it.


register = template.Library()

_MILLIONFOLD = math.log(1_000_000)
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': "''",
}


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation as a sentence and as a BibTeX entry."""

    text: str
    bibtex: str


@register.filter
def release_title(reading: ReadRelease) -> str:
    """Return the question of a release; of several the first, and how many more there are."""
    first, more = reading.parts[0].plan.question.text, len(reading.parts) - 1
    if not more:
        return first
    words = ngettext("%(question)s and %(count)s more", "%(question)s and %(count)s more", more)
    return words % {"question": first, "count": more}


@register.filter
def release_headline(reading: ReadRelease) -> str:
    """Return what a release says, as a sentence to quote; of several questions, or of nothing to quote, what it is."""
    headlines = [part.finding.headline_words for part in reading.parts]
    return (len(headlines) == 1 and headlines[0]) or release_title(reading)


def citation_of(reading: ReadRelease) -> Citation:
    """Return how to cite a release: what, when, at which cost, where."""
    release, address = reading.release, reverse("release", args=[reading.release.pk])
    title, survey = release_title(reading), reading.definition.title
    text = _(
        "“%(title)s”. In the survey “%(survey)s”. Release %(release)s, %(mechanism)s, central ε = %(epsilon)s, "
        "δ = %(delta)s. Drawn on %(day)s. %(address)s"
    ) % {
        "title": title,
        "survey": survey,
        "release": release.pk,
        "mechanism": release.get_mechanism_display(),
        "epsilon": exact_number(release.epsilon),
        "delta": exact_number(release.delta),
        "day": date_format(release.created_at),
        "address": address,
    }
    cost = f"epsilon = {plain_decimal(release.epsilon)}, delta = {plain_decimal(release.delta)}"
    note = f"Release {release.pk}, {release.mechanism}, {cost}"
    entry = {
        "title": f"{{{_tex(title)}}}",
        "howpublished": f"Survey: {{{_tex(survey)}}}",
        "year": f"{release.created_at:%Y}",
        "month": f"{release.created_at:%b}".lower(),
        "note": _tex(note),
        "url": address,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in entry.items()]
    return Citation(text, "\n".join([f"@misc{{deniable-{release.pk},", *lines, "}"]))


def _tex(text: str) -> str:
    """Escape what TeX and BibTeX read as commands; line breaks become spaces."""
    return "".join(_TEX.get(letter, letter) for letter in " ".join(text.split()))


for _writer in (high_of, low_of, value_of):
    register.filter(_writer)
register.filter("number", words.four_digits)
register.filter("at_most", words.at_most)
register.filter("amount", words.charge)
register.filter("count", words.whole_number)
register.filter("epsilon_at_most", words.epsilon_at_most)
register.filter("exactly", words.exact_number)
register.filter("of_hundred", words.people_of_100)
register.filter("of_hundred_at_least", words.people_of_100_at_least)
register.filter("of_hundred_at_most", words.people_of_100_at_most)


@register.filter
def rounded_up(factor: float) -> str:
    """Write two decimals, upwards: a page must not promise more than is kept."""
    return words.at_most(factor, 2)


@register.filter
def fold(epsilon: float | Fraction) -> str:
    """Write by which factor such an ε changes odds at most, upwards: 1.28-fold."""
    if epsilon == math.inf:
        return _("no limit")
    if epsilon > _MILLIONFOLD:
        return _("more than a millionfold")
    factor = words.without_zeros(words.decimal_outwards(math.exp(epsilon), 2, math.ceil))
    return _("%(factor)s-fold") % {"factor": factor}


@register.filter
def loss(value: PrivacyLoss | TruthLoss) -> str:
    """Write a privacy loss: exactly where a ledger charges it, upwards where it was computed."""
    return words.loss_words(value.epsilon, value.delta)


@register.filter
def relation_words(relation: NeighbouringRelation) -> str:
    """Say which sets of reports are neighbours."""
    return {
        NeighbouringRelation.REPLACE_ONE: _("replace one response"),
        NeighbouringRelation.ADD_OR_REMOVE_ONE: _("add or remove one response"),
    }[relation]


@register.simple_tag
def accuracy_says(plan: Plan, level: float) -> str:
    """Say what the mechanism alone may change, with this confidence, from public numbers only."""
    return plan.accuracy_says(level)


@register.simple_tag
def reports_say(plan: Plan, level: float) -> str:
    """Say what error sampling and the respondents' coins cause, whatever a release costs; "" where it is not known."""
    error = plan.error_from_reports(level)
    if error is None:
        return ""
    if plan.in_points:
        return _(
            "Sampling and the randomized reports themselves cause an error of up to about ±%(points)s "
            "percentage points with %(level)s confidence, whatever the release costs."
        ) % {"points": words.three_digits(error), "level": words.level_words(level)}
    return _(
        "Sampling and the randomized reports themselves cause an error of up to about ±%(amount)s with "
        "%(level)s confidence, whatever the release costs."
    ) % {"amount": amount_words(error, plan.question, plan.unit), "level": words.level_words(level)}


@register.simple_tag
def neighbours_share() -> str:
    """Say between which neighbours a release that counts groups apart keeps its promise."""
    return _(
        "The privacy limit compares only sets of reports for which the same groups are shown. The noise does "
        "not hide whether a group has reached the minimum number of responses."
    )


@register.filter
def exact_figures_words(known: str) -> str:
    """Say whether figures without a release's noise reached people with the code; nothing where they did not."""
    return {
        "shown_before": _(
            "Before this release, respondents or viewers saw exact figures, without noise, on receipts or on a "
            "projector. Those figures are not counted here."
        ),
        "shown_since": _(
            "Since this release, respondents or viewers have seen exact figures, without noise, on receipts or "
            "on a projector. Those figures are not counted here."
        ),
        "not_shown": "",
    }[known]
