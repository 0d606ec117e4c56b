"""What an interval is, whatever method found it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Floats, level, read_only


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Lower and upper limits, one entry an option.

    Attributes
    ----------
    low, high : array of k floats
        The limits, cut to [0, 1].
    confidence_level : float
        Of each option's interval by itself, or of all together where they are simultaneous.
    method : str
        How they were found.
    outside : array of k booleans
        Where all of the interval lay outside [0, 1] before it was cut. The limits are then both 0 or both 1 and not to
        be read as certainty: either this sample is among the few that an interval misses, or the respondents did not
        follow the instructions.
    simultaneous : bool
        Whether the confidence level is that of all the options' intervals holding at once.
    """

    low: Floats
    high: Floats
    confidence_level: float
    method: str
    outside: npt.NDArray[np.bool_]
    simultaneous: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence_level", level(self.confidence_level))


@dataclass(frozen=True, slots=True)
class ScalarInterval:
    """Lower and upper limit for one number: a difference, a mean, an odds ratio.

    Attributes
    ----------
    low, high : float
        The limits; NaN where the data determine none.
    confidence_level : float
        Of this interval by itself.
    method : str
        How it was found.
    outside : bool
        Whether all of the interval lay outside the possible values before it was cut; see `Interval`.
    """

    low: float
    high: float
    confidence_level: float
    method: str
    outside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence_level", level(self.confidence_level))


def cut_interval(
    low: Floats, high: Floats, confidence_level: float, method: str, *, simultaneous: bool = False
) -> Interval:
    """Return the interval with these limits cut to [0, 1], which nobody can change afterwards."""
    outside = (high < 0) | (low > 1)
    outside.setflags(write=False)
    return Interval(
        read_only(low.clip(0.0, 1.0)), read_only(high.clip(0.0, 1.0)), confidence_level, method, outside, simultaneous
    )


def each_level(confidence_level: float, number: int) -> float:
    """Return the level at which each of so many intervals makes all of them hold at once (Bonferroni).

    References
    ----------
    Goodman (1965), On simultaneous confidence intervals for multinomial proportions: this, with Wilson's limits.
    """
    return 1 - (1 - level(confidence_level)) / number
