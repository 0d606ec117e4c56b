"""Scores of candidates from counts, and exactly how much one response changes them.

A candidate's score is the lowest of its forms, u(n) = min_f Σ_j w_fj·n_j. One form makes a linear score, x and −x make
−|x|, and 0, x and y make −max(0, −x, −y), the distance to an interval.

*Sensitivity.* One response adds to a form an amount from ``low`` to ``high``: the smallest to the largest w_j where it
has one code, the sum of the negative to the sum of the positive w_j where it has any subset of bits. Replacing a
response adds one amount and takes another away, at most high − low; adding or removing one changes the form by at most
max(|low|, |high|). A minimum moves by no more than the form that moves most: |min a − min b| ≤ max |a − b|.

*Attained.* By one form under every relation. By −|x| too: as x may be negated, let high ≥ |low|. Adding `high` to no
response at all changes |x| by it; replacing `low` by `high` beside one response that adds `high` takes x from
high + low ≥ 0 to 2·high. So for these the sensitivity is no bound, it is the largest change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.designs.design import Design
from surveys.privacy.mechanisms.mechanism import Norm, Sensitivity
from surveys.privacy.rationals import whole_number

Form: TypeAlias = tuple[Fraction, ...]
"""What each count is multiplied by."""


@dataclass(frozen=True, slots=True)
class Scores:
    """One score for each candidate.

    Parameters
    ----------
    forms : tuple of tuples of tuples of Fraction
        The forms of each candidate, at least one; all of them over the same counts.
    counted : Counted
        What one response adds to the counts.
    """

    forms: tuple[tuple[Form, ...], ...]
    counted: Counted = Counted.CODES

    @property
    def length(self) -> int:
        """The number of counts."""
        return len(self.forms[0][0])

    def values(self, counts: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the exact score of each candidate; ValueError unless there are `length` integers of at least 0."""
        received = counts_received(counts, self.length)
        return tuple(min(_dot(form, received) for form in forms) for forms in self.forms)

    def sensitivity(self, relation: NeighbouringRelation) -> Sensitivity:
        """Return how much the score of any candidate differs at most between neighbours."""
        largest = max(largest_change(form, self.counted, relation) for forms in self.forms for form in forms)
        return Sensitivity(largest, Norm.ABSOLUTE, relation)

    def one_for_one(self, relation: NeighbouringRelation) -> bool:
        """Whether it is known that one change raises at most one candidate's score and lowers at most one.

        It is where one of k codes is replaced and each score has a single weight above all its others, which are
        equal, each at another code: that code going out lowers this score alone, that code coming in raises it alone.
        The debiased counts of k-ary designs t·I + (1−t)·f·1ᵀ are so, (N_j − (1−t)·f_j·n)/t.
        """
        if self.counted is Counted.BITS or relation is not NeighbouringRelation.REPLACE_ONE:
            return False
        peaks = [
            [code for code, weight in enumerate(form) if weight > min(form)] for forms in self.forms for form in forms
        ]
        return all(len(codes) == 1 for codes in peaks) and len({code for [code] in peaks}) == len(peaks)


def largest_change(form: Form, counted: Counted, relation: NeighbouringRelation) -> Fraction:
    """Return how much one change of one response moves a form at most."""
    if counted is Counted.BITS:
        low = sum((weight for weight in form if weight < 0), Fraction(0))
        high = sum((weight for weight in form if weight > 0), Fraction(0))
    else:
        low, high = min(form), max(form)
    return high - low if relation is NeighbouringRelation.REPLACE_ONE else max(abs(low), abs(high))


def debiased_forms(design: Design, counted: Counted, candidates: int) -> tuple[Form, ...]:
    """Return for each candidate the form that estimates, without bias, how many truly have it.

    Of k codes it is the candidate's row of the design's left inverse. A bit that is reported as 1 with probability
    d + c·truth has the estimate (x − d·n)/c from x ones; d·n/c is the same for every option, changes no choice, and is
    omitted, so that n is not needed.

    Parameters
    ----------
    design : Design
        Of the code, or of every single bit.
    counted : Counted
        One code a response, or any subset of so many bits.
    candidates : int
        The first of the design's true answers, or the number of bits.
    """
    if counted is Counted.BITS:
        return tuple(
            tuple(1 / design.slope if option == other else Fraction(0) for other in range(candidates))
            for option in range(candidates)
        )
    return design.left_inverse[:candidates]


def cumulated_forms(forms: Iterable[Form], length: int) -> tuple[Form, ...]:
    """Return the sums of the first 0, 1, 2, … forms."""
    sums = [(Fraction(0),) * length]
    for form in forms:
        sums.append(combine_forms((1, sums[-1]), (1, form)))
    return tuple(sums)


def combine_forms(*terms: tuple[int | Fraction, Form]) -> Form:
    """Return the sum of factors times forms."""
    factors = [factor for factor, _ in terms]
    columns = zip(*(form for _, form in terms), strict=True)
    return tuple(_dot(factors, column) for column in columns)


def counts_received(counts: Sequence[int], length: int) -> list[int]:
    """Return the counts as integers; ValueError unless they are so many of at least 0."""
    try:
        given = list(counts)
    except TypeError:
        given = []
    if len(given) != length:
        raise ValueError(f"counts must hold {length} integers, got {counts!r}")
    return [whole_number(count, "counts") for count in given]


def _dot(weights: Iterable[int | Fraction], values: Iterable[int | Fraction]) -> Fraction:
    """Return the exact sum of products."""
    total = Fraction(0)
    for weight, value in zip(weights, values, strict=True):
        total += weight * value
    return total
