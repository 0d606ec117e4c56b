"""Which true answer is most common: utilities for the exponential mechanism, from randomized reports."""

from collections.abc import Sequence
from fractions import Fraction

from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

SENSITIVITY = 1
"""Of every utility, under `NeighbouringRelation.REPLACE_ONE`."""


def most_common_utilities(counts: Sequence[int], design: Design) -> tuple[Fraction, ...]:
    """Return one exact utility for each true answer, larger where it is more common.

    The utility of answer r is its debiased count Σ_j P⁻¹[r,j]·n_j divided by
    s = max_r (max_j P⁻¹[r,j] − min_j P⁻¹[r,j]).

    *Its sensitivity is 1 under REPLACE_ONE.* Replacing one report j by j' lowers n_j by 1 and raises n_j' by 1, so
    the debiased count of r changes by P⁻¹[r,j'] − P⁻¹[r,j], which lies between ± the range of row r of P⁻¹, and no
    range exceeds s. The bound is attained: take the row of the largest range, with j and j' its extremes.

    Dividing all of them by the same number keeps their order, so the best utility is the largest debiased count.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        With as many reports as truths, and an inverse.

    Raises
    ------
    ValueError
        If there is not one count a report, an integer of at least 0, or the design matrix has no inverse.
    """
    if len(counts) != design.m:
        raise ValueError(f"counts must hold {design.m} integers, got {counts!r}")
    received = [whole_number(count, "counts") for count in counts]
    largest_range = max(max(row) - min(row) for row in design.inverse)
    return tuple(
        sum((entry * count for entry, count in zip(row, received, strict=True)), Fraction(0)) / largest_range
        for row in design.inverse
    )
