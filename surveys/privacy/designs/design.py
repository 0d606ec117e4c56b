"""A design is one matrix of exact probabilities that everything else reads.

``matrix[report][truth]`` is Pr(report | truth): columns sum to 1. The randomizer, the estimator, epsilon,
the odds shown to the respondent and the browser have no other source.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from surveys.privacy.designs.inverse import inverse_of, is_left_inverse, left_inverse_of
from surveys.privacy.designs.odds import log_of
from surveys.privacy.rationals import distribution, probability, show_value

Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]
Parameter: TypeAlias = int | Fraction | tuple[Fraction, ...] | Matrix


@dataclass(frozen=True)
class Design:
    """A randomized response design.

    Parameters
    ----------
    name : str
        The name under which `named` rebuilds it.
    matrix : tuple of tuples of Fraction
        Pr(report | truth), one row a report, one column per true answer.
    exact_parameters : tuple of (str, int, Fraction or nested tuples of Fraction)
        What its constructor was given.
    estimating_weights : tuple of tuples of Fraction, optional
        What a respondent's report adds to each estimated prevalence, one row per true answer, one column a report,
        where the field has its own estimator; by default `left_inverse` finds weights.

    Raises
    ------
    ValueError
        If the matrix is not one of probabilities whose columns sum to 1, if a report can never
        happen, if all columns are equal, so that reports tell nothing, or if the estimating weights
        do not undo the matrix exactly.
    """

    name: str
    matrix: Matrix
    exact_parameters: tuple[tuple[str, Parameter], ...] = ()
    estimating_weights: Matrix | None = None

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.matrix}
        if not (len(self.matrix) >= 2 and len(widths) == 1 and min(widths) >= 2):
            raise ValueError("a design matrix needs at least two reports and two truths, and rows of equal length")
        if not all(isinstance(entry, Fraction) and 0 <= entry <= 1 for row in self.matrix for entry in row):
            raise ValueError("every entry of a design matrix must be a Fraction between 0 and 1")
        truths = list(zip(*self.matrix, strict=True))
        for truth, column in enumerate(truths):
            if sum(column) != 1:
                raise ValueError(
                    f"column {truth} of the design matrix sums to {show_value(sum(column), str)}, not to 1"
                )
        for report, row in enumerate(self.matrix):
            if not any(row):
                raise ValueError(f"report {report} can never happen: its row of the design matrix is all zeros")
        if len(set(truths)) == 1:
            raise ValueError("all columns of the design matrix are equal, so its reports would tell nothing")
        if self.estimating_weights is not None and not is_left_inverse(self.estimating_weights, self.matrix):
            raise ValueError("estimating_weights times the design matrix must be exactly the identity")

    @property
    def k(self) -> int:
        """The number of possible true answers."""
        return len(self.matrix[0])

    @property
    def m(self) -> int:
        """The number of possible reports."""
        return len(self.matrix)

    @cached_property
    def denominator(self) -> int:
        """The least common denominator of all entries: the bound below which one integer is drawn."""
        return math.lcm(*(entry.denominator for row in self.matrix for entry in row))

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Integer weights of the reports, one tuple per true answer, each summing to the denominator."""
        return tuple(
            tuple(int(entry * self.denominator) for entry in column) for column in zip(*self.matrix, strict=True)
        )

    @cached_property
    def odds(self) -> tuple[Fraction | float, ...]:
        """For each report, the largest factor by which seeing it changes the odds between two true answers.

        A zero beside a non-zero makes it `math.inf`: that report rules a true answer out.
        """
        return tuple(max(row) / min(row) if min(row) else math.inf for row in self.matrix)

    @cached_property
    def epsilon(self) -> float:
        """The local epsilon in nats: the logarithm of the largest odds, rounded up; `math.inf` where they are."""
        largest = max(self.odds)
        return largest if isinstance(largest, float) else log_of(largest)

    def posterior(self, prior: Sequence[object]) -> tuple[tuple[Fraction, ...] | None, ...]:
        """Return Pr(truth | report), one tuple a report, for somebody who held this prior.

        Parameters
        ----------
        prior : sequence of exact probabilities
            One per true answer, summing to 1.

        Returns
        -------
        tuple
            None stands where the prior makes the report impossible.
        """
        believed = distribution(prior, self.k, "prior")
        joint = [[p * q for p, q in zip(row, believed, strict=True)] for row in self.matrix]
        return tuple(tuple(entry / sum(row) for entry in row) if any(row) else None for row in joint)

    @property
    def slope(self) -> Fraction:
        """For two answers: how much Pr(report Yes) rises when the truth goes from No to Yes."""
        self._refuse_more_than_two_answers()
        return self.matrix[1][1] - self.matrix[1][0]

    @property
    def offset(self) -> Fraction:
        """For two answers: Pr(report Yes) when the truth is No."""
        self._refuse_more_than_two_answers()
        return self.matrix[1][0]

    @cached_property
    def inverse(self) -> Matrix:
        """The exact inverse, one row per true answer; ValueError where reports do not determine the true answers."""
        return inverse_of(self.matrix)

    @cached_property
    def left_inverse(self) -> Matrix:
        """The k×m weights whose mean over the reports estimates each prevalence without bias.

        The inverse where there are as many reports as true answers, else the design's own estimating weights or
        weighted least squares; ValueError where reports do not determine the prevalences.
        """
        return self.estimating_weights or left_inverse_of(self.matrix)

    @property
    def parameters(self) -> dict[str, object]:
        """What rebuilds this design, as JSON can hold it: every Fraction is an integer pair, every integer itself."""
        return {name: _as_pairs(value) for name, value in self.exact_parameters}

    def _refuse_more_than_two_answers(self) -> None:
        if not (self.k == 2 and self.m == 2):
            raise ValueError(f"slope and offset need two truths and two reports, this design has {self.k} and {self.m}")


def from_matrix(rows: Iterable[Iterable[object]]) -> Design:
    """Return the design with these exact probabilities, one row a report, one column per true answer.

    Parameters
    ----------
    rows : iterable of iterables of exact probabilities
        Pr(report | truth), one row a report; each column sums to 1.

    Returns
    -------
    Design
        With this matrix.

    Raises
    ------
    ValueError
        Naming the rows, if a `Design` cannot have them.

    Examples
    --------
    >>> from surveys.privacy import from_matrix, warner
    >>> from_matrix([["3/4", "1/4"], ["1/4", "3/4"]]).matrix == warner("3/4").matrix
    True
    """
    try:
        given = [list(row) for row in rows]
    except TypeError:
        raise ValueError(f"rows must be rows of probabilities, got {show_value(rows)}") from None
    matrix = tuple(
        tuple(probability(entry, f"rows: row {report} of the design matrix") for entry in row)
        for report, row in enumerate(given)
    )
    try:
        return Design("matrix", matrix, (("rows", matrix),))
    except ValueError as wrong:
        raise ValueError(f"rows: {wrong}") from None


def _as_pairs(value: Parameter) -> object:
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return [value.numerator, value.denominator]
    return [_as_pairs(entry) for entry in value]
