"""Mechanisms that do not do as they say: what a suite that can fail must notice."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Sensitivity
from tests.privacy.mechanisms.evidence import Mechanism


@dataclass(frozen=True)
class Planted:
    """A mechanism with a fault, and the name of the check that must catch it."""

    fault: str
    mechanism: Mechanism
    caught_by: str


@dataclass(frozen=True, eq=False)
class Lying(CentralMechanism[Hashable]):
    """Says what one mechanism says, and does what others do."""

    says: Mechanism
    draws_as: Callable[..., Hashable] | None = None
    probability_of: Callable[..., float] | None = None
    stated_sensitivity: Sensitivity | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self.says, name)

    @property
    def formula_of(self) -> Mechanism | None:
        """The mechanism whose probabilities these are, unless they are a lie."""
        return None if self.probability_of else self.says

    @property
    def loss(self) -> PrivacyLoss:
        return self.says.loss

    @property
    def sensitivity(self) -> Sensitivity:
        return self.stated_sensitivity or self.says.sensitivity

    def release(self, counts: Sequence[int], randbelow: Callable[[int], int]) -> object:
        return (self.draws_as or self.says.release)(counts, randbelow)

    def probability(self, output: object, counts: Sequence[int]) -> float:
        return (self.probability_of or self.says.probability)(output, counts)

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        return self.says.error_bound(n, confidence_level)
