"""How two randomized questions go together: the joint distribution of their true answers.

References
----------
Chaudhuri & Mukerjee (1988), Randomized Response: Theory and Techniques.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.association.correlation import CorrelationEstimate, estimate_correlation
from surveys.estimation.association.odds import OddsRatio, estimate_odds_ratio
from surveys.estimation.association.within import MeanWithin, share_within
from surveys.estimation.diagnostics import Misfit
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.general import wald_limits
from surveys.estimation.intervals.interval import Interval, cut_interval, each_level
from surveys.estimation.likelihood import most_likely
from surveys.estimation.moments import moment_covariance
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import LARGEST_N, Floats, integer_array, read_only, require_counts, require_design
from surveys.privacy.designs.design import Design, Matrix
from surveys.privacy.rationals import whole_number

# Two randomized questions together are one design: the truth is a pair, and so is the report.


@lru_cache(maxsize=8)
def product(design_a: Design, design_b: Design) -> Design:
    """Return the design of two questions whose probabilities are independent: the Kronecker product of the matrices.

    Parameters
    ----------
    design_a, design_b : Design
        With k₁ and k₂ true answers, m₁ and m₂ reports.

    Returns
    -------
    Design
        With k₁k₂ true answers and m₁m₂ reports. The pair (i, j) has the code i·k₂ + j, that is a table read row by row.
        Its epsilon is the sum of the two.
    """
    matrix = kronecker(design_a.matrix, design_b.matrix)
    weights = None
    if design_a.m != design_a.k or design_b.m != design_b.k:
        weights = kronecker(design_a.left_inverse, design_b.left_inverse)
    return Design("matrix", matrix, (("rows", matrix),), weights)


def kronecker(a: Matrix, b: Matrix) -> Matrix:
    """Return the exact Kronecker product of two matrices; equal entries of a row share their products."""
    return tuple(_row(row_a, row_b) for row_a in a for row_b in b)


def _row(row_a: tuple[Fraction, ...], row_b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    products = {(x, y): x * y for x in set(row_a) for y in set(row_b)}
    return tuple(products[x, y] for x in row_a for y in row_b)


# What is a table of counts.


Table: TypeAlias = Sequence[Sequence[int]] | npt.NDArray[np.integer]


def count_table(table: Table, shape: tuple[int, int] | None = None) -> npt.NDArray[np.int64]:
    """Return a read-only int64 copy of a table of this shape, if one is given.

    It holds integers of at least 0 that sum to 1 at least and 10^15 at most.
    """
    array = integer_array(table)
    wanted = f"{shape[0]} × {shape[1]}" if shape else "rows and columns of"
    if array is None or array.ndim != 2 or (shape and array.shape != shape):
        raise ValueError(f"table must be {wanted} integers of at most {LARGEST_N}, got {table!r}")
    return read_only(require_counts(array, "table"))


@dataclass(frozen=True, slots=True, eq=False)
class JointEstimate:
    """The joint distribution of the true answers of two questions A and B, a table of k₁ × k₂.

    Attributes
    ----------
    table : array of m₁ × m₂ integers
        How often each pair of reports was received.
    designs : pair of Design
        Of A and of B.
    cells : PrevalenceEstimate
        The pairs of true answers as the answers of one question, row by row.
    """

    table: npt.NDArray[np.int64]
    designs: tuple[Design, Design]
    cells: PrevalenceEstimate

    @property
    def n(self) -> int:
        """The number of responses that answered both."""
        return self.cells.n

    @property
    def shape(self) -> tuple[int, int]:
        """k₁ and k₂."""
        return self.designs[0].k, self.designs[1].k

    @property
    def point(self) -> Floats:
        """The moment estimate, k₁ × k₂: unbiased, sums to 1, and may leave [0, 1]."""
        return self.cells.point.reshape(self.shape)

    @property
    def covariance(self) -> Floats:
        """The covariance of the moment estimate's cells, read row by row: k₁k₂ × k₁k₂; NaN for a single response."""
        return self.cells.covariance

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the moment estimate, k₁ × k₂."""
        return self.cells.standard_error.reshape(self.shape)

    @property
    def constrained(self) -> Floats:
        """The maximum likelihood estimate among distributions, k₁ × k₂."""
        return self.cells.constrained.reshape(self.shape)

    @property
    def misfit(self) -> Misfit:
        """The test whether any joint distribution could have led to this table."""
        return self.cells.misfit

    @property
    def fitted(self) -> "JointEstimate":
        """The same estimates with the covariance that they would have if the constrained one were the truth.

        In a large table most pairs of reports never came. Their observed proportions of 0 have no variance, though
        the design alone sends them, so that the standard errors from them are too small.
        """
        reports = kronecker_floats(*self.designs) @ self.cells.constrained
        covariance = moment_covariance(joint_weights(*self.designs), reports / reports.sum(), self.n)
        return replace(self, cells=replace(self.cells, covariance=read_only(covariance)))

    @property
    def marginals(self) -> tuple[PrevalenceEstimate, PrevalenceEstimate]:
        """The prevalences of A and of B, each from its own reports; their moment estimates add up the cells'."""
        a, b = self.designs
        return estimate_prevalence(self.table.sum(axis=1), a), estimate_prevalence(self.table.sum(axis=0), b)

    @property
    def odds_ratio(self) -> OddsRatio:
        """The odds ratio of two two-answer questions."""
        return estimate_odds_ratio(two_by_two(self))

    @property
    def correlation(self) -> CorrelationEstimate:
        """The correlation φ of two two-answer questions."""
        return estimate_correlation(two_by_two(self))

    def interval(
        self, confidence_level: float = 0.95, method: str | None = None, *, simultaneous: bool = False
    ) -> Interval:
        """Return a confidence interval for each cell, limits of k₁ × k₂.

        Parameters
        ----------
        confidence_level, simultaneous
            As of `PrevalenceEstimate.interval`.
        method : str, optional
            As there, or ``"fitted"``: Wald's with the standard errors of `fitted`, for tables so large that most cells
            are empty and likelihood-ratio limits would take too long.
        """
        number = self.cells.design.k if simultaneous else 1
        each = each_level(confidence_level, number)
        if method == "fitted":
            cells = self.fitted.cells
            half = normal_quantile(each) * cells.standard_error
            limits = cells.point - half, cells.point + half
            interval = cut_interval(*limits, confidence_level, method, simultaneous=number > 1)
        elif method == "wald":
            limits = wald_limits(joint_weights(*self.designs), self.cells.observed, self.n, each)
            interval = cut_interval(*limits, confidence_level, method, simultaneous=number > 1)
        else:
            interval = self.cells.interval(confidence_level, method, simultaneous)
        tables = {name: getattr(interval, name).reshape(self.shape) for name in ("low", "high", "outside")}
        return replace(interval, **tables)

    def conditional(self, a: int, b: int, given: str = "a") -> MeanWithin:
        """Return the share with true answers a and b among those whose truth to one of the questions this is.

        Parameters
        ----------
        a, b : int
            The answers' codes.
        given : str, optional
            ``"a"``: Pr(B = b | A = a); ``"b"``: Pr(A = a | B = b).
        """
        if given not in {"a", "b"}:
            raise ValueError(f"given must be a or b, got {given!r}")
        (height, width), k = self.shape, self.cells.design.k
        a, b = whole_number(a, "a", 0, height - 1), whole_number(b, "b", 0, width - 1)
        among = range(a * width, (a + 1) * width) if given == "a" else range(b, k, width)
        return share_within(self.cells, a * width + b, among)


