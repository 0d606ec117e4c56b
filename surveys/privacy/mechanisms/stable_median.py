"""Propose-test-release for the median: noise for a proposed bound on its local sensitivity, where the data keep to it.

*It costs (ε, δ).* Half of ε pays the test of the stability γ, the number of reports that must be replaced before the
local sensitivity exceeds the bound b; it differs by at most 1 between neighbours. Let x and y be neighbours, S an
event. If γ(x) ≥ 1, their medians are at most b apart, so the other half of ε pays the noise, and Pr(S | x) ≤ e^ε·
Pr(S | y). If γ(x) = 0, the test passes with a probability of at most δ, and Pr(S | x) ≤ Pr(S, failed | x) + δ ≤
e^(ε/2)·Pr(S | y) + δ. The whole of ε is charged when it refuses too: that it would refuse was not known before.

With a bound that no two values keep to (0 says so), the median is published as it is where no neighbour has another.
There is no noise to pay then, and the whole of ε pays the test.

References
----------
Dwork & Lei (2009), Differential privacy and robust statistics.
"""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs.design import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.instability import OrderedAnswers, require_replace_one
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.mechanisms.median_grid import MedianGrid, ReleasedMedian
from surveys.privacy.mechanisms.stability import StabilityTest
from surveys.privacy.rationals import exact, positive, whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class StableMedian(CentralMechanism[ReleasedMedian]):
    """The median with little noise, or a refusal.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats; half of it for the test, half for the noise if there is any.
    delta : Fraction
        Above 0 and below 1/2.
    relation : NeighbouringRelation
        REPLACE_ONE only.
    values, design
        See `OrderedAnswers`.
    bound : Fraction
        On the local sensitivity: at least 0, below the largest difference of two values.
    step : Fraction
        Of the public grid that the median is rounded to.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, StableMedian, direct
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = StableMedian(
    ...     epsilon=4, delta="1/1000000", relation=relation, values=(0, 1, 2, 3), design=direct(4),
    ...     bound=0, step="1/100",
    ... )
    >>> released = mechanism.release([100, 400, 300, 200])
    >>> released.value is None or 0 <= released.value <= 3
    True
    """

    epsilon: Fraction
    delta: Fraction
    relation: NeighbouringRelation
    values: tuple[Fraction, ...]
    design: Design
    bound: Fraction
    step: Fraction
    answers: OrderedAnswers = field(init=False, repr=False, compare=False)
    """What knows the median of counts, and how stable it is."""

    def __post_init__(self) -> None:
        require_replace_one(self.relation)
        epsilon = positive(self.epsilon, "epsilon")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", StabilityTest(epsilon, self.delta).delta)
        object.__setattr__(self, "bound", exact(self.bound, "bound"))
        object.__setattr__(self, "answers", OrderedAnswers(values=self.values, design=self.design))
        object.__setattr__(self, "values", self.answers.values)
        object.__setattr__(self, "step", MedianGrid(self.values, self.step).step)
        if not 0 <= self.bound < self.answers.width:
            raise ValueError(
                f"bound must be at least 0 and below {self.answers.width}, the largest difference of two values, where "
                f"nothing would have to be tested, got {self.bound}"
            )

    @property
    def grid(self) -> MedianGrid:
        """Where what is published lies."""
        return MedianGrid(self.values, self.step)

    @property
    def moved(self) -> int:
        """The most steps of the grid between two values whose difference is at most the bound; 0 if there are none."""
        near = [(low, high) for low, high in combinations(self.values, 2) if high - low <= self.bound]
        return max((self.grid.nearest(high) - self.grid.nearest(low) for low, high in near), default=0)

    @property
    def test(self) -> StabilityTest:
        """What decides between a number and a refusal."""
        return StabilityTest(self.epsilon / 2 if self.moved else self.epsilon, self.delta)

    @property
    def noise(self) -> DiscreteLaplace | None:
        """What is added to the position of the median on the grid where the test is passed."""
        return DiscreteLaplace(self.epsilon / 2, self.moved) if self.moved else None

    @property
    def loss(self) -> PrivacyLoss:
        """What one median, or one refusal, costs."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the stability, which decides whether the noise of the bound is enough."""
        return Sensitivity(Fraction(1), Norm.ABSOLUTE, self.relation)

    def stability(self, counts: Sequence[int]) -> int:
        """Return how many reports must be replaced before the local sensitivity of the median exceeds the bound."""
        return self.answers.distance_to_jump(counts, self.bound)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> ReleasedMedian:
        """Draw whether the median is published, and with which noise, exactly."""
        if not self.test.passes(self.stability(counts), randbelow):
            return ReleasedMedian(None)
        noise = self.noise.sample(randbelow) if self.noise else 0
        return ReleasedMedian(self.grid.number(self._position(counts) + noise))

    def probability(self, output: ReleasedMedian, counts: Sequence[int]) -> float:
        """Return the probability with which these counts lead to this output."""
        passed = self.test.probability(self.stability(counts))
        if not isinstance(output, ReleasedMedian):
            return 0.0
        if output.value is None:
            return 1 - passed
        position = self.grid.position(output.value)
        return 0.0 if position is None else passed * self._probability_at(position, self._position(counts))

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far from the median of the reports the result is, in the unit of the values; infinite if refused.

        Nothing can be promised for all data. At best, that is where all reports are the same answer, it is what the
        noise does not exceed with the confidence that the probability of a refusal leaves for it.
        """
        n, m = whole_number(n, "n", 1), self.design.m
        stability = max(self.stability([n * (code == answer) for code in range(m)]) for answer in range(m))
        needed = confidence_level / self.test.probability(stability)
        at_best = math.inf
        if needed < 1:
            steps = self.noise.error_bound(needed) if self.noise else 0
            at_best = float_not_below(min(self.answers.width, (steps + self.grid.rounding) * self.step))
        return ErrorBound(math.inf, confidence_level, at_best)

    def _position(self, counts: Sequence[int]) -> int:
        return self.grid.nearest(self.values[self.answers.median_code(counts)])

    def _probability_at(self, position: int, median: int) -> float:
        """Return the probability that the noise leads from one position to another; all beyond an end becomes it."""
        if self.noise is None:
            return float(position == median)
        return self.noise.probability_of_kept(position, median, self.grid.last)
