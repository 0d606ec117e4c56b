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
    shares = shares_of_followers(attentive)
    return AttentionCurve(
        shares, tuple(estimate_prevalence(counts, dilute_design(design, share, random_reports)) for share in shares)
    )


def shares_of_followers(attentive: Sequence[object], name: str = "attentive") -> tuple[Fraction, ...]:
    """Return shares as exact fractions, or refuse what holds none, or none above 0, naming it."""
    given = as_list(attentive)
    if not given:
        raise ValueError(f"{name} must hold at least one share, got {attentive!r}")
    shares = tuple(probability(share, name) for share in given)
    if not min(shares) > 0:
        raise ValueError(f"{name} must be above 0: if nobody follows the instructions, reports tell nothing")
    return shares


def reports_of_others(random_reports: Sequence[object] | None, m: int) -> tuple[Fraction, ...]:
    """Return how probable each of m reports is from those who do not follow: the same for all unless given."""
    return (Fraction(1, m),) * m if random_reports is None else distribution(random_reports, m, "random_reports")


def dilute_design(design: Design, attentive: object, random_reports: Sequence[object] | None = None) -> Design:
    """Return what a design is if so many follow it and all others report at random, or always the same.

    Any estimate through it is the one that this share of followers leads to: a regression too. It is for estimating
    only. What protects somebody who follows the instructions is the design itself.

    Parameters
    ----------
    design : Design
        Of those who follow.
    attentive : exact probability
        Their share γ, above 0.
    random_reports : sequence of m exact probabilities, optional
        How probable each report of the others is; by default all the same. A single 1 is a report that they always
        send.

    Returns
    -------
    Design
        γP + (1−γ)κ1ᵀ.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import dilute_design, fit_logistic
    >>> from surveys.privacy import crosswise
    >>> reports, x, counts = [0, 1, 0, 1], [[1, 0], [1, 0], [1, 1], [1, 1]], [150, 250, 200, 200]
    >>> fit = fit_logistic(reports, x, dilute_design(crosswise("1/4"), "9/10"), weights=counts)
    >>> round(float(fit.coefficients[1]), 3)
    1.253
    """
    [share], m = shares_of_followers([attentive]), require_design(design).m
    chance = reports_of_others(random_reports, m)
    return Design(
        "diluted",
        tuple(
            tuple(share * entry + (1 - share) * chance_entry for entry in row)
            for row, chance_entry in zip(design.matrix, chance, strict=True)
        ),
    )
