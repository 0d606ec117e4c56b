"""What results say of means and quantiles, in their units and in sentences."""

from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.numbers.words import (
    Units,
    estimate_sentence,
    interval_sentence,
)
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.figures.means import BandsResult, MeanResult, QuantileEstimate, ScaleResult, TopShare


def units_of(result: MeanResult | BandsResult | ScaleResult) -> Units:
    """Return in what a result is measured: of a scale, in its points."""
    if isinstance(result, MeanResult):
        return Units(result.range.low, result.range.high, result.range.unit)
    if isinstance(result, BandsResult):
        return Units(result.edges[0], result.edges[-1], result.unit)
    return Units(Fraction(1), Fraction(result.points), "")


def mean_name(*, among_those_who_say: bool) -> str:
    """Name a mean by whose it is."""
    return _("Mean of those who say") if among_those_who_say else _("Mean")


def mean_words(mean: NumberEstimate, units: Units) -> str:
    """Say what the interval for a mean says, or why there is none."""
    if mean.estimate is None:
        return _("No estimate: the reports can all come from people who prefer not to say.")
    if mean.no_width:
        return _("No interval: it would be a single number, as if that were certain")
    if mean.outside and mean.method == "wald":
        return _("No interval: Wald’s lies outside what is possible, %(low)s to %(high)s.") % units.ends
    if mean.outside:
        return _("No interval: no mean from %(low)s to %(high)s fits the reports.") % units.ends
    return interval_sentence(mean.low, mean.high, units)


def mean_limited(mean: NumberEstimate, units: Units) -> str:
    """Describe the mean before it was limited to the range, where that changed it visibly."""
    if mean.moment is None or mean.estimate is None:
        return ""
    if abs(mean.moment - mean.estimate) < 0.0005 * float(units.high - units.low):
        return ""
    return _("%(raw)s before limiting") % {"raw": units.write(mean.moment)}


def mean_says(mean: NumberEstimate, units: Units, *, name: str, trusted: bool) -> str:
    """Describe the row of a mean in words."""
    if not trusted:
        return _("%(name)s: no estimate to trust") % {"name": name}
    if not mean.claimed:
        return _("%(name)s: %(why)s") % {"name": name, "why": mean_words(mean, units)}
    return estimate_sentence(name, units.write(mean.estimate), mean.low, mean.high, units=units)


def quantile_name(probability: float) -> str:
    """Name a quartile."""
    return {0.25: _("Lower quartile"), 0.5: _("Median"), 0.75: _("Upper quartile")}[probability]


def quantile_words(quantile: QuantileEstimate, units: Units) -> str:
    """Say between which limits of the bands a quartile is."""
    if quantile.value is None:
        return _("No estimate: the reports can all come from people who prefer not to say.")
    return interval_sentence(quantile.low, quantile.high, units)


def bounds_words(bands: BandsResult) -> str:
    """Say what the bands leave open about the mean, whatever the number of answers."""
    if bands.mean_bounds is None:
        return ""
    low, high = bands.mean_bounds
    return _(
        "The mean is that of the middles of the bands. Where in their bands the numbers are is not known: "
        "these shares allow means between %(low)s and %(high)s. The interval allows for that too: it goes from the "
        "lower limit with all numbers at the lower ends of their bands to the upper limit with all at the upper ends."
    ) % units_of(bands).limits(low, high)


def top_name(top: TopShare, scale: ScaleResult) -> str:
    """Name a share at the top of a scale."""
    if top.boxes == 1:
        return _("Top point, %(last)s") % {"last": scale.ends[1]}
    return _("Top two points, %(before)s and %(last)s") % {"before": scale.points - 1, "last": scale.ends[1]}
