"""Logistic regression of several randomized answers of each respondent, with a random intercept that these share.

References
----------
Self & Liang (1987), Asymptotic properties of maximum likelihood estimators and likelihood ratio tests under nonstandard
conditions.
Larsen & Merlo (2005), Appropriate assessment of neighborhood effects on individual health.
Fox, Veen & Klotzke (2019), Generalized linear mixed models for randomized responses.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.regression.covariance import Information, inverse_or_nan, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.logistic import find_maxima
from surveys.estimation.regression.outcome import LogisticGround, Outcomes
from surveys.estimation.regression.random_intercept import (
    LARGEST,
    RandomInterceptGround,
    RandomInterceptModel,
    RepeatedReports,
    nodes_of,
)
from surveys.estimation.regression.rows import (
    Basis,
    Lines,
    codes,
    frequency_weights,
    predictors,
    report_lines,
)
from surveys.estimation.regression.scoring import Summit, ascend
from surveys.estimation.regression.starts import Summits, certainty, summits
from surveys.estimation.regression.testing import Heights, LikelihoodRatioTest, split
from surveys.estimation.validation import Floats, as_float, level, read_only

STARTS = (0.5, 1.5, 4.0)
"""The standard deviations that are climbed from."""
SHRUNKEN = 16 * math.sqrt(3) / (15 * math.pi)
"""A normal distribution function with a standard deviation of 1/this is nearest to the logistic one."""
NOTHING = 1e-4
"""A smaller standard deviation than this next to a maximum at 0 is 0 but for rounding."""
LOOKED_AT = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Where the profile of σ is looked at. Farther out answers of one person agree, but for 1 in 100 of what divides them.
"""
LOGISTIC_VARIANCE = math.pi**2 / 3


@dataclass(frozen=True, slots=True, eq=False)
class MixedMaxima:
    """The maxima of the likelihood, those without a random intercept, and what both are in.

    Attributes
    ----------
    data : RepeatedReports
        The reports, with predictors in the basis.
    basis : Basis
        The predictors' orthogonal basis.
    pooled : Summits
        Of the same reports as if of different people, which is σ = 0.
    summits : Summits
        Over the predictors' parameters and σ.
    """

    data: RepeatedReports
    basis: Basis
    pooled: Summits[LogisticGround]
    summits: Summits[RandomInterceptGround]

    def profile(self, sigma: float, starts: list[Floats]) -> tuple[Floats, float]:
        """Return the highest place found for the predictors beside this σ, and the log-likelihood there or at infinity.

        Where true answers are certain, no finite σ makes a difference.
        """
        model = RandomInterceptModel(self.data, sigma)
        ascents = [ascend(model, start) for start in (*starts, np.zeros(self.data.rows.shape[1]))]
        best = max(ascents, key=lambda summit: summit.ground.log_likelihood)
        certain = self.pooled.bound if self.pooled.infinity else -math.inf
        return best.parameters, max(best.ground.log_likelihood, certain)


