"""How precise a survey will be, before it is run."""

import math

from surveys.estimation.intervals import normal_quantile
from surveys.estimation.planning.deviation import Plan, Prevalence, deviation
from surveys.estimation.validation import responses


def expected_half_width(
    *, n: int, design: Plan, prevalence: Prevalence, option: int = 1, confidence_level: float = 0.95
) -> float:
    """Return the half-width z·s/√n that an interval will have at about this prevalence.

    s is the standard deviation of one response's contribution: √(λ(1−λ))/|c| for a design with slope c and the
    probability λ of the option's report.

    Parameters
    ----------
    n : int
        The number of responses, from 1 to 10^15.
    design : Design or TwoGroupPlan
        The design planned. ``direct()`` asks without protection.
    prevalence : float or sequence of k floats
        The share of respondents whose true answer is the option. Shares of all options are needed only for three or
        more options whose reports depend on all of them.
    option : int, optional
        The option's code; for two answers 1, Yes.
    confidence_level : float, optional
        Of the planned interval.

    Raises
    ------
    ValueError
        Naming the argument that makes no plan.
    """
    n = responses(n)
    return normal_quantile(confidence_level) * deviation(design, prevalence, option) / math.sqrt(n)
