"""How decisive a comparison of two arms will be that ask the same with designs of their own.

One arm may ask directly (`direct`): then it is the validation of a randomized question against a direct one.

References
----------
Neyman (1934), On the two different aspects of the representative method, section V: how to divide n.
Lensvelt-Mulders, Hox, van der Heijden & Maas (2005), Meta-analysis of randomized response research: what such
comparisons show.
"""

import math
from dataclasses import dataclass

import numpy as np

from surveys.estimation.association.equality import LARGEST_TABLES, arm_of, rejection_region, require_alternative
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.planning.deviation import Prevalence, deviation, share_of
from surveys.estimation.planning.normal import NormalTest, smallest_size
from surveys.estimation.planning.size import SAME, for_half_width
from surveys.estimation.validation import Floats, as_list, require_design, responses, share_inside
from surveys.privacy.designs.design import Design

METHODS = ("normal", "exact")


@dataclass(frozen=True, slots=True)
class ArmsPlan:
    """Two arms, what is assumed of them, and how n is divided.

    Attributes
    ----------
    designs : pair of Design
        Of the first and of the second arm.
    prevalences : pair of float or sequence of k floats
        What is assumed in each.
    option : int
        The code of the option compared.
    first_share : float
        The share of all responses that are in the first arm, strictly between 0 and 1.
    """

    designs: tuple[Design, Design]
    prevalences: tuple[Prevalence, Prevalence]
    option: int
    first_share: float

    @property
    def difference(self) -> float:
        """The difference assumed, the first arm's prevalence less the second's."""
        first, second = self._shares()
        return first - second

    @property
    def best_share(self) -> float:
        """The first arm's share that makes the difference's standard error smallest: s₁/(s₁ + s₂).

        s is the standard deviation of what one response contributes, larger in the arm that randomizes more: for fair
        coins beside a direct question two thirds of the respondents are asked with coins where the share is one half.
        """
        first, second = self._deviations()
        if min(first, second) < SAME:
            raise ValueError("prevalences must not make all reports of an arm the same: no share is best for it")
        return first / (first + second)

    def divide(self, n: int) -> tuple[int, int]:
        """Return how many of n responses, at least 2, are in each arm; at least one."""
        first = min(max(round(self.first_share * responses(n)), 1), n - 1)
        if not first >= 1:
            raise ValueError(f"n must be at least 2, one in each arm, got {n!r}")
        return first, n - first

    def standard_error(self, n: int) -> float:
        """Return the standard error that the difference of n responses in all will have."""
        return self._scatter(*self._deviations()) / math.sqrt(responses(n))

    def half_width(self, n: int, confidence_level: float = 0.95) -> float:
        """Return the margin of error that the difference's interval will have at about these prevalences."""
        return normal_quantile(confidence_level) * self.standard_error(n)

    def power(
        self, n: int, alternative: str = "two-sided", significance: float = 0.05, method: str = "normal"
    ) -> float:
        """Return the probability that the test of equality rejects.

        With d the difference, s₁² and s₂² the variances of one response's contribution as assumed, s₁₀² and s₂₀² those
        at the common prevalence that the reports then point to (the mean of the two, weighted by f/s² and (1−f)/s²),
        it is Φ((|d|√n − z·√(s₁₀²/f + s₂₀²/(1−f)))/√(s₁²/f + s₂²/(1−f))), and for two sides the other side's more.

        Parameters
        ----------
        n : int
            The number of responses in both arms together.
        alternative : str, optional
            ``"two-sided"``, ``"greater"`` or ``"less"``, as of `Difference.equality_test`.
        significance : float, optional
            The probability of a false alarm that the test may have.
        method : str, optional
            ``"normal"``, or ``"exact"``: of the exact test, by adding up the probabilities of all pairs of counts that
            it rejects; for designs in which each report depends on one prevalence only and up to 250,000 pairs.

        Raises
        ------
        ValueError
            Naming the argument that makes no plan.
        """
        significance = share_inside(significance, "significance")
        require_alternative(alternative)
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        if method == "normal":
            return self._normal_test(alternative, significance).power(responses(n))
        counts = self.divide(n)
        if (counts[0] + 1) * (counts[1] + 1) > LARGEST_TABLES:
            raise ValueError(f"n must leave at most {LARGEST_TABLES} pairs of counts for the exact method, got {n!r}")
        arms = tuple(arm_of(design, size, self.option) for design, size in zip(self.designs, counts, strict=True))
        first, second = (arm.chances(np.array([share]))[0] for arm, share in zip(arms, self._shares(), strict=True))
        return float(first @ rejection_region((arms[0], arms[1]), alternative, significance) @ second)

    def sample_size(
        self,
        *,
        power: float | None = None,
        half_width: float | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        significance: float = 0.05,
        method: str = "normal",
    ) -> int:
        """Return the smallest number of responses in both arms together that gives a power or a margin of error.

        Parameters
        ----------
        power, half_width : float
            What is wanted; exactly one of the two.
        confidence_level : float, optional
            Of the planned interval.
        alternative, significance, method
            As for `power`. The exact test's power is jagged in n: it is one that is enough and follows one that is not.

        Raises
        ------
        ValueError
            If not exactly one is wanted, or no n within reach gives it.
        """
        if (half_width is None) == (power is None):
            raise ValueError("exactly one of half_width and power must be given")
        if half_width is not None:
            scatter = self._scatter(*self._deviations())
            if scatter < SAME:
                raise ValueError(
                    "prevalences must not make all reports the same: no half-width can be planned from them"
                )
            return for_half_width(half_width, normal_quantile(confidence_level) * scatter)
        target = share_inside(power, "power")
        if method == "normal":
            return self._normal_test(alternative, share_inside(significance, "significance")).sample_size(target)
        largest = self._largest_exact()
        size = smallest_size(
            lambda n: n > 1 and self.power(min(n, largest), alternative, significance, method) >= target, 2 * largest
        )
        if size is None:
            raise ValueError(
                f"prevalences are too close for the exact method, which goes up to {largest} responses here"
            )
        return size

    def _largest_exact(self) -> int:
        """Return an n up to which the exact method looks at all pairs of counts, (fn + 3/2)((1−f)n + 3/2) at most."""
        product = self.first_share * (1 - self.first_share)
        return math.floor((math.sqrt(9 / 4 + 4 * product * (LARGEST_TABLES - 9 / 4)) - 3 / 2) / (2 * product))

    def _normal_test(self, alternative: str, significance: float) -> NormalTest:
        require_alternative(alternative)
        first, second = (
            share / max(deviation(design, self._common(self.first_share), self.option), SAME) ** 2
            for share, design in zip((self.first_share, 1 - self.first_share), self.designs, strict=True)
        )
        common = self._common(first / (first + second))
        under_null = tuple(deviation(design, common, self.option) for design in self.designs)
        departure = {"two-sided": abs(self.difference), "greater": self.difference, "less": -self.difference}
        two_sided = alternative == "two-sided"
        return NormalTest(
            departure[alternative],
            self._scatter(*under_null),
            self._scatter(*self._deviations()),
            significance / 2 if two_sided else significance,
            two_sided,
        )

    def _common(self, part: float) -> Prevalence:
        """Return the mean of the two prevalences, or distributions, with this weight of the first."""
        first, second = (np.asarray(prevalence, dtype=np.float64) for prevalence in self.prevalences)
        mixed: Floats = part * first + (1 - part) * second
        return mixed if mixed.ndim else float(mixed)

    def _scatter(self, first: float, second: float) -> float:
        """Return √n times the standard error of the difference, from the arms' deviations."""
        return math.hypot(first / math.sqrt(self.first_share), second / math.sqrt(1 - self.first_share))

    def _deviations(self) -> tuple[float, float]:
        first, second = (
            deviation(design, prevalence, self.option)
            for design, prevalence in zip(self.designs, self.prevalences, strict=True)
        )
        return first, second

    def _shares(self) -> tuple[float, float]:
        first, second = (
            share_of(design, prevalence, self.option)
            for design, prevalence in zip(self.designs, self.prevalences, strict=True)
        )
        return first, second


