"""What prevalences would be if some respondents answered at random: a curve over the share that did not.

With the share γ of attentive respondents, and the others' reports drawn from κ whatever is true, reports come with the
probabilities γPπ + (1−γ)κ. As Σπ = 1 that is a design again, γP + (1−γ)κ1ᵀ, through which everything is estimated. One
question by itself says nothing about γ: an anchor question does (`anchor.py`).

References
----------
Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.intervals.interval import Interval
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import Counts, Floats, as_list, read_only, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import distribution, probability, whole_number


@dataclass(frozen=True, slots=True)
class AttentionCurve:
    """The prevalences as they would be at several shares of attentive respondents.

    Attributes
    ----------
    attentive : tuple of Fraction
        The shares γ.
    estimates : tuple of PrevalenceEstimate
        One a share, through the diluted design.
    """

    attentive: tuple[Fraction, ...]
    estimates: tuple[PrevalenceEstimate, ...]

    def point(self, option: int = 1) -> Floats:
        """Return the moment estimates of one answer's prevalence, one a share; they may leave [0, 1]."""
        return read_only(np.array([estimate.point[self._code(option)] for estimate in self.estimates]))

    def constrained(self, option: int = 1) -> Floats:
        """Return its maximum likelihood estimates from 0 to 1, one a share."""
        return read_only(np.array([estimate.constrained[self._code(option)] for estimate in self.estimates]))

    def interval(self, option: int = 1, confidence_level: float = 0.95, method: str | None = None) -> Interval:
        """Return its confidence intervals, one a share, each as if this share were known."""
        code = self._code(option)
        intervals = [estimate.interval(confidence_level, method) for estimate in self.estimates]
        low, high, outside = (
            read_only(np.array([getattr(one, name)[code] for one in intervals])) for name in ("low", "high", "outside")
        )
        return Interval(low, high, confidence_level, intervals[0].method, outside)

    def _code(self, option: int) -> int:
        return whole_number(option, "option", 0, self.estimates[0].design.k - 1)


def attention_curve(
    counts: Counts,
    design: Design,
    attentive: Sequence[object],
    random_reports: Sequence[object] | None = None,
) -> AttentionCurve:
    """Estimate the prevalences at several shares of attentive respondents.

    For the crosswise design π̂(γ) = ½ + (λ̂ − ½)/(γ(2p − 1)) with variance λ̂(1 − λ̂)/((n − 1)γ²(2p − 1)²). The function
    cmBound of the R package cWise (0.0.0.9000) has the corrected π̂ in the place of the uncorrected one in this
    variance, so that its bands are too narrow.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        Of those who are attentive.
    attentive : sequence of exact probabilities
        The shares γ, none of them 0.
    random_reports : sequence of m exact probabilities, optional
        How probable each report of the others is; by default all the same.

    Returns
    -------
    AttentionCurve
        With `point`, `constrained` and `interval` of one answer, one entry a share.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.

    Examples
    --------
    >>> from surveys.estimation import attention_curve
    >>> from surveys.privacy import crosswise
    >>> curve = attention_curve([112, 198], crosswise("1/4"), ["1", "9/10", "8/10"])
    >>> curve.point().round(3).tolist()
    [0.223, 0.192, 0.153]
    """
    given = as_list(attentive)
    if not given:
        raise ValueError(f"attentive must hold at least one share, got {attentive!r}")
    shares = tuple(probability(share, "attentive") for share in given)
    return AttentionCurve(
        shares, tuple(estimate_prevalence(counts, dilute_design(design, share, random_reports)) for share in shares)
    )


def dilute_design(design: Design, attentive: object, random_reports: Sequence[object] | None = None) -> Design:
    """Return what a design is if so many follow it and all others report at random.

    It is for estimating only. What protects somebody who follows the instructions is the design itself.
    """
    share = probability(attentive, "attentive")
    if not share > 0:
        raise ValueError("attentive must be above 0: reports of nobody who is tell nothing")
    m = require_design(design).m
    chance = (Fraction(1, m),) * m if random_reports is None else distribution(random_reports, m, "random_reports")
    return Design(
        "diluted",
        tuple(
            tuple(share * entry + (1 - share) * chance_entry for entry in row)
            for row, chance_entry in zip(design.matrix, chance, strict=True)
        ),
    )
