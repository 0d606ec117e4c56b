"""What released counts of several options say, of which every respondent has any: each option is its own question."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import require_affine_map
from surveys.estimation.intervals.interval import Interval, cut_interval
from surveys.estimation.released.counts import rate_limits
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import (
    Counts,
    Floats,
    as_list,
    level,
    read_only,
    require_design,
    responses,
    whole_numbers,
)
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedOptions:
    """Prevalences of several options that may all apply, as far as one release shows.

    Attributes
    ----------
    noisy_counts : array of integers
        How many reported each option, with noise.
    n : int
        The public number of responses.
    design : Design
        Of every option: no or yes.
    noise : CountNoise
        On each count.
    point, constrained : array of floats
        The moment estimate, unbiased; and the nearest to it within [0, 1].
    standard_error : array of floats
        Of the moment estimate, for sampling, randomization and noise together.
    """

    noisy_counts: npt.NDArray[np.int64]
    n: int
    design: Design
    noise: CountNoise
    point: Floats
    constrained: Floats
    standard_error: Floats

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return a confidence interval for each option's prevalence, exact as in `ReleasedEstimate.interval`."""
        line = require_affine_map(self.design)
        tail = (1 - level(confidence_level)) / 2
        reported = [
            rate_limits(int(count), self.n, self.noise, tail, self.design.matrix[1]) for count in self.noisy_counts
        ]
        # Each limit for Yes beside one for No that is not looked at.
        limits = [line.to_prevalence(np.array([0.0, low]), np.array([0.0, high])) for low, high in reported]
        low, high = (np.array([pair[side][1] for pair in limits]) for side in (0, 1))
        return cut_interval(low, high, confidence_level, "exact")


def estimate_released_options(noisy_counts: Counts, n: int, design: Design, noise: CountNoise) -> ReleasedOptions:
    """Estimate how frequent each of several options is, from noisy counts of those who reported them.

    Parameters
    ----------
    noisy_counts : sequence of integers
        One an option, after noise; they need not sum to anything.
    n : int
        The number of responses, without noise: at least 1, at most 10^15.
    design : Design
        For two answers and two reports: what each option was reported through by itself.
    noise : CountNoise
        On each count.

    Returns
    -------
    ReleasedOptions
        With `point`, `constrained`, `standard_error` and `interval`, one entry an option.

    Raises
    ------
    ValueError
        If the counts are not integers, n is not an integer in that range, or the design is not for two answers.

    Examples
    --------
    >>> from surveys.estimation import estimate_released_options
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> estimate = estimate_released_options([58, 31], 100, forced_response(), DiscreteLaplace(1, 2))
    >>> estimate.point.round(3).tolist()
    [0.66, 0.12]
    """
    if not (require_design(design).k == 2 and design.m == 2):
        raise ValueError(f"design must be for two answers and two reports, it is for {design.k} and {design.m}")
    listed = as_list(noisy_counts)
    released = whole_numbers(noisy_counts, 1 if listed is None else max(1, len(listed)), "noisy_counts")
    n = responses(n)
    slope, offset = float(design.slope), float(design.offset)
    point = (released / n - offset) / slope
    constrained = np.clip(point, 0.0, 1.0)
    shares = offset + slope * constrained
    variance = (shares * (1 - shares) / n + noise.variance / n**2) / slope**2
    return ReleasedOptions(
        released, n, design, noise, read_only(point), read_only(constrained), read_only(np.sqrt(variance))
    )
