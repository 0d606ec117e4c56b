"""The exponential mechanism: choose a candidate, better ones more often.

Pr(r) ∝ exp(ε·u(r)/(2Δ)). The 2 is needed: one response can raise one candidate's utility by Δ and lower all others'.

References
----------
McSherry & Talwar (2007), Mechanism design via differential privacy.
Cesar & Rogers (2021), Bounding, concentrating, and truncating.
"""

import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import decimal, many_digits, upper
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.randomness import bernoulli_exp
from surveys.privacy.rationals import exact, positive

_NEVER = Fraction(1000)
"""An exponent whose probability no float can hold."""


@dataclass(frozen=True, slots=True)
class Selection(ABC):
    """A choice among candidates by exact utilities.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    sensitivity : int or Fraction
        How much any one candidate's utility differs at most between neighbours.
    """

    epsilon: Fraction
    sensitivity: int | Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))

    @property
    def loss(self) -> PrivacyLoss:
        """What one choice costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def concentrated(self) -> ConcentratedLoss | None:
        """The same as zero-concentrated privacy; None where no more is known than of any ε-private output."""
        return None

    @abstractmethod
    def choose(self, utilities: Sequence[Fraction | int], randbelow: Callable[[int], int] = secrets.randbelow) -> int:
        """Draw the index of a candidate, exactly."""

    @abstractmethod
    def probabilities(self, utilities: Sequence[Fraction | int]) -> tuple[float, ...]:
        """Return the probability with which each candidate is chosen, for pages and tests."""

    @abstractmethod
    def error_bound(self, candidates: int, confidence_level: float) -> float:
        """Return by how much the chosen utility at most falls short of the best, with this confidence, rounded up."""

    def exponents(self, utilities: Sequence[Fraction | int]) -> list[Fraction]:
        """Return by how many 2Δ/ε each candidate falls short of the best."""
        if not utilities:
            raise ValueError("utilities must hold at least one candidate")
        values = [exact(utility, "utilities") for utility in utilities]
        best = max(values)
        return [self.epsilon * (best - value) / (2 * self.sensitivity) for value in values]

    def weights(self, utilities: Sequence[Fraction | int]) -> list[float]:
        """Return e to minus each exponent: 1 for the best."""
        return [math.exp(-min(exponent, _NEVER)) for exponent in self.exponents(utilities)]

    def shortfall(self, times: int | Fraction, candidates: int, confidence_level: float) -> float:
        """Return 2Δ/ε·ln(times·candidates/(1 − confidence_level)), rounded up, at least 0; infinite beyond floats."""
        if not candidates >= 1:
            raise ValueError(f"candidates must be at least 1, got {candidates!r}")
        if not 0 < confidence_level < 1:
            raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
        with many_digits():
            missed = 1 - decimal(confidence_level)
            logarithm = max(Decimal(0), (decimal(Fraction(times)) * candidates / missed).ln())
            bound = decimal(Fraction(2 * self.sensitivity / self.epsilon)) * logarithm
        return upper(bound)


class ExponentialMechanism(Selection):
    """The choice of a candidate with a probability proportional to exp(ε·u/(2Δ)).

    Examples
    --------
    >>> from surveys.privacy import ExponentialMechanism
    >>> mechanism = ExponentialMechanism(1, 1)
    >>> [round(probability, 4) for probability in mechanism.probabilities([80, 78, 70])]
    [0.7275, 0.2676, 0.0049]
    """

    __slots__ = ()

    @property
    def concentrated(self) -> ConcentratedLoss:
        """The same as zero-concentrated privacy, ρ = ε²/8: a quarter of what any ε-private output has.

        Between neighbours, ln(p/q) of a candidate is ε/(2Δ) times the change of its utility plus a constant, so all of
        them lie in one interval of length ε. Let K(a) = ln Σ q·(p/q)^a. Then K(0) = K(1) = 0, and K″ is a variance
        of ln(p/q), at most ε²/4 as in any such interval; so K(a) ≤ a(a − 1)ε²/8 for a > 1, and the Rényi divergence
        K(a)/(a − 1) is at most aε²/8 (Cesar & Rogers 2021).
        """
        return ConcentratedLoss(self.epsilon**2 / 8)

    def choose(self, utilities: Sequence[Fraction | int], randbelow: Callable[[int], int] = secrets.randbelow) -> int:
        """Draw the index of a candidate, exactly: propose one uniformly, accept it with exp(−its exponent).

        Exponents count down from the best candidate, so a proposal of the best is always accepted and the
        expected number of proposals is at most the number of candidates.
        """
        exponents = self.exponents(utilities)
        while True:
            candidate = randbelow(len(exponents))
            if bernoulli_exp(exponents[candidate], randbelow):
                return candidate

    def probabilities(self, utilities: Sequence[Fraction | int]) -> tuple[float, ...]:
        """Return the probability with which each candidate is chosen, for pages and tests."""
        weights = self.weights(utilities)
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def error_bound(self, candidates: int, confidence_level: float) -> float:
        """Return by how much the chosen utility at most falls short of the best, with this confidence, rounded up.

        It is t = 2Δ/ε·ln(k/β) for k candidates and β = 1 − confidence_level; infinite beyond all floats. The best
        candidate weighs 1 and each that falls short by more than t less than e^(−εt/(2Δ)) = β/k, so that one of
        these is chosen with a probability below β. k may also be a sum over several choices, β then being for all.
        """
        return self.shortfall(1, candidates, confidence_level)
