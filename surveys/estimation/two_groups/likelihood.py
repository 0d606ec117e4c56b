"""The likelihood of two groups' counts among the lines that a model can give."""

import math
from itertools import pairwise

import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.limits import limit_towards
from surveys.estimation.segment import along, best_position
from surveys.estimation.two_groups.line import LineModel, Quantity, TwoGroups


def most_likely_ends(groups: TwoGroups, model: LineModel) -> tuple[float, float]:
    """Return the possible ends under which the counts are most likely.

    Where the observed line is possible, it is the answer. Elsewhere the log-likelihood, which is concave, has its
    maximum on an edge of the polygon.
    """
    if model.possible(groups.ends):
        return float(groups.ends[0]), float(groups.ends[1])
    edges = pairwise((*model.corners, model.corners[0]))
    return max((best_between(groups, a, b) for a, b in edges), key=groups.log_likelihood)


def best_between(groups: TwoGroups, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Return the most likely ends on the segment from a to b."""
    counts = groups.counts.ravel().tolist()
    position = best_position(counts, groups.report_probabilities(a), groups.report_probabilities(b))
    first, second = along(a, b, position)
    return first, second


def profile_log_likelihood(groups: TwoGroups, model: LineModel, quantity: Quantity, value: float) -> float:
    """Return the largest log-likelihood with the parameter held at a value from 0 to 1.

    That is a maximum over the segment in which a straight line cuts the polygon.
    """
    excess = [float(quantity.excess(corner, value)) for corner in model.corners]
    cut: list[tuple[float, float]] = []
    for i, (a, b) in enumerate(pairwise((*model.corners, model.corners[0]))):
        here, there = excess[i], excess[(i + 1) % len(excess)]
        if here == 0:
            cut.append(a)
        if here * there < 0:
            first, second = along(a, b, here / (here - there))
            cut.append((first, second))
    return groups.log_likelihood(best_between(groups, min(cut), max(cut)))


def likelihood_limits(
    groups: TwoGroups, model: LineModel, quantity: Quantity, best: tuple[float, float], confidence_level: float
) -> tuple[float, float]:
    """Return the smallest and the largest value that a likelihood-ratio test does not reject.

    All ends whose likelihood is high enough form a convex set, on which a quotient of affine functions with a positive
    denominator takes all values of an interval: its two limits say everything.
    """
    enough = groups.log_likelihood(best) - normal_quantile(confidence_level) ** 2 / 2
    estimate = min(max(float(quantity.at(best)), 0.0), 1.0)  # rounding must not leave [0, 1]
    if math.isnan(estimate):
        return 0.0, 1.0  # nobody to whom the parameter applies: every value is as likely

    def spare(value: float) -> float:
        return profile_log_likelihood(groups, model, quantity, value) - enough

    return limit_towards(0.0, estimate, spare), limit_towards(1.0, estimate, spare)


def misfit_p_value(deviance: float) -> float:
    """Return a p-value for a deviance from the polygon that holds wherever in it the truth lies.

    The deviance of two rates from a convex set has at most the tail ½χ²₁ + ½χ²₂ (Perlman 1969).
    """
    return float(scipy.special.chdtrc([1.0, 2.0], max(deviance, 0.0)).mean())
