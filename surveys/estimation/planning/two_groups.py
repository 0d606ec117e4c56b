"""A plan for two groups that are given different chances."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.rationals import probability


@dataclass(frozen=True, slots=True)
class UnrelatedUnknownPlan:
    """The unrelated question whose Yes-rate nobody knows: two groups estimate it together with the prevalence.

    Parameters
    ----------
    p1, p2 : exact probabilities
        That a respondent of the first and of the second group gets the sensitive question; not equal.
    innocuous : exact probability
        The Yes-rate of the other question that the plan assumes; the analysis will not know it.
    first_share : exact probability, optional
        The share of all respondents who are in the first group, strictly between 0 and 1.

    References
    ----------
    Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.
    """

    p1: Fraction
    p2: Fraction
    innocuous: Fraction
    first_share: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        for name in ("p1", "p2", "innocuous", "first_share"):
            object.__setattr__(self, name, probability(getattr(self, name), name))
        if self.p1 == self.p2:
            raise ValueError(f"p1 and p2 must differ, or the groups tell nothing about each other, got {self.p1} twice")
        if not 0 < self.first_share < 1:
            raise ValueError(f"first_share must be strictly between 0 and 1, got {self.first_share}")

    @property
    def k(self) -> int:
        """The number of possible true answers."""
        return 2

    def deviation(self, prevalence: float) -> float:
        """Return √n times the standard error of the estimated prevalence.

        That is the root of [(1−p2)²V1 + (1−p1)²V2]/(p1−p2)², with Vg = λg(1−λg) over the group's share.
        """
        first, second = (p * prevalence + (1 - p) * float(self.innocuous) for p in (float(self.p1), float(self.p2)))
        weighted = (1 - self.p2) ** 2 / self.first_share * first * (1 - first)
        weighted += (1 - self.p1) ** 2 / (1 - self.first_share) * second * (1 - second)
        return math.sqrt(weighted) / abs(float(self.p1 - self.p2))
