"""The sentence of an interval: between which limits a share of 100 people, or a number in its units, is."""

import math

from django.utils.translation import gettext as _

from surveys.common.numbers import Units, outwards, percent_limits, without_zero

NARROW = 0.05
"""Intervals of shares narrower than five points need a decimal to say anything."""


def limits_of_100(low: float, high: float) -> dict[str, str]:
    """Return limits of so many of 100, rounded outwards: nothing is claimed that the interval does not hold."""
    digits = 1 if high - low < NARROW else 0
    return {
        "low": without_zero(outwards(100 * low, digits, math.floor)),
        "high": without_zero(outwards(100 * high, digits, math.ceil)),
    }


def interval_sentence(low: float, high: float, units: Units | None = None) -> str:
    """Say it as a sentence of its own: Between 9 and 53 of 100 people; of a number, in its units."""
    if units:
        return _("Between %(low)s and %(high)s") % units.limits(low, high)
    return _("Between %(low)s and %(high)s of 100 people") % limits_of_100(low, high)


def interval_clause(low: float, high: float) -> str:
    """Say it within a sentence: between 9 and 53 of 100."""
    return _("between %(low)s and %(high)s of 100") % limits_of_100(low, high)


def between(low: str, high: str) -> str:
    """Say between which limits, as they are written, a number is that is neither a share nor in units."""
    return _("between %(low)s and %(high)s") % {"low": low, "high": high}


def interval_cell(low: float, high: float, units: Units | None = None) -> str:
    """Say it in a cell: 9 to 53; of a number, in its units."""
    return _("%(low)s to %(high)s") % (units.limits(low, high) if units else limits_of_100(low, high))


def percent_cell(low: float, high: float) -> str:
    """Say it in a cell to a tenth, in percent: 9.1 to 52.9%."""
    return _("%(low)s to %(high)s") % {"low": outwards(100 * low, 1, math.floor), "high": percent_limits(low, high)[1]}


def estimate_cell(estimate: str, low: float, high: float) -> str:
    """Say a share with its limits in a cell: 31% (12 to 55)."""
    return _("%(share)s (%(low)s to %(high)s)") % {"share": estimate, **limits_of_100(low, high)}


def estimate_sentence(
    name: str, estimate: str, low: float, high: float, *, units: Units | None = None, observed: str = ""
) -> str:
    """Say an estimate with its interval, and how many of the reports say so where that is told."""
    told = {"name": name, "estimate": estimate, "observed": observed}
    told |= units.limits(low, high) if units else limits_of_100(low, high)
    if units:
        return _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s") % told
    if observed:
        return (
            _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s of 100; with chance added %(observed)s")
            % told
        )
    return _("%(name)s: estimate %(estimate)s, between %(low)s and %(high)s of 100") % told
