"""Estimates from weighted reports, with variances of the way in which respondents were chosen.

A report j of the design P stands for the row r = P⁻¹[:, j] of unbiased guesses of the truths' indicators; for two
answers it is (z − d)/c. Everything that holds for answers y in a survey of strata, clusters and weights holds for r in
their place: E[r | truth] = y, and as the coins of different respondents are independent, the variance between clusters
drawn with replacement holds the coins' variance too. Where clusters are drawn without replacement it holds a part of
it only: the rest is estimated from r itself, as E[rrᵀ − diag r | truth] is the coins' covariance.

References
----------
Arnab (1994), Nonnegative variance estimation in randomized response surveys.
Cobo, Rueda & López-Torrecillas (2017), Application of randomized response techniques for investigating cannabis use by
Spanish university students (with the R package RRTCS).
Binder (1983), On the variances of asymptotically normal estimators from complex surveys.
Deville & Särndal (1992), Calibration estimators in survey sampling: residuals stand for the variables.
Korn & Graubard (1998), Confidence intervals for proportions with small expected number of positive counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.affine import affine_map
from surveys.estimation.intervals import Interval, ScalarInterval, normal_quantile
from surveys.estimation.intervals.binomial import wilson
from surveys.estimation.intervals.interval import cut_interval
from surveys.estimation.patterns import MISSING
from surveys.estimation.validation import (
    LARGEST_NUMBER,
    Counts,
    Floats,
    as_float,
    as_list,
    integer_array,
    level,
    read_only,
    report_counts,
    require_design,
)
from surveys.estimation.weighting.raking import Margin, effective_n, require_margins, require_weights
from surveys.privacy.designs.design import Design

METHODS = ("wilson", "wald")


class SampleDesign(TypedDict, total=False):
    """How respondents were chosen, and what their weights were raked to.

    Attributes
    ----------
    strata, clusters : sequence of integers
        Each row's stratum and cluster; clusters of different strata are different ones. Left out, all is one stratum,
        and each respondent a cluster.
    margins : sequence of Margin
        What the weights were raked to, so that the variance accounts for it.
    fractions : sequence of floats
        Which part of its clusters each stratum's sample is, by the strata's codes from 0, of clusters drawn without
        replacement: the variance between them counts 1−f times, and f times the coins' own is added. At 1 it is that of
        the coins alone, as in a class that was asked as a whole.
    """

    strata: Counts | None
    clusters: Counts | None
    margins: Sequence[Margin]
    fractions: Sequence[float] | Floats | None


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """The weighted mean of values that true answers stand for.

    Attributes
    ----------
    point : float
        Unbiased but for the linearization; may leave the values' range.
    standard_error : float
        Over samples and coins.
    low, high : float
        The smallest and the largest value.
    design_effect : float
        The variance over that of as many respondents of equal weight and no clusters; NaN where that is 0.
    degrees_of_freedom : int
        Clusters less strata.
    """

    point: float
    standard_error: float
    low: float
    high: float
    design_effect: float
    degrees_of_freedom: int

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return point ± t times the standard error, cut to the values' range."""
        half = _t_quantile(self.degrees_of_freedom, confidence_level) * self.standard_error
        low, high = self.point - half, self.point + half
        outside = high < self.low or low > self.high
        low, high = np.clip([low, high], self.low, self.high).tolist()
        return ScalarInterval(low, high, confidence_level, "wald", outside)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedEstimate:
    """Weighted prevalences of the k true answers of one question, or the numbers of people who have them.

    Attributes
    ----------
    design : Design
        The design of the reports.
    point : array of k floats
        Unbiased but for the linearization; may leave [0, 1].
    covariance : array of k × k floats
        Its estimated covariance over samples and coins.
    n : int
        The number of respondents who answered.
    effective_n : float
        Kish's effective number of them, for the weights alone.
    simple_covariance : array of k × k floats
        What the covariance would be of as many respondents of equal weight and no clusters.
    degrees_of_freedom : int
        Clusters less strata; of a stratum that was asked as a whole, respondents less 1.
    population : float
        The sum of the weights of those who answered.
    """

    design: Design
    point: Floats
    covariance: Floats
    n: int
    effective_n: float
    simple_covariance: Floats
    degrees_of_freedom: int
    population: float

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the entries of `point`."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def design_effects(self) -> Floats:
        """The variance of each entry over that of as many respondents of equal weight and no clusters; NaN where 0."""
        return _quotients(np.diagonal(self.covariance), np.diagonal(self.simple_covariance))

    def mean(self, values: Sequence[float | Fraction]) -> WeightedMean:
        """Return the weighted mean of the values that the k answers stand for, of prevalences."""
        given = np.array([as_float(value) for value in as_list(values) or ()])
        if given.shape != (self.design.k,) or not (np.abs(given) <= LARGEST_NUMBER).all():
            raise ValueError(f"values must be {self.design.k} numbers of at most {LARGEST_NUMBER}, got {values!r}")
        self._require_prevalences()
        variance, simple = (np.array([given @ each @ given]) for each in (self.covariance, self.simple_covariance))
        return WeightedMean(
            float(given @ self.point),
            float(np.sqrt(max(0.0, variance[0]))),
            float(given.min()),
            float(given.max()),
            float(_quotients(variance, simple)[0]),
            self.degrees_of_freedom,
        )

    def limits(self, confidence_level: float = 0.95) -> tuple[Floats, Floats]:
        """Return point ± t times the standard error, not cut: for numbers of people, and to be combined."""
        half = _t_quantile(self.degrees_of_freedom, confidence_level) * self.standard_error
        return self.point - half, self.point + half

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> Interval:
        """Return a confidence interval for each prevalence, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of each option's interval by itself.
        method : str, optional
            ``"wilson"``: Wilson's limits for the option's reports, n being λ̂(1−λ̂)/V(λ̂) and made smaller by (z/t)² for
            the degrees of freedom; for designs in which each report depends on one prevalence, where it is the default.
            ``"wald"``: point ± t times the standard error.

        Raises
        ------
        ValueError
            If there is no interval by this method, or the estimate is one of numbers of people.
        """
        line = affine_map(self.design)
        methods = METHODS if line is not None else METHODS[1:]
        chosen = methods[0] if method is None else method
        if chosen not in methods:
            raise ValueError(f"method must be one of {', '.join(methods)} for this design, got {method!r}")
        self._require_prevalences()
        if line is None or chosen == "wald":
            return cut_interval(*self.limits(confidence_level), confidence_level, chosen)
        shares = np.clip(line.offset + line.slope * self.point, 0.0, 1.0)
        variances = line.slope**2 * np.diagonal(self.covariance)
        scatter = shares * (1 - shares)
        # Where all reports are the same, nothing says how they vary: Kish's number stands in.
        sizes = np.full(shares.shape, self.effective_n)
        np.divide(scatter, variances, out=sizes, where=(variances > 0) & (scatter > 0))
        sizes *= (normal_quantile(confidence_level) / _t_quantile(self.degrees_of_freedom, confidence_level)) ** 2
        low, high = wilson(shares * sizes, sizes, confidence_level)
        return cut_interval(*line.to_prevalence(low, high), confidence_level, chosen)

    def _require_prevalences(self) -> None:
        if not abs(self.point.sum() - 1) < 1e-6:
            raise ValueError("intervals and means are of prevalences; numbers of people have limits")


