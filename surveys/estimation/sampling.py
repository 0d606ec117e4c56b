"""How an estimate would scatter if the survey were repeated, exactly, beside that of a direct question."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surveys.estimation.affine import require_affine_map
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats, read_only, require_design, responses, share, share_inside
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

_REACH = 5.0
"""Beyond so many standard deviations, and five counts more, an estimate is not worth drawing."""


@dataclass(frozen=True, slots=True)
class SamplingDistribution:
    """The distribution of (X/n − offset)/slope, with X ~ Binomial(n, reported).

    Attributes
    ----------
    n : int
        The number of responses.
    reported : float
        The probability of a report.
    offset, slope : float
        Of the straight line from the prevalence to that probability; 0 and 1 for a direct question.
    """

    n: int
    reported: float
    offset: float
    slope: float

    @property
    def mean(self) -> float:
        """The prevalence itself: the estimate is unbiased."""
        return self._estimate(self.n * self.reported)

    @property
    def standard_deviation(self) -> float:
        """√(λ(1−λ)/n)/|slope|."""
        return math.sqrt(self.reported * (1 - self.reported) / self.n) / abs(self.slope)

    def central(self, probability: float) -> tuple[float, float]:
        """Return two estimates with at most (1 − probability)/2 of the distribution beyond each of them."""
        tail = (1 - share_inside(probability, "probability")) / 2
        first = self._estimate(_quantile(self.n, self.reported, tail))
        # Of the other reports: the upper tail, without the rounding of 1 less a small number.
        last = self._estimate(self.n - _quantile(self.n, 1 - self.reported, tail))
        return min(first, last), max(first, last)

    def density(self, most: int = 160) -> tuple[Floats, Floats]:
        """Return ascending estimates and how densely the distribution lies around each, for drawing.

        Parameters
        ----------
        most : int
            How many points to return at most: where more counts are possible, as many neighbours as needed are taken
            together, with their exact probability. What lies beyond five standard deviations is ignored.

        Returns
        -------
        estimates, densities : arrays of floats
            A density is a probability over the width that it stands for, so that those of different designs compare.
        """
        middle, reach = self.n * self.reported, _REACH * self._count_deviation + _REACH
        first, last = max(0, math.floor(middle - reach)), min(self.n, math.ceil(middle + reach))
        together = math.ceil((last - first + 1) / most)
        starts = np.arange(first, last + 1, together)
        ends = np.minimum(starts + together - 1, self.n)
        probabilities = at_most(ends, self.n, self.reported) - at_most(starts - 1, self.n, self.reported)
        widths = (ends - starts + 1) / (self.n * abs(self.slope))
        estimates = ((starts + ends) / 2 / self.n - self.offset) / self.slope
        order = np.argsort(estimates)
        return read_only(estimates[order]), read_only((probabilities / widths)[order])

    @property
    def _count_deviation(self) -> float:
        """The standard deviation of the count of reports."""
        return math.sqrt(self.n * self.reported * (1 - self.reported))

    def _estimate(self, count: float) -> float:
        return (count / self.n - self.offset) / self.slope


def sampling_distribution(
    n: int, prevalences: Sequence[float] | Floats, design: Design, option: int
) -> SamplingDistribution:
    """Return how one option's moment estimate scatters over repetitions of the survey.

    Parameters
    ----------
    n : int
        The number of responses, from 1 to 10^15.
    prevalences : sequence of k floats
        The true prevalences, which sum to 1.
    design : Design
        One under which each report depends on one prevalence only.
    option : int
        The option's code.

    Raises
    ------
    ValueError
        If an argument is not as described.
    """
    line = require_affine_map(require_design(design))
    truths = [share(prevalence, "prevalences") for prevalence in prevalences]
    if not (len(truths) == design.k and math.isclose(sum(truths), 1, abs_tol=1e-9)):
        raise ValueError(f"prevalences must be {design.k} shares that sum to 1, got {prevalences!r}")
    option = whole_number(option, "option", 0, design.k - 1)
    offset = float(line.offset[option])
    reported = min(1.0, max(0.0, offset + line.slope * truths[option]))
    return SamplingDistribution(responses(n), reported, offset, line.slope)


def direct_sampling(n: int, prevalence: float) -> SamplingDistribution:
    """Return how the observed share would scatter if everybody were asked directly and answered truthfully."""
    return SamplingDistribution(responses(n), share(prevalence, "prevalence"), 0.0, 1.0)


def _quantile(n: int, reported: float, tail: float) -> int:
    """Return the largest count x with Pr(X < x) at most the tail."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if float(at_most(np.array([middle - 1]), n, reported)[0]) <= tail:
            low = middle
        else:
            high = middle - 1
    return low
