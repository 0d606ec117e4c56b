"""Profile likelihood intervals for any linear functional of the prevalences, under any design.

The share of one option, the share of the first few, a mean: each is wᵀπ. Its interval holds all values t under which
the most likely distribution with wᵀπ = t is not rejected by a likelihood-ratio test against the most likely of all.

References
----------
Venzon & Moolgavkar (1988), A method for computing profile-likelihood-based confidence intervals.
"""

import math
from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.validation import Floats

_MAX_STEPS = 60
_PRECISION = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The profile log-likelihood of the values t = wᵀπ.

    Attributes
    ----------
    shares : array of m floats
        Observed proportions of the reports.
    n : int
        The number of responses.
    matrix : array of m × k floats
        The probability of each report under each truth.
    weights : array of k floats
        The weights w, not all equal.
    """

    shares: Floats
    n: int
    matrix: Floats
    weights: Floats

    def at(self, value: float) -> tuple[float, float]:
        """Return the mean log-likelihood of the likeliest distribution with wᵀπ = value, and its derivative.

        The distributions with wᵀπ = t are the mixtures of those on two truths, or on one, that have it. So the
        likeliest is a maximum over a simplex again, whose corners are these pairs.
        """
        exactly = np.flatnonzero(self.weights == value)
        below, above = np.flatnonzero(self.weights < value), np.flatnonzero(self.weights > value)
        lower, upper = np.repeat(below, above.size), np.tile(above, below.size)
        distance = self.weights[upper] - self.weights[lower]
        share = (value - self.weights[lower]) / distance
        pairs = self.matrix[:, lower] * (1 - share) + self.matrix[:, upper] * share
        corners = np.hstack([pairs, self.matrix[:, exactly]])
        seen = self.shares > 0
        if not corners[seen].any(axis=1).all():
            return -math.inf, math.nan
        mixture = simplex_maximum(self.shares, corners)
        reported = corners[seen] @ mixture
        # At the maximum, moving the corners while the mixture stays is the whole derivative (envelope theorem).
        moving = (self.matrix[:, upper] - self.matrix[:, lower])[seen] / distance @ mixture[: lower.size]
        return float(self.shares[seen] @ np.log(reported)), float((self.shares[seen] / reported) @ moving)


def profile_limits(
    profile: Profile, estimate: Floats, half_width: float, confidence_level: float
) -> tuple[float, float]:
    """Return the limits for wᵀπ, which lie between the smallest and the largest weight.

    Parameters
    ----------
    profile : Profile
        Of the functional.
    estimate : array of k floats
        The constrained maximum likelihood estimate.
    half_width : float
        A guess of how far the limits are from the estimate.
    confidence_level : float
        Of this interval by itself.
    """
    best = float(profile.weights @ estimate)
    seen = profile.shares > 0
    highest = float(profile.shares[seen] @ np.log((profile.matrix @ estimate)[seen]))
    least = highest - normal_quantile(confidence_level) ** 2 / (2 * profile.n)
    low = _limit(profile, least, best, float(profile.weights.min()), half_width)
    high = _limit(profile, least, best, float(profile.weights.max()), half_width)
    return low, high


def _limit(profile: Profile, least: float, inside: float, outside: float, half_width: float) -> float:
    """Return the value between the estimate and an end at which the profile is down to `least`; the end if it is not.

    The profile is concave. So Newton's method comes from beyond the limit without passing it, and from within it jumps
    beyond; where it would leave what is left to search, that is halved.
    """
    if inside == outside or profile.at(outside)[0] >= least:
        return outside
    scale = abs(outside - inside)
    value = inside + math.copysign(min(half_width, scale / 2), outside - inside)
    for _ in range(_MAX_STEPS):
        likelihood, derivative = profile.at(value)
        if likelihood >= least:
            inside = value
        else:
            outside = value
        following = value + (least - likelihood) / derivative if derivative != 0 else outside
        if not min(inside, outside) < following < max(inside, outside):
            following = (inside + outside) / 2
        step, value = abs(following - value), following
        if step <= _PRECISION * scale:
            break
    return value