@dataclass(frozen=True, slots=True, eq=False)
class MixedFit(BoundedFit):
    """A fitted logistic regression with a random intercept for each respondent.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of a Yes *truth* among answers with the same random intercept: a local maximum, the highest
        found. Among all people odds ratios are nearer to 1.
    sigma : float
        The standard deviation of the random intercept, in log odds; 0 where nothing that respondents share shows.
    log_likelihood : float
        Of the reports, there.
    log_likelihood_bound : float
        The highest found anywhere, infinity included.
    fitted : array of n floats
        Each report's probability of a Yes truth, among all people with its predictors.
    converged : bool
        Whether the coefficients and σ are a maximum. If not, every standard error is NaN.
    separated : bool
        Whether no finite maximum was found: some true answers are fitted as certainties, or σ grows without bound.
    information : Information
        What the covariances are computed from.
    x : array of c × p floats
        The predictors of the different reports.
    maxima : MixedMaxima
        What was found.
    """

    coefficients: Floats
    sigma: float
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    x: Floats
    maxima: MixedMaxima

    @property
    def intraclass_correlation(self) -> float:
        """The correlation of two answers of one person on the logistic scale, σ²/(σ² + π²/3)."""
        return intraclass_correlation(self.sigma)

    @property
    def median_odds_ratio(self) -> float:
        """Of two random people with the same predictors, one's odds are in half of all pairs at least so many times."""
        return median_odds_ratio(self.sigma)

    def sigma_test(self, value: float = 0.0) -> LikelihoodRatioTest:
        """Test whether σ has a value, 0 unless another is given, by the likelihood ratio.

        σ is never below 0, so that the statistic is not χ² near there. With Z normal about τ ≥ 0 with variance 1, it is
        as if τ were estimated by Z or, where that is below 0, by 0: half χ²₀ and half χ²₁ at τ = 0 (Self & Liang 1987),
        χ²₁ far from it. For a value below the estimate, τ is the difference of the roots of the statistics of 0 and of
        the value. Above it, χ²₁ is used, by which too many values are kept and never too few.

        Parameters
        ----------
        value : float
            From 0 to 16.
        """
        number = as_float(value)
        if not 0 <= number <= LOOKED_AT[-1]:
            raise ValueError(f"value must be from 0 to {LOOKED_AT[-1]:g}, got {value!r}")
        return SigmaProfile(self).test(number)

    def sigma_interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return from the lowest to the highest σ that `sigma_test` does not reject; from 0 if it does not reject that.

        The upper limit is infinite where 16 is not rejected.
        """
        return SigmaProfile(self).interval(level(confidence_level))

    def intraclass_interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the same interval, of the intraclass correlation."""
        limits = self.sigma_interval(confidence_level)
        return replace(limits, low=intraclass_correlation(limits.low), high=intraclass_correlation(limits.high))

    def _heights_without(self, columns: list[int]) -> Heights:
        return find_mixed_maxima(split(self.x, columns)[0], self.maxima.data).summits.heights


def wider(sigma: float) -> float:
    """Return about how many times as far from 0 coefficients are with this random intercept as without one."""
    return math.hypot(1, SHRUNKEN * sigma)


def intraclass_correlation(sigma: float) -> float:
    """Return σ²/(σ² + π²/3)."""
    return 1.0 if math.isinf(sigma) else sigma**2 / (sigma**2 + LOGISTIC_VARIANCE)


def median_odds_ratio(sigma: float) -> float:
    """Return exp(√2·σ·Φ⁻¹(¾)) [Larsen & Merlo 2005]."""
    return math.exp(min(math.sqrt(2) * sigma * float(scipy.special.ndtri(0.75)), 700.0))


def boundary_p_value(root: float, distance: float, *, below: bool) -> float:
    """Return how often the root of a likelihood-ratio statistic is as large, of a parameter that is never below 0.

    Parameters
    ----------
    root : float
        At the value tested.
    distance : float
        By how much it is smaller than the root at 0: how far the value is from 0, in standard errors.
    below : bool
        Whether the value is less than the estimate.
    """
    beyond = float(scipy.special.ndtr(-root))
    if root == 0 or not below or distance >= root:
        return 2 * beyond
    if distance <= 0:
        return beyond
    # An estimate Z below 0 becomes 0, at which the statistic is τ² − 2τZ.
    return beyond + float(scipy.special.ndtr(-(distance**2 + root**2) / (2 * distance)))


