"""How far off a release may be, with which confidence."""

from dataclasses import dataclass

CONFIDENCE_LEVEL = 0.95
LEVELS = (0.9, 0.95, 0.99)

POINTS = "points"
"""Percentage points, as a unit of wanted accuracy."""
COEFFICIENT = "coefficient"
"""Half of the first coefficient's expected interval, as a unit of wanted accuracy."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off a part of a release may be; the randomness of the reports themselves comes on top.

    Attributes
    ----------
    confidence_level : float
        How certain it is.
    at_most : float
        The bound in `unit` whatever the data are, rounded up; infinite where nothing can be promised for all of them.
    unit : str
        ``"answers"``: of each count. ``"people"``: by how many people's answers a choice falls short of the best.
        ``"rank"``: how many people a quantile is away. ``"number"``: in the unit of the question. ``"total"``: of a
        sum, in that unit. ``"square"``: in that unit squared. ``"price"``: of revenue. ``"refusal"``: 0 where what
        is published is exactly what the reports say, infinite where it is refused.
    points : float
        The same in percentage points of the estimated shares of people, where that makes sense; else infinite.
    at_best : float
        What the bound is for the most favourable data, where it depends on them; else the same as `at_most`.
    largest_error : float
        In `unit`: what the output could be off by if it had nothing to do with the data.
    """

    confidence_level: float
    at_most: float
    unit: str
    points: float
    at_best: float
    largest_error: float

    @property
    def is_uninformative(self) -> bool:
        """Whether the mechanism alone can turn any result into any other, even with the most favourable data."""
        return self.at_best >= self.largest_error

    @property
    def depends_on_data(self) -> bool:
        """Whether only the worst and the best case are known beforehand."""
        return self.at_best < self.at_most

    def size(self, unit: str) -> float:
        """Return the bound in its own unit, or in ``"points"``."""
        return self.points if unit == POINTS else self.at_most
