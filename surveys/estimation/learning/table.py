"""A released joint table: noisy counts of the reports to several items, and estimates of the true answers.

Report cell i has probability λ = Pπ, where P is the Kronecker product of the items' design matrices (the identity for
a plain group) and π the joint distribution of the true answers. With c ~ Multinomial(n, λ) and independent noise Z of
variance s² on every cell, the table y = c + Z is published, and n. As Σc = n is known, what Σy differs from n by is
noise: taken out of all C cells alike it leaves noise of covariance s²(I − 11ᵀ/C). So

    π̂ = P⁻¹(y − (Σy − n)/C)/n

is unbiased and sums to 1. With u = (P⁻¹)ᵀh, what is linear in it, hᵀπ̂, has the variance
(Σλu² − (Σλu)²)/n + s²(Σu² − (Σu)²/C)/n².
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.rows import real_numbers
from surveys.estimation.regression.truths import indicators
from surveys.estimation.released.histogram import nearest_distribution
from surveys.estimation.released.noise import CountNoise, likely_noise
from surveys.estimation.validation import (
    LARGEST_N,
    Floats,
    as_list,
    integer_array,
    read_only,
    require_design,
    responses,
)
from surveys.privacy.designs.design import Design, Matrix
from surveys.privacy.rationals import as_integer, whole_number

Number = TypeVar("Number", bound=np.generic)

FEWEST_ANSWERS = 5
"""So many answers a cell there must be: below, most cells hold noise only."""


@dataclass(frozen=True)
class SummedNoise:
    """The noise on a count that is the sum of several noisy counts; a `CountNoise`."""

    noise: CountNoise
    number: int

    @property
    def variance(self) -> float:
        """The variance."""
        return self.number * self.noise.variance

    @property
    def reach(self) -> int:
        """What it exceeds on either side with a probability below 1e-15 for each count."""
        return self.number * self.noise.reach

    def at_least(self, t: npt.ArrayLike) -> Floats:
        """Return Pr(Z ≥ t) for every one of these integers."""
        places = np.clip(np.asarray(t, dtype=np.int64) + self.reach, 0, 2 * self.reach + 1)
        return np.asarray(np.append(self._tails, 0.0)[places])

    @cached_property
    def _tails(self) -> Floats:
        """Return Pr(Z ≥ t) from −reach to reach."""
        _, single = likely_noise(self.noise)
        together = np.ones(1)
        for _ in range(self.number):
            together = np.convolve(together, single)
        return np.cumsum(together[::-1])[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """What lies between true answers and published counts: the design of each item, and noise.

    Attributes
    ----------
    n : int
        The number of responses.
    matrices, inverses : tuples of arrays
        Each item's design matrix, and the weights of its reports in the shares of its true answers.
    variance : float
        Of the noise on every count.
    """

    n: int
    matrices: tuple[Floats, ...]
    inverses: tuple[Floats, ...]
    variance: float

    def without_noise(self) -> "Channel":
        """Return the same designs, exact counts of the reports published."""
        return Channel(self.n, self.matrices, self.inverses, 0.0)

    def direct(self) -> "Channel":
        """Return what everybody's true answers would say, exact counts published."""
        same = tuple(np.eye(matrix.shape[1]) for matrix in self.matrices)
        return Channel(self.n, same, same, 0.0)

    def covariance(self, functionals: Floats, truths: Floats) -> Floats:
        """Return the covariance of Σ h·π̂ for several h, if the true answers have this joint distribution.

        Parameters
        ----------
        functionals : array of q × k₁ × k₂ × … floats
            The h, each with a mean of about 0 over the true answers.
        truths : array of k₁ × k₂ × … floats
            Their joint distribution.
        """
        shares = each_axis(self.matrices, truths).ravel()
        backwards = tuple(inverse.T for inverse in self.inverses)
        weights = np.array([each_axis(backwards, functional).ravel() for functional in functionals])
        sampled = (weights * shares) @ weights.T / self.n
        centred = weights - weights.mean(axis=1, keepdims=True)
        return np.asarray(sampled + centred @ centred.T * (self.variance / self.n**2))


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """Noisy counts of the reports to q items, as they were published.

    Parameters
    ----------
    counts : array of m₁ × … × m_q integers
        How often each combination of reports came, after noise: entries may be negative or exceed n.
    n : int
        The number of responses, without noise: at least five a cell.
    designs : sequence of q Designs or None
        How the reports of each item were drawn, independently given the true answers; None for a plain group, whose
        codes are the true answers themselves.
    noise : CountNoise
        On every count by itself.

    Raises
    ------
    ValueError
        If the counts have another shape, hold what is no integer, or lie farther from 0 to n than the noise reaches; n
        is less than five a cell; the reports of a design do not determine its true answers; or the noise has no
        variance.

    Examples
    --------
    >>> from surveys.estimation import ReleasedTable
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> table = ReleasedTable([[342, 261], [258, 337]], 1200, (coins, coins), DiscreteLaplace(1, 2))
    >>> table.point.round(2).tolist()
    [[0.39, 0.12], [0.11, 0.38]]
    """

    counts: npt.NDArray[np.int64]
    n: int
    designs: tuple[Design | None, ...]
    noise: CountNoise

    def __post_init__(self) -> None:
        if not as_list(self.designs):
            raise ValueError(f"designs must be a Design or None for each item, got {self.designs!r}")
        designs = tuple(self.designs)
        counts = integer_array(self.counts)
        if counts is None:
            raise ValueError(f"counts must be integers of at most {LARGEST_N}, in a table")
        sizes = tuple(
            size if design is None else require_design(design, f"designs[{item}]").m
            for item, (design, size) in enumerate(zip(designs, counts.shape, strict=False))
        )
        if not (counts.ndim == len(designs) and counts.shape == sizes and min(sizes) >= 1):
            raise ValueError(f"counts must have one axis a design, as long as its reports, got shape {counts.shape}")
        n, variance, reach = responses(self.n), self.noise.variance, self.noise.reach
        if not n >= FEWEST_ANSWERS * counts.size:
            raise ValueError(f"n must be at least {FEWEST_ANSWERS} times the {counts.size} cells, got {n}")
        if not 0 <= variance < math.inf:
            raise ValueError(f"noise must have a finite variance, got {variance!r}")
        if not (counts.min() >= -reach and counts.max() <= n + reach):
            raise ValueError(f"counts must be at most {reach} below 0 or above n = {n}: the noise reaches no farther")
        for item, design in enumerate(designs):
            _refuse_undetermined(design, item)
        object.__setattr__(self, "counts", read_only(counts))
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "designs", designs)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many true answers each item has."""
        return tuple(
            size if design is None else design.k for design, size in zip(self.designs, self.counts.shape, strict=True)
        )

    @cached_property
    def channel(self) -> Channel:
        """The designs, as floats, and the noise."""
        pairs = list(zip(self.designs, self.counts.shape, strict=True))
        return Channel(
            self.n,
            tuple(np.eye(size) if design is None else _floats(design.matrix) for design, size in pairs),
            tuple(np.eye(size) if design is None else _floats(design.left_inverse) for design, size in pairs),
            self.noise.variance,
        )

    @cached_property
    def point(self) -> Floats:
        """The moment estimate of the true answers' joint distribution: unbiased, sums to 1, and may leave [0, 1]."""
        shares = (self.counts - (self.counts.sum() - self.n) / self.counts.size) / self.n
        return read_only(each_axis(self.channel.inverses, shares))

    @cached_property
    def constrained(self) -> Floats:
        """The distribution nearest to the moment estimate."""
        return read_only(nearest_distribution(self.point.ravel()).reshape(self.shape))

    def marginal(self, items: Sequence[SupportsIndex]) -> "ReleasedTable":
        """Return the table of some items, in this order, the others added up, with their noise.

        Raises
        ------
        ValueError
            If an item is none of the table's, or comes twice.
        """
        kept = [item_number(item, self, "items") for item in items]
        if len(set(kept)) != len(kept):
            raise ValueError(f"items must be different ones, got {kept}")
        summed = rearranged(self.counts, kept)
        number = self.counts.size // summed.size
        noise = self.noise if number == 1 else SummedNoise(self.noise, number)
        return ReleasedTable(summed, self.n, tuple(self.designs[item] for item in kept), noise)


