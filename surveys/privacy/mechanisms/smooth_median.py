"""The median with Cauchy noise of its smooth sensitivity: little where the data would need many changes to move it.

Beside it stands how little: by the noise's scale for all data nothing would follow from any median.

The smooth sensitivity is S(x) = max_j e^(−βj)·A_j(x), A_j the local sensitivity at distance j: A_j(x) ≤ A_(j+1)(y) for
neighbours, so S(x) ≤ e^β·S(y). It is kept as an exact width times e^(−β·distance), and the noise is rounded exactly,
so that nothing is lost by computing it.

*The noisy median costs α + β, without any δ.* The density of the noise of scale s = S/α at z is s/(π(s² + z²)). The
medians of neighbours are at most S(x) apart, α in units of s, and ln(1 + z²) changes by at most α over such a shift, as
its derivative 2z/(1 + z²) is within ±1. The scales differ by a factor e^λ with |λ| ≤ β; the derivative of
ln(s/(s² + z²)) by ln s, 1 − 2s²/(s² + z²), is within ±1 too, so this costs at most β. Rounding to a public grid and
keeping to its ends cost nothing. (The textbook takes β = ε/6 and the scale 6·S/ε, where α + β = ε allow for β = ε/2
and 2·S/ε.)

*How much noise that was costs ε₂ more,* so that ε = α + β + ε₂. Let W be the difference of the outer values. The ln of
S differs by at most β between neighbours, so −ln(S/W)/β differs by at most 1, and so does the integer
D = ⌊−ln(S/W)/β⌋: from a ≤ b ≤ a + 1 follows ⌊a⌋ ≤ ⌊b⌋ ≤ ⌊a⌋ + 1. D is in reports: the distance of the decisive
jump, narrower jumps counted as that much farther away. It is published with discrete Laplace noise of scale 1/ε₂, drawn
for itself, and kept between 0 and n, where D is. With it W·e^(−β(D − t)) is above S but for the risk that the noise
exceeds t, and the quantile of the Cauchy noise of that scale is how far the median is off but for a like risk.

References
----------
Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity and sampling in private data analysis.
"""