def _t_quantile(degrees_of_freedom: int, confidence_level: float) -> float:
    return float(scipy.special.stdtrit(degrees_of_freedom, 0.5 + level(confidence_level) / 2))


def _quotients(variances: Floats, simple: Floats) -> Floats:
    found: Floats = np.divide(variances, simple, out=np.full(simple.shape, np.nan), where=simple > 0)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Checked rows: guesses r (0 where left out), whether answered, weights, counts, strata and clusters."""

    design: Design
    guesses: Floats
    answered: npt.NDArray[np.bool_]
    weights: Floats
    counts: npt.NDArray[np.int64]
    strata: npt.NDArray[np.int64]
    clusters: npt.NDArray[np.int64] | None
    margins: tuple[Margin, ...]
    fractions: Floats


def estimate_weighted(
    reports: Counts,
    counts: Counts,
    design: Design,
    weights: Sequence[float] | Floats | None = None,
    **drawn: Unpack[SampleDesign],
) -> WeightedEstimate:
    """Estimate the weighted prevalences π̂ = Σwr/Σw, and their variance by linearization.

    With u = (r − π̂)/Σw (0 for who left the question out) and, where weights were raked, the residuals of u in its
    regression on the margins' categories in its place, the variance is Σ_h n_h/(n_h−1) Σ_c (z_hc − z̄_h)(z_hc − z̄_h)ᵀ
    over the clusters' totals z_hc = Σwu in stratum h: as of clusters drawn with replacement.

    Parameters
    ----------
    reports : sequence of integers
        The report's code in each row, 255 where the question was left out.
    counts : sequence of integers
        How many respondents each row stands for; all of them in one stratum and one cluster.
    design : Design
        The design, the same for all of these reports.
    weights : sequence of floats, optional
        Of one respondent of each row, raked ones too; 1 if left out.
    **drawn : SampleDesign
        How respondents were chosen, and what their weights were raked to.

    Raises
    ------
    ValueError
        If an argument is not as described, nobody answered, or naming the stratum that has a single cluster.
    """
    sample = _sample(reports, counts, design, weights, **drawn)
    population = float(sample.counts[sample.answered] @ sample.weights[sample.answered])
    weighted = sample.counts * sample.weights
    point = weighted @ sample.guesses / population
    linear = np.where(sample.answered[:, np.newaxis], sample.guesses - point, 0.0) / population
    return _estimate(sample, point, linear, 1 / population, population)


def estimate_weighted_total(
    reports: Counts,
    counts: Counts,
    design: Design,
    weights: Sequence[float] | Floats | None = None,
    **drawn: Unpack[SampleDesign],
) -> WeightedEstimate:
    """Estimate the numbers of people Σwr with each true answer: where weights were not raked, exactly without bias.

    So is the variance, with w the inverse of the expected number of times that a respondent's cluster is drawn.

    Parameters
    ----------
    reports, counts, design, weights, drawn
        As of `estimate_weighted`.
    """
    sample = _sample(reports, counts, design, weights, **drawn)
    population = float(sample.counts[sample.answered] @ sample.weights[sample.answered])
    point = (sample.counts * sample.weights) @ sample.guesses
    return _estimate(sample, point, sample.guesses, 1.0, population)


def _estimate(sample: _Sample, point: Floats, linear: Floats, scale: float, population: float) -> WeightedEstimate:
    """Return the estimate whose derivative by the weight of a respondent is `linear`, and by its guesses `scale`."""
    if sample.margins:
        linear = linear - _explained(linear, sample)
    covariance = np.zeros((sample.design.k, sample.design.k))
    freedom = 0
    for stratum in np.unique(sample.strata[sample.counts > 0]):
        inside = (sample.strata == stratum) & (sample.counts > 0)
        totals, times = _cluster_totals(sample, linear, inside)
        fraction = float(sample.fractions[stratum]) if sample.fractions.size else 0.0
        number = int(times.sum())
        # Without any sampling each respondent's coins are a draw of their own.
        freedom += (number if fraction < 1 else int(sample.counts[inside] @ sample.answered[inside])) - 1
        if fraction < 1:
            if number < 2:
                raise ValueError(f"strata: stratum {stratum} has a single cluster, join it to another")
            centred = totals - times @ totals / number
            covariance += (1 - fraction) * number / (number - 1) * (centred.T * times) @ centred
        if fraction > 0:
            covariance += fraction * _coin_covariance(sample, inside, scale)
    answered = sample.counts * sample.answered
    n = int(answered.sum())
    mean = answered * sample.weights @ sample.guesses / population
    centred = sample.guesses - mean
    scatter = (centred.T * (answered * sample.weights)) @ centred / population
    return WeightedEstimate(
        sample.design,
        read_only(point),
        read_only(covariance),
        n,
        effective_n(sample.weights, answered),
        read_only(scatter / n * (population * scale) ** 2),
        freedom,
        population,
    )


def _cluster_totals(
    sample: _Sample, linear: Floats, inside: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the totals of the clusters of a stratum, and how many clusters have each."""
    weighted = sample.weights[inside, np.newaxis] * linear[inside]
    if sample.clusters is None:
        return weighted, sample.counts[inside]
    clusters, place = np.unique(sample.clusters[inside], return_inverse=True)
    totals = np.zeros((clusters.size, sample.design.k))
    np.add.at(totals, place, sample.counts[inside, np.newaxis] * weighted)
    return totals, np.ones(clusters.size, dtype=np.int64)


