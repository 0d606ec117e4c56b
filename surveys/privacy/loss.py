"""What a mechanism costs, apart from what it does."""

from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.rationals import exact, probability, show_value


@dataclass(frozen=True, slots=True)
class PrivacyLoss:
    """An (ε, δ) guarantee for the data the mechanism reads, ε in nats.

    Parameters
    ----------
    epsilon : exact number
        At least 0, in nats.
    delta : exact probability, optional
        δ.

    Examples
    --------
    >>> from surveys.privacy import PrivacyLoss
    >>> PrivacyLoss("1/2").delta == 0
    True
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _not_negative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", probability(self.delta, "delta"))


@dataclass(frozen=True, slots=True)
class ConcentratedLoss:
    """A ρ-zero-concentrated guarantee: every Rényi divergence of order α is at most αρ.

    Parameters
    ----------
    rho : exact number
        At least 0.

    Examples
    --------
    >>> from surveys.privacy import ConcentratedLoss, concentrated_epsilon
    >>> concentrated_epsilon(ConcentratedLoss("1/8"), 1) == 0
    True
    """

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _not_negative(self.rho, "rho"))


def _not_negative(value: object, name: str) -> Fraction:
    number = exact(value, name)
    if not number >= 0:
        raise ValueError(f"{name} must be at least 0, got {show_value(number, str)}")
    return number
