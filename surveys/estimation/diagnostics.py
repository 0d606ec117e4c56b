"""Whether the counts could have come from respondents who followed the instructions.

Whatever the prevalences, the probability of a report lies between the smallest and the largest entry of its row of
the design matrix. Ten Yes of a hundred, where chance alone gives thirty, are not "0%": the respondents, or the design
written down, did something else. Where a report depends on several prevalences, or there are more reports than
true answers, counts within all edges can still be such that no prevalences fit them.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.affine import affine_map
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design

LEVEL = 0.01
"""At most this share of the questions whose respondents all follow the instructions raises a false alarm."""

_SMALLEST_EXPECTED = 5
"""The χ² distribution is used where at least so many of each report are expected (Cochran's rule)."""


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """Exact tests of every report's count against its edges, and a test of fit where the edges are not everything.

    Attributes
    ----------
    too_few, too_many : array of m floats
        One-sided binomial p-values against the lower and the upper edge.
    fit : float
        The p-value of the counts against the likeliest prevalences; NaN where the edges are all that limits the
        reports, or some report is expected so rarely that it would not be valid.
    p_value : float
        The smallest of them, times the number of different tests (Bonferroni).
    """

    too_few: Floats
    too_many: Floats
    fit: float
    p_value: float

    def __bool__(self) -> bool:
        """Read `if estimate.misfit:` as it sounds."""
        return self.suspicious

    @property
    def suspicious(self) -> bool:
        """Whether the respondents probably did not follow the instructions."""
        return self.p_value <= LEVEL

    @property
    def suspicious_options(self) -> tuple[int, ...]:
        """The codes of the reports that were received too rarely or too often."""
        smallest = np.minimum(self.too_few, self.too_many)
        tests = _number_of_tests(smallest.size, self.fit)
        return tuple(int(code) for code in np.flatnonzero(smallest * tests <= LEVEL))


def misfit_of(counts: npt.NDArray[np.int64], design: Design, constrained: Floats) -> Misfit:
    """Test the counts of one question's reports against the edges of the design, and their fit where that says more.

    Parameters
    ----------
    counts : array of m integers
        How often each report was received.
    design : Design
        The design in use.
    constrained : array of k floats
        The constrained maximum likelihood estimate from these counts.
    """
    n = int(counts.sum())
    # Floats are found faster than fractions are compared, of which two questions together have many.
    entries = np.array(design.matrix, dtype=np.float64)
    too_few = at_most(counts, n, entries.min(axis=1))
    # Pr(X ≥ x) at p is Pr(n − X ≤ n − x) at 1 − p.
    largest = [row[place] for row, place in zip(design.matrix, entries.argmax(axis=1).tolist(), strict=True)]
    too_many = at_most(n - counts, n, np.array([float(1 - entry) for entry in largest]))
    fit = float("nan") if affine_map(design) is not None else goodness_of_fit(counts, design, constrained)
    smallest = float(np.nanmin([too_few.min(), too_many.min(), fit]))
    p_value = min(1.0, smallest * _number_of_tests(counts.size, fit))
    return Misfit(read_only(too_few), read_only(too_many), fit, p_value)


def goodness_of_fit(counts: npt.NDArray[np.int64], design: Design, constrained: Floats) -> float:
    """Return the p-value of Pearson's X² between the counts and what the constrained estimate leads to.

    Its degrees of freedom are m less the number of prevalences above 0: given which of them are 0, that is its
    distribution also where the truth lies on the boundary. It is 1 where nothing is left to test.

    References
    ----------
    Susko (2013), Likelihood ratio tests with boundary constraints using data-dependent degrees of freedom.
    """
    n = counts.sum()
    expected = n * np.array(design.matrix, dtype=np.float64) @ constrained
    if not expected.min() >= _SMALLEST_EXPECTED:
        return float("nan")
    freedom = design.m - int((constrained > 0).sum())
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(scipy.special.chdtrc(freedom, statistic)) if freedom else 1.0


def _number_of_tests(m: int, fit: float) -> int:
    """Two a report; with two reports, too few of one is too many of the other. One more for the fit."""
    return (2 if m == 2 else 2 * m) + (not np.isnan(fit))
