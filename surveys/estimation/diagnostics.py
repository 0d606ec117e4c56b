"""Whether the counts could have come from respondents who followed the procedure.

Whatever the prevalences, the probability of a report lies between the smallest and the largest entry of its row of
the design matrix. Ten Yes of a hundred, where chance alone gives thirty, are not "0%": the respondents, or the design
written down, did something else.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design

LEVEL = 0.01
"""At most this share of the questions whose respondents all follow the procedure raises a false alarm."""


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """Exact tests of every report's count against the edges of what its probability can be.

    Attributes
    ----------
    too_few, too_many : array of m floats
        One-sided binomial p-values against the lower and the upper edge.
    p_value : float
        The smallest of them, times the number of different tests (Bonferroni).
    """

    too_few: Floats
    too_many: Floats
    p_value: float

    @property
    def suspicious(self) -> bool:
        """Whether the respondents probably did not follow the procedure."""
        return self.p_value <= LEVEL

    @property
    def suspicious_options(self) -> tuple[int, ...]:
        """The codes of the reports that were received too rarely or too often."""
        smallest = np.minimum(self.too_few, self.too_many)
        return tuple(int(code) for code in np.flatnonzero(smallest * _number_of_tests(smallest.size) <= LEVEL))


def misfit_of(counts: npt.NDArray[np.int64], design: Design) -> Misfit:
    """Test the counts of one question's reports against the edges of the design."""
    n = int(counts.sum())
    lower = np.array([float(min(row)) for row in design.matrix])
    upper = np.array([float(max(row)) for row in design.matrix])
    too_few = scipy.special.bdtr(counts.astype(np.float64), n, lower)
    # Pr(X ≥ x) at p is Pr(n − X ≤ n − x) at 1 − p.
    too_many = scipy.special.bdtr((n - counts).astype(np.float64), n, 1 - upper)
    smallest = float(min(too_few.min(), too_many.min()))
    p_value = min(1.0, smallest * _number_of_tests(counts.size))
    return Misfit(read_only(too_few), read_only(too_many), p_value)


def _number_of_tests(m: int) -> int:
    """Two a report; with two reports, too few of one is too many of the other."""
    return 2 if m == 2 else 2 * m
