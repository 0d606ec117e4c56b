"""What the same protection costs under different designs."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation.intervals import normal_quantile
from surveys.estimation.planning.deviation import deviation
from surveys.estimation.validation import responses, share_inside
from surveys.privacy.designs import (
    Design,
    crosswise,
    forced_response,
    k_ary_at,
    optimized_unary,
    symmetric_unary,
    unrelated_question,
    warner,
)
from surveys.privacy.rationals import probability


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
        The expected half-width of the option's interval.
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

    Up to two options a two-answer design is asked once; for more it is asked for every option, and as two true answers
    then differ in two of them, each gets half of epsilon. With equal chances Warner, forced response, the crosswise
    question and two-ary response are one and the same matrix.

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
        The Yes-rate of the unrelated question, strictly between 0 and 1.
    confidence_level : float, optional
        Of the half-widths.
    """
    n, prevalence = responses(n), share_inside(prevalence, "prevalence")
    rate = probability(innocuous, "innocuous")
    if not 0 < rate < 1:
        raise ValueError(f"innocuous must be strictly between 0 and 1, got {rate}")
    whole = k_ary_at(epsilon, k)
    one = symmetric_unary(epsilon, k).bit if k > 2 else whole
    odds = one.matrix[1][1] / one.matrix[1][0]
    designs: dict[str, Design] = {
        "direct": warner(1),
        "warner": warner(odds / (1 + odds)),
        "forced response": forced_response((odds - 1) / (odds + 1)),
        "unrelated question": _unrelated(odds, rate),
        "crosswise": crosswise(odds / (1 + odds)),
        "k-ary": whole,
        "optimized unary": optimized_unary(epsilon, k).bit,
        "symmetric unary": symmetric_unary(epsilon, k).bit,
    }
    z, direct = normal_quantile(confidence_level), deviation(designs["direct"], prevalence, 1)
    rows = []
    for name, design in designs.items():
        scatter = deviation(design, prevalence, 1)
        rows.append(DesignPrecision(name, design, z * scatter / math.sqrt(n), (scatter / direct) ** 2))
    return tuple(rows)


def _unrelated(odds: Fraction, rate: Fraction) -> Design:
    """Return the unrelated question with these odds: they are 1 + p/((1 − p)·q) for Yes, with 1 − q for No."""
    gained = (odds - 1) * min(rate, 1 - rate)
    return unrelated_question(gained / (1 + gained), rate)