def rearranged(array: npt.NDArray[Number], axes: Sequence[int]) -> npt.NDArray[Number]:
    """Return an array with these axes in this order, summed over all others."""
    summed = array.sum(axis=tuple(axis for axis in range(array.ndim) if axis not in axes))
    return np.asarray(summed.transpose([sorted(axes).index(axis) for axis in axes]))


def each_axis(matrices: Sequence[Floats], array: Floats) -> Floats:
    """Return the Kronecker product of matrices times an array of one axis a matrix."""
    for axis, matrix in enumerate(matrices):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array


def item_number(item: SupportsIndex, table: ReleasedTable, name: str) -> int:
    """Return the number of an item of a table, or refuse what is none."""
    return whole_number(item, name, largest=table.counts.ndim - 1)


@dataclass(frozen=True, slots=True, eq=False)
class TableRegression:
    """The outcome and the predictors of a regression, found in a table.

    Attributes
    ----------
    table : ReleasedTable
        Of the outcome, then the predictors.
    items : tuple of ints
        Which they are in the table that they were found in.
    rows : array of Z × p floats
        For each combination of the predictors' true answers a constant, and which answers but the first they are.
    """

    table: ReleasedTable
    items: tuple[int, ...]
    rows: Floats


def regression_of(
    table: ReleasedTable, outcome: SupportsIndex, predictors: Sequence[SupportsIndex] | None
) -> TableRegression:
    """Return the outcome and the predictors of a regression; None stands for all items but the outcome.

    Raises
    ------
    ValueError
        If an item is none of the table's, comes twice among the predictors, or is the outcome too.
    """
    first = item_number(outcome, table, "outcome")
    others: list[SupportsIndex] = [item for item in range(table.counts.ndim) if item != first]
    if predictors is not None:
        given = as_list(predictors)
        if given is None or any(as_integer(item) is None for item in given):
            raise ValueError(f"predictors must be numbers of items, got {predictors!r}")
        others = list(predictors)
    numbers = [item_number(item, table, "predictors") for item in others]
    if first in numbers:
        raise ValueError(f"predictors must not hold the outcome, item {first}: it would predict itself")
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"predictors must be different items, got {numbers}")
    items = (first, *numbers)
    marginal = table.marginal(items)
    truths = indicators(marginal.shape[1:])
    return TableRegression(marginal, items, read_only(np.hstack([np.ones((len(truths), 1)), truths])))