import math
import secrets
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.designs.design import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.cauchy import CauchyNoise
from surveys.privacy.mechanisms.directed import log_exceeds
from surveys.privacy.mechanisms.instability import Jump, OrderedAnswers, require_replace_one
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.mechanisms.median_grid import MedianGrid, ReleasedMedian
from surveys.privacy.rationals import positive, whole_number

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothMedian(CentralMechanism[ReleasedMedian]):
    """The debiased median with as much noise as the data at hand need, and how much that was.

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
        The share β/ε that pays for the noise having a scale that depends on the data; above 0.
    telling : Fraction
        The share ε₂/ε that pays for publishing that scale; above 0, and below 1 together with `smoothing`.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, SmoothMedian, direct
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = SmoothMedian(
    ...     epsilon=4, relation=relation, values=(0, 1, 2, 3), design=direct(4), step="1/100"
    ... )
    >>> 0 <= mechanism.release([100, 400, 300, 200]).value <= 3
    True
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    values: tuple[Fraction, ...]
    design: Design
    step: Fraction
    smoothing: Fraction = Fraction(1, 4)
    telling: Fraction = Fraction(1, 4)
    answers: OrderedAnswers = field(init=False, repr=False, compare=False)
    """What knows the median of counts, and how stable it is."""

    def __post_init__(self) -> None:
        require_replace_one(self.relation)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "answers", OrderedAnswers(values=self.values, design=self.design))
        object.__setattr__(self, "values", self.answers.values)
        object.__setattr__(self, "step", MedianGrid(self.values, self.step).step)
        for share in ("smoothing", "telling"):
            object.__setattr__(self, share, positive(getattr(self, share), share))
        if not self.smoothing + self.telling < 1:
            raise ValueError(
                f"smoothing and telling must come to less than 1, got {self.smoothing} and {self.telling}: what is "
                "left pays for the noise"
            )

    @property
    def grid(self) -> MedianGrid:
        """Where what is published lies."""
        return MedianGrid(self.values, self.step)

    @property
    def alpha(self) -> Fraction:
        """What of epsilon pays for the noise."""
        return self.epsilon * (1 - self.smoothing - self.telling)

    @property
    def beta(self) -> Fraction:
        """What of epsilon pays for the scale."""
        return self.epsilon * self.smoothing

    @property
    def of_distance(self) -> DiscreteLaplace:
        """The noise on the distance, which the rest of epsilon pays."""
        return DiscreteLaplace(self.epsilon * self.telling, 1)

    @property
    def loss(self) -> PrivacyLoss:
        """What one median costs, its distance included."""
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

    def distance(self, counts: Sequence[int]) -> int:
        """Return D, exactly: the largest integer with width·e^(−β·D) at least the smooth sensitivity."""
        jump, widest = self.decisive_jump(counts), self.answers.jumps(counts)[-1]
        narrower = range(1, widest.distance - jump.distance + 1)
        return jump.distance + bisect_left(
            narrower, 1, key=lambda reports: not log_exceeds(self.answers.width / jump.width, self.beta * reports)
        )

    def noise(self, counts: Sequence[int]) -> CauchyNoise:
        """Return the noise for these counts, in steps of the grid."""
        jump = self.decisive_jump(counts)
        return self._noise(jump.width, self.beta * jump.distance)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> ReleasedMedian:
        """Draw the noisy median and the noisy distance, exactly."""
        noise, centre, grid = self.noise(counts), self._centre(counts), self.grid
        value = grid.number(noise.draw_nearest(centre, grid.last, randbelow))
        distance = self.distance(counts) + self.of_distance.sample(randbelow)
        return ReleasedMedian(value, max(0, min(distance, sum(counts))))

    def probability(self, output: ReleasedMedian, counts: Sequence[int]) -> float:
        """Return the probability with which these counts lead to this output: two independent draws, either rounded."""
        noise, centre = self.noise(counts), self._centre(counts)
        position = self.grid.position(output.value) if isinstance(output, ReleasedMedian) else None
        if position is None or output.distance is None:
            return 0.0
        of_distance = self.of_distance.probability_of_kept(output.distance, self.distance(counts), sum(counts))
        return of_distance and of_distance * noise.probability_of_nearest(position, centre, self.grid.last)

    def stated_bound(self, distance: int, confidence_level: float) -> float:
        """Return how far from the median of the reports a value is that was published with this distance.

        Half of the risk is that the distance was drawn too large by more than t, half that the noise is beyond its
        quantile at the scale that follows if not. In the unit of the values, and never more than the width.
        """
        least = max(0, distance - self.of_distance.error_bound(confidence_level))
        steps = self._noise(self.answers.width, self.beta * least).error_bound((1 + confidence_level) / 2)
        width = self.answers.width
        return float_not_below(min(width, (Fraction(steps) + _HALF) * self.step) if math.isfinite(steps) else width)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return what `stated_bound` will be: at most, and for the most favourable data, with this confidence as well.

        At most, the distance is 0 and the smooth sensitivity the whole width. The distance is largest where all reports
        are the same answer.
        """
        n, m = whole_number(n, "n", 1), self.design.m
        farthest = max(self.distance([n * (code == answer) for code in range(m)]) for answer in range(m))
        drawn = farthest - self.of_distance.error_bound(confidence_level)
        return ErrorBound(
            self.stated_bound(0, confidence_level), confidence_level, self.stated_bound(drawn, confidence_level)
        )

    def _centre(self, counts: Sequence[int]) -> Fraction:
        return self.grid.place(self.values[self.answers.median_code(counts)])

    def _noise(self, width: Fraction, exponent: Fraction) -> CauchyNoise:
        """Return the noise for a smooth sensitivity of width·e^(−exponent), in steps of the grid."""
        return CauchyNoise(width / self.alpha / self.step, exponent)
