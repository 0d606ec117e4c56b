"""What findings, mechanisms and their sensitivities are called on the pages of releases."""

from fractions import Fraction

from django import template
from django.utils.translation import gettext as _

from surveys.common.numbers import at_most, exactly, localized, percent, with_unit
from surveys.selectors.releases.found import Bounds, Counts, Median, Number, Price, Quantile
from surveys.selectors.releases.found.counts import Estimate
from surveys.selectors.releases.found.figure import Figure
from surveys.selectors.releases.reading import PartReading

register = template.Library()


@register.filter
def answer_words(estimate: Estimate) -> str:
    """Name an answer; where one was counted, the others are the rest."""
    return estimate.label or _("Any other answer")


@register.filter
def figure_name(found: Counts | Number) -> str:
    """Name a released number."""
    figure = figure_of(found)
    if isinstance(found, Number) and found.what == "total":
        return _("Total")
    if isinstance(found, Number) and found.what == "variance":
        return _("Variance among those who say") if figure.among_those_who_say else _("Variance")
    return _("Mean of those who say") if figure.among_those_who_say else _("Mean")


@register.filter
def figure_of(found: Counts | Number) -> Figure:
    """Return the number that a finding is about."""
    figure = found.figure if isinstance(found, Number) else found.mean
    if figure is None:
        raise TypeError(f"found must be of a number, got {found!r}")
    return figure


@register.filter
def quantile_name(share: Fraction) -> str:
    """Name a quantile."""
    named = {
        Fraction(1, 4): _("lower quartile"),
        Fraction(1, 2): _("median"),
        Fraction(3, 4): _("upper quartile"),
    }
    return named.get(share) or _("%(share)s quantile") % {
        "share": percent(float(share), 0 if 100 * share % 1 == 0 else 1)
    }


def quantile_rows(found: Quantile) -> list[tuple[str, float, float]]:
    """Return what is known of the shares of people below a chosen answer, and up to it."""
    answer = {"answer": found.label}
    return [
        (_("below “%(answer)s”") % answer, 0.0, found.below_at_most),
        (_("“%(answer)s” or below") % answer, found.up_to_at_least, 1.0),
    ]


@register.filter
def certainty_words(found: Bounds) -> str:
    """Say how certain it is that no empty band passed."""
    return (
        "" if found.certainty is None else percent(float(found.certainty), 0 if 100 * found.certainty % 1 == 0 else 1)
    )


@register.filter
def price_words(found: Price) -> str:
    """Write a chosen price with its unit."""
    return with_unit(localized(found.price), found.unit)


@register.filter
def short_words(found: Price) -> str:
    """Write by how much the revenue may fall short for each response, upwards, with its unit."""
    return with_unit(at_most(found.a_person, 2), found.unit)


@register.filter
def median_words(found: Median) -> str:
    """Write a median as it was drawn, exactly, with its unit."""
    return with_unit(exactly(found.value), found.scale.unit)


@register.filter
def beside(row: tuple[str, ...], headings: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the cells of a row, each with the heading of its column: on a phone it stands beside the cell."""
    return list(zip(headings, row, strict=True))


@register.simple_tag
def sensitivity_words(reading: PartReading) -> str:
    """Say how much one changed report moves what chance was added to."""
    mechanism = reading.terms.mechanism
    value = {"value": exactly(mechanism.sensitivity.value)}
    name = reading.terms.offer.name
    words = {
        "laplace_histogram": _("%(value)s: the counts that get noise of their own change by that much in all (L1)"),
        "gaussian_histogram": _("%(value)s: the sum of the squared changes of the counts (squared L2)"),
        "one_count": _("%(value)s: one changed report moves the count by that much, and the other count is the rest"),
        "bounds": _("%(value)s: one changed report leaves one band’s count and enters another’s (L1)"),
        "stable_mode": _("%(value)s: of the number of changed reports that certainly leave the answer the same"),
        "stable_median": _(
            "%(value)s: of the number of reports that must change before the proposed bound is exceeded"
        ),
        "smooth_median": _(
            "%(value)s at most; noise is added for as much as these reports can change it, smoothed so that this "
            "amount gives nothing away"
        ),
        "total": _("%(value)s: one changed report changes the sum by that much at most"),
        "mean": _("%(value)s: of the sum that the mean is made of"),
        "variance": _("%(value)s: of the sum of the squares, less their middle"),
    }
    return words.get(name, _("%(value)s: of each candidate’s score")) % value


@register.simple_tag
def options_words(reading: PartReading) -> str:
    """Say what else the mechanism was told before it ran."""
    return "; ".join(_option_words(name, value, reading) for name, value in reading.terms.options.items())


def _option_words(name: str, value: object, reading: PartReading) -> str:
    asked, given = reading.terms.asked, str(value)
    if name == "answer":
        return _("the answer counted: “%(answer)s”") % {"answer": asked.first.labels[int(given)]}
    if name == "how_many":
        return _("how many answers to draw: %(count)s") % {"count": given}
    exact = exactly(Fraction(given))
    if name == "share":
        return _("the share of people to be below: %(share)s") % {"share": exact}
    bound = with_unit(exact, str(asked.details.get("unit", "")))
    return _("the bound proposed for how far one report can move the median: %(bound)s") % {"bound": bound}
