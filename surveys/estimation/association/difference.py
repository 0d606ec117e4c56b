"""The difference of two groups' prevalences.

References
----------
Newcombe (1998), Interval estimation for the difference between independent proportions (method 10).
Zou & Donner (2008), Construction of confidence limits about effect measures: a general approach (MOVER).
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.estimation.affine import affine_map, require_affine_map
from surveys.estimation.association.equality import LARGEST_TABLES, EqualityTest, arm_of, test_equality
from surveys.estimation.intervals.binomial import binomial_limits, normal_quantile
from surveys.estimation.intervals.general import uncut_limits
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """How much more frequent an answer is in one group than in another.

    Attributes
    ----------
    first, second : PrevalenceEstimate
        The two groups; what is estimated is the first's prevalence less the second's.
    option : int
        The answer's code.
    point : float
        The difference of the moment estimates, which is unbiased and may leave [−1, 1].
    standard_error : float
        From both variances with n−1; NaN where a group has a single response.
    z, p_value : float
        Wald's two-sided test of no difference; NaN where the standard error is NaN or 0.
    """

    first: PrevalenceEstimate
    second: PrevalenceEstimate
    option: int
    point: float
    standard_error: float
    z: float
    p_value: float

    @property
    def constrained(self) -> float:
        """The difference of the maximum likelihood estimates, which is from −1 to 1."""
        return float(self.first.constrained[self.option] - self.second.constrained[self.option])

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return a confidence interval for the difference, cut to [−1, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of this difference by itself.
        method : str, optional
            A binomial method, ``"wilson"`` by default: its limits for the groups are combined by MOVER. Where a report
            depends on more than one prevalence it is ``"likelihood_ratio"``, whose limits are combined likewise.
            ``"wald"`` exists for every design.

        Raises
        ------
        ValueError
            If there is no such method, or the design ties no report to one prevalence.
        """
        if method is None:
            affine = affine_map(self.first.design) and affine_map(self.second.design)
            method = "wilson" if affine else "likelihood_ratio"
        if method == "wald":
            half = normal_quantile(confidence_level) * self.standard_error
            low, high = self.point - half, self.point + half
        else:
            low, high = mover_limits(self, confidence_level, method)
        outside = high < -1 or low > 1
        low, high = np.clip([low, high], -1.0, 1.0).tolist()
        return ScalarInterval(low, high, confidence_level, method, outside)

    def equality_test(self, alternative: str = "two-sided", largest_tables: int = LARGEST_TABLES) -> EqualityTest:
        """Test whether the option is as frequent in both groups, by the likelihood ratio and exactly.

        For designs in which each report depends on one prevalence only; each group may have its own, such as a direct
        question in one of them.

        Parameters
        ----------
        alternative : str, optional
            ``"two-sided"``; ``"greater"`` if only the first's being more frequent counts; ``"less"``.
        largest_tables : int, optional
            At how many pairs of counts the exact test may look: the largest number takes half a second.

        Raises
        ------
        ValueError
            If the alternative is none of these, or a design ties no report to one prevalence.
        """
        arms = tuple(arm_of(group.design, group.n, self.option) for group in (self.first, self.second))
        received = tuple(int(group.counts[self.option]) for group in (self.first, self.second))
        return test_equality((received[0], received[1]), (arms[0], arms[1]), alternative, largest_tables)


def difference_of(first: PrevalenceEstimate, second: PrevalenceEstimate, option: int) -> Difference:
    """Return the first group's prevalence of an option less the second's.

    Parameters
    ----------
    first, second : PrevalenceEstimate
        Of two groups of different people, for the same true answers.
    option : int
        The answer's code.

    Returns
    -------
    Difference
        With `point`, `standard_error`, `interval` and `p_value`.

    Raises
    ------
    ValueError
        If the option is no answer of both groups.

    Examples
    --------
    >>> from surveys.estimation import difference_of, estimate_prevalence
    >>> from surveys.privacy import crosswise, direct
    >>> direct_answers = estimate_prevalence([89, 7], direct())
    >>> crosswise_answers = estimate_prevalence([112, 198], crosswise("1/4"))
    >>> difference = difference_of(crosswise_answers, direct_answers, 1)
    >>> [round(difference.point, 3), round(difference.p_value, 3)]
    [0.15, 0.014]
    """
    option = whole_number(option, "option", largest=min(first.design.k, second.design.k) - 1)
    point = float(first.point[option] - second.point[option])
    error = math.hypot(first.standard_error[option], second.standard_error[option])
    z = point / error if error > 0 else math.nan
    return Difference(first, second, option, point, error, z, 2 * float(scipy.special.ndtr(-abs(z))))


def mover_limits(difference: Difference, confidence_level: float, method: str) -> tuple[float, float]:
    """Return limits for the difference from each group's own, which are not cut to [0, 1] before.

    A limit's distance from its estimate stands for a standard error there. Cutting would shorten it: with two groups of
    30, two fair coins, and Yes the truth of everybody in one group and of nobody in the other, cut limits and estimates
    would hold the difference only 74 times of 100, and these hold it 97 times. Where all true answers are the same, cut
    limits alone would hold 93 times.
    """
    low1, high1 = distances(difference.first, difference.option, confidence_level, method)
    low2, high2 = distances(difference.second, difference.option, confidence_level, method)
    return difference.point - math.hypot(low1, high2), difference.point + math.hypot(high1, low2)


def distances(estimate: PrevalenceEstimate, option: int, confidence_level: float, method: str) -> tuple[float, float]:
    """Return how far below and above the moment estimate an option's limits lie."""
    point = float(estimate.point[option])
    if method == "likelihood_ratio" and affine_map(estimate.design) is None:
        least, most = uncut_limits(estimate.counts, estimate.design, option, confidence_level)
        return point - least, most - point
    line = require_affine_map(estimate.design)
    low, high = line.to_prevalence(*binomial_limits(estimate.counts, estimate.n, confidence_level, method))
    return point - float(low[option]), float(high[option]) - point
