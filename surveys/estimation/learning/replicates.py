"""Tables as they would be published again if a fit were the truth, the same for everybody who has the table.

Uniform numbers are read from SHAKE-256 of the published numbers. From each comes one count: a binomial share of the
respondents that are left, by inverting its distribution, and so, cell by cell, a multinomial table. The noise is
inverted alike. These are simulations from published numbers, and protect nobody.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 6.
"""

import hashlib

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.released.noise import CountNoise, likely_noise
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats

_NEAR = 3


def replicate_tables(
    published: npt.NDArray[np.int64], n: int, shares: Floats, noise: CountNoise, number: int
) -> npt.NDArray[np.int64]:
    """Return so many noisy tables of C cells, one a row.

    Parameters
    ----------
    published : array of integers
        What was published: it decides what is drawn.
    n : int
        The number of responses in each table.
    shares : array of C floats
        The probabilities of the cells, which sum to 1.
    noise : CountNoise
        On every count.
    number : int
        How many tables.
    """
    seed = f"{n} {published.shape} {published.ravel().tolist()}".encode()
    uniform = uniform_numbers(seed, 2 * number * shares.size).reshape(2, number, shares.size)
    left, counts = np.full(number, n), np.empty((number, shares.size), dtype=np.int64)
    rest = np.cumsum(shares[::-1])[::-1]
    for cell in range(shares.size - 1):
        counts[:, cell] = binomial_quantiles(uniform[0, :, cell], left, min(1.0, float(shares[cell] / rest[cell])))
        left = left - counts[:, cell]
    counts[:, -1] = left
    likely, probabilities = likely_noise(noise)
    places = np.searchsorted(np.cumsum(probabilities), uniform[1], side="right")
    return np.asarray(counts + likely[np.minimum(places, likely.size - 1)])


def uniform_numbers(seed: bytes, number: int) -> Floats:
    """Return numbers strictly between 0 and 1, with 53 bits each, that only the seed decides."""
    words = np.frombuffer(hashlib.shake_256(seed).digest(8 * number), dtype="<u8")
    return np.asarray(((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)


def binomial_quantiles(uniform: Floats, sizes: npt.NDArray[np.int64], probability: float) -> npt.NDArray[np.int64]:
    """Return for each of several numbers of trials the smallest count whose distribution function reaches a number."""
    # Around the normal distribution's: most are within a few of it, so that few steps halve what is left.
    spread = np.sqrt(sizes * probability * (1 - probability))
    guess = np.rint(sizes * probability + scipy.special.ndtri(uniform) * spread).astype(np.int64)
    low, high = np.clip(guess - _NEAR - 1, -1, sizes), np.clip(guess + _NEAR, 0, sizes)
    low = np.where((low >= 0) & (at_most(low, sizes, probability) >= uniform), -1, low)
    high = np.where(at_most(high, sizes, probability) >= uniform, high, sizes)
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = at_most(middle, sizes, probability) >= uniform
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)
