"""How every page writes numbers: percentages with a true minus, limits outwards, numbers with their unit."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from django.utils.formats import get_format
from django.utils.translation import gettext as _

from surveys.models.kinds import readable, with_unit


def percent(share: float | Fraction | None, digits: int = 0) -> str:
    """31% for 0.31, −4% for −0.04; None, which stands for a number that does not exist, as a dash."""
    return "–" if share is None else _("%(number)s%%") % {"number": decimal(100 * share, digits)}


def decimal(value: float | Fraction, digits: int) -> str:
    """Write a number with so many decimals and a true minus, as people write it in the language in force."""
    written = f"{float(value):.{digits}f}"
    # −0 is 0.
    written = written.lstrip("-") if not float(written) else written
    return written.replace("-", "−").replace(".", str(get_format("DECIMAL_SEPARATOR")))


def level_words(level: float) -> str:
    """95% for .95, 99.9% for .999: a confidence level."""
    return percent(level, 0 if round(100 * level, 1).is_integer() else 1)


def outwards(value: float, digits: int, rounding: Callable[[float], int]) -> str:
    """Write a limit with so many decimals, rounded up or down, so that nothing is claimed that it does not hold."""
    scale = 10**digits
    # Rounding before going outwards: 9.000000001 is 9.
    return decimal(rounding(round(value * scale, 6)) / scale, digits)


def percent_limits(low: float, high: float, digits: int = 1) -> tuple[str, str]:
    """Write both limits of a share for a table, rounded outwards: 12.3% and 45.7%."""
    limits = outwards(100 * low, digits, math.floor), outwards(100 * high, digits, math.ceil)
    return _("%(number)s%%") % {"number": limits[0]}, _("%(number)s%%") % {"number": limits[1]}


@dataclass(frozen=True, slots=True)
class Units:
    """The range of what is measured and the name of its unit: how it is written follows from both."""

    low: Fraction
    high: Fraction
    unit: str

    @property
    def digits(self) -> int:
        """How many decimals tell a two-hundredth of the range apart."""
        return max(0, min(9, -math.floor(math.log10(float(self.high - self.low) / 200))))

    def write(self, value: float | None) -> str:
        """4.31 hours; a dash for a number there is not."""
        return "–" if value is None else with_unit(decimal(value, self.digits), self.unit)

    def limits(self, low: float, high: float) -> dict[str, str]:
        """Return limits rounded outwards, the upper one with the unit."""
        return {
            "low": outwards(low, self.digits, math.floor),
            "high": with_unit(outwards(high, self.digits, math.ceil), self.unit),
        }

    def write_limits(self, low: float, high: float) -> tuple[str, str]:
        """Write both limits for a table, rounded outwards, each with the unit."""
        limits = outwards(low, self.digits, math.floor), outwards(high, self.digits, math.ceil)
        return with_unit(limits[0], self.unit), with_unit(limits[1], self.unit)

    @property
    def marks(self) -> list[tuple[float, str]]:
        """Where an axis over the range is marked: at both ends and in the middle."""
        # The middle has one decimal more than the ends at most, and six are shown.
        middle = Fraction(round((self.low + self.high) / 2, 6))
        return [(float(number), localized(number)) for number in (self.low, middle, self.high)]

    @property
    def ends(self) -> dict[str, str]:
        """The range in words."""
        return {"low": localized(self.low), "high": with_unit(localized(self.high), self.unit)}


def localized(number: Fraction) -> str:
    """Write an exact number whose decimals end as people write it in the language in force."""
    return readable(number).replace("-", "−").replace(".", str(get_format("DECIMAL_SEPARATOR")))
