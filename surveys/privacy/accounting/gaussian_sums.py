"""The δ of discrete Gaussian noise as a sum over T = Y₁ + … + Y_d, and as an integral where the sum would be long.

What δ is as a sum stands in `gaussian`; here is the distribution of T. With t the sum of the integers y₁, …, y_d,
Σ y_i² = Σ (y_i − t/d)² + t²/d, so Pr(T = t) ∝ exp(−t²/(2dσ²))·c(t), c a sum over a shifted lattice. By Poisson
summation c(t) is one number but for cosines times exp(−2π²σ²·Σ (k_i − k̄)²), k ≠ 0 from the integer vectors that differ
not only by the same shift. Each may be taken with |k̄| ≤ 1/2; then d·k̄² ≤ Σ|k_i|/2 ≤ Σ k_i²/2, so Σ (k_i − k̄)² ≥
Σ k_i²/2. The sum of exp(−2π²σ²·y²) in the norming constant is at least 1, hence with N(t) the density of a normal
variable of variance dσ²

    Pr(T = t) ≤ N(t)·(Σ_k exp(−π²σ²k²))^d,

and the factor is 1 but for 3d·exp(−π²σ²): 2e-4·d at σ² = 1, less than d·1e-68 from σ² = 16 on.

Where the sum is long: its terms N(t)·(1 − exp(−(t − a)/σ²)) are log-concave in t > a, so they rise and then fall, and
their sum is at most their integral from a on and their maximum. The integral is the δ of continuous noise,
φ(z)·(M(z) − M(z + h)) with z = a/(σ√d), h = √d/σ and M Mills' ratio; −M' is convex, so M(z) − M(z + h) is at most h
times the mean of −M' at the two ends. As 1 − e^−u ≤ u, the maximum is at most that of N(t)·(t − a)/σ².
"""

import math
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import SMALLEST, decimal, many_digits, upper

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")

_LONG = 10**7
"""Above this dσ² the sum of δ has more than 50,000 terms, and is not formed."""

_REST = Decimal("1e-30")
"""Terms of the sum of δ are added one by one until all others together are less than so much of it."""

_LEVELS = 401
"""Of the continued fraction of Mills' ratio, right to 1e-24 from 1 on; odd, so that what is cut off lowers it."""

_FAR = 50


def delta_of_few(epsilon: Fraction, variance: Fraction, changed: int) -> float:
    """Return δ for d = 1 or 2 where σ² is small.

    For d = 2, y² + (t − y)² = 2(y − t/2)² + t²/2, so c(t) = Σ exp(−(y − t/2)²/σ²) depends on whether t is even.
    """
    with many_digits():
        spread = decimal(variance)
        all_integers = 1 + 2 * _series(spread, Decimal(1))
        even, odd = Decimal(1), Decimal(1)
        if changed == 2:
            even, odd = 1 + 2 * _series(spread / 2, Decimal(1)), 2 * _series(spread / 2, Decimal("0.5"))
        total = _sum(epsilon, variance, changed, (even, odd))
        return _rounded_up(total / all_integers**changed)


def delta_of_normal(epsilon: Fraction, variance: Fraction, changed: int) -> float:
    """Return a bound on δ for any d, exact to 1e-40 from σ² = 16 on where dσ² is at most 10,000,000."""
    with many_digits():
        spread = decimal(variance)
        beside = (-PI * PI * spread).exp()
        # Σ q^(k²) over k ≥ 1 is at most q + q⁴ + q⁷ + …; and (1 + x)^d at most e^(dx).
        surplus = 2 * changed * beside / (1 - beside**3)
        if surplus > 1:
            return 1.0
        if changed * variance > _LONG:
            total = _integral(decimal(epsilon), spread, changed)
        else:
            total = _sum(epsilon, variance, changed, (Decimal(1), Decimal(1))) / (2 * PI * changed * spread).sqrt()
        return _rounded_up(total * surplus.exp())


def _rounded_up(delta: Decimal) -> float:
    return min(1.0, max(SMALLEST, upper(delta)))


def _sum(epsilon: Fraction, variance: Fraction, changed: int, parity: tuple[Decimal, Decimal]) -> Decimal:
    """Sum exp(−t²/(2dσ²))·c(t)·(1 − exp(ε − (2t + d)/(2σ²))) over t > a, each from the one before by products."""
    t = math.floor(epsilon * variance - Fraction(changed, 2)) + 1
    spread = decimal(variance)
    wide = 2 * changed * spread
    weight, fall = (-(t * t) / wide).exp(), (-(2 * t + 1) / wide).exp()
    saved, slower = (decimal(epsilon) - (2 * t + changed) / (2 * spread)).exp(), (-2 / wide).exp()
    faster = (-1 / spread).exp()
    total, rest = Decimal(0), weight
    while fall >= 1 or rest > total * _REST:
        total += weight * parity[t % 2] * (1 - saved)
        weight, fall, saved, t = weight * fall, fall * slower, saved * faster, t + 1
        # All that follow fall at least as fast as a geometric series, once they fall.
        rest = weight * max(parity) / (1 - fall) if fall < 1 else weight
    return total + rest


def _integral(epsilon: Decimal, spread: Decimal, changed: int) -> Decimal:
    start, deviation = epsilon * spread - Decimal(changed) / 2, (changed * spread).sqrt()
    if start < -_FAR * deviation:
        return Decimal(1)
    density = 1 / (2 * PI).sqrt()
    low, step = start / deviation, changed / deviation
    continuous = density * (-low * low / 2).exp() * step * (_mills_slope(low) + _mills_slope(low + step)) / 2
    # x − a of the maximum, without the difference that would cancel.
    beyond = 2 * changed * spread / (start + (start * start + 4 * changed * spread).sqrt())
    highest = density * (-(((start + beyond) / deviation) ** 2) / 2).exp() * beyond / (spread * deviation)
    return continuous + highest


def _mills_slope(z: Decimal) -> Decimal:
    """Return −M'(z) = 1 − z·M(z), hardly rounded up, for M(z) = Pr(Z > z)/φ(z)."""
    if z > _FAR:
        return 1 / (1 + z * z)  # M(z) is above z/(1 + z²)
    if z < -1:
        # Pr(Z > z) is 1 − Pr(Z > −z), which is what the fraction lowers.
        return 1 - z * ((2 * PI).sqrt() * (z * z / 2).exp() - _mills_by_fraction(-z))
    return 1 - z * (_mills_by_fraction(z) if z > 1 else _mills_by_series(z))


def _mills_by_fraction(z: Decimal) -> Decimal:
    """Return 1/(z + 1/(z + 2/(z + 3/(z + …)))), cut off."""
    below = z
    for level in range(_LEVELS, 0, -1):
        below = z + level / below
    return 1 / below


def _mills_by_series(z: Decimal) -> Decimal:
    """Return √(π/2)·e^(z²/2) − (z + z³/3 + z⁵/(3·5) + …), for −1 to 1."""
    term, total = z, Decimal(0)
    for odd in range(3, 123, 2):
        total += term
        term *= z * z / odd
    return (PI / 2).sqrt() * (z * z / 2).exp() - total


def _series(variance: Decimal, start: Decimal) -> Decimal:
    """Return Σ exp(−y²/(2σ²)) over y = start, start + 1, ... up to where it is below 1e-60 of the first."""
    terms = int((300 * variance).sqrt()) + 2
    return sum((-((start + step) ** 2) / (2 * variance)).exp() for step in range(terms)) + Decimal(0)