@dataclass(eq=False)
class SigmaProfile:
    """How high the likelihood is beside each σ, from the places already known."""

    fit: MixedFit

    def __post_init__(self) -> None:
        maxima, highest = self.fit.maxima, self.fit.maxima.summits.best
        self.reference = self.fit.log_likelihood if self.fit.converged else self.fit.log_likelihood_bound
        self.known = {
            0.0: (maxima.pooled.best.parameters, maxima.pooled.bound),
            self.fit.sigma: (highest.parameters[:-1], self.reference),
        }

    def root(self, sigma: float) -> float:
        """Return the root of the likelihood-ratio statistic of a value."""
        if sigma not in self.known:
            nearest = sorted(self.known, key=lambda other: abs(other - sigma))[:2]
            starts = [self.known[other][0] * wider(sigma) / wider(other) for other in nearest]
            self.known[sigma] = self.fit.maxima.profile(sigma, starts)
        return math.sqrt(max(0.0, 2 * (self.reference - self.known[sigma][1])))

    def test(self, sigma: float) -> LikelihoodRatioTest:
        """Return the test of a value."""
        root = self.root(sigma)
        below = sigma < self.fit.sigma
        return LikelihoodRatioTest(root**2, 1, boundary_p_value(root, self.root(0.0) - root, below=below))

    def interval(self, confidence_level: float) -> ScalarInterval:
        """Return the outermost values that are not rejected."""

        def kept(sigma: float) -> float:
            return self.test(sigma).p_value - (1 - confidence_level)

        values = sorted({*LOOKED_AT, self.fit.sigma})
        inside = [value for value in values if kept(value) >= 0]
        low, high = inside[0], inside[-1]
        for before, after in pairwise(values):
            if after == low:
                low = float(scipy.optimize.brentq(kept, before, after))
                break
        for before, after in pairwise(values):
            if before == high:
                high = float(scipy.optimize.brentq(kept, before, after))
                break
        else:
            high = math.inf
        return ScalarInterval(low, high, confidence_level, "profile")


def fit_logistic_mixed(
    reports: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    design_or_slope_offset: Lines,
    respondents: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
) -> MixedFit:
    """Fit logit Pr(truth Yes) = xβ + b by maximum likelihood, with b normal and common to all answers of a respondent.

    σ is the standard deviation of b. Each report is randomized by itself: several yes/no questions, or the options of
    one question that are randomized one by one. A column of X for each question lets each have a share of Yes of its
    own; what else is in X has the same odds ratio for all of them.

    The likelihood is climbed from three values of σ beside each maximum at σ = 0, where it is that of all reports as if
    they came from different people.

    Parameters
    ----------
    reports : sequence of n codes 0 and 1
        What was reported, one report a row. Questions that a respondent skipped have no row.
    X : array of n × p finite floats
        The predictors, with a column of ones, or one for each question.
    design_or_slope_offset : Design, sequence of n Designs, or pair (slope, offset)
        How true answers became reports, as for `fit_logistic`.
    respondents : sequence of n numbers or names
        Who gave the report.
    weights : sequence of n floats, optional
        How often each respondent counts: the same for all rows of one.

    Returns
    -------
    MixedFit
        With `coefficients`, `sigma`, `standard_errors`, `interval`, `sigma_interval`, `sigma_test` and
        `likelihood_ratio_test`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above, or the column of X that depends on those before it; or if nobody gave
        two reports, without which σ is not identified.

    References
    ----------
    Fox, Veen & Klotzke (2019), Generalized linear mixed models for randomized responses.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic_mixed
    >>> from surveys.privacy import forced_response
    >>> patterns, counts = [[0, 0], [0, 1], [1, 0], [1, 1]], [320, 130, 140, 210]
    >>> reports = [report for pattern in patterns for report in pattern]
    >>> people, questions = [0, 0, 1, 1, 2, 2, 3, 3], [[1, 0], [0, 1]] * 4
    >>> weights = [count for count in counts for _ in range(2)]
    >>> fit = fit_logistic_mixed(reports, questions, forced_response("9/10", "1/2"), people, weights=weights)
    >>> fit.coefficients.round(3).tolist()
    [-0.458, -0.551]
    >>> limits = fit.sigma_interval()
    >>> round(fit.sigma, 2), round(limits.low, 2), round(limits.high, 2)
    (1.98, 1.56, 2.47)
    """
    y = codes(reports, 2, "reports")
    x = predictors(X, y.size, "reports")
    if_no, if_yes = report_lines(design_or_slope_offset, y.size)
    counted = frequency_weights(weights, y.size)
    people = _numbered(respondents, y.size)
    kept = counted > 0
    each = np.column_stack([np.where(y == 1, if_no, 1 - if_no), np.where(y == 1, if_yes, 1 - if_yes), x])
    different, place = np.unique(each[kept], axis=0, return_inverse=True)
    data = _gathered(different, place.reshape(-1), people[kept], counted[kept])
    maxima = find_mixed_maxima(different[:, 2:], data)
    summit, basis = maxima.summits.best, maxima.basis
    here, sigma = summit.ground, min(abs(float(summit.parameters[-1])), LARGEST)
    coefficients = basis.to_coefficients @ summit.parameters[:-1]
    information = no_information(x.shape[1])
    if summit.converged:
        jacobian = np.column_stack([basis.to_coefficients, np.zeros(x.shape[1])])
        information = Information(here.observed(), None, here.opg(), jacobian)
    nodes, shares = nodes_of(sigma, 1)
    return MixedFit(
        coefficients=read_only(coefficients),
        sigma=sigma,
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=maxima.summits.bound,
        fitted=read_only(scipy.special.expit((x @ coefficients)[:, np.newaxis] + sigma * nodes) @ shares),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        x=different[:, 2:],
        maxima=maxima,
    )


