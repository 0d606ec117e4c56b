"""The exact loss of many equal, purely private mechanisms together.

The worst that k mechanisms with ε-privacy can do is what k randomized responses with odds e^ε do. A respondent's k
reports then favour the one true answer over the other by ln-odds (k − 2i)ε with probability C(k, i)·p^(k−i)·q^i,
p = e^ε/(1 + e^ε) and q = 1 − p, so that

    δ(ε') = Σ over i with (k − 2i)ε > ε' of C(k, i)·(p^(k−i)·q^i − e^ε'·p^i·q^(k−i)).

References
----------
Kairouz, Oh & Viswanath (2015), The composition theorem for differential privacy, Theorem 3.3.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import (
    HUGE,
    SMALLEST,
    cancelled_digits,
    decimal,
    expm1,
    float_not_below,
    many_digits,
    share,
    upper,
)
from surveys.privacy.rationals import whole_number

# So many digits are lost to sums of many terms and to the powers of many odds.
_GUARD = 40


def optimal_delta(epsilon: float | Fraction, count: int, total_epsilon: float | Fraction) -> float:
    """Return the smallest δ at which `count` mechanisms together are (ε', δ)-private, rounded up.

    Parameters
    ----------
    epsilon : float or Fraction
        Of each mechanism, finite; a float stands for its binary value. Each may be chosen after seeing the results
        of the earlier ones.
    count : int
        k, at least 1; a tenth of a second for 10,000.
    total_epsilon : float or Fraction
        ε', at least 0.

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
    >>> from surveys.privacy import optimal_delta
    >>> round(optimal_delta(0.1, 100, 4), 7)
    3.42e-05
    """
    epsilon, count = _finite(epsilon), whole_number(count, "count", 1)
    if not total_epsilon >= 0:
        raise ValueError(f"total_epsilon must be at least 0, got {total_epsilon!r}")
    if total_epsilon >= count * epsilon:
        return 0.0
    gap = count * epsilon - Fraction(total_epsilon)
    if gap < SMALLEST:
        return SMALLEST  # δ is at most 1 − e^−gap
    terms = math.ceil(gap / (2 * epsilon))
    # The two sums differ by the factor 1 − e^−gap where they have one term, else by not much less.
    with many_digits(_GUARD + cancelled_digits(decimal(gap))):
        if epsilon > HUGE:
            # One lie among all reports has a probability below k·e^−ε.
            return min(1.0, upper(count * decimal(-epsilon).exp() - expm1(decimal(-gap))))
        *_, (for_one, for_other) = _tails(epsilon, count, terms)
        return min(1.0, upper(for_one - decimal(total_epsilon).exp() * for_other))


def optimal_epsilon(epsilon: float | Fraction, count: int, delta: float | Fraction) -> float:
    """Return the smallest ε' at which `count` mechanisms together are (ε', δ)-private, rounded up.

    Parameters
    ----------
    epsilon : float or Fraction
        Of each mechanism, finite; a float stands for its binary value. Each may be chosen after seeing the results
        of the earlier ones.
    count : int
        k, at least 1; a tenth of a second for 10,000.
    delta : float or Fraction
        δ, from 0 to 1.

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
    >>> from surveys.privacy import optimal_epsilon
    >>> round(optimal_epsilon(0.1, 100, 1e-5), 3)
    4.307
    """
    epsilon, count = _finite(epsilon), whole_number(count, "count", 1)
    share(delta, "delta")
    with many_digits(_GUARD + cancelled_digits(decimal(epsilon)) + digits_below_1(delta)):
        allowed = decimal(delta)
        if epsilon > HUGE:
            # δ is 1 − e^(ε' − kε), as good as exactly.
            bound = upper(decimal(count * epsilon) + decimal(1 - Fraction(delta)).ln())
            return max(0.0, min(float_not_below(count * epsilon), bound))
        shrink = decimal(-2 * epsilon).exp()
        odds = decimal(count * epsilon).exp()
        # Between two neighbouring ln-odds δ is a straight line in e^ε'.
        for for_one, for_other in _tails(epsilon, count, (count + 1) // 2):
            odds *= shrink
            if for_one - max(odds, Decimal(1)) * for_other >= allowed:
                bound = upper(((for_one - allowed) / for_other).ln())
                return max(0.0, min(float_not_below(count * epsilon), bound))
        return 0.0


def _tails(epsilon: Fraction, count: int, terms: int) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield the sums of C(k, i)·p^(k−i)·q^i and of C(k, i)·p^i·q^(k−i) over the first one, two, ... terms."""
    odds = decimal(epsilon).exp()
    one, other = (odds / (1 + odds)) ** count, (1 / (1 + odds)) ** count
    for_one, for_other = Decimal(0), Decimal(0)
    for i in range(terms):
        for_one, for_other = for_one + one, for_other + other
        yield for_one, for_other
        choices = Decimal(count - i) / (i + 1)
        one, other = one * choices / odds, other * choices * odds


def digits_below_1(delta: float | Fraction) -> int:
    """Return how many digits are lost when a δ of at most 1 is taken from about 1."""
    return cancelled_digits(decimal(1 - Fraction(delta))) if delta < 1 else 0


def _finite(epsilon: float | Fraction) -> Fraction:
    if not 0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be at least 0 and finite, got {epsilon!r}")
    return Fraction(epsilon)
