"""How likely a survey is to show what is there, before it is run.

References
----------
Blair, Imai & Zhou (2015), Design and analysis of the randomized response technique.
"""

import math
from dataclasses import dataclass

from surveys.estimation.affine import affine_map, require_affine_map
from surveys.estimation.planning.deviation import OF_GROUPS, Plan, Prevalence, deviation, least_for_normal, share_of
from surveys.estimation.planning.exact import LARGEST_EXACT_SIZE, ExactTest
from surveys.estimation.planning.fisher import FisherTest
from surveys.estimation.planning.normal import NormalTest
from surveys.estimation.validation import responses, share_inside
from surveys.privacy.designs.design import Design

ALTERNATIVES = ("one-sided", "two-sided")
METHODS = ("normal", "exact")


@dataclass(frozen=True, slots=True)
class SuitableTest:
    """A test by the normal approximation, and by whole counts where that does not hold.

    Where nobody could have given a report under the null hypothesis, its estimate has no standard error at all: the
    normal approximation then finds significant whatever comes, and one response to be enough.

    Attributes
    ----------
    normal : NormalTest
        The approximation.
    exact : ExactTest, FisherTest or None
        The test by whole counts; None for a design that has none.
    least_for_normal : float
        From how many responses on the approximation holds; may be infinite.
    """

    normal: NormalTest
    exact: ExactTest | FisherTest | None
    least_for_normal: float

    def power(self, n: int) -> float:
        """Return the power of the one or the other with n responses."""
        if n >= self.least_for_normal:
            return self.normal.power(n)
        if self.exact is None:
            raise ValueError(
                f"n must be at least {self.least_for_normal:.6g} for the normal approximation at this null "
                f"hypothesis, and the design has no exact test, got {n!r}"
            )
        return self.exact.power(n)

    def sample_size(self, target: float) -> int:
        """Return the smallest n from which on the power stays at least the target.

        A design without an exact test gets no fewer responses than the approximation needs to hold.
        """
        if math.isfinite(self.least_for_normal):
            n, least = self.normal.sample_size(target), math.ceil(self.least_for_normal)
            if n > least or self.exact is None:
                return max(n, least)
            n = min(self.exact.sample_size(target), least)
            while n > 1 and self.power(n - 1) >= target:
                n -= 1  # the exact test asked for more because of sizes at which the normal one is used
            return n
        if self.exact is None:
            raise ValueError(
                "null_prevalence leaves chance no choice, so the normal approximation does not hold, "
                "and the design has no exact test"
            )
        return self.exact.sample_size(target)


def power(
    *,
    n: int,
    design: Plan,
    prevalence: Prevalence,
    null_prevalence: Prevalence | None = None,
    other_prevalence: Prevalence | None = None,
    alternative: str = "two-sided",
    significance: float = 0.05,
    option: int = 1,
    method: str = "normal",
) -> float:
    """Return the probability that a test rejects its null hypothesis when the prevalence is the one assumed.

    With s(π) the standard deviation of one response's contribution and d the difference to be shown, it is
    Φ((d√n − z·s0)/s1), plus for a two-sided test the probability of the other side. For one share s0 = s(null) and
    s1 = s(prevalence), for two groups they are the roots of the sums of their squares. Where so few responses are not
    about normal under the null hypothesis, in particular where s0 = 0, it is the power of the exact test: the binomial
    one of one share, Fisher's of two groups.

    Parameters
    ----------
    n : int
        The number of responses; of each group where there are two.
    design : Design, TwoGroupPlan or ListPlan
        The design planned. ``direct()`` asks without protection.
    prevalence : float or sequence of k floats
        The share assumed. Shares of all options are needed only for three or more options whose reports depend on all.
    null_prevalence : float or sequence of k floats, optional
        The share under the null hypothesis, by default 0; for two groups the share of both, other_prevalence by
        default.
    other_prevalence : float or sequence of k floats, optional
        The share assumed for a second group; the test then is whether the two groups differ.
    alternative : str, optional
        ``"two-sided"``, or ``"one-sided"`` in the direction assumed.
    significance : float, optional
        The probability of a false alarm that the test may have.
    option : int, optional
        The option's code; for two answers 1, Yes.
    method : str, optional
        ``"normal"``, where that holds, or ``"exact"``: the exact binomial test of one share by the number of the
        option's reports, with half the significance on each side if it is two-sided. For designs with a straight line
        for each option, and up to 100,000 responses.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        Naming the argument that makes no plan.

    Examples
    --------
    >>> from surveys.estimation import power
    >>> from surveys.privacy import warner
    >>> round(power(n=500, design=warner("3/4"), prevalence=0.2, null_prevalence=0.1, alternative="one-sided"), 3)
    0.777
    """
    n = responses(n)
    if method == "exact" and n > LARGEST_EXACT_SIZE:
        raise ValueError(f"n must be at most {LARGEST_EXACT_SIZE} for the exact method, got {n!r}")
    return planned_test(
        design=design,
        prevalence=prevalence,
        null_prevalence=null_prevalence,
        other_prevalence=other_prevalence,
        alternative=alternative,
        significance=significance,
        option=option,
        method=method,
    ).power(n)


def planned_test(
    *,
    design: Plan,
    prevalence: Prevalence,
    null_prevalence: Prevalence | None,
    other_prevalence: Prevalence | None,
    alternative: str,
    significance: float,
    option: int,
    method: str,
) -> SuitableTest | ExactTest:
    """Return the test that `power` describes."""
    significance = share_inside(significance, "significance")
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative must be one of {', '.join(ALTERNATIVES)}, got {alternative!r}")
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    two_sided = alternative == "two-sided"
    tail = significance / 2 if two_sided else significance
    second = 0.0 if other_prevalence is None else other_prevalence
    null = second if null_prevalence is None else null_prevalence
    if method == "exact":
        if other_prevalence is not None or isinstance(design, OF_GROUPS):
            raise ValueError("method must be normal for two groups: the exact test is one of a single share")
        return ExactTest(_reported(design, null, option), _reported(design, prevalence, option), tail, two_sided)
    null_scatter, scatter = deviation(design, null, option), deviation(design, prevalence, option)
    exact: ExactTest | FisherTest | None = None
    counted = None if isinstance(design, OF_GROUPS) or affine_map(design) is None else design
    if other_prevalence is None:
        difference = share_of(design, prevalence, option) - share_of(design, null, option)
        if counted is not None:
            of_both = _reported(counted, null, option), _reported(counted, prevalence, option)
            exact = ExactTest(*of_both, tail, two_sided)
    else:
        difference = share_of(design, prevalence, option) - share_of(design, other_prevalence, option)
        null_scatter = math.hypot(null_scatter, null_scatter)
        scatter = math.hypot(scatter, deviation(design, other_prevalence, option))
        if counted is not None:
            of_both = _reported(counted, prevalence, option), _reported(counted, other_prevalence, option)
            exact = FisherTest(*of_both, tail, two_sided)
    normal = NormalTest(abs(difference), null_scatter, scatter, tail, two_sided)
    return SuitableTest(normal, exact, least_for_normal(design, null, option))


def _reported(design: Design, prevalence: Prevalence, option: int) -> float:
    """Return the probability of the option's report, a straight line in its prevalence."""
    share, line = share_of(design, prevalence, option), require_affine_map(design)
    # Rounding can take a certain report just beyond 1.
    return min(1.0, max(0.0, float(line.offset[option]) + line.slope * share))
