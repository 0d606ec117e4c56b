"""A number with its interval, the range in which it is measured, and how both are written and drawn."""

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from fractions import Fraction
from typing import Any, Protocol

from django.utils.translation import gettext as _

from surveys.charts import Axis, IntervalRow, Table, Tick, axis_around
from surveys.numbers.words import Units, between_limits, limits_cell, says_too_little

_WIDEST = 1000
"""An axis over all that is possible shows nothing of an interval that is a thousandth of it."""


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """The number that a page shows largest.

    Attributes
    ----------
    figure, of : str
        The number, and what it is of: “27” of 100, or its unit. Where it is too uncertain to be shown, its interval.
    is_estimate : bool
        Whether it is the number.
    low, high : str
        Its interval, rounded outwards.
    row : IntervalRow
        The same in a chart.
    axis : Axis
        Of that chart.
    """

    figure: str
    of: str
    is_estimate: bool
    low: str
    high: str
    row: IntervalRow
    axis: Axis


@dataclass(frozen=True, slots=True)
class NumberScale:
    """The range of what is measured, and its unit."""

    low: Fraction
    high: Fraction
    unit: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as far as a release shows it.

    Attributes
    ----------
    raw : float or None
        As it was drawn: it may lie beyond what is possible. None where the counts lead to no number.
    value : float or None
        The nearest that is possible.
    low, high : float
        The confidence interval, for coins and noise.
    scale : Scale
        What is possible.
    among_those_who_say : bool
        Whether “prefer not to say” is protected, so that this is about the others.
    """

    raw: float | None
    value: float | None
    low: float
    high: float
    scale: NumberScale
    among_those_who_say: bool

    @property
    def is_uninformative(self) -> bool:
        """Whether the interval leaves all but everything possible."""
        least, most = float(self.scale.low), float(self.scale.high)
        return self.high - self.low > 0.99 * (most - least)

    @property
    def is_vague(self) -> bool:
        """Return whether only its interval is shown."""
        return says_too_little(self.low, self.high, float(self.scale.high - self.scale.low))

    def row(self, name: str) -> IntervalRow:
        if self.value is not None and self.is_vague:
            limits = limits_cell(low_of(replace(self, scale=replace(self.scale, unit=""))), high_of(self))
            return IntervalRow(name, self.title(name), limits, None, self.low, self.high)
        words = {"name": name, "value": value_of(self), "low": low_of(self), "high": high_of(self)}
        return IntervalRow(
            label=name,
            says=_("%(name)s: estimate %(value)s, interval %(low)s to %(high)s") % words,
            value=value_of(self),
            point=self.value,
            low=self.low,
            high=self.high,
        )

    def title(self, name: str) -> str:
        if self.value is None:
            return _("%(name)s: no estimate") % {"name": name}
        if self.is_vague:
            return f"{name}: {between_limits(low_of(self), high_of(self))}"
        return _("%(name)s: about %(value)s") % {"name": name, "value": value_of(self)}

    def key(self, name: str) -> KeyFigure:
        bare = replace(self, scale=replace(self.scale, unit=""))
        vague, low, high = self.is_vague, low_of(bare), high_of(bare)
        figure = limits_cell(low, high) if vague else value_of(bare)
        return KeyFigure(figure, self.scale.unit, not vague, low, high, self.row(name), self.axis)

    @property
    def axis(self) -> Axis:
        """An axis over all that is possible, or around the interval where that would be lost on it."""
        scale = self.scale
        if (self.high - self.low) * _WIDEST < float(scale.high - scale.low):
            values = [self.low, self.high, *([] if self.value is None else [self.value])]
            return axis_around(values, title=scale.unit)
        ticks = tuple(Tick(value, label) for value, label in Units(scale.low, scale.high, scale.unit).marks)
        return Axis(float(scale.low), float(scale.high), ticks, scale.unit)

    def table(self, name: str) -> Table:
        return Table(
            _("Released and derived values"),
            (_("Figure"), _("Estimate"), _("Low"), _("High"), _("Raw estimate")),
            ((name, value_of(self), low_of(self), high_of(self), raw_of(self)),),
        )

    def document(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "value": self.value,
            "raw": self.raw,
            "low": self.low,
            "high": self.high,
            "unit": self.scale.unit,
            "possible": [str(self.scale.low), str(self.scale.high)],
            "among_those_who_say": self.among_those_who_say,
        }


class HasLimits(Protocol):
    @property
    def low(self) -> float:
        """The lower limit."""

    @property
    def high(self) -> float:
        """The upper limit."""

    @property
    def scale(self) -> NumberScale:
        """What is possible."""


def figure_note() -> str:
    return (
        _(
            "This 95%% confidence interval allows for both the respondents’ coins and the noise of this "
            "release. A raw estimate can lie outside the possible range, because the correction for "
            "randomization is right only on average."
        )
        % {}
    )


def mean_name(figure: Figure) -> str:
    return _("Mean among people giving a number") if figure.among_those_who_say else _("Mean")


def squared_unit(unit: str) -> str:
    """Return what the variance of numbers in this unit is measured in."""
    if not unit:
        return ""
    return f"({unit})²" if " " in unit else f"{unit}²"


def value_of(figure: Figure) -> str:
    """Write a released number, as exactly as its range makes sense of, with its unit."""
    return measure_words(figure.value, figure.scale)


def raw_of(figure: Figure) -> str:
    """Write a released number as it was drawn, with its unit."""
    return measure_words(figure.raw, figure.scale)


def low_of(figure: HasLimits) -> str:
    """Write the lower limit, downwards, with its unit."""
    return measure_words(figure.low, figure.scale, ROUND_FLOOR)


def high_of(figure: HasLimits) -> str:
    """Write the upper limit, upwards, with its unit."""
    return measure_words(figure.high, figure.scale, ROUND_CEILING)


def measure_words(value: float | None, scale: NumberScale, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a number of a range with as many decimals as tell a two-hundredth of it apart; a dash for none."""
    return Units(scale.low, scale.high, scale.unit).write_grouped(value, rounding)
