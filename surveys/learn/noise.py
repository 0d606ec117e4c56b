"""Noise for simulated people, many draws at once."""

from math import expm1

import numpy as np
import numpy.typing as npt

from surveys.learn.page import SeededChance
from surveys.privacy.mechanisms.laplace import DiscreteLaplace


def draw_noise(noise: DiscreteLaplace, chance: SeededChance, size: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Draw so much discrete Laplace noise: two geometric variables differ by it."""
    drawn: npt.NDArray[np.int64] = np.diff(chance.generator.geometric(-expm1(-noise.rate), (*size, 2)))[..., 0]
    return drawn
