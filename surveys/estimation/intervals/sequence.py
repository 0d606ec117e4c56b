"""Confidence sequences: how far the likelihood may fall for an interval to hold at every look at once.

Let L_n(λ) be the likelihood of the first n reports if their distribution is λ, and M_n its mean over other
distributions, by weights fixed beforehand. Under λ, M_n/L_n(λ) is a martingale with mean 1. It ever exceeds 1/α with
probability at most α [Ville 1939], however often somebody looks and whatever makes them stop [Robbins 1970]. So the λ
with ln M_n − ln L_n(λ) < ln(1/α) are a confidence sequence. With ℓ the largest log-likelihood, it is the
likelihood-ratio interval with ln(1/α) + ℓ − ln M_n in place of z²/2.

References
----------
Ville (1939), Étude critique de la notion de collectif.
Robbins (1970), Statistical methods related to the law of the iterated logarithm.
Clarke & Barron (1994), Jeffreys' prior is asymptotically least favorable under entropy risk.
Cover & Ordentlich (1996), Universal portfolios with side information.
Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting.
Waudby-Smith, Wu & Ramdas (2023), Nonparametric extensions of randomized response for private confidence sets.
"""

import math

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.validation import Floats, level

SEQUENCE = "confidence_sequence"
"""What the method is called."""

_SMALLEST = float(np.finfo(np.float64).tiny)
_LARGE = 10_000
"""From here on Stirling's series has more digits than a difference of logarithms of factorials."""


def mixture_loss(
    counts: npt.NDArray[np.int64], n: int, confidence_level: float, smallest: Floats | float, largest: Floats | float
) -> Floats:
    """Return how far the log-likelihood of a count out of n may fall below its largest value between two proportions.

    The weights are Jeffreys' prior between the two: arcsin √λ is uniform, a Beta(½, ½) distribution cut to what the
    design allows. For large n no other weights have a smaller largest loss [Clarke & Barron 1994]. The mean is never
    above the largest likelihood, so the loss is at least ln(1/α), and the interval never empty.

    Parameters
    ----------
    counts : array of integers
        Out of n.
    n : int
        The number of responses.
    confidence_level : float
        With which the interval holds at all looks.
    smallest, largest : float, or arrays of one float a count
        Between what the proportion lies.

    Returns
    -------
    array of floats
        One a count.
    """
    share = counts / n
    best = np.clip(share, smallest, largest)
    fall = scipy.special.kl_div(counts, n * best) + scipy.special.kl_div(n - counts, n * (1 - best))
    a, b = counts + 0.5, n - counts + 0.5
    # The tail that is smaller has all its digits.
    left = np.where(
        share < (np.asarray(smallest) + largest) / 2,
        scipy.special.betaincc(a, b, smallest) - scipy.special.betaincc(a, b, largest),
        scipy.special.betainc(a, b, largest) - scipy.special.betainc(a, b, smallest),
    )
    first, last = np.arcsin(np.sqrt(smallest)), np.arcsin(np.sqrt(largest))
    losses: Floats = np.log(2 * (last - first)) - np.log(np.maximum(left, _SMALLEST)) - fall
    losses += _ln_power(counts) + _ln_power(n - counts) - _ln_factorial(n)
    # Where nothing is left that a float holds, the mean is at least that of a straight line: as a function of the
    # angle the log-likelihood is concave, and falls by this much from the nearer edge to the middle.
    middle = np.sin((first + last) / 2) ** 2
    beyond = scipy.special.xlogy(counts, best / middle)
    beyond += scipy.special.xlogy(n - counts, (1 - best) / (1 - middle))
    beyond = np.maximum(beyond, 1.0)
    losses = np.where(left < _SMALLEST, np.log(2 * beyond / -np.expm1(-beyond)), losses)
    return losses - math.log(1 - level(confidence_level))


def portfolio_loss(n: int, confidence_level: float) -> float:
    """Return how far the log-likelihood of n reports may fall, whatever they are and however many kinds there are.

    With probabilities that are straight lines of one share, a likelihood is the wealth of a portfolio of two stocks:
    its mean over shares by Beta(½, ½) is at least Γ(n + ½)/(√π·Γ(n + 1)) of its maximum [Cover & Ordentlich 1996].
    That is so for two true answers, and for the empirical likelihood ratio Π(1 + θw_j)^n_j of the hypothesis that
    some weighted sum of the probabilities is 0: the wealth of a bet on it [Waudby-Smith & Ramdas 2024].

    Parameters
    ----------
    n : int
        The number of responses.
    confidence_level : float
        With which the interval holds at all looks.
    """
    shortfall = math.log(math.pi) / 2 + math.log(scipy.special.poch(n + 0.5, 0.5))
    return shortfall - math.log(1 - level(confidence_level))


def each_side(confidence_level: float, method: str | None) -> float:
    """Return the level of two confidence sequences of which one gives the lower limit and the other the upper one.

    Neither says how much of its α is on which side, so each has half of it. Intervals for one look keep their level:
    half of their misses are on either side, about.
    """
    return (1 + level(confidence_level)) / 2 if method == SEQUENCE else confidence_level


def _ln_power(counts: npt.NDArray[np.int64]) -> Floats:
    """Return the logarithm of (x/e)^x/Γ(x + ½)."""
    large = np.maximum(counts, _LARGE)
    series = 1 / (24 * large) - math.log(2 * math.pi) / 2
    exact = scipy.special.xlogy(counts, counts) - counts - scipy.special.gammaln(counts + 0.5)
    return np.where(counts < _LARGE, exact, series)


def _ln_factorial(n: int) -> float:
    """Return the logarithm of (n/e)^n/n!."""
    if n < _LARGE:
        return n * math.log(n) - n - math.lgamma(n + 1)
    return -1 / (12 * n) - math.log(2 * math.pi * n) / 2
