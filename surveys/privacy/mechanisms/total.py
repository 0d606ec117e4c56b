"""The bounded sum: exact values on a grid, and discrete Laplace noise in its steps.

With v_j what a report of code j counts for and n_j how often it came, the statistic is Σ_j v_j·n_j. Where the reports
are randomized and v_j debiases them, that is an unbiased estimate of the total of the true numbers.

Sensitivity
-----------
REPLACE_ONE: one n_j falls by 1 and one n_j' rises by 1, so the sum moves by v_j' − v_j, at most max v − min v.
ADD_OR_REMOVE_ONE: it moves by ±v_j, at most max |v|. Both are attained by the extreme codes; for undisguised numbers
in [L, U] they are U − L and max(|L|, |U|). In steps of the grid the sum is an integer, and so is its sensitivity Δ:
discrete Laplace noise of scale Δ/ε in steps makes it ε-private (Ghosh, Roughgarden & Sundararajan 2012).
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.grid import Grid, code_counts, exact_values, grid_for
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.rationals import positive


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedTotal(CentralMechanism[Fraction]):
    """The total of a number, exact on the grid.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        With REPLACE_ONE the number of responses is public.
    values : sequence of m exact numbers
        What a report of each code counts for.

    Examples
    --------
    >>> from surveys.privacy import BoundedTotal, NeighbouringRelation
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = BoundedTotal(epsilon=1, relation=relation, values=(0, 1, 2))
    >>> str(mechanism.sensitivity.value)
    '2'
    >>> mechanism.release([30, 50, 20]).denominator
    1
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    values: tuple[Fraction, ...]
    grid: Grid = field(init=False, repr=False, compare=False)
    noise: DiscreteLaplace = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "values", exact_values(self.values))
        grid, largest = grid_for(self.values, self.relation)
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "noise", DiscreteLaplace(self.epsilon, largest))

    @property
    def loss(self) -> PrivacyLoss:
        """What one total costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the total, in its own unit."""
        return Sensitivity(self.grid.unit * self.noise.sensitivity, Norm.ABSOLUTE, self.relation)

    @property
    def largest(self) -> Fraction:
        """The most that one response can count for, whatever its sign."""
        return max(map(abs, self.values))

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> Fraction:
        """Return the total with noise; it may lie beyond what any responses can sum to."""
        received = code_counts(counts, len(self.values))
        return self.grid.value(self.grid.sum_of(received) + self.noise.sample(randbelow), sum(received))

    def probability(self, output: Fraction, counts: Sequence[int]) -> float:
        """Return the probability of this total: 0 between two steps of the grid."""
        received = code_counts(counts, len(self.values))
        steps = self.grid.steps_of(output, sum(received))
        return 0.0 if steps is None else self.noise.probability(steps - self.grid.sum_of(received))

    def error_within(self, confidence_level: float) -> Fraction:
        """Return the smallest distance within which the noise keeps the total with this confidence."""
        return self.grid.unit * self.noise.error_bound(confidence_level)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far the noise takes the total, in the number's unit: the same for every n."""
        return ErrorBound(float_not_below(self.error_within(confidence_level)), confidence_level)
