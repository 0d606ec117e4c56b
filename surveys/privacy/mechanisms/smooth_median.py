"""The median with Cauchy noise of its smooth sensitivity: little where the data would need many changes to move it.

The smooth sensitivity is S(x) = max_j e^(−βj)·A_j(x), A_j the local sensitivity at distance j: A_j(x) ≤ A_(j+1)(y) for
neighbours, so S(x) ≤ e^β·S(y). It is kept as an exact width times e^(−β·distance), and the noise is rounded exactly,
so that nothing is lost by computing it.

*It costs ε = α + β, without any δ.* The density of the noise of scale s = S/α at z is s/(π(s² + z²)). The medians of
neighbours are at most S(x) apart, α in units of s, and ln(1 + z²) changes by at most α over such a shift, as its
derivative 2z/(1 + z²) is within ±1. The scales differ by a factor e^λ with |λ| ≤ β; the derivative of
ln(s/(s² + z²)) by ln s, 1 − 2s²/(s² + z²), is within ±1 too, so this costs at most β. Rounding to a public grid and
keeping to its ends cost nothing. (The textbook takes β = ε/6 and the scale 6·S/ε: three times as wide and more.)

References
----------
Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity and sampling in private data analysis.
"""

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import not_below
from surveys.privacy.designs.design import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.cauchy import CauchyNoise
from surveys.privacy.mechanisms.directed import log_exceeds
from surveys.privacy.mechanisms.instability import Jump, OrderedAnswers, require_replace_one
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.mechanisms.median_grid import Grid
from surveys.privacy.rationals import exact, positive, whole_number


@dataclass(frozen=True, slots=True)
class ReleasedMedian:
    """What was published: a number between the smallest and the largest value, or None where it was refused."""

    value: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothMedian(CentralMechanism[ReleasedMedian]):
    """The debiased median with as much noise as the data at hand need.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        REPLACE_ONE only.
    values, design
        See `OrderedAnswers`.
    step : Fraction
        Of the public grid that the noisy median is rounded to, for instance a hundredth of the smallest difference of
        two values.
    smoothing : Fraction
        The share β/ε that pays for the noise having a scale that depends on the data; strictly between 0 and 1.
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    values: tuple[Fraction, ...]
    design: Design
    step: Fraction
    smoothing: Fraction = Fraction(1, 2)
    answers: OrderedAnswers = field(init=False, repr=False, compare=False)
    """What knows the median of counts, and how stable it is."""

    def __post_init__(self) -> None:
        require_replace_one(self.relation)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "answers", OrderedAnswers(values=self.values, design=self.design))
        object.__setattr__(self, "values", self.answers.values)
        object.__setattr__(self, "step", Grid(self.values, self.step).step)
        object.__setattr__(self, "smoothing", exact(self.smoothing, "smoothing"))
        if not 0 < self.smoothing < 1:
            raise ValueError(f"smoothing must be between 0 and 1, got {self.smoothing}")

    @property
    def grid(self) -> Grid:
        """Where what is published lies."""
        return Grid(self.values, self.step)

    @property
    def beta(self) -> Fraction:
        """What of epsilon pays for the scale."""
        return self.epsilon * self.smoothing

    @property
    def loss(self) -> PrivacyLoss:
        """What one median costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the median, over all data: that the noise usually has a smaller scale is what this mechanism is for."""
        return Sensitivity(self.answers.width, Norm.ABSOLUTE, self.relation)

    def decisive_jump(self, counts: Sequence[int]) -> Jump:
        """Return the jump, w wide and at distance d, for which the smooth sensitivity w·e^(−β·d) is attained."""
        best, *others = self.answers.jumps(counts)
        for jump in others:
            if log_exceeds(jump.width / best.width, self.beta * (jump.distance - best.distance)):
                best = jump
        return best

    def noise(self, counts: Sequence[int]) -> CauchyNoise:
        """Return the noise for these counts, in steps of the grid."""
        jump = self.decisive_jump(counts)
        return CauchyNoise(jump.width / (self.epsilon - self.beta) / self.step, self.beta * jump.distance)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> ReleasedMedian:
        """Draw the noisy median, exactly."""
        noise, centre, grid = self.noise(counts), self._centre(counts), self.grid
        return ReleasedMedian(grid.number(noise.draw_nearest(centre, grid.last, randbelow)))

    def probability(self, output: ReleasedMedian, counts: Sequence[int]) -> float:
        """Return the probability with which these counts lead to this output: the mass of its cell of the grid."""
        noise, centre = self.noise(counts), self._centre(counts)
        position = self.grid.position(output.value) if isinstance(output, ReleasedMedian) else None
        return 0.0 if position is None else noise.probability_of_nearest(position, centre, self.grid.last)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far from the median of the reports the result is, in the unit of the values.

        At most, the smooth sensitivity is the whole width. At best it is the smallest that n reports can have, which
        it is where they are all the same answer. The error is never more than the width.
        """
        n, m = whole_number(n, "n", 1), self.design.m
        alike = [self.noise([n * (code == answer) for code in range(m)]) for answer in range(m)]
        widest = CauchyNoise(self.answers.width / (self.epsilon - self.beta) / self.step, Fraction(0))
        return ErrorBound(
            self._error(widest.error_bound(confidence_level)),
            confidence_level,
            min(self._error(noise.error_bound(confidence_level)) for noise in alike),
        )

    def _centre(self, counts: Sequence[int]) -> Fraction:
        return self.grid.place(self.values[self.answers.median_code(counts)])

    def _error(self, steps: float) -> float:
        """Return so many steps, and the rounding to the grid, in the unit of the values."""
        width = self.answers.width
        return not_below(min(width, (Fraction(steps) + Fraction(1, 2)) * self.step) if math.isfinite(steps) else width)
