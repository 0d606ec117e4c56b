"""Cauchy noise whose rounding to an integer is drawn exactly, though neither it nor its scale is rational.

A Cauchy variable is x/y for a uniform point (x, y) of the half disc y > 0: the direction of the point is a uniform
angle, of which x/y is the cotangent. The bits of |x| and y are drawn until they decide whether the point is in the
disc and to which integer centre + scale·x/y is nearest. What is returned is the rounded ideal real number, with
exactly its probability: no tangent, no π, no float, and a total variation distance of 0 from the ideal.

References
----------
Kinderman & Monahan (1977), Computer generation of random variables using the ratio of uniform deviates.
Flajolet & Saheb (1986), The complexity of generating an exponentially distributed variate (bits drawn on demand).
"""

import math
import secrets
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import decimal, many_digits
from surveys.privacy.mechanisms.directed import down_and_up, exp_limits, limits
from surveys.privacy.mechanisms.mechanism import Randbelow
from surveys.privacy.rationals import exact, positive

_BITS = 32
"""How many more bits of each coordinate are drawn at a time; one time is nearly always enough."""

_HALF = Fraction(1, 2)

_FARTHEST = Decimal("1e150")
"""In scales: what is farther out has a probability below 1e-150, and counts as being here."""

_FLOAT_ALLOWANCE = 1 + 1e-12
"""More than a tangent and three products in floats can be off by."""


@dataclass(frozen=True, slots=True)
class CauchyNoise:
    """Cauchy noise of scale factor·e^(−exponent): its density at z is proportional to 1/(1 + (z/scale)²).

    Parameters
    ----------
    factor : Fraction
        Above 0.
    exponent : Fraction
        At least 0.
    """

    factor: Fraction
    exponent: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", positive(self.factor, "factor"))
        object.__setattr__(self, "exponent", exact(self.exponent, "exponent"))
        if not self.exponent >= 0:
            raise ValueError(f"exponent must be at least 0, got {self.exponent}")

    @property
    def scale(self) -> Decimal:
        """The scale, to about 60 digits."""
        with many_digits():
            size = max(0, decimal(self.exponent).adjusted())
        with many_digits(size):
            return decimal(-self.exponent).exp() * decimal(self.factor)

    def draw_nearest(self, centre: Fraction, last: int, randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the integer from 0 to `last` that is nearest to centre + noise, the noise in units of the integers.

        What lies beyond either end becomes that end.
        """
        while True:
            sign, x, y, bits, nearest = 1 - 2 * randbelow(2), 0, 0, 0, None
            # So far the point is known to be between the corners (x, y) and (x + 1, y + 1), in units of 2^−bits.
            while nearest is None and x * x + y * y < 1 << 2 * bits:
                x, y = (x << _BITS) + randbelow(1 << _BITS), (y << _BITS) + randbelow(1 << _BITS)
                bits += _BITS
                if y and (x + 1) ** 2 + (y + 1) ** 2 <= 1 << 2 * bits:
                    low, high = self._enclosed(x, y, bits)
                    if sign < 0:
                        low, high = high.copy_negate(), low.copy_negate()  # a minus sign would round
                    nearest = _nearest(centre, (low, high), last, bits)
            if nearest is not None:
                return nearest

    def probability_of_nearest(self, nearest: int, centre: Fraction, last: int) -> float:
        """Return the probability that `draw_nearest` returns this integer, by the arc tangent."""
        if not 0 <= nearest <= last:
            return 0.0
        low = self._in_scales(nearest - _HALF - centre) if nearest > 0 else _FARTHEST.copy_negate()
        high = self._in_scales(nearest + _HALF - centre) if nearest < last else _FARTHEST
        # arctan(high) − arctan(low), without taking nearly equal floats from each other.
        with many_digits():
            return math.atan2(high - low, 1 + low * high) / math.pi

    def error_bound(self, confidence_level: float) -> float:
        """Return what the noise does not exceed on either side with this confidence, rounded up."""
        if not 0 < confidence_level < 1:
            raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
        if confidence_level <= 1 / 2:
            in_scales = math.tan(math.pi / 2 * confidence_level)
        else:
            in_scales = 1 / math.tan(math.pi / 2 * (1 - confidence_level))
        return float(self.scale) * in_scales * _FLOAT_ALLOWANCE

    def _enclosed(self, x: int, y: int, digits: int) -> tuple[Decimal, Decimal]:
        """Return two decimals of so many digits between which scale·X/Y is for all X of (x, x + 1), Y of (y, y + 1)."""
        down, up = down_and_up(digits)
        low, high = exp_limits(-self.exponent, digits)
        least, most = limits(self.factor, digits)
        low = down.multiply(down.multiply(low, least), down.divide(Decimal(x), Decimal(y + 1)))
        return low, up.multiply(up.multiply(high, most), up.divide(Decimal(x + 1), Decimal(y)))

    def _in_scales(self, distance: Fraction) -> Decimal:
        with many_digits():
            number = decimal(distance) / max(self.scale, 1 / _FARTHEST**9)
        return min(max(number, _FARTHEST.copy_negate()), _FARTHEST)


def _nearest(centre: Fraction, noise: tuple[Decimal, Decimal], last: int, digits: int) -> int | None:
    """Return the integer nearest to centre + z for all z strictly between these limits, or None if they are several.

    That z does not reach its limits distinguishes a number just below an integer plus one half from that number itself.
    """
    (down, up), (least, most) = down_and_up(digits), limits(centre + _HALF, digits)
    low, high = down.add(least, noise[0]), up.add(most, noise[1])
    first = math.floor(min(max(low, Decimal(0)), Decimal(last)))
    other = math.ceil(min(max(high, Decimal(1)), Decimal(last + 1))) - 1
    return first if first == other else None
