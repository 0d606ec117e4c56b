"""What a drawn choice says about the true answers: how far they may be from making it the best one.

A mechanism judges candidates by scores of the reports, which are off in two ways: noise decides between them, and the
reports themselves are random. What the noise does is the mechanism's own error bound. For the reports, a score's form
f adds over n independent responses an amount between two limits that are R_f apart, so Hoeffding's inequality bounds
each of two deviations from what it is for the true answers:

    Pr(deviation ≥ R_f·√(n·ln(1/β)/2)) ≤ β.

Responses need not be alike, so this holds for these very respondents, and as well for the population they are drawn
from. Which candidate is drawn depends on the reports, so the bounds must hold for all candidates at once: β is shared
among them (Bonferroni). The reports themselves are not published; nothing here needs them.

References
----------
Hoeffding (1963), Probability inequalities for sums of bounded random variables, Theorem 2.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from surveys.estimation.validation import responses
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.scores import Form, Scores, combine_forms, largest_change

_ALLOWANCE = 1 + 1e-12
"""More than a logarithm, a root and two products in floats can be off by."""


def shortfall_of_truth(
    scores: Scores, chosen: int, others: Sequence[int], *, n: int, risk: float, of_reports: float
) -> float:
    """Return by how much the true score of a chosen candidate falls short of that of any of these others at most.

    By the reports it falls short by at most `of_reports`. What these deviate by comes on top, and one of two families
    of events bounds it, whichever candidates are drawn:

    - each of k forms deviates upwards or downwards: 2k events of β/(2k) each; two candidates' bounds are added;
    - each ordered pair's difference deviates upwards: k(k − 1) events of β/(k(k − 1)) each.

    Either family's risks sum to β. To take the smaller bound pair by pair would use events of both, and up to 2β. So
    one family serves all pairs: that whose largest bound is smaller, which forms, k and β decide before any report.

    Parameters
    ----------
    scores : Scores
        One form a candidate.
    chosen : int
        The candidate.
    others : sequence of int
        The candidates that it beat by the reports, but for noise; without any the shortfall is 0.
    n : int
        The public number of responses.
    risk : float
        Strictly between 0 and 1: with which the reports may deviate by more.
    of_reports : float
        The mechanism's own bound, at a risk of its own.
    """
    n, risk = responses(n), _risk(risk)
    forms = [form for [form] in scores.forms]
    each_form, each_pair = risk / (2 * len(forms)), risk / (len(forms) * (len(forms) - 1))
    apart, together = _largest_of_pairs(scores)
    if apart * _factor(n, each_form) < together * _factor(n, each_pair):
        errors = [sum(_deviation(scores, forms[i], n, each_form) for i in (chosen, other)) for other in others]
    else:
        errors = [_deviation(scores, _difference(forms[other], forms[chosen]), n, each_pair) for other in others]
    return max((of_reports + error for error in errors), default=0.0)


def rank_distance_of_truth(scores: Scores, chosen: int, *, n: int, risk: float, of_reports: float) -> float:
    """Return how many people are at most between a chosen answer and the rank that was wanted, by their true answers.

    Parameters
    ----------
    scores : Scores
        Of `QuantileScore.DISTANCE`: a form of 0, and one on each side.
    chosen : int
        The answer.
    n, risk, of_reports
        As in `shortfall_of_truth`.
    """
    n, risk = responses(n), _risk(risk)
    bounds = 2 * len(scores.forms)
    return of_reports + max(_deviation(scores, form, n, risk / bounds) for form in scores.forms[chosen][1:])


def _deviation(scores: Scores, form: Form, n: int, risk: float) -> float:
    """Return what a form of the reports exceeds its mean by with this risk at most."""
    change = largest_change(form, scores.counted, NeighbouringRelation.REPLACE_ONE)
    return float(change) * _factor(n, risk)


def _factor(n: int, risk: float) -> float:
    return math.sqrt(n * math.log(1 / risk) / 2) * _ALLOWANCE


def _difference(one: Form, other: Form) -> Form:
    return combine_forms((1, one), (-1, other))


@lru_cache(maxsize=64)
def _largest_of_pairs(scores: Scores) -> tuple[float, float]:
    """Return the largest sum of two forms' changes, and the largest change of a difference of two."""

    def change(form: Form) -> float:
        return float(largest_change(form, scores.counted, NeighbouringRelation.REPLACE_ONE))

    forms = [form for [form] in scores.forms]
    differences = [_difference(one, other) for one, other in combinations(forms, 2)]
    return sum(sorted(map(change, forms))[-2:]), max(map(change, differences))


def _risk(risk: float) -> float:
    if not 0 < risk < 1:
        raise ValueError(f"risk must be between 0 and 1, got {risk!r}")
    return risk
