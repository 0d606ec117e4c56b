"""Intervals for designs in which a report's probability depends on more than one prevalence; they work for all."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.bootstrap import bootstrap_limits
from surveys.estimation.intervals.interval import Interval, cut_interval, each_level
from surveys.estimation.intervals.profile import Profile, profile_limits
from surveys.estimation.moments import multinomial_covariance
from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design

GENERAL_METHODS = ("likelihood_ratio", "wald", "bootstrap")


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
    n = int(counts.sum())
    shares = counts / n
    matrix, weights = np.array(design.matrix, dtype=np.float64), np.array(design.left_inverse, dtype=np.float64)
    if method == "likelihood_ratio":
        profiles = [Profile(shares, n, matrix, option) for option in np.eye(design.k)]
        low, high = linear_limits(profiles, weights, constrained, each)
    elif method == "wald":
        low, high = wald_limits(weights, shares, n, each)
    else:
        low, high = bootstrap_limits(matrix @ constrained, n, weights, each)
    return cut_interval(low, high, confidence_level, method, simultaneous=number > 1)


def wald_limits(weights: Floats, shares: Floats, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return moment estimate ± z·√(variance/n), of whatever the weights make of the observed proportions."""
    point = weights @ shares
    half = normal_quantile(confidence_level) * _errors(weights, shares, n)
    return point - half, point + half


def linear_limits(
    profiles: Sequence[Profile], weights: Floats, constrained: Floats, confidence_level: float
) -> tuple[Floats, Floats]:
    """Return the limits of profiles from the same counts, whose left inverse these weights are."""
    limits = []
    for profile in profiles:
        error = _errors((profile.weights @ weights)[np.newaxis], profile.shares, profile.n)[0]
        # Only a guess of how wide they are: where no report varies, that of one response more.
        half_width = normal_quantile(confidence_level) * float(error) + 1 / (profile.n + 1)
        limits.append(profile_limits(profile, constrained, half_width, confidence_level))
    low, high = np.array(limits).T
    return low, high


def _errors(weights: Floats, shares: Floats, n: int) -> Floats:
    """Return √(variance/n) of each row of weights times the observed proportions."""
    variances = np.diagonal(multinomial_covariance(weights, shares)) / n
    return np.sqrt(np.maximum(variances, 0.0))
