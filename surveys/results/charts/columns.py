"""The axis, headings and cells that charts of shares and of numbers have in common."""

from functools import partial

from django.utils.translation import gettext as _

from surveys.charts import Axis, Tick
from surveys.numbers.words import Units, estimate_of_100, level_words, percent, percent_limits
from surveys.results.figures.intervals import NumberEstimate
from surveys.results.figures.means import Below


def estimate_headings() -> tuple[str, ...]:
    """Head the columns of `estimate_cells`."""
    return _("Estimate, raw"), _("Estimate, limited"), _("Low"), _("High"), _("Standard error")


def estimate_cells(
    found: NumberEstimate, units: Units | None = None, *, trusted: bool = True, dashes: bool = False
) -> tuple[str, ...]:
    """Write an estimate for a table, of a share in percent; where there is none, once with dashes or thrice."""
    write, limits = (units.write, units.write_limits) if units else (partial(percent, digits=1), percent_limits)
    none = _("none to trust")
    shown = (none, "–", "–") if dashes else (none, none, none)
    if trusted and found.claimed:
        shown = (write(found.estimate), *limits(found.low, found.high))
    return write(found.moment), *shown, write(found.standard_error)


def units_axis(units: Units) -> Axis:
    """Return the axis over the range of a number."""
    ticks = tuple(Tick(at, label) for at, label in units.marks)
    return Axis(float(units.low), float(units.high), ticks, unit=units.unit)


def interval_label(level: float) -> str:
    """Say what the dot and the bar of a row are."""
    return _("estimate and %(level)s interval") % {"level": level_words(level)}


def share_of_100(share: NumberEstimate | Below) -> str:
    """Write a share as people of 100."""
    estimate = share.share if isinstance(share, Below) else share.estimate
    return "–" if estimate is None else estimate_of_100(estimate, share.low, share.high)
