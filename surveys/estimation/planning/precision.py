"""How precise a survey will be, before it is run."""

import math
from fractions import Fraction

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.numbers import require_ordered
from surveys.estimation.planning.deviation import Plan, Prevalence, deviation
from surveys.estimation.planning.size import for_half_width
from surveys.estimation.stated_mean import stated_mean_deviation
from surveys.estimation.validation import responses
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.grid import even_grid
from surveys.privacy.designs.registry import family_of, grid_of


def expected_half_width(
    *, n: int, design: Plan, prevalence: Prevalence, option: int = 1, confidence_level: float = 0.95
) -> float:
    """Return the margin of error z·s/√n that an interval will have at about this prevalence.

    s is the standard deviation of one response's contribution: √(λ(1−λ))/|c| for a design with slope c and the
    probability λ of the option's report.

    Parameters
    ----------
    n : int
        The number of responses, from 1 to 10^15.
    design : Design, TwoGroupPlan or ListPlan
        The design planned. ``direct()`` asks without protection.
    prevalence : float or sequence of k floats
        The share of respondents whose true answer is the option. Shares of all options are needed only for three or
        more options whose reports depend on all of them.
    option : int, optional
        The option's code; for two answers 1, Yes.
    confidence_level : float, optional
        Of the planned interval.

    Returns
    -------
    float
        On the scale of shares: .06 is 6 points.

    Raises
    ------
    ValueError
        Naming the argument that makes no plan.

    Examples
    --------
    >>> from surveys.estimation import expected_half_width
    >>> from surveys.privacy import forced_response
    >>> round(expected_half_width(n=1000, design=forced_response(), prevalence=0.3), 3)
    0.061
    """
    n = responses(n)
    return normal_quantile(confidence_level) * deviation(design, prevalence, option) / math.sqrt(n)


# How precise the mean of a number will be, before anybody is asked.


_MIDDLE = 0.5
_EVEN = 21
"""So many numbers at equal distances, equally often, stand for numbers that are spread evenly."""


def expected_mean_half_width(
    *, n: int, design: Design, low: float | Fraction, high: float | Fraction, confidence_level: float = 0.95
) -> float:
    """Return the margin of error that an interval for a mean will have, in the numbers' units.

    Planned for a mean in the middle of the range, where intervals are about widest. Under a design for three answers
    it is the mean among those who would say their number, where one in ten prefers not to.
    Where reports stand for values, how far these scatter depends on the numbers: they are taken to be spread evenly.

    Parameters
    ----------
    n : int
        The number of responses, from 1 to 10^15.
    design : Design
        For two answers, the lower and the higher value, or for three, with not saying as the third; or one whose
        reports stand for values.
    low, high : float
        The smallest and the largest number possible.
    confidence_level : float, optional
        Of the planned interval.

    Returns
    -------
    float
        In the numbers' units.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import expected_mean_half_width
    >>> from surveys.privacy import forced_response
    >>> round(expected_mean_half_width(n=1000, design=forced_response(), low=0, high=100), 1)
    6.2
    """
    least, most = require_ordered(low, high)
    return normal_quantile(confidence_level) * (most - least) * _deviation(design) / math.sqrt(responses(n))


def mean_sample_size(*, part: float, design: Design, confidence_level: float = 0.95) -> int:
    """Return the smallest number of responses whose margin of error for a mean is at most this part of the range.

    Parameters
    ----------
    part : float
        The margin of error wanted, as a part of the range of the numbers.
    design, confidence_level
        As for `expected_mean_half_width`.

    Returns
    -------
    int
        The number of responses.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import mean_sample_size
    >>> from surveys.privacy import forced_response
    >>> mean_sample_size(part=0.05, design=forced_response())
    1537
    """
    return for_half_width(part, normal_quantile(confidence_level) * _deviation(design))


def _deviation(design: Design) -> float:
    grid = grid_of(design, 0, 1)
    if grid:
        # Where a fact replaces the coins nobody rounds: there are no other numbers than the grid's.
        numbers = grid.truths if family_of(design.name).facts else even_grid(0, 1, _EVEN)
        return math.sqrt(grid.spread(numbers))
    return stated_mean_deviation(design) if design.k == 3 else deviation(design, _MIDDLE, 1)
