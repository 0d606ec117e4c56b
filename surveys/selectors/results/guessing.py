"""The best that anybody can do who guesses a true answer from reports."""

from dataclasses import dataclass
from fractions import Fraction

from surveys.models.definition import Item
from surveys.privacy.accounting import ErrorRegion, best_advantage, error_region


@dataclass(frozen=True, slots=True)
class Guesser:
    """Tests whether the true answer is `option` when it may as well be `other`.

    Of all the other answers it is the one that the reports tell apart best.
    """

    item: Item
    option: int
    other: int
    region: ErrorRegion
    total_epsilon: float  # of all reports of one response

    @property
    def own_test(self) -> tuple[Fraction, Fraction]:
        """FPR and FNR of the test that believes the report, where the answer has a report of its own."""
        row = self.item.design.matrix[self.option]
        return row[self.other], 1 - row[self.option]

    @property
    def right(self) -> Fraction:
        """How often the best test of this report is right, if half the people have either answer."""
        return (1 + self.region.best_advantage) / 2

    @property
    def right_at_most(self) -> float:
        """How often any test of any report with this ε is."""
        return (1 + best_advantage(self.item.design.epsilon)) / 2

    @property
    def right_at_most_in_all(self) -> float:
        """How often any test of all reports of one response is, whichever two sets of answers it is to tell apart."""
        return (1 + best_advantage(self.total_epsilon)) / 2


def guesser(item: Item, option: int, total_epsilon: float) -> Guesser:
    """Return the tests whether the true answer is this one or the one that is easiest to tell from it."""
    regions = {other: error_region(item.design, option, other) for other in range(item.design.k) if other != option}
    other = max(regions, key=lambda code: regions[code].best_advantage)
    return Guesser(item, option, other, regions[other], total_epsilon)


def region_of(right: float) -> tuple[tuple[float, float], ...]:
    """Return the corners of all (FPR, FNR) at least as good as guessing blindly that a bound allows.

    The bound says how often a test can be right; under ε that is e^ε/(1 + e^ε).
    """
    corner = 1 - right
    return (0.0, 1.0), (corner, corner), (1.0, 0.0)
