"""What is known of a release before anything is drawn: its mechanism, its cost, its expected error."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation import expected_half_width
from surveys.models import Mechanism
from surveys.models.definition import Item
from surveys.privacy.accounting import local_then_central
from surveys.privacy.adjacency import NeighbouringRelation, count_sensitivity, histogram_sensitivity
from surveys.privacy.mechanisms import DiscreteLaplace, ExponentialMechanism
from surveys.privacy.mechanisms.most_common import SENSITIVITY

CONFIDENCE_LEVEL = 0.95
RELATION = NeighbouringRelation.REPLACE_ONE
"""The number of answers is shown, so neighbours replace one answer: docs/decisions/0004-neighbouring-relation.md."""


def rounded_up(value: float, digits: int) -> float:
    """Round to so many significant digits, upwards: what is promised at most must not be printed as less."""
    if not value > 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    # Two more digits first, so that 0.1 in binary does not become the next unit.
    return float(f"{math.ceil(round(value / unit, 2)) * unit:.{digits}g}")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off a release may be, with `CONFIDENCE_LEVEL`; the chance in the reports themselves comes on top.

    Attributes
    ----------
    answers : float
        For a histogram, how much noise any of the counts has at most. For the most common answer, by how many
        people the chosen answer's estimated count falls short of the largest at most.
    points : float
        The same in percentage points of the estimated shares of true answers.
    """

    answers: float
    points: float

    @property
    def says_nothing(self) -> bool:
        """Whether the mechanism alone can turn any share into any other."""
        return self.points >= 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of one release: everything but the draw.

    Attributes
    ----------
    item : Item
        The question's channel.
    mechanism : str
        One of `Mechanism`.
    epsilon : Fraction
        The central ε charged, in nats, for the reports.
    n : int
        The answers counted; public.
    """

    item: Item
    mechanism: str
    epsilon: Fraction
    n: int

    @property
    def is_one_count(self) -> bool:
        """Whether a histogram is one count and the rest of n: n is public, so two answers need no second draw."""
        return self.is_histogram and self.item.design.m == 2

    @property
    def sensitivity(self) -> int:
        """Of the count, of the histogram in L1, or of each utility, when one answer is replaced by another."""
        if not self.is_histogram:
            return SENSITIVITY
        return count_sensitivity(RELATION) if self.is_one_count else histogram_sensitivity(RELATION)

    @property
    def is_histogram(self) -> bool:
        """Whether noisy counts are released, not one answer."""
        return self.mechanism == Mechanism.LAPLACE_HISTOGRAM

    @property
    def laplace(self) -> DiscreteLaplace:
        """The noise of a histogram."""
        return DiscreteLaplace(self.epsilon, self.sensitivity)

    @property
    def exponential(self) -> ExponentialMechanism:
        """The choice of the most common answer."""
        return ExponentialMechanism(self.epsilon, self.sensitivity)

    @property
    def accuracy(self) -> Accuracy:
        """What the mechanism alone may change, from public numbers only."""
        inverse = self.item.design.inverse
        if self.is_histogram:
            bound = self.laplace.error_bound(CONFIDENCE_LEVEL, 1 if self.is_one_count else self.item.design.m)
            # Counts that are each off by at most t move P⁻¹·counts by at most t times a row's absolute sum.
            gain = max(sum(abs(entry) for entry in row) for row in inverse)
            return Accuracy(bound, float(100 * gain * bound / self.n))
        # The utilities are estimated counts divided by this, so that one answer moves them by at most 1.
        scale = max(max(row) - min(row) for row in inverse)
        shortfall = float(scale) * self.exponential.error_bound(self.item.design.k, CONFIDENCE_LEVEL)
        return Accuracy(shortfall, 100 * shortfall / self.n)

    @property
    def points_from_reports(self) -> float:
        """How far off chance in the reports makes a share near one half, at the same level, in percentage points."""
        return 100 * max(
            expected_half_width(
                n=self.n, design=self.item.design, prevalence=0.5, confidence_level=CONFIDENCE_LEVEL, option=option
            )
            for option in range(self.item.design.k)
        )

    @property
    def local_epsilon(self) -> float:
        """What one report tells about its truth."""
        return self.item.design.epsilon

    @property
    def report_proves(self) -> bool:
        """Whether a report can prove an answer, so that the release's own ε is the only bound."""
        return self.local_epsilon == math.inf

    @property
    def truth_epsilon(self) -> float:
        """What the release tells about one respondent's truth; it reaches the truth only through the report."""
        return self.truth_epsilon_together_with(Fraction(0))

    def truth_epsilon_together_with(self, earlier: Fraction) -> float:
        """Return the same for this release and earlier ones of the question, whose central ε come to `earlier`."""
        return local_then_central(self.local_epsilon, self.epsilon + earlier)

    @property
    def truth_odds(self) -> float:
        """By which factor the release changes the odds between two true answers of one respondent at most."""
        return math.exp(self.truth_epsilon)
