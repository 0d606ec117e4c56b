"""Whether the arms of a survey came out as they were dealt.

Each respondent is dealt to an arm by weights that are known, so the sizes of the arms are multinomial whatever people
answer. Where they are not, people left one arm more often than another, and the arms are not alike any more.

References
----------
Fabijan et al. (2019), Diagnosing sample ratio mismatch in online controlled experiments.
"""

from collections.abc import Sequence

from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Counts, report_counts, whole_numbers


def allocation_p_value(sizes: Counts, weights: Sequence[int]) -> float:
    """Return the probability of dealing arms whose sizes are as far from their weights, or further.

    Of two arms it is exact: twice the smaller tail of the binomial distribution, 1 at most. Of more it is that of
    Pearson's X² with one degree of freedom fewer than there are arms.

    Parameters
    ----------
    sizes : sequence of integers
        How many responded in each arm; at least two arms, and one response.
    weights : sequence of integers
        What they were dealt with, each at least 1.

    Raises
    ------
    ValueError
        Naming the argument that is wrong.
    """
    if not len(weights) >= 2:
        raise ValueError(f"weights must be those of at least two arms, got {weights!r}")
    dealt = whole_numbers(weights, len(weights), "weights")
    if not dealt.min() >= 1:
        raise ValueError(f"weights must be at least 1, got {weights!r}")
    observed = report_counts(sizes, len(weights), "sizes")
    n, shares = int(observed.sum()), dealt / dealt.sum()
    if len(weights) == 2:
        # No more than came into the first arm, and no fewer, which is no more into the second.
        return min(1.0, 2 * float(at_most(observed, n, shares).min()))
    expected = n * shares
    return chi_square_p_value(float(((observed - expected) ** 2 / expected).sum()), len(weights) - 1)
