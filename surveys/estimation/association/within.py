"""The mean of values that belong to the true answers, among those who have some of the answers.

A share is such a mean, with the values 1 and 0; the mean of a scale is one among those who say where they stand on it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.affine import AffineMap, affine_map
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.general import likely_parts
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.estimation.moments import delta_error
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.validation import LARGEST_NUMBER, Floats, as_float, read_only
from surveys.privacy.rationals import as_integer

_NOBODY = 1e-12
"""A share of so few is one of nobody, but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class MeanWithin:
    """The mean of values v among those whose true answer is one of some: Σvᵢπᵢ/Σπᵢ over these.

    Attributes
    ----------
    cells : PrevalenceEstimate
        Of all answers.
    among : tuple of int
        The codes of those that it is a mean among; the others have no part in it.
    low, high : float
        The smallest and the largest value.
    parts : array of k floats
        How far each value is on the way from the smallest to the largest, 0 to 1; 0 for answers not among them.
    """

    cells: PrevalenceEstimate
    among: tuple[int, ...]
    low: float
    high: float
    parts: Floats

    @property
    def point(self) -> float:
        """From the moment estimate: it may leave the values, and is NaN where it is of nobody or of fewer."""
        return self._value(self._part(self.cells.point))

    @property
    def constrained(self) -> float:
        """From the maximum likelihood estimate of all answers; NaN where it is of nobody."""
        return self._value(float(np.clip(self._part(self.cells.constrained), 0.0, 1.0)))

    @property
    def standard_error(self) -> float:
        """Of `point`, by the delta method, which is exact among all answers; NaN for a single response."""
        total = self.members @ self.cells.point
        gradient = (self.parts - self._part(self.cells.point) * self.members) / (total if total > _NOBODY else math.nan)
        return (self.high - self.low) * delta_error(gradient, self.cells.covariance)

    @property
    def members(self) -> Floats:
        """An array that is 1 at the answers that it is a mean among, and 0 elsewhere."""
        members = np.zeros(self.cells.design.k)
        members[list(self.among)] = 1.0
        return members

    @property
    def interval_methods(self) -> tuple[str, ...]:
        """The methods that it has an interval by, the default first."""
        return ("likelihood_ratio", "wald", SEQUENCE) if self._line() is None else MAPPED_METHODS

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return a confidence interval for the mean, cut to the range of the values.

        The share of some answers among all, under a design in which each report depends on one prevalence only, has
        the binomial intervals: the reports of these answers taken as one are binomial.

        Parameters
        ----------
        confidence_level : float, optional
            Of this interval by itself.
        method : str, optional
            ``"likelihood_ratio"``: the means that a likelihood-ratio test among all distributions of the reports does
            not reject, all there are where it is of nobody; ``"wald"``: NaN where there is no standard error;
            ``"confidence_sequence"``: limits that hold at every look at once. For the share of some among all, the
            seven of a binomial proportion, ``"wilson"`` first.

        Raises
        ------
        ValueError
            If the confidence level is not between 0 and 1, or there is no interval by this method.
        """
        methods = self.interval_methods
        chosen = methods[0] if method is None else method
        if chosen not in methods:
            raise ValueError(f"method must be one of {', '.join(methods)} here, got {method!r}")
        line = self._line()
        if line is not None:
            count = self.cells.counts @ (self.parts == 1)
            interval = mapped_interval(np.array([count]), self.cells.n, line, confidence_level, chosen)
            low, high, outside = float(interval.low[0]), float(interval.high[0]), bool(interval.outside[0])
        elif chosen == "wald":
            low, high, outside = self._wald(confidence_level)
        else:
            cells, members = self.cells, self.members
            low, high, outside = likely_parts(
                cells.counts,
                cells.design,
                cells.constrained,
                self.parts,
                members,
                confidence_level=confidence_level,
                method=chosen,
            )
        return ScalarInterval(self._value(low), self._value(high), confidence_level, chosen, outside)

    def _line(self) -> AffineMap | None:
        """Return the straight line from the share of the answers of value 1 to that of their reports, if it is one."""
        if len(self.among) < self.cells.design.k or not np.isin(self.parts, (0, 1)).all():
            return None
        line = affine_map(self.cells.design)
        return None if line is None else AffineMap(np.array([line.offset @ self.parts]), line.slope)

    def _wald(self, confidence_level: float) -> tuple[float, float, bool]:
        part = self._part(self.cells.point)
        half = normal_quantile(confidence_level) * self.standard_error / (self.high - self.low)
        low, high = np.clip([part - half, part + half], 0.0, 1.0).tolist()
        return low, high, bool(part + half < 0 or part - half > 1)

    def _part(self, shares: Floats) -> np.float64:
        total = self.members @ shares
        return np.float64(self.parts @ shares / total if total > _NOBODY else math.nan)

    def _value(self, part: float) -> float:
        # Not low + range·part: at 1 that could miss high by a rounding error.
        return float((1 - part) * self.low + part * self.high)


def mean_within(
    cells: PrevalenceEstimate, values: Sequence[float | Fraction], among: Sequence[int] | None = None
) -> MeanWithin:
    """Return what is known of the mean of these values among those who have some of the true answers.

    With π the prevalences it is Σvᵢπᵢ/Σπᵢ, a ratio where the answers are not all, and a linear functional of the
    prevalences where they are. Its likelihood-ratio interval is found in the same way for both.

    Parameters
    ----------
    cells : PrevalenceEstimate
        Of all answers.
    values : sequence of numbers
        One for each of the answers in `among`, from −1e100 to 1e100, not all the same.
    among : sequence of int, optional
        Different codes of answers; by default all of them.

    Raises
    ------
    ValueError
        If `among` are no such codes, or the values no such numbers.

    References
    ----------
    Fieller (1954), Some problems in interval estimation.
    Owen (1988), Empirical likelihood ratio confidence intervals for a single functional.
    """
    k = cells.design.k
    codes = tuple(range(k)) if among is None else tuple(among)
    integers = [as_integer(code) for code in codes]
    if len(set(codes)) < len(codes) or any(code is None or not 0 <= code < k for code in integers):
        raise ValueError(f"among must be different codes from 0 to {k - 1}, got {among!r}")
    numbers = np.array([as_float(value) for value in values])
    if not (numbers.shape == (len(codes),) and (np.abs(numbers) <= LARGEST_NUMBER).all() and np.ptp(numbers) > 0):
        raise ValueError(
            f"values must be {len(codes)} numbers from -{LARGEST_NUMBER} to {LARGEST_NUMBER}, "
            f"not all the same, got {values!r}"
        )
    low, high = float(numbers.min()), float(numbers.max())
    parts = np.zeros(k)
    parts[list(codes)] = (numbers - low) / (high - low)
    return MeanWithin(cells, codes, low, high, read_only(parts))


def share_within(cells: PrevalenceEstimate, cell: int, among: Sequence[int]) -> MeanWithin:
    """Return the estimated share of one answer among those given, such as a cell's share of its row or column."""
    return mean_within(cells, [float(other == cell) for other in among], among)
