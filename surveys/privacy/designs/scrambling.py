"""Multiplicative scrambling: a number times a random factor, for the mean of a number."""

from collections.abc import Sequence
from fractions import Fraction

from surveys.privacy.designs.at_epsilon import truth_for
from surveys.privacy.designs.design import Design, from_matrix
from surveys.privacy.designs.family import INTEGER, PAIR, DesignFamily, Parameters
from surveys.privacy.designs.grid import LARGEST_REPORTS, GridMean, even_grid
from surveys.privacy.designs.two_answer import refuse
from surveys.privacy.rationals import distribution, exact, probability, whole_number


def scrambled_mean(truths: Sequence[object], factors: Sequence[object], probabilities: Sequence[object]) -> GridMean:
    """Return multiplicative scrambling: the answer times a number drawn from a public distribution is reported.

    A report z stands for z/μ, μ being the factors' mean. Nothing hides which products are possible: a report proves
    that the truth is none of the others' (`GridMean.excluded`), and 0 times anything is 0. Epsilon is infinite
    but for two opposite numbers with factors of both signs, as nothing else than 1 and −1 takes a finite set of
    products to itself. `with_chance` makes it finite.

    Parameters
    ----------
    truths : sequence of exact numbers
        The possible answers, increasing.
    factors : sequence of exact numbers
        The scrambling numbers; their mean is not 0.
    probabilities : sequence of exact probabilities
        Of the factors, summing to 1.

    Returns
    -------
    GridMean
        The design with its values.

    Raises
    ------
    ValueError
        If an argument is not as described, or there are more than 36 different products.

    References
    ----------
    Eichhorn & Hayre (1983), Scrambled randomized response methods for obtaining sensitive quantitative data.

    Examples
    --------
    >>> from surveys.privacy import scrambled_mean
    >>> grid = scrambled_mean([1, 2, 4], ["1/2", "3/2"], ["1/2", "1/2"])
    >>> [str(value) for value in grid.values]
    ['1/2', '1', '3/2', '2', '3', '6']
    """
    answers, numbers = [exact(truth, "truths") for truth in truths], [exact(factor, "factors") for factor in factors]
    shares = distribution(probabilities, len(numbers), "probabilities")
    mean = sum((factor * share for factor, share in zip(numbers, shares, strict=True)), Fraction(0))
    if not mean:
        raise ValueError("factors must not have the mean 0: nothing could be estimated")
    drawn = [(factor, share) for factor, share in zip(numbers, shares, strict=True) if share]
    products = sorted({answer * factor for answer in answers for factor, _ in drawn})
    if len(products) > LARGEST_REPORTS:
        raise ValueError(
            f"truths times factors must be at most {LARGEST_REPORTS} different numbers, got {len(products)}"
        )
    rows = [
        [sum((share for factor, share in drawn if answer * factor == number), Fraction(0)) for answer in answers]
        for number in products
    ]
    return GridMean(tuple(answers), tuple(number / mean for number in products), from_matrix(rows))


def with_chance(grid: GridMean, truth: object) -> GridMean:
    """Return the design that follows another with probability t, else sends any of its reports uniformly at random.

    So every report is possible whatever the truth, and epsilon is finite; values v become (v − (1−t)·v̄)/t.

    Parameters
    ----------
    grid : GridMean
        The design that is followed.
    truth : exact probability
        t, strictly between 0 and 1.

    Returns
    -------
    GridMean
        The design with its values.

    Raises
    ------
    ValueError
        If truth is not strictly between 0 and 1.

    Examples
    --------
    >>> from surveys.privacy import scrambled_mean, with_chance
    >>> grid = scrambled_mean([1, 2, 4], ["1/2", "3/2"], ["1/2", "1/2"])
    >>> round(with_chance(grid, "1/2").epsilon, 3)
    1.386
    """
    kept = probability(truth, "truth")
    if not 0 < kept < 1:
        raise ValueError(f"truth must be strictly between 0 and 1, got {kept}")
    m = grid.design.m
    other = sum(grid.values, Fraction(0)) / m
    rows = [[kept * entry + (1 - kept) / m for entry in row] for row in grid.design.matrix]
    return GridMean(grid.truths, tuple((v - (1 - kept) * other) / kept for v in grid.values), from_matrix(rows))