def estimate_joint(table: Table, design_a: Design, design_b: Design) -> JointEstimate:
    """Estimate the joint distribution of the true answers of two questions.

    With λ̂ the observed proportions of the pairs of reports, the moment estimate is (P₁⊗P₂)⁻¹λ̂ = (P₁⁻¹⊗P₂⁻¹)λ̂, with
    the covariance of `estimate_prevalence`.

    Parameters
    ----------
    table : m₁ × m₂ integers
        How often each report to A (rows) came with each report to B (columns).
    design_a, design_b : Design
        Their designs, whose probabilities are independent.

    Returns
    -------
    JointEstimate
        With `point`, `marginals`, `correlation`, `odds_ratio` and `conditional`.

    Raises
    ------
    ValueError
        If the table is not one of m₁ × m₂ integers of at least 0 that sum to 1 at least and 10^15 at
        most, or one question's reports do not
        determine its prevalences.

    Examples
    --------
    >>> from surveys.estimation import estimate_joint
    >>> from surveys.privacy import forced_response
    >>> coins = forced_response()
    >>> joint = estimate_joint([[34, 26], [26, 34]], coins, coins)
    >>> joint.point.round(3).tolist()
    [[0.383, 0.117], [0.117, 0.383]]
    >>> round(joint.correlation.point, 3)
    0.533
    """
    design_a, design_b = require_design(design_a, "design_a"), require_design(design_b, "design_b")
    observed = count_table(table, (design_a.m, design_b.m))
    design, counts = product(design_a, design_b), read_only(observed.ravel())
    n = int(counts.sum())
    weights = joint_weights(design_a, design_b)
    point = weights @ (counts / n)
    covariance = moment_covariance(weights, counts / n, n)
    constrained = most_likely(counts / n, design, point)
    cells = PrevalenceEstimate(counts, design, read_only(point), read_only(covariance), read_only(constrained))
    return JointEstimate(observed, (design_a, design_b), cells)


def kronecker_floats(design_a: Design, design_b: Design) -> Floats:
    """Return the matrix of both designs together, P₁⊗P₂."""
    a, b = (np.array(factor.matrix, dtype=np.float64) for factor in (design_a, design_b))
    return np.kron(a, b).astype(np.float64)


def joint_weights(design_a: Design, design_b: Design) -> Floats:
    """Return the weights (P₁⊗P₂)⁻¹ of the reports' proportions in the joint distribution, as P₁⁻¹⊗P₂⁻¹.

    The inverses of the factors are small: that of the product would cost the third power of their sizes' product.
    """
    inverse_a, inverse_b = (np.array(factor.left_inverse, dtype=np.float64) for factor in (design_a, design_b))
    return np.kron(inverse_a, inverse_b).astype(np.float64)


def two_by_two(joint: JointEstimate) -> PrevalenceEstimate:
    """Return the four cells of two two-answer questions, or refuse others."""
    if joint.shape != (2, 2):
        raise ValueError(
            f"two questions with two answers each are needed, these have {joint.shape[0]} and {joint.shape[1]}"
        )
    return joint.cells
