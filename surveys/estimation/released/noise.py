"""What an interval has to know of the noise on one released number."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Floats


class CountNoise(Protocol):
    """Noise on a count: integers, symmetric about 0."""

    @property
    def variance(self) -> float:
        """The variance of the noise."""

    @property
    def reach(self) -> int:
        """What the noise exceeds on either side with a probability below 1e-15."""

    def at_least(self, t: npt.ArrayLike) -> Floats:
        """Return Pr(Z ≥ t) for every one of these integers."""


def likely_noise(noise: CountNoise) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the integers within reach, and their probabilities relative to all of them."""
    tails = noise.at_least(np.arange(noise.reach + 2))
    positive = tails[:-1] - tails[1:]
    both = np.concatenate([positive[:0:-1], positive])
    return np.arange(-noise.reach, noise.reach + 1), both / both.sum()
