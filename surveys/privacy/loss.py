"""What a mechanism costs, apart from what it does."""

from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.rationals import exact, probability, show_value


@dataclass(frozen=True, slots=True)
class PrivacyLoss:
    """An (ε, δ) guarantee for the data the mechanism reads, ε in nats."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _not_negative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", probability(self.delta, "delta"))


@dataclass(frozen=True, slots=True)
class ConcentratedLoss:
    """A ρ-zero-concentrated guarantee: every Rényi divergence of order α is at most αρ."""

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _not_negative(self.rho, "rho"))


def _not_negative(value: object, name: str) -> Fraction:
    number = exact(value, name)
    if not number >= 0:
        raise ValueError(f"{name} must be at least 0, got {show_value(number, str)}")
    return number