def plan_arms(
    first: Design,
    second: Design,
    prevalence: Prevalence,
    other_prevalence: Prevalence,
    *,
    option: int = 1,
    first_share: float = 0.5,
) -> ArmsPlan:
    """Return the plan of a comparison of two arms.

    Parameters
    ----------
    first, second : Design
        The arms' designs, for the same true answers; ``direct(k)`` asks without protection.
    prevalence, other_prevalence : float or sequence of k floats
        The share assumed in the first and in the second arm: equal, or different where one arm is expected to hide
        more. Shares of all options are needed only where reports depend on all; then for both arms.
    option : int, optional
        The option's code.
    first_share : float, optional
        The share of all responses that are in the first arm.

    Returns
    -------
    ArmsPlan
        With `half_width`, `power`, `sample_size`, and `best_share`, the first arm's share that is most precise.

    Raises
    ------
    ValueError
        Naming the argument that makes no plan.

    Examples
    --------
    >>> from surveys.estimation import plan_arms
    >>> from surveys.privacy import crosswise, direct
    >>> plan = plan_arms(crosswise("1/4"), direct(), 0.22, 0.07)
    >>> round(plan.power(400), 2)
    0.6
    """
    if require_design(first, "first").k != require_design(second, "second").k:
        raise ValueError(f"first and second must be for the same truths, got {first.k} and {second.k}")
    if (as_list(prevalence) is None) != (as_list(other_prevalence) is None):
        raise ValueError("prevalence and other_prevalence must both be one share, or both the shares of all options")
    plan = ArmsPlan((first, second), (prevalence, other_prevalence), option, share_inside(first_share, "first_share"))
    for design, assumed, name in ((first, prevalence, "prevalence"), (second, other_prevalence, "other_prevalence")):
        try:
            deviation(design, assumed, option)
        except ValueError as error:
            raise ValueError(str(error).replace("prevalence", name, 1)) from error
    return plan