def _floats(matrix: Matrix) -> Floats:
    return np.array(matrix, dtype=np.float64)


def _refuse_undetermined(design: Design | None, item: int) -> None:
    """Refuse a design from whose reports nothing follows for some true answers."""
    if design is not None:
        try:
            _ = design.left_inverse
        except ValueError as undetermined:
            raise ValueError(f"designs[{item}] cannot be used: {undetermined}") from None


def expected_table(
    truths: npt.ArrayLike, n: int, designs: Sequence[Design | None], noise: CountNoise
) -> tuple[ReleasedTable, Floats]:
    """Return the table expected if the true answers have this joint distribution, rounded, and the distribution.

    Raises
    ------
    ValueError
        If the true answers are no probabilities that sum to 1, one axis an item, or a `ReleasedTable` refuses the rest.
    """
    assumed = real_numbers(truths, "truths")
    if not as_list(designs) or len(designs) != assumed.ndim:
        raise ValueError(f"designs must be a Design or None for each axis of truths, got {designs!r}")
    if not ((assumed >= 0).all() and math.isclose(assumed.sum(), 1.0, abs_tol=1e-9)):
        raise ValueError("truths must be probabilities that sum to 1")
    sizes = tuple(
        size if design is None else require_design(design).k
        for design, size in zip(designs, assumed.shape, strict=True)
    )
    if sizes != assumed.shape:
        raise ValueError(f"truths must have the shape {sizes}, that of the designs' truths, got {assumed.shape}")
    matrices = [
        np.eye(size) if design is None else _floats(design.matrix) for design, size in zip(designs, sizes, strict=True)
    ]
    counts = np.rint(responses(n) * each_axis(matrices, assumed)).astype(np.int64)
    return ReleasedTable(counts, n, tuple(designs), noise), assumed
