"""What every private learner is: a central mechanism that says beforehand how good its model will be.

A learner reads the table of counts of a public domain, with n public: neighbours replace one response, and under no
other relation is any learner's guarantee proved. What it certifies of one run says nothing about the data but what the
output itself says: how close to the minimum the search came and how many responses had clipped gradients are known to
nobody, only what they were bounded by and which patterns were clipped at parameters that are published.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation, require_member
from surveys.privacy.mechanisms.mechanism import CentralMechanism, Output
from surveys.privacy.rationals import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningCertificate:
    """What holds of one run for certain.

    Attributes
    ----------
    gap : Fraction
        How far from the exact minimum the point was, before noise, at most; 0 where no minimum is looked for.
    rounding : Fraction
        How far rounding moved what noise was added to, at most, in the same unit.
    clipped : Fraction
        The share of gradients that were shortened, of all patterns in all steps, whether anybody has them or not.
    """

    gap: Fraction = Fraction(0)
    rounding: Fraction = Fraction(0)
    clipped: Fraction = Fraction(0)


class Learner(CentralMechanism[Output]):
    """A mechanism that learns a model from counts, with its utility."""

    __slots__ = ()

    @property
    @abstractmethod
    def utility(self) -> float:
        """The theorem's bound on what noise costs, in expectation and known before any data are read."""

    @abstractmethod
    def certificate(self, output: Output) -> LearningCertificate:
        """Return what is certain of the run that led to this output."""


def require_replacement(relation: object) -> None:
    """Refuse every relation but the one that learners are proved for."""
    require_member(NeighbouringRelation, relation, "relation")
    if relation is not NeighbouringRelation.REPLACE_ONE:
        raise ValueError("relation must be REPLACE_ONE, as n is public in every learner")


def chance_of_failing(delta: object) -> Fraction:
    """Return a δ from 0 to 1, the latter excluded."""
    number = exact(delta, "delta")
    if not 0 <= number < 1:
        raise ValueError(f"delta must be between 0 and 1, 1 excluded, got {delta!r}")
    return number
