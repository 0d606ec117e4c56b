"""Differences and odds ratios as they would be if some respondents answered at random, or always the same.

A share γ of respondents follows the instructions. The reports of the others come from κ whatever is true, as in
`attention.py`, so that a group's reports have the design γP + (1−γ)κ1ᵀ. For two groups with the same design of two
answers, c its slope and κ how probable code 1 is from the others, the moment estimates differ by

    π₁ − π₂ = ((λ₁ − κ)/γ₁ − (λ₂ − κ)/γ₂)/c.

With one γ in both groups this is (λ₁ − λ₂)/(γc): κ is gone, and the difference only grows. With two it can vanish or
change its sign. Two questions answered by the same people have the design P₁⊗P₂, and

    γ(P₁⊗P₂) + (1−γ)(κ₁⊗κ₂)1ᵀ              if the same people do not follow at both questions,
    (γ₁P₁ + (1−γ₁)κ₁1ᵀ)⊗(γ₂P₂ + (1−γ₂)κ₂1ᵀ)     if that is drawn anew at each question.

The estimates are of those who follow; they are everybody's if following has nothing to do with the true answers.

References
----------
Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.
"""

from collections.abc import Sequence
from itertools import product as cartesian

from surveys.estimation.adherence.attention import (
    AttentionCurve,
    dilute_design,
    reports_of_others,
    shares_of_followers,
)
from surveys.estimation.adherence.logistic import ATTENTION
from surveys.estimation.association.difference import Difference, difference_of
from surveys.estimation.association.joint import Table, count_table, product
from surveys.estimation.association.odds import OddsRatio, estimate_odds_ratio
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.validation import as_list, require_design
from surveys.privacy.designs.design import Design


def difference_curve(first: AttentionCurve, second: AttentionCurve, option: int = 1) -> tuple[Difference, ...]:
    """Return how much more frequent an answer is in one group than in another, one difference a pair of shares.

    For the same share of followers in both groups, both curves are of the same shares. If only the first group is in
    doubt, the second's curve is of as many shares that are 1.

    Parameters
    ----------
    first, second : AttentionCurve
        Of two groups of different people, for the same true answers; the two have as many shares γ each, which are
        taken in pairs.
    option : int, optional
        The answer's code.

    Returns
    -------
    tuple of Difference
        Each with `point`, `constrained`, `interval` and `p_value`, as if the two shares were known.

    Raises
    ------
    ValueError
        If the curves have different numbers of shares, or the option is no answer of both.

    Examples
    --------
    >>> from surveys.estimation import attention_curve, difference_curve
    >>> from surveys.privacy import crosswise
    >>> shares, design = ["1", "9/10", "7/10"], crosswise("1/4")
    >>> north = attention_curve([200, 200], design, shares)
    >>> in_both = difference_curve(north, attention_curve([160, 240], design, shares))
    >>> [round(difference.point, 3) for difference in in_both]
    [0.2, 0.222, 0.286]
    >>> in_one = difference_curve(north, attention_curve([160, 240], design, ["1"] * 3))
    >>> [round(difference.point, 3) for difference in in_one]
    [0.2, 0.2, 0.2]
    """
    pairs = len(first.estimates), len(second.estimates)
    if pairs[0] != pairs[1]:
        raise ValueError(f"second must have as many shares as first, which are {pairs[0]}, got {pairs[1]}")
    return tuple(difference_of(*both, option) for both in zip(first.estimates, second.estimates, strict=True))


def odds_ratio_curve(
    table: Table,
    design_a: Design,
    design_b: Design,
    attentive: Sequence[object],
    *,
    attentive_b: Sequence[object] | None = None,
    attention: str = "throughout",
    random_reports: tuple[Sequence[object] | None, Sequence[object] | None] = (None, None),
) -> tuple[OddsRatio, ...]:
    """Return the odds ratio of two two-answer questions, one a share of followers.

    Parameters
    ----------
    table : 2 × 2 integers
        How often each report to A (rows) came with each report to B (columns).
    design_a, design_b : Design
        Of those who follow, with two true answers each.
    attentive : sequence of exact probabilities
        The shares γ, none of them 0.
    attentive_b : sequence of exact probabilities, optional
        As many shares for B, by default those of A. Where they differ, attention must be ``"at_each_question"``.
    attention : str, optional
        ``"throughout"``: the same people do not follow at both questions, and their two reports are independent of each
        other. ``"at_each_question"``: following is drawn anew at each question.
    random_reports : pair of sequences of exact probabilities, optional
        How probable each report of the others is, to A and to B; by default all the same.

    Returns
    -------
    tuple of OddsRatio
        Each with `point` and `interval`, as if the shares were known.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.

    Examples
    --------
    >>> from surveys.estimation import odds_ratio_curve
    >>> from surveys.privacy import crosswise
    >>> curve = odds_ratio_curve([[222, 228], [228, 322]], crosswise("1/4"), crosswise("1/4"), ["1", "9/10", "8/10"])
    >>> [round(odds.point, 2) for odds in curve]
    [3.97, 4.69, 5.82]
    """
    if attention not in ATTENTION:
        raise ValueError(f"attention must be one of {', '.join(ATTENTION)}, got {attention!r}")
    designs = require_design(design_a, "design_a"), require_design(design_b, "design_b")
    if {design.k for design in designs} != {2}:
        raise ValueError(f"design_a and design_b must have two true answers, got {designs[0].k} and {designs[1].k}")
    observed = count_table(table, (designs[0].m, designs[1].m)).ravel()
    shares = shares_of_followers(attentive)
    of_b = shares if attentive_b is None else shares_of_followers(attentive_b, "attentive_b")
    if len(of_b) != len(shares):
        raise ValueError(f"attentive_b must be {len(shares)} shares, one for each of attentive, got {len(of_b)}")
    if attention == "throughout" and of_b != shares:
        raise ValueError("attentive_b must be as attentive where attention is throughout: it is of the same people")
    if len(as_list(random_reports) or ()) != 2:
        raise ValueError(f"random_reports must be a pair, one entry a question, got {random_reports!r}")
    others = tuple(reports_of_others(each, design.m) for each, design in zip(random_reports, designs, strict=True))
    if attention == "throughout":
        both, together = product(*designs), [a * b for a, b in cartesian(*others)]
        diluted = [dilute_design(both, share, together) for share in shares]
    else:
        diluted = [
            product(dilute_design(designs[0], a, others[0]), dilute_design(designs[1], b, others[1]))
            for a, b in zip(shares, of_b, strict=True)
        ]
    return tuple(estimate_odds_ratio(estimate_prevalence(observed, design)) for design in diluted)
