"""How precise a survey will be, before it is run."""

import math

from surveys.estimation.affine import require_affine_map
from surveys.estimation.intervals import normal_quantile
from surveys.privacy.designs.design import Design


def expected_half_width(
    *, n: int, design: Design, prevalence: float, option: int = 1, confidence_level: float = 0.95
) -> float:
    """Return the half-width z·√(λ(1−λ))/(|c|·√n) that an interval will have at about this prevalence.

    Parameters
    ----------
    n : int
        The number of responses, at least 1.
    design : Design
        The design planned; c is its slope, λ the probability of the option's report. ``warner(1)`` asks directly.
    prevalence : float
        The share of respondents whose true answer is the option.
    option : int, optional
        The option's code; for two answers 1, Yes.
    confidence_level : float, optional
        Of the planned interval.
    """
    if not n >= 1:
        raise ValueError(f"n must be at least 1, got {n!r}")
    return normal_quantile(confidence_level) * _deviation(design, prevalence, option) / math.sqrt(n)


def sample_size(
    *, half_width: float, design: Design, prevalence: float, option: int = 1, confidence_level: float = 0.95
) -> int:
    """Return the number of responses at which the expected half-width is at most the one wanted.

    The parameters are those of `expected_half_width`.
    """
    if not 0 < half_width < math.inf:
        raise ValueError(f"half_width must be above 0, got {half_width!r}")
    deviations = normal_quantile(confidence_level) * _deviation(design, prevalence, option) / half_width
    return max(1, math.ceil(deviations**2))


def _deviation(design: Design, prevalence: float, option: int) -> float:
    """Return the standard deviation of one response's contribution to the moment estimate."""
    if not 0 <= prevalence <= 1:
        raise ValueError(f"prevalence must be between 0 and 1, got {prevalence!r}")
    if not 0 <= option < design.k:
        raise ValueError(f"option must be a code from 0 to {design.k - 1}, got {option!r}")
    line = require_affine_map(design)
    reported = float(line.offset[option]) + line.slope * prevalence
    # Rounding can take a certain report just beyond 1.
    return math.sqrt(max(0.0, reported * (1 - reported))) / abs(line.slope)
