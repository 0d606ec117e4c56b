"""One bit for each of k options, every bit perturbed by itself (unary encoding).

The code of a report reads its bits as a binary number: option i is set where ``code >> i & 1``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.privacy.designs.at_epsilon import CLOSE
from surveys.privacy.designs.design import Design, Matrix, from_matrix
from surveys.privacy.designs.family import PAIR, DesignFamily
from surveys.privacy.designs.odds import LARGEST_DENOMINATOR, exact_epsilon, largest_odds, log_of
from surveys.privacy.rationals import distribution, probability, whole_number

# The full matrix has 2^k rows.
LARGEST_K_WITH_MATRIX = 10


@dataclass(frozen=True)
class UnaryDesign:
    """The design that reports k perturbed bits, of which only the bit of the true answer was set.

    Parameters
    ----------
    k : int
        The number of options, at least 2.
    p, q : exact probabilities
        That the bit of the true answer, and any other bit, is reported as set; 0 < q < p < 1.
    """

    k: int
    p: Fraction
    q: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number(self.k, "k", 2))
        object.__setattr__(self, "p", probability(self.p, "p"))
        object.__setattr__(self, "q", probability(self.q, "q"))
        if not 0 < self.q < self.p < 1:
            raise ValueError(f"p and q must satisfy 0 < q < p < 1, got p = {self.p} and q = {self.q}")

    @property
    def m(self) -> int:
        """The number of possible reports."""
        return 1 << self.k

    @cached_property
    def bit(self) -> Design:
        """The two-answer design of one option's bit."""
        return from_matrix([[1 - self.q, 1 - self.p], [self.q, self.p]])

    @property
    def odds(self) -> Fraction:
        """The largest factor by which a whole report changes the odds between two options: `odds_of_one`."""
        return Fraction(odds_of_one(self.bit))

    @property
    def epsilon(self) -> float:
        """The local epsilon of the whole report in nats, rounded up."""
        return epsilon_of_one(self.bit)

    @cached_property
    def design(self) -> Design:
        """The same as one matrix with 2^k reports, estimated from bit by bit; ValueError for more than 10 options."""
        if self.k > LARGEST_K_WITH_MATRIX:
            raise ValueError(
                f"the matrix of {self.k} options would have 2^{self.k} rows; it is made for up to "
                f"{LARGEST_K_WITH_MATRIX}, use bit and estimate each option by itself"
            )
        matrix = tuple(tuple(self._probability(report, truth) for truth in range(self.k)) for report in range(self.m))
        weight = tuple((bit - self.q) / (self.p - self.q) for bit in (0, 1))
        weights = tuple(tuple(weight[report >> option & 1] for report in range(self.m)) for option in range(self.k))
        return Design("unary", matrix, (("p", self.p), ("q", self.q)), weights)

    @property
    def matrix(self) -> Matrix:
        """The matrix of `design`."""
        return self.design.matrix

    def posterior(self, report: int, prior: Sequence[object]) -> tuple[Fraction, ...]:
        """Return Pr(truth | report) for somebody who held this prior, for any number of options.

        Parameters
        ----------
        report : int
            The code of the report.
        prior : sequence of k exact probabilities
            One an option, summing to 1.
        """
        if isinstance(report, bool) or not isinstance(report, int) or not 0 <= report < self.m:
            raise ValueError(f"report must be an integer from 0 to 2^{self.k} - 1, got {report!r}")
        believed = distribution(prior, self.k, "prior")
        # The other bits have the same probability under every true answer, relative to all bits unset by truth.
        likelihood = ((1 - self.p) / (1 - self.q), self.p / self.q)
        joint = [share * likelihood[report >> option & 1] for option, share in enumerate(believed)]
        return tuple(entry / sum(joint) for entry in joint)

    def _probability(self, report: int, truth: int) -> Fraction:
        """Return Pr(report | truth), the product over the bits."""
        of_truth = self.p if report >> truth & 1 else 1 - self.p
        others = report.bit_count() - (report >> truth & 1)
        return of_truth * self.q**others * (1 - self.q) ** (self.k - 1 - others)


def odds_of_one(option: Design) -> Fraction | float:
    """Return the largest factor by which reports on all options change the odds between two, of which one is true.

    Two such answers differ in two options: one report can speak for the one, and another against the other. However
    many options there are besides, their reports say the same of both.

    Parameters
    ----------
    option : Design
        Through which "is it this one?" is reported of each option, by itself: code 1 is that it is.

    Returns
    -------
    Fraction or float
        `math.inf` where a report rules an answer out.

    Raises
    ------
    ValueError
        If the design is not one of two answers.
    """
    if option.k != 2:
        raise ValueError(f"option must be a design of two answers, got one of {option.k}")
    against, for_it = (
        max(row[code] / row[1 - code] if row[1 - code] else math.inf for row in option.matrix) for code in (0, 1)
    )
    return math.inf if math.inf in {against, for_it} else against * for_it


