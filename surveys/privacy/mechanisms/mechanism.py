"""What every central mechanism is: one frozen object with all its parameters; what it costs is another.

The data of every mechanism are counts. Either each response has one of m codes, and counts say how often each code
was reported; or each response has k bits (several options may apply), and counts say how many responses have each
bit. Where a mechanism takes both, `Counted` says which.
"""

import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Generic, TypeVar

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss

__all__ = ["CentralMechanism", "Counted", "ErrorBound", "Norm", "Output", "Randbelow", "Sensitivity"]

Output = TypeVar("Output")
Randbelow = Callable[[int], int]


class Norm(Enum):
    """What a sensitivity measures of the change that one response makes."""

    ABSOLUTE = "the largest change of any one number"
    L1 = "the sum of the changes"
    L2_SQUARED = "the sum of the squared changes"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How much a statistic differs at most between neighbours.

    Attributes
    ----------
    value : Fraction
        The largest difference.
    norm : Norm
        How differences of several numbers are measured together.
    relation : NeighbouringRelation
        Which data sets are neighbours.
    """

    value: Fraction
    norm: Norm
    relation: NeighbouringRelation


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """How far the mechanism alone takes its output from what it would be without noise.

    Attributes
    ----------
    at_most : float
        With the confidence level, in the unit that the mechanism names, rounded up; infinite where nothing can be
        promised before the data are read.
    confidence_level : float
        Strictly between 0 and 1.
    at_best : float
        Where the bound depends on the data, what it is for the most favourable data; else the same as `at_most`.
    """

    at_most: float
    confidence_level: float
    at_best: float = math.nan

    def __post_init__(self) -> None:
        if not 0 < self.confidence_level < 1:
            raise ValueError(f"confidence_level must be between 0 and 1, got {self.confidence_level!r}")
        if math.isnan(self.at_best):
            object.__setattr__(self, "at_best", self.at_most)


class CentralMechanism(ABC, Generic[Output]):
    """What happens in a release: subclasses are frozen dataclasses that hold every parameter."""

    __slots__ = ()

    relation: NeighbouringRelation

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What one output costs, under `relation`."""

    @property
    def concentrated(self) -> ConcentratedLoss | None:
        """What one output costs as zero-concentrated privacy, without any δ; None where nothing better is known."""
        return None

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """Of the statistic that noise is added to, under `relation`."""

    @abstractmethod
    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> Output:
        """Draw the one output from these counts, exactly."""

    @abstractmethod
    def probability(self, output: Output, counts: Sequence[int]) -> float:
        """Return the probability with which these counts lead to this output, by formula and not by drawing."""

    @abstractmethod
    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far noise may move the output at this number of responses, without looking at any."""
