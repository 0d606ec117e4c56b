"""What a mechanism costs, apart from what it does."""

from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.rationals import exact, probability


@dataclass(frozen=True, slots=True)
class PrivacyLoss:
    """An (ε, δ) guarantee for the data the mechanism reads, ε in nats."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        epsilon = exact(self.epsilon, "epsilon")
        if not epsilon >= 0:
            raise ValueError(f"epsilon must be at least 0, got {epsilon}")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", probability(self.delta, "delta"))
