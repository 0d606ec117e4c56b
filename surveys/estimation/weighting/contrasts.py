"""Differences and other contrasts of weighted means, whoever shares clusters, strata and weights.

A contrast is Σ c·R of means R = Σwa/Σwb, each of the rows that it is about: two arms, two groups, two lists. By
linearization it varies as the sum of c·u with u = (a − Rb)/Σwb, 0 in all other rows, so that its variance over clusters
and strata holds what its means have in common.

References
----------
Binder (1983), On the variances of asymptotically normal estimators from complex surveys.
Zou, Huang & Zhang (2009), A note on confidence interval estimation for a linear function of binomial proportions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.adherence.anchor import anchor_contrast
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.list_experiment.arms import ListDesigns, list_channels
from surveys.estimation.patterns import MISSING
from surveys.estimation.validation import Counts, Floats, as_float, as_list, integer_array, read_only, require_design
from surveys.estimation.weighting.means import MeanTerm, WeightedMean, weighted_means
from surveys.estimation.weighting.raking import Margin
from surveys.estimation.weighting.sample import sample_of, t_quantile
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

CONTRAST_METHODS = ("mover", "wald")


def share_term(reports: Counts, design: Design, option: int = 1) -> MeanTerm:
    """Return the share of a true answer among those who reported.

    Parameters
    ----------
    reports : sequence of integers
        The report's code in each row, 255 where the question was skipped or not asked.
    design : Design
        The design of these reports.
    option : int, optional
        The answer's code.

    Returns
    -------
    MeanTerm
        For `estimate_weighted_contrast`.

    Examples
    --------
    >>> from surveys.estimation import share_term
    >>> from surveys.privacy import forced_response
    >>> share_term([0, 1, 255], forced_response()).stands_for.tolist()
    [[-0.5, 1.0], [1.5, 1.0]]
    """
    inverse = np.array(require_design(design).left_inverse, dtype=np.float64)
    guesses = inverse[whole_number(option, "option", 0, design.k - 1)]
    return MeanTerm(reports, np.column_stack([guesses, np.ones_like(guesses)]), 0.0, 1.0)


def list_terms(control: Counts, treatment: Counts, designs: ListDesigns) -> tuple[MeanTerm, MeanTerm]:
    """Return the mean counts of the treatment arm and of the control arm, whose difference is the sensitive share.

    Parameters
    ----------
    control, treatment : sequences of integers
        The report's code in each row to the list without and with the sensitive item, 255 where it was skipped or not
        asked.
    designs : pair of Designs
        Those of the control arm and of the treatment arm, `direct` where counts are sent as they are.

    Returns
    -------
    pair of MeanTerms
        For `estimate_weighted_contrast`, with the coefficients 1 and −1 and a contrast from 0 to 1.

    References
    ----------
    Blair & Imai (2012), Statistical analysis of list experiments.

    Examples
    --------
    >>> from surveys.estimation import list_terms
    >>> from surveys.privacy import direct
    >>> longer, shorter = list_terms([0, 1, 255, 255], [255, 255, 2, 1], (direct(2), direct(3)))
    >>> longer.high, shorter.high
    (2.0, 1.0)
    """
    shorter, longer = list_channels(designs)
    terms = [
        MeanTerm(
            reports, np.column_stack([channel.scores, np.ones(len(channel.matrix))]), 0.0, len(channel.weights) - 1.0
        )
        for reports, channel in ((treatment, longer), (control, shorter))
    ]
    return terms[0], terms[1]


def anchor_terms(
    reports: Counts,
    anchor_reports: Counts,
    design: Design,
    anchor_design: Design,
    *,
    anchor_prevalence: object = 0,
    random_share: object = "1/2",
) -> tuple[MeanTerm, MeanTerm]:
    """Return a share corrected by an anchor question, and the share of attentive respondents.

    Parameters
    ----------
    reports, anchor_reports : sequence of integers
        The report's code in each row to the sensitive question and to the anchor, 255 where either was skipped.
    design, anchor_design, anchor_prevalence, random_share
        As of `estimate_anchored`.

    Returns
    -------
    pair of MeanTerms
        The corrected share, which is a quotient, and that of the attentive; for `estimate_weighted_contrast`.

    References
    ----------
    Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.

    Examples
    --------
    >>> from surveys.estimation import anchor_terms
    >>> from surveys.privacy import crosswise
    >>> corrected, attentive = anchor_terms([1, 0], [0, 1], crosswise("3/20"), crosswise("3/20"))
    >>> attentive.stands_for.round(2).tolist()[:2]
    [[-1.43, 1.0], [1.43, 1.0]]
    """
    answers, anchors = (
        _two_codes(given, name) for given, name in ((reports, "reports"), (anchor_reports, "anchor_reports"))
    )
    if answers.size != anchors.size:
        raise ValueError(f"anchor_reports must be {answers.size} codes, one a report, got {anchors.size}")
    chance, more = anchor_contrast(anchor_design, anchor_prevalence, random_share)
    slope, offset = float(require_design(design).slope), float(design.offset)
    y, anchor = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).T
    attentive = (anchor - chance) / more
    corrected = (y - chance + (chance - offset) * attentive) / slope
    both = np.where((answers == MISSING) | (anchors == MISSING), MISSING, 2 * answers + anchors)
    return (
        MeanTerm(both, np.column_stack([corrected, attentive]), 0.0, 1.0),
        MeanTerm(both, np.column_stack([attentive, np.ones(4)]), 0.0, 1.0),
    )


def _two_codes(given: Counts, name: str) -> npt.NDArray[np.int64]:
    codes = integer_array(given)
    if codes is None or codes.ndim != 1 or not np.isin(codes, [0, 1, MISSING]).all():
        raise ValueError(f"{name} must be codes 0 and 1, or {MISSING}, got {given!r}")
    return codes


@dataclass(frozen=True, slots=True, eq=False)
class WeightedContrast:
    """A sum of weighted means, each times its coefficient.

    Attributes
    ----------
    means : tuple of K WeightedMean
        The means.
    coefficients : array of K floats
        What each counts for.
    covariance : array of K × K floats
        That of the means over samples and coins, by linearization.
    low, high : float
        The smallest and the largest contrast possible.
    """

    means: tuple[WeightedMean, ...]
    coefficients: Floats
    covariance: Floats
    low: float
    high: float

    @property
    def point(self) -> float:
        """Unbiased but for the linearization; may leave what is possible. NaN where a mean is."""
        return float(self.coefficients @ [mean.point for mean in self.means])

    @property
    def standard_error(self) -> float:
        """Over samples and coins, by linearization alone."""
        return math.sqrt(max(float(self.coefficients @ self.covariance @ self.coefficients), 0.0))

    @property
    def degrees_of_freedom(self) -> int:
        """Clusters less strata."""
        return self.means[0].degrees_of_freedom

    def p_value(self, value: float = 0.0) -> float:
        """Return the two-sided t-test of a value, as `standard_error` has it; NaN where nothing varies."""
        if not self.standard_error > 0:
            return math.nan
        distance = abs(self.point - value) / self.standard_error
        return 2 * float(scipy.special.stdtr(self.degrees_of_freedom, -distance))

    def interval(self, confidence_level: float = 0.95, method: str = "mover") -> ScalarInterval:
        """Return a confidence interval, cut to what is possible.

        Parameters
        ----------
        confidence_level : float, optional
            Of this contrast by itself.
        method : str, optional
            ``"mover"``: the limits of all means, each with a variance no less than that of `most` respondents of equal
            weight, are combined with the correlations of the means. ``"wald"``: point ± t standard errors.
        """
        if method not in CONTRAST_METHODS:
            raise ValueError(f"method must be one of {', '.join(CONTRAST_METHODS)}, got {method!r}")
        if method == "wald":
            half = t_quantile(self.degrees_of_freedom, confidence_level) * self.standard_error
            low, high = self.point - half, self.point + half
        else:
            low, high = self._mover_limits(confidence_level)
        outside = bool(high < self.low or low > self.high)
        low, high = np.clip([low, high], self.low, self.high).tolist()
        return ScalarInterval(low, high, confidence_level, method, outside)

    def _mover_limits(self, confidence_level: float) -> tuple[float, float]:
        limits = np.array([mean.limits(confidence_level) for mean in self.means])
        if not np.isfinite(limits).all():
            return -math.inf, math.inf
        points = np.array([mean.point for mean in self.means])
        errors = np.sqrt(np.diagonal(self.covariance))
        both = np.outer(errors, errors)
        alike = np.divide(self.covariance, both, out=np.eye(errors.size), where=both > 0)
        reach = []
        for side in (0, 1):
            # Down goes what is added to its lower and what is subtracted to its upper limit; up the other way round.
            towards = np.where(self.coefficients > 0, side, 1 - side)
            away = self.coefficients * np.abs(limits[np.arange(errors.size), towards] - points)
            reach.append(math.sqrt(max(float(away @ alike @ away), 0.0)))
        return self.point - reach[0], self.point + reach[1]


def estimate_weighted_contrast(
    terms: Sequence[MeanTerm],
    coefficients: Sequence[float],
    counts: Counts,
    weights: Sequence[float] | Floats | None = None,
    *,
    strata: Counts | None = None,
    clusters: Counts | None = None,
    margins: Sequence[Margin] = (),
    between: tuple[float, float] | None = None,
) -> WeightedContrast:
    """Estimate a contrast of weighted means, such as the difference between two arms, two groups or two lists.

    All means are of the same rows, and a row that a mean is not about has the report 255 in it. Arms that were raked
    each by itself have the margins' categories apart: those of each arm are codes of their own.

    Parameters
    ----------
    terms : sequence of MeanTerm
        The means: of `share_term`, `grid_term`, `list_terms` or `anchor_terms`.
    coefficients : sequence of floats
        What each counts for, not 0: 1 and −1 for a difference.
    counts : sequence of integers
        How many respondents each row stands for; all of them in one stratum and one cluster.
    weights, strata, clusters, margins
        As of `estimate_weighted`; clusters are drawn with replacement.
    between : pair of floats, optional
        The smallest and the largest contrast possible, where it is less than the means' ranges allow: (0, 1) of lists.

    Returns
    -------
    WeightedContrast
        With `point`, `standard_error`, `interval` and `p_value`.

    Raises
    ------
    ValueError
        If an argument is not as described, nobody answered, or naming the stratum that has a single cluster.

    References
    ----------
    Binder (1983), On the variances of asymptotically normal estimators from complex surveys.

    Examples
    --------
    >>> from surveys.estimation import estimate_weighted_contrast, share_term
    >>> from surveys.privacy import direct, forced_response
    >>> coins = share_term([0, 1, 0, 1, 255, 255], forced_response())
    >>> asked = share_term([255, 255, 255, 255, 0, 1], direct())
    >>> counts, weights = [30, 20, 25, 25, 80, 20], [1, 1, 2, 2, 1, 2]
    >>> contrast = estimate_weighted_contrast([coins, asked], [1, -1], counts, weights)
    >>> round(contrast.point, 3), round(contrast.standard_error, 3)
    (0.1, 0.119)
    """
    given = np.array([as_float(coefficient) for coefficient in as_list(coefficients) or ()])
    if not (len(terms) and given.shape == (len(terms),) and np.isfinite(given).all() and given.all()):
        raise ValueError(f"coefficients must be {len(terms)} numbers other than 0, got {coefficients!r}")
    samples = [
        sample_of(term.reports, counts, term.stands_for, weights, strata=strata, clusters=clusters, margins=margins)
        for term in terms
    ]
    means, covariance = weighted_means(terms, samples)
    # The derivatives of each quotient by its numerator and denominator.
    shares = [math.nan if math.isnan(mean.point) else mean.share for mean in means]
    slopes = scipy.linalg.block_diag(
        *(np.array([[1.0, -mean.point]]) / share for mean, share in zip(means, shares, strict=True))
    )
    ends = np.sort(given[:, np.newaxis] * [(term.low, term.high) for term in terms], axis=1)
    low, high = ends.sum(axis=0).tolist() if between is None else map(as_float, between)
    if not low < high:
        raise ValueError(f"between must be two numbers, the smaller first, got {between!r}")
    return WeightedContrast(means, read_only(given), read_only(slopes @ covariance @ slopes.T), float(low), float(high))
