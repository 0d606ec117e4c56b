"""A prevalence corrected by an anchor question, whose prevalence is known.

A share γ of the respondents is attentive; the others report code 1 with probability κ at either question. So

    λ = γ(d + cπ) + (1−γ)κ,      λ′ = γ(d′ + c′π′) + (1−γ)κ,

with offset d and slope c of a question's design, and those of the anchor. As π′ is known, the second gives γ and the
first π: with h = d′ + c′π′ − κ,

    γ = (λ′ − κ)/h,      π = ((λ − κ)/γ + κ − d)/c.

For two crosswise questions, κ = ½ and π′ = 0 these are γ = (λ′ − ½)/(½ − p′) and π = ½ + (λ − ½)/(γ(2p − 1)).

Both are quotients of means over respondents, π = Σw·a/Σw·b with b = (y′ − κ)/h and a = (y − κ + (κ − d)b)/c. How the
two reports of a respondent go together needs no model then, nor whether somebody who is inattentive at one question is
so at the other: only the share must be the same at both. The likelihood is that of the four pairs of reports, or with
weights of all different triples of two reports and a weight.

References
----------
Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.
Owen (2001), Empirical Likelihood.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.association.joint import Table, count_table
from surveys.estimation.intervals.binomial import likelihood_loss, normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.intervals.reported import accepted_ratios
from surveys.estimation.regression.rows import codes, frequency_weights
from surveys.estimation.validation import Floats, level, read_only, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import probability, whole_number

ANCHOR_METHODS = ("likelihood_ratio", "bootstrap", "wald")
REPLICATES = 1_999
_SEED = 2021
_AT_ONCE = 1_000_000
"""No more numbers than about this many are drawn at once."""


@dataclass(frozen=True, slots=True, eq=False)
class AnchoredShare:
    """A share that is a quotient of two means over respondents.

    Attributes
    ----------
    counts : array of R integers
        How many respondents there are of each kind.
    over, under : array of R floats
        What each counts for in numerator and denominator.
    """

    counts: npt.NDArray[np.int64]
    over: Floats
    under: Floats

    @property
    def point(self) -> float:
        """The quotient, which may leave [0, 1]; NaN where the denominator is not above 0."""
        return float(_quotients(self.counts[np.newaxis], self.over, self.under)[0])

    @property
    def constrained(self) -> float:
        """The point, cut to [0, 1]."""
        return float(np.clip(self.point, 0.0, 1.0))

    @property
    def standard_error(self) -> float:
        """By the delta method, for large samples; NaN for a single response."""
        n = int(self.counts.sum())
        if n == 1:
            return math.nan
        off = (self.over - self.point * self.under) / (self.counts @ self.under / n)
        return math.sqrt(float(self.counts @ off**2) / (n * (n - 1)))

    def interval(
        self,
        confidence_level: float = 0.95,
        method: str = "likelihood_ratio",
        *,
        generator: "np.random.Generator | None" = None,  # noqa: TID251 - approximates two quantiles
        replicates: int = REPLICATES,
    ) -> ScalarInterval:
        """Return a confidence interval, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of this interval by itself.
        method : str, optional
            ``"likelihood_ratio"``: the values that a likelihood-ratio test among all distributions of the reports
            leaves, all of them where the anchor does not tell that anybody is attentive. ``"bootstrap"``: the quantiles
            of the share when respondents are drawn anew, each kind in its observed proportion; a draw in which nobody
            seems attentive is beyond both limits. ``"wald"``, for comparison.
        generator : numpy.random.Generator, optional
            For the bootstrap; one with a fixed seed by default, so that the same answers have the same interval.
        replicates : int, optional
            How many draws.

        References
        ----------
        Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
        """
        if method not in ANCHOR_METHODS:
            raise ValueError(f"method must be one of {', '.join(ANCHOR_METHODS)}, got {method!r}")
        if method == "likelihood_ratio":
            low, high, outside = accepted_ratios(self.counts, self.over, self.under, likelihood_loss(confidence_level))
            return ScalarInterval(low, high, confidence_level, method, outside)
        if method == "wald":
            half = normal_quantile(confidence_level) * self.standard_error
            low, high = self.point - half, self.point + half
        else:
            draws = self._draws(generator, whole_number(replicates, "replicates", 1))
            tail = (1 - level(confidence_level)) / 2
            # Of so many draws no quantile is interpolated: some are infinite.
            low = float(np.quantile(np.where(np.isnan(draws), -np.inf, draws), tail, method="lower"))
            high = float(np.quantile(np.where(np.isnan(draws), np.inf, draws), 1 - tail, method="higher"))
        outside = high < 0 or low > 1
        low, high = np.clip([low, high], 0.0, 1.0).tolist()
        return ScalarInterval(low, high, confidence_level, method, outside)

    def _draws(self, generator: "np.random.Generator | None", replicates: int) -> Floats:  # noqa: TID251 - as above
        """Return the share in so many samples drawn from the observed proportions."""
        drawing = np.random.default_rng(_SEED) if generator is None else generator  # noqa: TID251 - as above
        n, blocks, block = int(self.counts.sum()), list[Floats](), max(1, _AT_ONCE // self.counts.size)
        for start in range(0, replicates, block):
            drawn = drawing.multinomial(n, self.counts / n, size=min(block, replicates - start))
            blocks.append(_quotients(drawn, self.over, self.under))
        return np.concatenate(blocks)


def _quotients(counts: npt.NDArray[np.int64], over: Floats, under: Floats) -> Floats:
    """Return Σ over/Σ under for each row of counts, NaN where Σ under is not above 0."""
    below = counts @ under
    quotients: Floats = np.divide(counts @ over, below, out=np.full(below.shape, np.nan), where=below > 1e-12)
    return quotients


@dataclass(frozen=True, slots=True, eq=False)
class AnchoredEstimate:
    """A corrected prevalence, and the share of attentive respondents that corrects it.

    Attributes
    ----------
    prevalence : AnchoredShare
        The share π of a Yes truth among the attentive; among all, if attention has nothing to do with the truth.
    attentive : AnchoredShare
        The share γ.
    """

    prevalence: AnchoredShare
    attentive: AnchoredShare


def estimate_anchored(
    table: Table,
    design: Design,
    anchor_design: Design,
    *,
    anchor_prevalence: object = 0,
    random_share: object = "1/2",
) -> AnchoredEstimate:
    """Estimate a prevalence, corrected for respondents who report at random, by an anchor question.

    Parameters
    ----------
    table : 2 × 2 integers
        How many reported code 0 or 1 to the sensitive question (rows) and to the anchor (columns).
    design, anchor_design : Design
        Of two answers each, such as `crosswise`.
    anchor_prevalence : exact probability, optional
        π′, how many have a Yes truth to the anchor: usually nobody.
    random_share : exact probability, optional
        κ, how probable code 1 is from somebody who is inattentive.

    Returns
    -------
    AnchoredEstimate
        With `prevalence` and `attentive`, each with `point`, `standard_error` and `interval`.

    Raises
    ------
    ValueError
        If a design has other than two answers, or attentive respondents report code 1 to the anchor exactly as often as
        the others do.

    References
    ----------
    Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.

    Examples
    --------
    >>> from surveys.estimation import estimate_anchored
    >>> from surveys.privacy import crosswise
    >>> design = crosswise("3/20")
    >>> estimate = estimate_anchored([[148, 425], [311, 1116]], design, design)
    >>> [round(estimate.prevalence.point, 4), round(estimate.attentive.point, 4)]
    [0.1054, 0.7729]
    """
    counts = count_table(table, (2, 2)).ravel()
    kinds = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    return _of_kinds(counts, kinds, design, anchor_contrast(anchor_design, anchor_prevalence, random_share))


def estimate_anchored_weighted(
    reports: npt.ArrayLike,
    anchor_reports: npt.ArrayLike,
    design: Design,
    anchor_design: Design,
    *,
    weights: npt.ArrayLike,
    anchor_prevalence: object = 0,
    random_share: object = "1/2",
) -> AnchoredEstimate:
    """Estimate the same from a sample whose respondents have sampling weights.

    The share among those whom the sample stands for. Respondents are taken as drawn independently, weight included, so
    that unequal weights widen the intervals as they should.

    Parameters
    ----------
    reports, anchor_reports : sequence of n codes 0 and 1
        To the sensitive question and to the anchor.
    design, anchor_design, anchor_prevalence, random_share
        As of `estimate_anchored`.
    weights : sequence of n floats
        For how many each respondent stands; 0 leaves one out.

    Returns
    -------
    AnchoredEstimate
        As of `estimate_anchored`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import estimate_anchored_weighted
    >>> from surveys.privacy import crosswise
    >>> design = crosswise("3/20")
    >>> estimate = estimate_anchored_weighted([1, 1, 1, 0], [1, 1, 1, 0], design, design, weights=[1, 2, 1, 1])
    >>> round(estimate.attentive.point, 3)
    0.857
    """
    y, anchor = codes(reports, 2, "reports"), codes(anchor_reports, 2, "anchor_reports")
    if y.size != anchor.size:
        raise ValueError(f"anchor_reports must be {y.size} codes, one a report, got {anchor.size}")
    given = frequency_weights(weights, y.size)
    kinds, counts = np.unique(np.column_stack([y, anchor, given])[given > 0], axis=0, return_counts=True)
    contrast = anchor_contrast(anchor_design, anchor_prevalence, random_share)
    return _of_kinds(counts.astype(np.int64), kinds, design, contrast)


def _of_kinds(
    counts: npt.NDArray[np.int64], kinds: Floats, design: Design, contrast: tuple[float, float]
) -> AnchoredEstimate:
    """Estimate from how many respondents there are of each kind: two reports, and a weight."""
    (y, anchor, weights), (chance, more) = kinds.T, contrast
    checked = require_design(design)
    slope, offset = float(checked.slope), float(checked.offset)
    # Weights of 1 on average, so that sums that are 0 but for rounding can be distinguished from others.
    unit = weights * (counts.sum() / (counts @ weights))
    attentive = unit * (anchor - chance) / more
    prevalence = (unit * (y - chance) + (chance - offset) * attentive) / slope
    counts, prevalence, attentive, unit = read_only(counts), *map(read_only, (prevalence, attentive, unit))
    return AnchoredEstimate(AnchoredShare(counts, prevalence, attentive), AnchoredShare(counts, attentive, unit))


def anchor_contrast(anchor_design: Design, anchor_prevalence: object, random_share: object) -> tuple[float, float]:
    """Return κ, and h: how much more often attentive respondents report code 1 to the anchor; or refuse where never."""
    design = require_design(anchor_design, "anchor_design")
    known, chance = probability(anchor_prevalence, "anchor_prevalence"), probability(random_share, "random_share")
    contrast = design.offset + design.slope * known - chance
    if contrast == 0:
        raise ValueError(
            "anchor_prevalence must be such that attentive respondents report code 1 to the anchor more or less often "
            f"than the others, who do with probability {chance}: so do they"
        )
    return float(chance), float(contrast)