def _coin_covariance(sample: _Sample, inside: npt.NDArray[np.bool_], scale: float) -> Floats:
    """Return the estimated covariance of Σwr·scale over the coins alone: Σw²(rrᵀ − diag r)·scale²."""
    guesses = sample.guesses[inside]
    factors = sample.counts[inside] * (scale * sample.weights[inside]) ** 2
    found: Floats = (guesses.T * factors) @ guesses - np.diag(factors @ guesses)
    return found


def _explained(linear: Floats, sample: _Sample) -> Floats:
    """Return what the margins' categories explain of the linearized variable, by least squares weighted by w.

    So its residuals are the derivatives of the raked estimate by the weights before raking, as the factors of raking
    are exponentials of sums over the categories, whose derivatives are the factors themselves.
    """
    indicators = np.hstack([np.eye(margin.targets.size)[margin.categories] for margin in sample.margins])
    roots = np.sqrt(sample.counts * sample.weights)[:, np.newaxis]
    found: Floats = indicators @ np.linalg.lstsq(roots * indicators, roots * linear, rcond=None)[0]
    return found


def _sample(
    reports: Counts,
    counts: Counts,
    design: Design,
    weights: Sequence[float] | Floats | None,
    *,
    strata: Counts | None = None,
    clusters: Counts | None = None,
    margins: Sequence[Margin] = (),
    fractions: Sequence[float] | Floats | None = None,
) -> _Sample:
    rows = len(as_list(counts) or ())
    received = report_counts(counts, rows)
    m = require_design(design).m
    codes = _codes(reports, rows, "reports")
    answered = codes != MISSING
    if not (codes[answered] < m).all():
        raise ValueError(f"reports must be codes from 0 to {m - 1}, or {MISSING}, got {codes[answered].max()}")
    if not received[answered].any():
        raise ValueError("reports must hold at least one answer")
    rows_of_reports = np.array(design.left_inverse, dtype=np.float64).T
    guesses = np.where(answered[:, np.newaxis], rows_of_reports[np.where(answered, codes, 0)], 0.0)
    levels = np.zeros(rows, dtype=np.int64) if strata is None else _codes(strata, rows, "strata")
    drawn = (
        np.array([as_float(fraction) for fraction in as_list(fractions) or ()])
        if fractions is not None
        else np.zeros(0)
    )
    if fractions is not None and not (drawn.size > levels.max() and np.all((drawn >= 0) & (drawn <= 1))):
        raise ValueError(
            f"fractions must be a number from 0 to 1 for each of {levels.max() + 1} strata, got {fractions!r}"
        )
    return _Sample(
        design,
        guesses,
        answered,
        require_weights(weights, rows),
        received,
        levels,
        None if clusters is None else _codes(clusters, rows, "clusters"),
        require_margins(margins, rows) if len(margins) else (),
        drawn,
    )


def _codes(values: Counts, rows: int, name: str) -> npt.NDArray[np.int64]:
    codes = integer_array(values)
    if codes is None or codes.shape != (rows,) or not (codes >= 0).all():
        raise ValueError(f"{name} must be {rows} integers of at least 0, got {values!r}")
    return codes