def epsilon_of_one(option: Design) -> float:
    """Return the epsilon of reports on all options together, of which one is true: the logarithm of `odds_of_one`.

    Parameters
    ----------
    option : Design
        Through which each option is reported.

    Returns
    -------
    float
        In nats, rounded up; `math.inf` where a report rules an answer out.
    """
    odds = odds_of_one(option)
    return odds if isinstance(odds, float) else log_of(odds)


def each_option_at(family: DesignFamily, epsilon: object, *, close: Fraction = CLOSE, **others: object) -> Design:
    """Return the two-answer design of each option with which all reports together cost epsilon, or just below it.

    Where both reports of an option change odds alike each has half of epsilon. Else one of them has more, and how much
    is found by halving.

    Parameters
    ----------
    family, epsilon, close, others
        As of `DesignFamily.at_epsilon`: a family of designs with two answers, and what all options together may cost.

    Raises
    ------
    ValueError
        Naming the argument.
    """
    wished = exact_epsilon(epsilon)
    least, most = wished / 2, wished
    design = family.at_epsilon(least, 2, close=close, **others)
    # All reports together cost one's own ε and at most as much again: each step is nearer.
    while epsilon_of_one(design) < close * wished:
        middle = (least + most) / 2
        tried = family.at_epsilon(middle, 2, close=(3 + close) / 4, **others)
        if epsilon_of_one(tried) <= wished:
            least, design = middle, tried
        else:
            most = middle
    return design


def optimized_unary(epsilon: object, k: int, largest_denominator: int = LARGEST_DENOMINATOR) -> UnaryDesign:
    """Return optimized unary encoding: p = 1/2 and q = 1/(e^ε + 1), rounded towards more privacy.

    Parameters
    ----------
    epsilon : exact number or float
        Of the whole report; above 0 and finite; a float stands for its binary value.
    k : int
        The number of options, at least 2.
    largest_denominator : int
        Of the probabilities of one bit.

    Returns
    -------
    UnaryDesign
        Its epsilon is at most the one wanted.

    Raises
    ------
    ValueError
        If epsilon is so small that this denominator allows equal probabilities only.

    References
    ----------
    Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation.

    Examples
    --------
    >>> from surveys.privacy import optimized_unary
    >>> design = optimized_unary(1, 4)
    >>> str(design.p)
    '1/2'
    >>> design.epsilon <= 1
    True
    """
    # Half of the denominator, because 1/2 and q need a common one.
    odds = largest_odds(exact_epsilon(epsilon), 1, largest_denominator // 2)
    return UnaryDesign(k, Fraction(1, 2), 1 / (odds + 1))


def symmetric_unary(epsilon: object, k: int, largest_denominator: int = LARGEST_DENOMINATOR) -> UnaryDesign:
    """Return symmetric unary encoding: p = e^(ε/2)/(e^(ε/2) + 1) and q = 1 − p, rounded towards more privacy.

    Parameters
    ----------
    epsilon : exact number or float
        Of the whole report; above 0 and finite; a float stands for its binary value.
    k : int
        The number of options, at least 2.
    largest_denominator : int
        Of the probabilities of one bit.

    Returns
    -------
    UnaryDesign
        Its epsilon is at most the one wanted.

    Raises
    ------
    ValueError
        If epsilon is so small that this denominator allows equal probabilities only.

    References
    ----------
    Erlingsson, Pihur & Korolova (2014), RAPPOR: basic one-time RAPPOR, without its second randomization.

    Examples
    --------
    >>> from surveys.privacy import symmetric_unary
    >>> design = symmetric_unary(1, 4)
    >>> design.p + design.q == 1
    True
    """
    odds = largest_odds(exact_epsilon(epsilon) / 2, 1, largest_denominator)
    return UnaryDesign(k, odds / (odds + 1), 1 / (odds + 1))


def _unary(k: int, p: Fraction, q: Fraction) -> Design:
    return UnaryDesign(k, p, q).design


def _bits_at(epsilon: Fraction | float, k: int) -> dict[str, Design]:
    return {"optimized_unary": optimized_unary(epsilon, k).bit, "symmetric_unary": symmetric_unary(epsilon, k).bit}


UNARY = DesignFamily("unary", _unary, {"p": PAIR, "q": PAIR}, for_any_k=True, option_at=_bits_at)