USUAL_VALUES, USUAL_FACTORS = 5, 2
"""Seven reports: the more there are, the rarer is each at random, and the more a 0 gives away."""


def scrambled_number(k: int, truth: object, grid: int | None = None, factors: int = USUAL_FACTORS) -> Design:
    """Return the design of scrambling: with probability t the code times a factor, else any of the products.

    The factors are 1, …, f, all equally often. Codes stand for equal steps from 0 on, so which products are one number
    does not depend on the step. A code of 0 has the product 0 for certain and no other code has it: with m products
    odds change at most (1 + t·m/(1 − t))-fold.

    Parameters
    ----------
    k : int
        The number of grid values.
    truth : exact probability
        t; not 0. At 1 it is the design of Eichhorn & Hayre: each report rules true answers out, and epsilon is
        infinite.
    grid : int, optional
        The same as k: what is stored says how fine the grid is.
    factors : int, optional
        f, from 2; there are 36 different products at most.

    Returns
    -------
    Design
        For k grid values; `grid_of` gives its reports values.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Eichhorn & Hayre (1983), Scrambled randomized response methods for obtaining sensitive quantitative data.

    Examples
    --------
    >>> from surveys.privacy import grid_of, scrambled_number
    >>> grid_of(scrambled_number(5, "1/2"), 0, 4).truths == (0, 1, 2, 3, 4)
    True
    """
    kept = probability(truth, "truth")
    refuse(kept, "truth", 0)
    if whole_number(k if grid is None else grid, "grid", 2, LARGEST_REPORTS) != k:
        raise ValueError(f"grid must be the number of truths, which is {k}, got {grid}")
    products = products_of(k, factors)
    if len(products) > LARGEST_REPORTS:
        raise ValueError(f"grid times factors must be at most {LARGEST_REPORTS} different numbers, got {len(products)}")
    rare = (1 - kept) / len(products)
    each = kept / factors
    rows = tuple(
        tuple(rare + each * sum(code * factor == product for factor in range(1, factors + 1)) for code in range(k))
        for product in products
    )
    return Design("scrambled_number", rows, (("truth", kept), ("grid", k), ("factors", factors)))


def products_of(k: int, factors: int) -> tuple[int, ...]:
    """Return the different products of the codes 0 to k − 1 and the factors 1 to f, increasing."""
    most = whole_number(factors, "factors", 2, LARGEST_REPORTS)
    return tuple(sorted({code * factor for code in range(k) for factor in range(1, most + 1)}))


def scrambled_grid(design: Design, low: object, high: object) -> GridMean:
    """Return scrambling with values on a grid from 0: a product z of codes stands for (2z/(f + 1) − (1 − t)v̄)/t steps.

    Raises
    ------
    ValueError
        If the lower limit is not 0: a factor keeps the ratios of numbers, so they need a zero of their own.
    """
    if exact(low, "low") != 0:
        raise ValueError(f"low must be 0 for scrambling, got {low}")
    given = dict(design.exact_parameters)
    kept, most = exact(given["truth"], "truth"), whole_number(given["factors"], "factors", 2)
    grid = even_grid(low, high, design.k)
    values = [Fraction(2 * product, most + 1) for product in products_of(design.k, most)]
    other = (1 - kept) * sum(values, Fraction(0)) / len(values)
    return GridMean(grid, tuple(grid[1] * (value - other) / kept for value in values), design)


def _truth_of_scrambling(odds: Fraction, k: int, others: Parameters) -> Fraction:
    return truth_for(odds, Fraction(1, len(products_of(k, others.get("factors", USUAL_FACTORS)))))


SCRAMBLED_NUMBER = DesignFamily(
    "scrambled_number",
    scrambled_number,
    {"truth": PAIR, "grid": INTEGER, "factors": INTEGER},
    for_any_k=True,
    turned_by="truth",
    probability_at=_truth_of_scrambling,
    # Its reports are no answers: it is compared for means alone.
    option_at=lambda _epsilon, _k: {},
    grid=scrambled_grid,
)
