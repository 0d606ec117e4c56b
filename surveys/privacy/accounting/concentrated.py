"""Zero-concentrated privacy: one number ρ that adds up, turned into (ε, δ) once at the end.

A ρ-private mechanism is (ε, δ)-private with δ = exp((α − 1)(αρ − ε))/(α − 1)·(1 − 1/α)^α for *every* α > 1. The α
that is best is looked for in floats; the bound at the α found is computed in decimals and rounded up, so that a poor
search costs tightness and never truth.

References
----------
Bun & Steinke (2016), Concentrated differential privacy. Canonne, Kamath & Steinke (2020), The discrete Gaussian for
differential privacy, Corollary 13.
"""

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import SMALLEST, decimal, float_not_below, log1p, many_digits, nonnegative, upper
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.rationals import exact, positive

_HALVINGS = 200


def concentrated_from_pure(epsilon: object) -> ConcentratedLoss:
    """Return ρ = ε²/2, exactly: what every ε-private mechanism has at most.

    Parameters
    ----------
    epsilon : exact number
        At least 0, in nats.

    Returns
    -------
    ConcentratedLoss
        Exact.

    Raises
    ------
    ValueError
        If epsilon is no exact number.

    Examples
    --------
    >>> from surveys.privacy import concentrated_from_pure
    >>> str(concentrated_from_pure("1/2").rho)
    '1/8'
    """
    return ConcentratedLoss(exact(epsilon, "epsilon") ** 2 / 2)


def concentrated_from_gaussian(squared_sensitivity: object, variance: object) -> ConcentratedLoss:
    """Return ρ = Δ²/(2σ²), exactly: what (discrete) Gaussian noise has.

    Parameters
    ----------
    squared_sensitivity : exact number
        Δ², the square of the L2 sensitivity: 2 for a histogram of which one response is replaced.
    variance : exact number
        σ², the noise's parameter; the squares because they are rational where their roots are not.

    Returns
    -------
    ConcentratedLoss
        Exact.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import concentrated_from_gaussian
    >>> str(concentrated_from_gaussian(2, 100).rho)
    '1/100'
    """
    return ConcentratedLoss(positive(squared_sensitivity, "squared_sensitivity") / (2 * positive(variance, "variance")))


def compose_concentrated(losses: Iterable[ConcentratedLoss]) -> ConcentratedLoss:
    """Return the loss of all of them: ρ adds up, exactly.

    Parameters
    ----------
    losses : iterable of ConcentratedLoss
        Of each mechanism, for the same responses.

    Returns
    -------
    ConcentratedLoss
        Exact.

    Examples
    --------
    >>> from surveys.privacy import compose_concentrated, concentrated_from_gaussian
    >>> losses = [concentrated_from_gaussian(2, 100)] * 3
    >>> str(compose_concentrated(losses).rho)
    '3/100'
    """
    return ConcentratedLoss(sum((loss.rho for loss in losses), Fraction(0)))


def concentrated_delta(loss: ConcentratedLoss, epsilon: float | Fraction) -> float:
    """Return a δ at which the mechanism is (ε, δ)-private, rounded up: 0 only for ρ = 0 or an infinite ε.

    Parameters
    ----------
    loss : ConcentratedLoss
        Of all mechanisms together.
    epsilon : float or Fraction
        At least 0.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import ConcentratedLoss, concentrated_delta
    >>> concentrated_delta(ConcentratedLoss("3/100"), 1.5) < 1e-6
    True
    """
    with many_digits():
        wanted, rho = nonnegative(epsilon, "epsilon"), decimal(loss.rho)
        if not loss.rho or wanted.is_infinite():
            return 0.0
        target, slope = float_not_below(epsilon), float_not_below(loss.rho)
        # In x = α − 1 its logarithm is x((1 + x)ρ − ε) − ln(1 + x) − x·ln(1 + 1/x), which is convex.
        x = decimal(_root(lambda x: (2 * x + 1) * slope - target - math.log1p(1 / x)))
        log_delta = x * ((1 + x) * rho - wanted) - log1p(x) - x * log1p(1 / x)
        return 1.0 if log_delta >= 0 else max(SMALLEST, upper(log_delta.exp()))


def concentrated_epsilon(loss: ConcentratedLoss, delta: float | Fraction) -> float:
    """Return an ε at which the mechanism is (ε, δ)-private, rounded up.

    Solved for ε the bound is αρ + ln(1 − 1/α) − ln(αδ)/(α − 1).

    Parameters
    ----------
    loss : ConcentratedLoss
        Of all mechanisms together.
    delta : float or Fraction
        Above 0; infinite is what ρ > 0 costs without any δ.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import ConcentratedLoss, concentrated_epsilon
    >>> round(concentrated_epsilon(ConcentratedLoss("3/100"), 1e-6), 3)
    1.118
    """
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must be between 0 and 1, got {delta!r}")
    if not loss.rho or delta == 1:
        return 0.0
    if not delta:
        return math.inf
    with many_digits():
        allowed, rho = decimal(delta), decimal(loss.rho)
        slope, log_delta = float_not_below(loss.rho), float(allowed.ln())
        # The derivative in α, times (α − 1)²; it rises with α.
        x = decimal(_root(lambda x: slope * x * x + math.log1p(x) + log_delta))
        bound: Decimal = (1 + x) * rho - log1p(1 / x) - (log1p(x) + allowed.ln()) / x
        return max(0.0, upper(bound))


def _root(rising: Callable[[float], float]) -> float:
    """Return about where a rising function of x > 0 is 0, by halving on the logarithmic scale."""
    low, high = -300.0, 300.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if rising(10**middle) < 0:
            low = middle
        else:
            high = middle
    return float(10**high)
