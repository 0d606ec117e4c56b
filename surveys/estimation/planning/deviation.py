"""How much one response scatters around the prevalence that it helps to estimate."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from surveys.estimation.affine import affine_map
from surveys.estimation.planning.lists import ListPlan
from surveys.estimation.planning.two_groups import TwoGroupPlan
from surveys.estimation.validation import Floats, as_float, as_list, require_design, share
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

Plan: TypeAlias = Design | TwoGroupPlan | ListPlan
OF_GROUPS = (TwoGroupPlan, ListPlan)
"""Plans that ask groups in different ways; what is estimated is a difference between them."""
Prevalence: TypeAlias = float | Sequence[float] | Floats


def deviation(plan: Plan, prevalence: Prevalence, option: int) -> float:
    """Return the standard deviation of one response's contribution to the moment estimate.

    With λ the probabilities of the reports and l_j what report j adds to the option's estimate, it is the root of
    Σλ_j(l_j − π)². Where λ is a straight line in π, this is √(λ(1−λ))/|c|; for Kuk's design with r cards the root of
    φ(1−φ)/(rc²) + (1−1/r)π(1−π).
    """
    return math.sqrt(_moments(plan, prevalence, option)[0])


def least_for_normal(plan: Plan, prevalence: Prevalence, option: int) -> float:
    """Return from how many responses on the estimate is about normal; infinite where the design leaves it no choice.

    Its skewness must be at most √(1/5). For a share of reports λ that is n ≥ 5(1 − 2λ)²/(λ(1 − λ)): near none and near
    all, the five reports of either kind of the textbooks.

    References
    ----------
    Cochran (1977), Sampling techniques, section 2.15, who asks for more skewed numbers in the same way.
    """
    variance, third = _moments(plan, prevalence, option)
    return 5 * third**2 / variance**3 if variance**3 else math.inf


def _moments(plan: Plan, prevalence: Prevalence, option: int) -> tuple[float, float]:
    """Return the variance and the third central moment of one response's contribution."""
    if isinstance(plan, OF_GROUPS):
        return plan.moments(share_of(plan, prevalence, option))
    share, line = share_of(plan, prevalence, option), affine_map(plan)
    if line is not None:
        reported = float(line.offset[option]) + line.slope * share
        # Rounding can take a certain report just beyond 1.
        variance = max(0.0, reported * (1 - reported))
        return variance / line.slope**2, variance * (1 - 2 * reported) / line.slope**3
    shares = _all_shares(plan, prevalence, share, option)
    reports = np.array(plan.matrix, dtype=np.float64) @ shares
    deviations = np.array(plan.left_inverse[option], dtype=np.float64) - share
    return float(reports @ deviations**2), float(reports @ deviations**3)


def share_of(plan: Plan, prevalence: Prevalence, option: int) -> float:
    """Return the share of one option, or refuse what is no option and no share."""
    k = plan.k if isinstance(plan, OF_GROUPS) else require_design(plan).k
    option = whole_number(option, "option", 0, k - 1)
    given = as_list(prevalence)
    if given is None:
        return share(prevalence, "prevalence")
    shares = [as_float(value) for value in given]
    if not (len(shares) == k and all(value >= 0 for value in shares) and abs(sum(shares) - 1) < 1e-9):
        raise ValueError(f"prevalence must be one share or {k} shares that sum to 1, got {prevalence!r}")
    return shares[option]


def _all_shares(design: Design, prevalence: Prevalence, share: float, option: int) -> Floats:
    """Return the shares of all options; of two, one share says both."""
    if as_list(prevalence) is not None:
        return np.array(prevalence, dtype=np.float64)
    if design.k > 2:
        raise ValueError(
            f"prevalence must be the shares of all {design.k} options for the design {design.name}: "
            "the probability of a report depends on more than one of them"
        )
    return np.array([1 - share, share] if option else [share, 1 - share])
