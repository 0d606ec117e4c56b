"""What estimates and error bounds need to know of the noise on a count, whichever it is."""

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from surveys.privacy.mechanisms.mechanism import Randbelow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Noise(Protocol):
    """Integer noise, symmetric around 0, drawn for every count by itself."""

    @property
    def variance(self) -> float:
        """The variance of the noise on one count; infinite beyond all floats."""

    @property
    def reach(self) -> int:
        """An integer that the noise exceeds on either side with a probability below 1e-15."""

    def probability(self, x: int) -> float:
        """Return Pr(X = x): 0 for what is no integer."""

    def at_least(self, t: "npt.ArrayLike") -> "npt.NDArray[np.float64]":
        """Return Pr(X ≥ t) for every one of these integers."""

    def survival(self, t: int) -> float:
        """Return Pr(|X| > t) for an integer of at least 0."""

    def error_bound(self, confidence_level: float, counts: int = 1) -> int:
        """Return a t such that all of so many counts are within ±t with this confidence, the smallest there is."""

    def sample(self, randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the noise for one count, exactly."""

    def add_noise(self, counts: Iterable[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Return the counts, each with its own noise; they may be negative."""
