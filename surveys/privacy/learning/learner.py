"""What every private learner is: a central mechanism that says beforehand how good its model will be.

A learner reads the table of counts of a public domain, with n public: neighbours replace one response, and under no
other relation is any learner's guarantee proved. What it certifies of one run says nothing about the data but what the
output itself says: how close to the minimum the search came and how many responses had clipped gradients are known to
nobody, only what they were bounded by and which patterns were clipped at parameters that are published.
"""

import math
import secrets
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation, require_member
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Output, Randbelow, Sensitivity
from surveys.privacy.rationals import exact, positive, whole_number


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner(CentralMechanism[Output]):
    """A mechanism that learns a model from counts, with its utility.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        REPLACE_ONE.
    """

    epsilon: Fraction
    relation: NeighbouringRelation = NeighbouringRelation.REPLACE_ONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        require_member(NeighbouringRelation, self.relation, "relation")
        if self.relation is not NeighbouringRelation.REPLACE_ONE:
            raise ValueError("relation must be REPLACE_ONE, as n is public in every learner")

    @property
    def loss(self) -> PrivacyLoss:
        """What one output costs."""
        return PrivacyLoss(self.epsilon)

    @property
    @abstractmethod
    def utility(self) -> float:
        """The theorem's bound on what noise costs, in expectation and known before any data are read."""

    @abstractmethod
    def certificate(self, output: Output) -> LearningCertificate:
        """Return what is certain of the run that led to this output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyLearner(Learner[Output]):
    """A learner that adds integer noise.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        REPLACE_ONE.
    delta : Fraction
        0 for discrete Laplace noise; above 0, below 1, for discrete Gaussian noise.
    """

    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        Learner.__post_init__(self)
        object.__setattr__(self, "delta", chance_of_failing(self.delta))

    @property
    def loss(self) -> PrivacyLoss:
        """What one output costs."""
        return PrivacyLoss(self.epsilon, self.delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLearner(Learner[int]):
    """The place of one of finitely many public candidates, those of higher scores more likely.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        REPLACE_ONE.
    n : int
        How many responses there are.

    Attributes
    ----------
    largest_change : Fraction
        By how much a replaced response changes any one score at most.
    """

    n: int
    largest_change: Fraction = field(init=False, repr=False, compare=False)

    @property
    @abstractmethod
    def candidates(self) -> int:
        """How many there are."""

    @abstractmethod
    def scores(self, counts: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the exact score of each."""

    @property
    def selection(self) -> ExponentialMechanism:
        """How one is chosen."""
        return ExponentialMechanism(self.epsilon, self.largest_change)

    @property
    def concentrated(self) -> ConcentratedLoss:
        """The same as zero-concentrated privacy, ε²/8."""
        return self.selection.concentrated

    @property
    def sensitivity(self) -> Sensitivity:
        """Of every candidate's score."""
        return Sensitivity(self.largest_change, Norm.ABSOLUTE, self.relation)

    @property
    def utility(self) -> float:
        """How far the chosen score a response falls short of the best, on average at most: 2Δ(ln k + 1)/(nε).

        It falls short by more than (2Δ/ε)(ln k + t) with a probability of at most e^−t, and this is the integral.
        """
        return float(2 * self.largest_change / (self.n * self.epsilon)) * (math.log(self.candidates) + 1)

    def probabilities(self, counts: Sequence[int]) -> tuple[float, ...]:
        """Return with which probability each candidate is chosen."""
        return self.selection.probabilities(self.scores(counts))

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the place of one."""
        return self.selection.choose(self.scores(counts), randbelow)

    def probability(self, output: int, counts: Sequence[int]) -> float:
        """Return the probability of this candidate; 0 for what is none."""
        return self.probabilities(counts)[output] if output in range(self.candidates) else 0.0

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return by how much the chosen score at most falls short of the best; n does not matter."""
        whole_number(n, "n")
        return ErrorBound(self.selection.error_bound(self.candidates, confidence_level), confidence_level)

    def certificate(self, output: int) -> LearningCertificate:
        """Return that nothing was minimised, rounded or clipped; ValueError for what is no candidate."""
        whole_number(output, "output", 0, self.candidates - 1)
        return LearningCertificate()


def chance_of_failing(delta: object) -> Fraction:
    """Return a δ from 0 to 1, the latter excluded."""
    number = exact(delta, "delta")
    if not 0 <= number < 1:
        raise ValueError(f"delta must be between 0 and 1, 1 excluded, got {delta!r}")
    return number
