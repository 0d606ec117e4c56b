"""The numbers of a release as tables, and the lists of what could have been chosen."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from surveys.charts import Table
from surveys.common.numbers import at_most, localized, percent, percent_limits, whole, with_unit
from surveys.selectors.releases.found import (
    Bounds,
    Choice,
    Counts,
    Found,
    Median,
    Number,
    Price,
    Quantile,
    Ranking,
)
from surveys.selectors.releases.found.figure import Figure
from surveys.templatetags.release.release_numbers import high_of, low_of, raw_of, value_of
from surveys.templatetags.release.release_words import (
    answer_words,
    certainty_words,
    figure_name,
    median_words,
    price_words,
    short_words,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could have been chosen: with a mark where it was, or lies between what was."""

    label: str
    mark: str = ""


def candidates_of(found: Found) -> list[Candidate]:
    """Return all that could have been chosen, in the order of the question; empty where nothing is chosen."""
    drawn = _("drawn")
    if isinstance(found, Choice | Quantile):
        return [Candidate(label, drawn if label == found.label else "") for label in found.labels]
    if isinstance(found, Ranking):
        places = {label: str(place) for place, label in enumerate(found.chosen, 1)}
        marks = {label: _("drawn as number %(place)s") % {"place": place} for label, place in places.items()}
        return [Candidate(label, marks.get(label, "")) for label in found.labels]
    if isinstance(found, Price):
        prices = [(price, with_unit(localized(price), found.unit)) for price in found.prices]
        return [Candidate(label, drawn if price == found.price else "") for price, label in prices]
    if isinstance(found, Bounds) and found.places is not None:
        low, high = found.places
        return [
            Candidate(label, _bound_words(place, low, high) if low <= place <= high else "")
            for place, (label, _noisy) in enumerate(found.counts)
        ]
    return []


def _bound_words(place: int, low: int, high: int) -> str:
    if low == high:
        return _("the only one that passed")
    return {low: _("first that passed"), high: _("last that passed")}.get(place, _("between them"))


def tables_of(found: Found) -> list[Table]:
    """Return all that was released and what follows from it; the first table is that of the chart."""
    if isinstance(found, Counts):
        return [_shares(found)] if found.mean is None else [_figure(found.mean, figure_name(found)), _reports(found)]
    if isinstance(found, Number):
        return [_figure(found.figure, figure_name(found))]
    if isinstance(found, Bounds):
        return [_facts(_bounds(found)), _noisy(list(found.counts))]
    if isinstance(found, Median):
        return [_facts(_median(found))]
    return [_facts(_chosen(found))]


def _shares(found: Counts) -> Table:
    rows = []
    for estimate in found.estimates:
        noisy = whole(estimate.noisy_count)
        if estimate.report:
            noisy = _("%(count)s of “%(report)s”") % {"count": noisy, "report": estimate.report}
        limits = percent_limits(estimate.low, estimate.high)
        rows.append((answer_words(estimate), percent(estimate.share, 1), *limits, percent(estimate.raw, 1), noisy))
    headings = (_("Answer"), _("Estimate"), _("Low"), _("High"), _("Before limiting"), _("Noisy count"))
    return Table(_("What was released, and what follows from it"), headings, tuple(rows))


def _figure(figure: Figure, name: str) -> Table:
    return Table(
        _("What was released, and what follows from it"),
        (_("Figure"), _("Estimate"), _("Low"), _("High"), _("Before limiting")),
        ((name, value_of(figure), low_of(figure), high_of(figure), raw_of(figure)),),
    )


def _reports(found: Counts) -> Table:
    return _noisy([(estimate.report or estimate.label, estimate.noisy_count) for estimate in found.estimates])


def _noisy(counts: list[tuple[str, int]]) -> Table:
    return Table(
        _("Reports with this answer, as released"),
        (_("Report"), _("Noisy count")),
        tuple((label, whole(noisy)) for label, noisy in counts),
    )


def _facts(rows: list[tuple[str, str]]) -> Table:
    return Table(_("What was released, and what follows from it"), (_("What"), _("Value")), tuple(rows))


def _people(people: float, n: int) -> str:
    told = {"people": at_most(people, 0), "n": whole(n), "points": at_most(100 * people / n)}
    return _("%(people)s of %(n)s people, %(points)s percentage points") % told


def _chosen(found: Found) -> list[tuple[str, str]]:
    if isinstance(found, Choice):
        behind = _("In truth another answer is more common by at most (95%)")
        return [(_("Chosen answer"), found.label), (behind, _people(found.shortfall, found.n))]
    if isinstance(found, Ranking):
        places = [(_("Number %(place)s") % {"place": place}, label) for place, label in enumerate(found.chosen, 1)]
        behind = _("In truth one that comes later, or not at all, is more common by at most (95%)")
        return [*places, (behind, _people(found.shortfall, found.n))]
    if isinstance(found, Quantile):
        share = percent(float(found.share), 0 if 100 * found.share % 1 == 0 else 1)
        return [
            (_("Chosen answer"), found.label),
            (_("Share of people that was to be below it"), share),
            (_("In truth it is away from that rank by at most (95%)"), _people(found.distance, found.n)),
        ]
    if isinstance(found, Price):
        revenue = with_unit(at_most(found.shortfall, 2), found.unit)
        return [
            (_("Chosen price"), price_words(found)),
            (_("In truth its revenue falls short of the best by at most (95%)"), revenue),
            (_("The same for each response, on average"), short_words(found)),
        ]
    return [(_("Answer"), _("refused: nothing was drawn"))]


def _bounds(found: Bounds) -> list[tuple[str, str]]:
    if found.low is None or found.high is None:
        return [(_("Bands that passed"), pgettext("bands", "none"))]
    return [
        (_("First band that passed"), found.low),
        (_("Last band that passed"), found.high),
        (_("Probability that no empty band passes"), certainty_words(found)),
    ]


def _median(found: Median) -> list[tuple[str, str]]:
    kept = [] if found.reports is None else [(_("Reports that keep it in place, drawn with noise"), str(found.reports))]
    return [
        (_("Median as drawn"), median_words(found)),
        *kept,
        (_("Median of the reports: low"), low_of(found)),
        (_("Median of the reports: high"), high_of(found)),
        (_("People between that median and the middle of all, at most"), _people(found.distance, found.n)),
    ]
