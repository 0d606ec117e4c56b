"""The numeric unrelated question: a number, or another one whose distribution is known, for the mean of the number.

The matrix holds only where the innocuous number is independent of the sensitive one and of the fact that decides which
of them is reported, and epsilon only towards those who know none of them about the respondent.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

from surveys.privacy.designs.at_epsilon import truth_for
from surveys.privacy.designs.design import Design, Parameter
from surveys.privacy.designs.family import INTEGER, PAIR, PAIRS, DesignFamily, Parameters
from surveys.privacy.designs.grid import LARGEST_REPORTS, GridMean, even_grid
from surveys.privacy.designs.k_ary import k_ary
from surveys.privacy.designs.two_answer import refuse
from surveys.privacy.rationals import distribution, exact, probability, whole_number


def unrelated_mean(truths: Sequence[object], p: object, probabilities: Sequence[object]) -> GridMean:
    """Return the numeric unrelated question: with probability p the number, else an unrelated one is answered.

    Its distribution over the same values is known: it is a k-ary design with these weights, and a report z stands for
    (z − (1−p)·μ_Y)/p. A value that the unrelated number never has proves the truth: epsilon is infinite.

    Parameters
    ----------
    truths : sequence of exact numbers
        The values that both numbers may have, increasing.
    p : exact probability
        Of the sensitive question; not 0.
    probabilities : sequence of exact probabilities
        Of the unrelated number's values, summing to 1.

    Returns
    -------
    GridMean
        The design with its values.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Greenberg, Kuebler, Abernathy & Horvitz (1971), Application of the randomized response technique in obtaining
    quantitative data.

    Examples
    --------
    >>> from surveys.privacy import unrelated_mean
    >>> grid = unrelated_mean([0, 1, 2], "2/3", ["1/4", "1/2", "1/4"])
    >>> [str(value) for value in grid.values]
    ['-1/2', '1', '5/2']
    """
    values = [exact(truth, "truths") for truth in truths]
    shares, asked = distribution(probabilities, len(values), "probabilities"), probability(p, "p")
    design = k_ary(whole_number(len(values), "truths", 2, LARGEST_REPORTS), asked, shares)
    mean = sum((value * share for value, share in zip(values, shares, strict=True)), Fraction(0))
    return GridMean(tuple(values), tuple((value - (1 - asked) * mean) / asked for value in values), design)


def unrelated_number(k: int, p: object, grid: int | None = None, weights: Sequence[object] | None = None) -> Design:
    """Return the design in which the number is reported with probability p, else one with these shares.

    Odds change at most (1 + p/((1 − p)·min q))-fold, q being the shares.

    Parameters
    ----------
    k : int
        How many values both numbers may have, from 2 to 36.
    p : exact probability
        That the sensitive question is asked; not 0.
    grid : int, optional
        The same as k: what is stored says how many values there are.
    weights : sequence of exact probabilities, optional
        The share of each value of the innocuous number, summing to 1; by default equal shares. A value with the share
        0 is only ever a true number: epsilon is infinite.

    Returns
    -------
    Design
        For k values; `grid_of` gives its reports values.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Greenberg, Kuebler, Abernathy & Horvitz (1971), Application of the randomized response technique in obtaining
    quantitative data.

    Examples
    --------
    >>> from surveys.privacy import unrelated_number
    >>> round(unrelated_number(10, "1/2").epsilon, 3)
    2.398
    """
    asked = probability(p, "p")
    refuse(asked, "p", 0)
    if whole_number(k if grid is None else grid, "grid", 2, LARGEST_REPORTS) != k:
        raise ValueError(f"grid must be the number of truths, which is {k}, got {grid}")
    shares = _shares(k, weights)
    given: tuple[tuple[str, Parameter], ...] = (("p", asked), ("grid", k))
    return Design(
        "unrelated_number",
        k_ary(k, asked, shares).matrix,
        (*given, ("weights", shares)) if weights is not None else given,
    )


def unrelated_grid(design: Design, low: object, high: object) -> GridMean:
    """Return the design with values at equal distances: a report z stands for (z − (1−p)·μ)/p."""
    given = dict(design.exact_parameters)
    shares = _shares(design.k, cast("Sequence[object] | None", given.get("weights")))
    mean = unrelated_mean(even_grid(low, high, design.k), given["p"], shares)
    return GridMean(mean.truths, mean.values, design)


def _shares(k: int, weights: Sequence[object] | None) -> tuple[Fraction, ...]:
    return distribution(weights, k, "weights") if weights is not None else (Fraction(1, k),) * k


def _asked_at(odds: Fraction, k: int, others: Parameters) -> Fraction:
    return truth_for(odds, min(_shares(k, others.get("weights"))))


UNRELATED_NUMBER = DesignFamily(
    "unrelated_number",
    unrelated_number,
    {"p": PAIR, "grid": INTEGER, "weights": PAIRS},
    optional=frozenset({"weights"}),
    for_any_k=True,
    facts=frozenset({"p", "weights"}),
    turned_by="p",
    probability_at=_asked_at,
    # Its reports are numbers for a mean: it is compared for means alone.
    option_at=lambda _epsilon, _k: {},
    grid=unrelated_grid,
)
