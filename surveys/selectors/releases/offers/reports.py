"""How far off chance in the reports alone makes what a release is computed from."""

import math
from fractions import Fraction
from typing import Any

from surveys.estimation.intervals import normal_quantile
from surveys.privacy.designs import Design
from surveys.privacy.mechanisms.choice import ScoredMechanism


def half_width_of_scores(mechanism: ScoredMechanism[Any], n: int, confidence_level: float) -> float:
    """Return at most z·√n/2 times the range that one response adds to a score.

    What n independent responses add to a form has n times the variance of what one adds, and that is at most a quarter
    of its range squared (Popoviciu's inequality). Under REPLACE_ONE the range is the sensitivity.
    """
    return normal_quantile(confidence_level) * math.sqrt(n) * float(mechanism.sensitivity.value) / 2


def deviation_between_ends(values: tuple[Fraction, ...], numbers: tuple[Fraction | None, ...], design: Design) -> float:
    """Return the standard deviation of one report's value where half of the people are at either outer number.

    Parameters
    ----------
    values : tuple of Fraction
        What each report counts for.
    numbers : tuple of Fraction or None
        What each truth stands for; None for not saying.
    design : Design
        Of the reports.
    """
    known = [number for number in numbers if number is not None]
    ends = [numbers.index(min(known)), numbers.index(max(known))]
    shares = [sum((row[end] for end in ends), Fraction(0)) / 2 for row in design.matrix]
    mean = sum((share * value for share, value in zip(shares, values, strict=True)), Fraction(0))
    square = sum((share * value**2 for share, value in zip(shares, values, strict=True)), Fraction(0))
    return math.sqrt(square - mean**2)
