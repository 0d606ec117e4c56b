"""What the same protection costs under different designs."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.planning.deviation import deviation
from surveys.estimation.validation import responses, share_inside
from surveys.privacy.designs import LARGEST_K, Design, direct, families
from surveys.privacy.rationals import probability, whole_number


@dataclass(frozen=True, slots=True)
class DesignPrecision:
    """How precise one design is among others with the same epsilon.

    Attributes
    ----------
    name : str
        The design; ``"direct"`` asks without any protection.
    design : Design
        Its matrix for one option; of a design that asks for every option by itself, that of one such question.
    half_width : float
        The expected margin of error of the option's interval.
    relative_n : float
        How many responses are worth one answer to a direct question.
    """

    name: str
    design: Design
    half_width: float
    relative_n: float


def compare_designs(
    *,
    epsilon: Fraction | float,
    k: int = 2,
    n: int,
    prevalence: float,
    innocuous: object = Fraction(1, 4),
    confidence_level: float = 0.95,
) -> tuple[DesignPrecision, ...]:
    """Return what every design makes of n responses when a respondent's whole answer costs the same epsilon.

    Every design is compared whose epsilon its parameters decide. With equal probabilities a
    statement or its opposite, two coins, two questions with the same answer or not, and a spinner for two answers are
    one and the same matrix.

    Parameters
    ----------
    epsilon : Fraction or float
        The local epsilon of a respondent's whole answer, above 0 and finite; every design stays just below it.
    k : int, optional
        The number of options, at least 2.
    n : int
        The number of responses.
    prevalence : float
        The option's share, strictly between 0 and 1.
    innocuous : exact probability, optional
        The Yes-rate of an innocuous question that is answered instead, strictly between 0 and 1.
    confidence_level : float, optional
        Of the margins of error.

    Returns
    -------
    tuple of DesignPrecision
        The most precise first.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import compare_designs
    >>> best = compare_designs(epsilon=1, n=1000, prevalence=0.2)[0]
    >>> round(best.half_width, 3)
    0.025
    """
    n, prevalence = responses(n), share_inside(prevalence, "prevalence")
    rate = probability(innocuous, "innocuous")
    if not 0 < rate < 1:
        raise ValueError(f"innocuous must be strictly between 0 and 1, got {rate}")
    k = whole_number(k, "k", 2, LARGEST_K)
    designs: dict[str, Design] = {"direct": direct()}
    for family in families():
        designs |= family.options_at(epsilon, k, **dict.fromkeys(family.kept_facts, rate))
    z, scatter_of_direct = normal_quantile(confidence_level), deviation(designs["direct"], prevalence, 1)
    rows = []
    for name, design in designs.items():
        scatter = deviation(design, prevalence, 1)
        rows.append(DesignPrecision(name, design, z * scatter / math.sqrt(n), (scatter / scatter_of_direct) ** 2))
    return tuple(rows)
