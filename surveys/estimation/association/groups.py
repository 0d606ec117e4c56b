"""Whether groups differ: one test of all groups at once, and the differences of all pairs.

References
----------
Holm (1979), A simple sequentially rejective multiple test procedure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from surveys.estimation.association.difference import Difference, difference_of
from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import Counts, Floats, as_list, read_only, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

_SEED = 1979
_SAME = 1e-9
"""Statistics that differ by less are the same but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two of the groups, and their difference's p-value adjusted for looking at all pairs.

    Attributes
    ----------
    i, j : int
        The groups' numbers.
    difference : Difference
        Group i less group j.
    adjusted_p_value : float
        NaN where the pair has no p-value.
    """

    i: int
    j: int
    difference: Difference
    adjusted_p_value: float


@dataclass(frozen=True, slots=True, eq=False)
class GroupComparison:
    """Several groups that answered the same question.

    Attributes
    ----------
    estimates : tuple of PrevalenceEstimate
        One a group.
    common : array of k floats
        The prevalences, the same in all groups, under which all counts are most likely.
    statistic : float
        Of the likelihood-ratio test of equal prevalences: twice the log-likelihood lost by making them equal.
    degrees_of_freedom : int
        (groups − 1)·(k − 1).
    p_value : float
        By the χ² distribution. Where prevalences are 0 or 1 the statistic tends to be smaller, so that the test
        rejects more rarely than it says.
    """

    estimates: tuple[PrevalenceEstimate, ...]
    common: Floats
    statistic: float
    degrees_of_freedom: int
    p_value: float

    def bootstrap_p_value(self, replicates: int = 999) -> float:
        """Return the test's p-value by drawing reports from the common prevalences, (1 + exceedances)/(1 + replicates).

        It needs no χ² distribution, so that it is nearer to its level in small groups, and where common prevalences are
        0 or 1 (two groups of 60, two fair coins, nobody's truth is Yes: at 5% it rejects 2.5 times of 100, χ² once). Of
        one option of two groups the exact test is exact: `Difference.equality_test`.

        Parameters
        ----------
        replicates : int, optional
            From 1 to 99,999.

        References
        ----------
        Davison & Hinkley (1997), Bootstrap Methods and their Application, section 4.4.
        """
        replicates = whole_number(replicates, "replicates", 1, 99_999)
        # The seed is fixed, so that the same answers always have the same p-value.
        generator = np.random.default_rng(_SEED)  # noqa: TID251 - approximates a probability; nothing is protected by it
        designs = [estimate.design for estimate in self.estimates]
        drawn = [
            generator.multinomial(estimate.n, chances / chances.sum(), size=replicates)
            for estimate in self.estimates
            for chances in [np.array(estimate.design.matrix, dtype=np.float64) @ self.common]
        ]
        exceeded = sum(
            compare_groups(list(counts), designs).statistic >= self.statistic - _SAME
            for counts in zip(*drawn, strict=True)
        )
        return (1 + exceeded) / (1 + replicates)

    def difference(self, i: int, j: int, option: int = 1) -> Difference:
        """Return how much more frequent an option is in group i than in group j."""
        last = len(self.estimates) - 1
        first, second = (self.estimates[whole_number(group, name, 0, last)] for name, group in (("i", i), ("j", j)))
        return difference_of(first, second, option)

    def pairs(self, option: int = 1, adjustment: str = "holm") -> tuple[Pair, ...]:
        """Return the differences of all pairs of groups, with p-values adjusted for their number.

        Parameters
        ----------
        option : int, optional
            The answer's code.
        adjustment : str, optional
            ``"holm"``, ``"bonferroni"`` or ``"none"``.
        """
        numbers = list(combinations(range(len(self.estimates)), 2))
        differences = [self.difference(i, j, option) for i, j in numbers]
        adjusted = adjusted_p_values([difference.p_value for difference in differences], adjustment)
        return tuple(
            Pair(i, j, difference, p) for (i, j), difference, p in zip(numbers, differences, adjusted, strict=True)
        )


def compare_groups(counts: Sequence[Counts], design: Design | Sequence[Design]) -> GroupComparison:
    """Compare the prevalences of groups that answered the same question.

    Parameters
    ----------
    counts : sequence of sequences of integers
        How often each report was received, one sequence a group; at least two groups, each with a response.
    design : Design, or sequence of Design
        The groups' design, or one for each; all for the same true answers.

    Returns
    -------
    GroupComparison
        With `p_value`, the test whether the groups differ at all, and `pairs`.

    Raises
    ------
    ValueError
        If there are fewer than two groups, a group's counts are not those of its design, or the designs differ in
        their true answers; naming the group.

    Examples
    --------
    >>> from surveys.estimation import compare_groups
    >>> from surveys.privacy import forced_response
    >>> comparison = compare_groups([[60, 40], [45, 55], [50, 50]], forced_response())
    >>> round(comparison.p_value, 3)
    0.096
    >>> [round(pair.adjusted_p_value, 3) for pair in comparison.pairs()]
    [0.098, 0.31, 0.481]
    """
    groups = len(as_list(counts) or ())
    if not groups >= 2:
        raise ValueError(f"counts must hold at least two groups, got {counts!r}")
    given = as_list(design)
    designs = tuple(map(require_design, [design] * groups if given is None else given))
    if len(designs) != groups or len({one.k for one in designs}) != 1:
        raise ValueError(f"design must be one design, or {groups} with the same truths, one a group")
    estimates = tuple(_named(group, *one) for group, one in enumerate(zip(counts, designs, strict=True)))
    common = common_prevalences(estimates)
    # Equal prevalences are among the unequal ones: only rounding makes a loss negative.
    lost = sum(
        log_likelihood(estimate, estimate.constrained) - log_likelihood(estimate, common) for estimate in estimates
    )
    statistic = max(0.0, 2 * lost)
    freedom = (groups - 1) * (designs[0].k - 1)
    return GroupComparison(estimates, common, statistic, freedom, chi_square_p_value(statistic, freedom))


def _named(group: int, counts: Counts, design: Design) -> PrevalenceEstimate:
    """Estimate a group's prevalences, or refuse them saying which group's they are."""
    try:
        return estimate_prevalence(counts, design)
    except ValueError as error:
        raise ValueError(f"group {group}: {error}") from error


def common_prevalences(estimates: Sequence[PrevalenceEstimate]) -> Floats:
    """Return the prevalences, the same in all groups, under which all their reports are most likely.

    The groups' reports are so many more reports of one design, whose matrix is theirs below each other.
    """
    counts = np.concatenate([estimate.counts for estimate in estimates])
    matrix = np.vstack([np.array(estimate.design.matrix, dtype=np.float64) for estimate in estimates])
    return read_only(simplex_maximum(counts / counts.sum(), matrix))


def log_likelihood(estimate: PrevalenceEstimate, prevalences: Floats) -> float:
    """Return the log-likelihood of a group's counts under these prevalences."""
    reported = np.array(estimate.design.matrix, dtype=np.float64) @ prevalences
    return float(scipy.special.xlogy(estimate.counts, reported).sum())


def adjusted_p_values(p_values: Sequence[float], adjustment: str) -> list[float]:
    """Return p-values that may be held against the level wanted for all of them together.

    Bonferroni multiplies each by their number; Holm the smallest by their number, the next by one less, and so on, but
    never falling: as safe, and never larger. A NaN stays, and counts as one of them.
    """
    number = len(p_values)
    if adjustment == "none":
        return list(p_values)
    if adjustment == "bonferroni":
        return [p if math.isnan(p) else min(1.0, number * p) for p in p_values]
    if adjustment != "holm":
        raise ValueError(f"adjustment must be holm, bonferroni or none, got {adjustment!r}")
    adjusted, largest = list(p_values), 0.0
    known = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    for place, (p, index) in enumerate(known):
        largest = max(largest, min(1.0, (number - place) * p))
        adjusted[index] = largest
    return adjusted