def _numbered(respondents: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    """Return the respondent of each report as a number from 0."""
    try:
        given = np.asarray(respondents)
        known = given.shape == (n,) and (given.dtype.kind != "f" or np.isfinite(given).all())
        numbers = np.unique(given, return_inverse=True)[1] if known else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None:
        raise ValueError(f"respondents must be {n} numbers or names, one a report")
    return numbers


def _gathered(
    different: Floats, place: npt.NDArray[np.int64], people: npt.NDArray[np.int64], weights: Floats
) -> RepeatedReports:
    """Return the reports by respondent; those with the same reports are one, with the weight of all."""
    order = np.lexsort((place, people))
    first = np.flatnonzero(np.diff(people[order], prepend=-1))
    own = weights[order]
    if not (own == np.repeat(own[first], np.diff(np.append(first, own.size)))).all():
        raise ValueError("weights must be the same in all rows of a respondent")
    patterns: dict[tuple[int, ...], float] = {}
    for reports, weight in zip(np.split(place[order], first[1:]), own[first].tolist(), strict=True):
        key = tuple(reports.tolist())
        patterns[key] = patterns.get(key, 0.0) + weight
    sizes, flat = [len(pattern) for pattern in patterns], [report for pattern in patterns for report in pattern]
    if not max(sizes) > 1:
        raise ValueError("respondents must name at least one of them twice: with one report each, σ is not identified")
    given = scipy.sparse.csr_array(
        (np.ones(len(flat)), (np.repeat(np.arange(len(sizes)), sizes), flat)), shape=(len(sizes), len(different))
    )
    totals = np.array(list(patterns.values()), dtype=np.float64)
    return RepeatedReports(different[:, 2:], different[:, 0], different[:, 1], given, max(sizes), totals)


def find_mixed_maxima(x: Floats, data: RepeatedReports) -> MixedMaxima:
    """Return the maxima over the coefficients of X and σ."""
    pooled, basis = find_maxima(x, Outcomes(data.if_no, data.if_yes, data.given.T @ data.weights))
    data = replace(data, rows=basis.rows)
    model = RandomInterceptModel(data)
    level = [summit for summit in (_level_summit(model, place) for place in pooled.maxima) if summit.converged]
    ascents = [
        ascend(model, np.append(place * wider(sigma), sigma))
        for place in pooled.maxima or [np.zeros(x.shape[1])]
        for sigma in STARTS
    ]
    if level:
        ascents = [summit for summit in ascents if abs(summit.parameters[-1]) > NOTHING]
    far = [np.append(place, 0.0) for place in pooled.infinity]
    found = summits([*level, *ascents, *(certainty(place, model.at(place)) for place in far)])
    return MixedMaxima(data, basis, pooled, found)


def _level_summit(model: RandomInterceptModel, place: Floats) -> Summit[RandomInterceptGround]:
    """Return a maximum without a random intercept, which is a maximum with one if the likelihood falls with σ."""
    parameters = np.append(place, 0.0)
    ground = model.at(parameters)
    falls = bool(np.isfinite(inverse_or_nan(ground.observed())).all())
    return Summit(parameters, ground, converged=falls, at_infinity=False)
