"""Whether two questions go together at all: tests on the table of reports, as it stands.

With joint true answers Π the reports' table has the probabilities P₁ΠP₂ᵀ. If the true answers are independent, Π = abᵀ,
the reports are: P₁a(P₂b)ᵀ; and if both designs determine the true answers, only then, as Π is found back from the
reports' table by multiplying with the inverses on either side. So the ordinary tests hold their level on the reports;
randomization only costs power.

References
----------
Agresti (2013), Categorical Data Analysis, sections 3.2 and 3.5.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.association.joint import Table, count_table
from surveys.estimation.validation import Floats, read_only

SMALL = 5
"""Below such an expected count the χ² distribution is a poor approximation (Cochran's rule)."""

_MOST_TABLES = 10**7


@dataclass(frozen=True, slots=True, eq=False)
class IndependenceTest:
    """Tests of independence of two questions' reports, which is that of their true answers.

    Attributes
    ----------
    table : array of integers
        What was tested.
    expected : array of floats
        What independence would give, of the same shape.
    degrees_of_freedom : int
        Rows less 1, times columns less 1.
    pearson, pearson_p_value : float
        Pearson's χ².
    likelihood_ratio, likelihood_ratio_p_value : float
        The statistic G.
    exact_p_value : float or None
        Fisher's exact test, two-sided; None for a table larger than 2 × 2, NaN where more than ten million tables
        with these margins are likely: every expected count is then above 10^9.
    """

    table: npt.NDArray[np.int64]
    expected: Floats
    degrees_of_freedom: int
    pearson: float
    pearson_p_value: float
    likelihood_ratio: float
    likelihood_ratio_p_value: float
    exact_p_value: float | None

    @property
    def smallest_expected(self) -> float:
        """The smallest expected count."""
        return float(self.expected.min())

    @property
    def approximation_poor(self) -> bool:
        """Whether an expected count is below 5, so that the p-values of χ² and G are not to be relied on."""
        return self.smallest_expected < SMALL


def test_independence(table: Table) -> IndependenceTest:
    """Test whether the true answers of two questions are independent, from the table of their reports.

    Parameters
    ----------
    table : m₁ × m₂ integers
        How often each report to one question (rows) came with each report to the other (columns), of those that came
        at all. Both designs must determine their true answers; nothing else about them matters.

    Returns
    -------
    IndependenceTest
        With the p-values of Pearson's, the likelihood-ratio and, of a 2 × 2 table, Fisher's test.

    Raises
    ------
    ValueError
        If the table is not one of integers of at least 0 that sum to 1 at least and 10^15 at most, if a row or a column
        of it holds no reports, or if it has a single row or column: then there is nothing to test.

    Examples
    --------
    >>> from surveys.estimation import test_independence
    >>> round(test_independence([[40, 20], [20, 40]]).pearson_p_value, 4)
    0.0003
    """
    observed = count_table(table)
    for name, sums in (("row", observed.sum(axis=1)), ("column", observed.sum(axis=0))):
        if sums.size < 2:
            raise ValueError(f"table must have at least two rows and two columns, it has a single {name}")
        if not sums.all():
            raise ValueError(f"table must have reports in every row and column, {name} {int(np.argmin(sums))} has none")
    rows, columns, n = observed.sum(axis=1), observed.sum(axis=0), int(observed.sum())
    expected = np.outer(rows.astype(np.float64), columns) / n  # in floats: products of large margins are no int64
    freedom = (rows.size - 1) * (columns.size - 1)
    pearson = float(((observed - expected) ** 2 / expected).sum())
    # A sum of rounding errors must not fall below 0.
    likelihood_ratio = max(0.0, 2 * float(scipy.special.xlogy(observed, observed / expected).sum()))
    return IndependenceTest(
        observed,
        read_only(expected),
        freedom,
        pearson,
        chi_square_p_value(pearson, freedom),
        likelihood_ratio,
        chi_square_p_value(likelihood_ratio, freedom),
        fisher_p_value(observed) if observed.shape == (2, 2) else None,
    )


test_independence.__test__ = False  # type: ignore[attr-defined]  # pytest collects by name, wherever it is imported


def drop_empty(table: Table) -> npt.NDArray[np.int64]:
    """Return the rows and columns of a table that hold reports: what nobody sent says nothing about the others."""
    observed = count_table(table)
    return read_only(observed[observed.any(axis=1)][:, observed.any(axis=0)])


def chi_square_p_value(statistic: float, degrees_of_freedom: int) -> float:
    """Return the probability of a larger χ²; 1 without degrees of freedom."""
    return float(scipy.special.chdtrc(degrees_of_freedom, statistic)) if degrees_of_freedom else 1.0


def fisher_p_value(table: npt.NDArray[np.int64]) -> float:
    """Return the probability, given the margins of a 2×2 table, of all tables no more likely than this one.

    The quotients of the probabilities of neighbouring tables are simple, and keep their digits in large tables. Tables
    ignored are less likely than the smallest float (Bernstein's inequality, as the cell is a sum of independent
    Bernoulli variables), so that nothing is lost. NaN where even the others are too many.

    References
    ----------
    Vatutin & Mikhailov (1982), Limit theorems for the number of empty cells.
    """
    (first, second), column = table.sum(axis=1).tolist(), int(table[:, 0].sum())
    cell, (low, high) = int(table[0, 0]), _likely_cells(first, second, column)
    if high - low > _MOST_TABLES:
        return math.nan
    x = np.arange(low, high, dtype=np.float64)
    quotients = (first - x) * (column - x) / ((x + 1) * (second - column + x + 1))
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(quotients))])
    probabilities = np.exp(logarithms - logarithms.max())
    observed = float(probabilities[cell - low]) if low <= cell <= high else 0.0
    # Tables as likely as this one differ from it by rounding only.
    as_unlikely = probabilities <= observed * (1 + 1e-7)
    return float(probabilities[as_unlikely].sum() / probabilities.sum())


def _likely_cells(first: int, second: int, column: int) -> tuple[int, int]:
    """Return between which values the first cell lies, given its row, the other row and its column."""
    n = first + second
    mean = first * column / n
    variance = mean * (second / n) * ((n - column) / (n - 1))
    reach = math.ceil(40 * math.sqrt(variance) + 600)
    return max(0, column - second, int(mean) - reach), min(first, column, int(mean) + reach)
