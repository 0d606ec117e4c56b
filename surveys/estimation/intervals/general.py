"""Intervals for designs in which a report's probability depends on more than one prevalence; they work for all."""

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.binomial import likelihood_loss, normal_quantile
from surveys.estimation.intervals.interval import Interval, cut_interval, each_level
from surveys.estimation.intervals.reported import accepted_ratios
from surveys.estimation.intervals.sequence import SEQUENCE, portfolio_loss
from surveys.estimation.limits import limit_towards
from surveys.estimation.moments import multinomial_covariance
from surveys.estimation.validation import Floats, level, read_only
from surveys.privacy.designs.design import Design

GENERAL_METHODS = ("likelihood_ratio", "wald", "bootstrap", SEQUENCE)


def general_interval(
    counts: npt.NDArray[np.int64],
    design: Design,
    constrained: Floats,
    confidence_level: float,
    method: str,
    *,
    number: int = 1,
) -> Interval:
    """Return an interval for each option's prevalence by one of `GENERAL_METHODS`.

    Parameters
    ----------
    counts : array of m integers
        How often each report was received.
    design : Design
        The design in use.
    constrained : array of k floats
        The constrained maximum likelihood estimate.
    confidence_level : float
        Of each interval by itself, or of all at once.
    method : str
        ``"likelihood_ratio"``, ``"wald"`` or ``"bootstrap"``.
    number : int
        How many different intervals are to hold at once.
    """
    each = each_level(confidence_level, number)
    if method in {"likelihood_ratio", SEQUENCE}:
        everybody = np.ones(design.k)
        options = [
            likely_parts(counts, design, constrained, option, everybody, confidence_level=each, method=method)
            for option in np.eye(design.k)
        ]
        low, high, outside = (np.array(column) for column in zip(*options, strict=True))
        return Interval(
            read_only(low), read_only(high), confidence_level, method, read_only(outside), simultaneous=number > 1
        )
    n = int(counts.sum())
    weights = np.array(design.left_inverse, dtype=np.float64)
    if method == "wald":
        low, high = wald_limits(weights, counts / n, n, each)
    else:
        low, high = bootstrap_limits(np.array(design.matrix, dtype=np.float64) @ constrained, n, weights, each)
    return cut_interval(low, high, confidence_level, method, simultaneous=number > 1)


def wald_limits(weights: Floats, shares: Floats, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return moment estimate ± z·√(variance/n), of whatever the weights make of the observed proportions."""
    point = weights @ shares
    variances = np.diagonal(multinomial_covariance(weights, shares)) / n
    half = normal_quantile(confidence_level) * np.sqrt(np.maximum(variances, 0.0))
    return point - half, point + half


def likely_parts(
    counts: npt.NDArray[np.int64],
    design: Design,
    constrained: Floats,
    parts: Floats,
    denominator: Floats,
    *,
    confidence_level: float,
    method: str,
) -> tuple[float, float, bool]:
    """Return the limits for Σ aᵢπᵢ/Σ bᵢπᵢ from 0 to 1 that a likelihood-ratio test leaves, and whether it leaves none.

    Two true answers have one free share and no others that could be 0: their limits are relative to the best share from
    0 to 1, as those of the binomial interval of this name, and never outside. For more true answers they are found
    among the distributions of the reports (`accepted_ratios`).

    Parameters
    ----------
    counts : array of m integers
        How often each report was received.
    design : Design
        The design in use.
    constrained : array of k floats
        The constrained maximum likelihood estimate.
    parts, denominator : arrays of k floats
        The a and b, 0 ≤ aᵢ ≤ bᵢ ≤ 1; with two true answers b is 1 for both and a is 1 for one of them.
    confidence_level : float
        Of this interval by itself.
    method : str
        ``"likelihood_ratio"``, or ``"confidence_sequence"`` for limits that hold at every look: `portfolio_loss` is
        that of a bet on one sum, so of more reports than true answers nothing else is used.
    """
    loss = likely_loss(int(counts.sum()), confidence_level, method)
    if design.k == 2:
        low, high = _limits_of_one_of_two(counts, design, constrained, int(np.argmax(parts)), loss)
        return low, high, False
    weights = np.array(design.left_inverse, dtype=np.float64)
    restrictions = None if method == SEQUENCE else _restrictions(design)
    return accepted_ratios(counts, parts @ weights, denominator @ weights, loss, restrictions)


def likely_loss(n: int, confidence_level: float, method: str) -> float:
    """Return how far the log-likelihood of n reports may fall, at one look or for limits that hold at every look."""
    return portfolio_loss(n, confidence_level) if method == SEQUENCE else likelihood_loss(confidence_level)


def uncut_limits(
    counts: npt.NDArray[np.int64], design: Design, option: int, confidence_level: float
) -> tuple[float, float]:
    """Return the likelihood-ratio limits for one option's share among shares of any sign: not cut to [0, 1]."""
    weights = np.array(design.left_inverse[option], dtype=np.float64)
    least, most = float(weights.min()), float(weights.max())
    parts = (weights - least) / (most - least)
    loss = likelihood_loss(confidence_level)
    low, high, _ = accepted_ratios(counts, parts, np.ones(design.m), loss, _restrictions(design))
    return least + (most - least) * low, least + (most - least) * high


def _restrictions(design: Design) -> Floats | None:
    """Return what is 0 of each distribution of reports that comes from shares of any sign; None where nothing is.

    With more reports than true answers, these are the weights r with Σ r_j·P[j, i] = 0 for each true answer i.
    """
    if design.m == design.k:
        return None
    directions: Floats = np.linalg.svd(np.array(design.matrix, dtype=np.float64))[0]
    return directions[:, design.k :]


def _limits_of_one_of_two(
    counts: npt.NDArray[np.int64], design: Design, constrained: Floats, option: int, loss: float
) -> tuple[float, float]:
    """Return the shares of one of two true answers whose log-likelihood falls by no more than the loss."""
    other, column = np.array(design.matrix, dtype=np.float64).T[[1 - option, option]]

    def log_likelihood(share: float) -> float:
        return float(scipy.special.xlogy(counts, (1 - share) * other + share * column).sum())

    best = float(constrained[option])
    enough = log_likelihood(best) - loss

    def spare(share: float) -> float:
        return log_likelihood(share) - enough

    return limit_towards(0.0, best, spare), limit_towards(1.0, best, spare)


# Parametric bootstrap intervals, for every design.


REPLICATES = 9_999
_SEED = 1979


def bootstrap_limits(reported: Floats, n: int, weights: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Return the quantiles of the moment estimate when responses are drawn from the constrained estimate.

    The moment estimate is linear, so that of thousands of replicates is one matrix product. Their quantiles
    (the percentile method) keep around the constrained estimate, and so never lie outside [0, 1] altogether. Mirrored
    at the moment estimate (the basic method) they would cover .454 where these cover .998: for 10 respondents, 5%
    forced to Yes and 5% to No, and a true share of 1%.

    Parameters
    ----------
    reported : array of m floats
        The probabilities of the reports under the constrained estimate.
    n : int
        The number of responses.
    weights : array of k × m floats
        The left inverse, which turns observed proportions into the moment estimate.
    confidence_level : float
        Of each option's interval by itself.

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    tail = (1 - level(confidence_level)) / 2
    # The seed is fixed, so that the same answers always have the same interval.
    generator = np.random.default_rng(_SEED)  # noqa: TID251 - approximates two quantiles; nothing is protected by it
    drawn = generator.multinomial(n, reported / reported.sum(), size=REPLICATES) / n
    low, high = np.quantile(drawn @ weights.T, [tail, 1 - tail], axis=0)
    return low, high
