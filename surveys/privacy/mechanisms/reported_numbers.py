"""What each report of a number counts for, so that sums over the reports estimate sums over the true numbers.

With x_r what truth r stands for and G the design's left inverse (G·P = I), a report j counts for v_j = Σ_r x_r·G[r, j].
The mean of v_j over a respondent's coins is Σ_j P[j, r]·v_j = x_r, their own number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import exact


@dataclass(frozen=True)
class ReportedNumbers:
    """The numbers that the true answers stand for, and the design through which they were reported.

    Parameters
    ----------
    numbers : tuple of Fraction or None
        One per true answer; None for “prefer not to say”, where that is protected. It counts for no number, and
        the mean and the variance are those of the others.
    low, high : Fraction
        The limits of the true numbers.
    design : Design, optional
        By default, the codes themselves are the true answers.
    spread : Fraction
        How far a true number is at most from what its truth stands for: half the width of the widest band.
    """

    numbers: tuple[Fraction | None, ...]
    low: Fraction
    high: Fraction
    design: Design | None = None
    spread: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        numbers = tuple(None if number is None else exact(number, "numbers") for number in self.numbers)
        object.__setattr__(self, "numbers", numbers)
        for name in ("low", "high", "spread"):
            object.__setattr__(self, name, exact(getattr(self, name), name))
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got {self.low} and {self.high}")
        if not self.spread >= 0:
            raise ValueError(f"spread must be at least 0, got {self.spread}")
        if not len(self.different) >= 2:
            raise ValueError(f"numbers must be two different ones at least, got {self.numbers!r}")
        if not all(self.low <= number <= self.high for number in self.different):
            raise ValueError(f"numbers must be from {self.low} to {self.high}, got {self.numbers!r}")
        if self.design is not None and len(numbers) != self.design.k:
            raise ValueError(f"numbers must be {self.design.k}, one a truth of the design, got {len(numbers)}")

    @property
    def different(self) -> frozenset[Fraction]:
        """The numbers that true answers stand for."""
        return frozenset(number for number in self.numbers if number is not None)

    @property
    def everybody_says(self) -> bool:
        """Whether no truth is “prefer not to say”."""
        return None not in self.numbers

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """What each report counts for in the total."""
        return self._debiased([number or Fraction(0) for number in self.numbers])

    @cached_property
    def answering(self) -> tuple[Fraction, ...]:
        """What each report counts for in the number of those who say theirs."""
        return self._debiased([Fraction(number is not None) for number in self.numbers])

    @property
    def centre(self) -> Fraction:
        """The middle of the limits."""
        return (self.low + self.high) / 2

    @cached_property
    def middle(self) -> Fraction:
        """What is taken from every number before summing: it halves what one more response can change.

        That is the middle of the values, which may not be the centre where the design is not symmetric.
        """
        return (min(self.values) + max(self.values)) / 2 if self.everybody_says else self.centre

    @cached_property
    def deviations(self) -> tuple[Fraction, ...]:
        """What each report counts for in the sum of the numbers' differences to `middle`."""
        return tuple(v - self.middle * a for v, a in zip(self.values, self.answering, strict=True))

    @cached_property
    def squares(self) -> tuple[Fraction, ...]:
        """What each report counts for in the sum of the squared differences to `centre`."""
        return self._debiased(
            [Fraction(0) if number is None else (number - self.centre) ** 2 for number in self.numbers]
        )

    def _debiased(self, numbers: Sequence[Fraction]) -> tuple[Fraction, ...]:
        if self.design is None:
            return tuple(numbers)
        rows = self.design.left_inverse
        return tuple(
            sum((number * row[report] for number, row in zip(numbers, rows, strict=True)), Fraction(0))
            for report in range(self.design.m)
        )


def numbers_of_limits(low: object, high: object, design: Design) -> ReportedNumbers:
    """Return the numbers of a one-bit mean: the true answers are the limits that each number was rounded to at random.

    A third truth is “prefer not to say”.

    Parameters
    ----------
    low, high : exact numbers
        The limits.
    design : Design
        For two answers, or three with “prefer not to say”.

    Returns
    -------
    ReportedNumbers
        For `BoundedTotal`, `BoundedMean` and `BoundedVariance`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import forced_response, numbers_of_limits
    >>> numbers = numbers_of_limits(0, 24, forced_response())
    >>> [str(value) for value in numbers.values]
    ['-12', '36']
    """
    limits = (exact(low, "low"), exact(high, "high"))
    return ReportedNumbers(_with_unsaid(limits, design), *limits, design)


def numbers_of_bands(edges: Sequence[object], design: Design) -> ReportedNumbers:
    """Return the numbers of bands: each stands for its middle. One truth more is “prefer not to say”.

    Parameters
    ----------
    edges : sequence of exact numbers
        Increasing, one more than there are bands.
    design : Design
        With one true answer a band, and perhaps one more.

    Returns
    -------
    ReportedNumbers
        For `BoundedTotal`, `BoundedMean` and `BoundedVariance`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import k_ary, numbers_of_bands
    >>> numbers = numbers_of_bands([0, 5, 10, 20], k_ary(3))
    >>> [str(value) for value in numbers.values]
    ['-10/3', '20/3', '65/3']
    """
    limits = [exact(edge, "edges") for edge in edges]
    if not (len(limits) >= 3 and all(left < right for left, right in pairwise(limits))):
        raise ValueError(f"edges must be at least three ascending numbers, got {edges!r}")
    middles = tuple((left + right) / 2 for left, right in pairwise(limits))
    widest = max(right - left for left, right in pairwise(limits))
    return ReportedNumbers(_with_unsaid(middles, design), limits[0], limits[-1], design, widest / 2)


def undisguised_numbers(values: Sequence[object]) -> ReportedNumbers:
    """Return the numbers of codes that are the true answers themselves.

    Parameters
    ----------
    values : sequence of exact numbers
        One a code.

    Returns
    -------
    ReportedNumbers
        For `BoundedTotal`, `BoundedMean` and `BoundedVariance`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import undisguised_numbers
    >>> numbers = undisguised_numbers([0, 1, 2])
    >>> [str(numbers.low), str(numbers.high)]
    ['0', '2']
    """
    numbers = tuple(exact(value, "values") for value in values)
    return ReportedNumbers(numbers, min(numbers), max(numbers))


def _with_unsaid(numbers: tuple[Fraction, ...], design: Design) -> tuple[Fraction | None, ...]:
    if design.k not in {len(numbers), len(numbers) + 1}:
        raise ValueError(
            f"design must be for {len(numbers)} answers, or for one more that is not saying, it is for {design.k}"
        )
    return (*numbers, *(None,) * (design.k - len(numbers)))
