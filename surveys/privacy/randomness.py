"""Exact draws from a cryptographic source: integers in, no float anywhere.

Every function takes its source as an argument: ``randbelow(bound)`` returns a uniform integer in
``range(bound)``, as `secrets.randbelow` does by rejection.

References
----------
Canonne, Kamath & Steinke (2020), The Discrete Gaussian for Differential Privacy, Algorithm 1.
"""

import secrets
from collections.abc import Callable
from fractions import Fraction

from surveys.privacy.designs.design import Design


def draw_report(design: Design, truth: int, randbelow: Callable[[int], int] = secrets.randbelow) -> int:
    """Draw the report that a respondent with this true answer sends.

    One integer below the common denominator of the design matrix is drawn, and the truth's column
    is walked: the report is the first one whose cumulated integer weight exceeds the draw.
    ``static/js/randomizer.js`` does exactly the same.

    Parameters
    ----------
    design : Design
        The design matrix in use.
    truth : int
        The code of the true answer, in ``range(design.k)``.
    randbelow : callable, optional
        The source of uniform integers.

    Returns
    -------
    int
        The code of the report, in ``range(design.m)``.

    Raises
    ------
    ValueError
        If the truth is not a code of the design.

    Examples
    --------
    >>> from surveys.privacy import draw_report, warner
    >>> draw_report(warner("3/4"), 1) in {0, 1}
    True
    """
    _require_code(truth, design.k)
    draw = randbelow(design.denominator)
    report = 0
    cumulated = design.columns[truth][0]
    while draw >= cumulated:
        report += 1
        cumulated += design.columns[truth][report]
    return report


def bernoulli_exp(gamma: Fraction, randbelow: Callable[[int], int] = secrets.randbelow) -> bool:
    """Return True with probability exactly exp(−gamma), without computing an exponential.

    Parameters
    ----------
    gamma : Fraction
        At least 0.
    randbelow : callable, optional
        The source of uniform integers.

    Raises
    ------
    ValueError
        If gamma is negative.
    """
    if not gamma >= 0:
        raise ValueError(f"gamma must be at least 0, got {gamma!r}")
    units, rest = divmod(gamma, 1)
    return all(_bernoulli_exp_below_one(Fraction(1), randbelow) for _ in range(units)) and _bernoulli_exp_below_one(
        rest, randbelow
    )


def _bernoulli_exp_below_one(gamma: Fraction, randbelow: Callable[[int], int]) -> bool:
    """Return True with probability exp(−gamma), gamma in [0, 1].

    Draw Bernoulli(gamma/1), Bernoulli(gamma/2), ... until one fails. That the k-th is the first to
    fail has probability gamma^(k−1)/(k−1)! − gamma^k/k!; over odd k this sums to exp(−gamma).
    """
    k = 1
    while randbelow(gamma.denominator * k) < gamma.numerator:
        k += 1
    return k % 2 == 1


def _require_code(truth: object, k: int) -> None:
    """Refuse what is no true answer, without repeating it."""
    if isinstance(truth, bool) or not isinstance(truth, int) or not 0 <= truth < k:
        raise ValueError(f"truth must be an integer from 0 to {k - 1}")
