"""Several noisy counts of the same reports as one: weighted by 1/σ², which no other weights beat.

With X the count, Z_i the noise of draw i and w_i its weight, Σ w_i = 1, the pooled count is X + W, W = Σ w_i·Z_i, of
variance 1/Σ(1/σ_i²). It is rounded to a whole number, ⌊X + W + ½⌋ = X + ⌊W + ½⌋, so that it is a count again and all
that is made of counts can be made of it. The rounded noise R has Pr(R ≥ t) = Pr(W ≥ t − ½), and Pr(−R ≥ t) is not
above that. This is computed on a grid, every w_i·Z_i rounded up to it: a tail is too heavy by a little, never too
light, and an interval not too narrow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np
import numpy.typing as npt

from surveys.estimation.released.noise import CountNoise, likely_noise
from surveys.estimation.validation import Floats

_FINENESS = 512
"""How many steps of the grid a standard deviation is, and how many a count at least."""

_NEGLIGIBLE = 1e-12
"""More than a Fourier transform, and what is beyond reach, can take from a tail."""


@dataclass(frozen=True)
class PooledNoise:
    """The noise on a pooled count; a `CountNoise`.

    Parameters
    ----------
    noises : sequence of CountNoise
        Of the draws, at least one; all of them with a finite variance above 0.
    """

    noises: tuple[CountNoise, ...]

    def __post_init__(self) -> None:
        variances = [noise.variance for noise in self.noises]
        if not (variances and all(0 < variance < math.inf for variance in variances)):
            raise ValueError(f"noises must be at least one, of a finite variance above 0, got {variances!r}")

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """Of each draw, ∝ 1/σ²; they sum to 1."""
        precisions = [1 / noise.variance for noise in self.noises]
        total = math.fsum(precisions)
        return tuple(precision / total for precision in precisions)

    @property
    def variance(self) -> float:
        """The variance, with a twelfth for the rounding."""
        return 1 / math.fsum(1 / noise.variance for noise in self.noises) + 1 / 12

    @property
    def reach(self) -> int:
        """An integer that the noise exceeds on either side with a probability below 1e-15 a draw."""
        pairs = zip(self.weights, self.noises, strict=True)
        return math.ceil(math.fsum(weight * noise.reach for weight, noise in pairs)) + 1

    def at_least(self, t: npt.ArrayLike) -> Floats:
        """Return Pr(Z ≥ t) for every one of these integers, rounded up."""
        step, lowest, tails = self._tails
        places = np.ceil((np.asarray(t, dtype=np.float64) - 0.5) / step) - lowest
        inside = tails[np.clip(places, 0, tails.size - 1).astype(np.int64)]
        beyond = np.where(places >= tails.size, 0.0, inside)
        return cast("Floats", np.minimum(np.where(places <= 0, 1.0, beyond) + _NEGLIGIBLE, 1.0))

    @cached_property
    def _tails(self) -> tuple[float, int, Floats]:
        """Return the grid's step, its lowest place, and Pr(W ≥ place) from there on."""
        step = max(math.sqrt(self.variance), 1.0) / _FINENESS
        placed = [_on_grid(noise, weight / step) for noise, weight in zip(self.noises, self.weights, strict=True)]
        size = sum(masses.size - 1 for _first, masses in placed) + 1
        transform = np.ones(size // 2 + 1, dtype=np.complex128)
        for _first, masses in placed:
            transform *= np.fft.rfft(masses, size)
        together = np.maximum(np.fft.irfft(transform, size), 0.0)
        return step, sum(first for first, _masses in placed), np.cumsum(together[::-1])[::-1]


def _on_grid(noise: CountNoise, factor: float) -> tuple[int, Floats]:
    """Return the lowest place of factor·Z, rounded up to whole numbers, and the probability of each from there on."""
    values, weights = likely_noise(noise)
    places = np.ceil(values * factor).astype(np.int64)
    return int(places[0]), np.asarray(np.bincount(places - places[0], weights=weights), dtype=np.float64)


def pooled_counts(draws: Sequence[Sequence[int]], noise: PooledNoise, n: int | None = None) -> tuple[int, ...]:
    """Return the counts of several draws of the same reports as one.

    Parameters
    ----------
    draws : sequence of sequences of integers
        One an entry of `noise.noises`, all of the same length.
    noise : PooledNoise
        Of every count.
    n : int, optional
        Given where one count of two was drawn and the other is the rest of n.
    """
    if len(draws) != len(noise.noises):
        raise ValueError(f"draws must be {len(noise.noises)}, one a noise, got {len(draws)}")
    if any(len(one) != len(other) for one, other in pairwise(draws)):
        raise ValueError("draws must have as many counts each")
    found = tuple(
        math.floor(math.fsum(weight * count for weight, count in zip(noise.weights, counts, strict=True)) + 0.5)
        for counts in zip(*draws, strict=True)
    )
    return found if n is None else (n - found[1], found[1])
