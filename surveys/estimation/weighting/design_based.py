"""Estimates from weighted reports, with variances of the way in which respondents were chosen.

A report j of the design P stands for the row r = P⁻¹[:, j] of unbiased guesses of the true answers' indicators; for two
answers it is (z − d)/c. Everything that holds for answers y in a survey of strata, clusters and weights holds for r in
their place: E[r | truth] = y, and as the coins of different respondents are independent, the variance between clusters
drawn with replacement holds the coins' variance too. Where clusters are drawn without replacement it holds a part of
it only: the rest is estimated from r itself, as E[rrᵀ − diag r | truth] is the coins' covariance.

References
----------
Arnab (1994), Nonnegative variance estimation in randomized response surveys.
Cobo, Rueda & López-Torrecillas (2017), Application of randomized response techniques for investigating cannabis use by
Spanish university students (with the R package RRTCS).
Korn & Graubard (1998), Confidence intervals for proportions with small expected number of positive counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

import numpy as np

from surveys.estimation.intervals.interval import Interval, cut_interval
from surveys.estimation.validation import (
    LARGEST_NUMBER,
    Counts,
    Floats,
    as_float,
    as_list,
    read_only,
    require_design,
)
from surveys.estimation.weighting.means import WeightedMean
from surveys.estimation.weighting.sample import SampleDesign, WeightedSample, sample_of, t_quantile
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import as_integer

METHODS = ("agresti_coull", "wald")


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
    most : float
        As how many respondents of equal weight they may count at most: Kish's number, more as less is sampled.
    scatter : array of k × k floats
        The weighted covariance of what reports stand for; of numbers of people times the square of `population`.
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
    most: float
    scatter: Floats
    degrees_of_freedom: int
    population: float

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the entries of `point`, and no less than those of `most` respondents of equal weight.

        Where a few carry much of the weight and happen to report the same, `covariance` takes them to be all alike.
        """
        return np.sqrt(np.maximum(np.diagonal(self.covariance), np.diagonal(self.scatter) / self.most))

    @property
    def design_effects(self) -> Floats:
        """The variance of each entry over that of as many respondents of equal weight and no clusters; NaN where 0."""
        scatter = np.diagonal(self.scatter)
        effects: Floats = np.full(scatter.shape, np.nan)
        np.divide(self.n * self.standard_error**2, scatter, out=effects, where=scatter > 0)
        return effects

    def mean(self, values: Sequence[float | Fraction], among: Sequence[int] | None = None) -> WeightedMean:
        """Return the weighted mean of the values that answers stand for, of prevalences.

        Among some of the answers it is the quotient R = Σw·a/Σw·b of a = Σvᵢrᵢ and b = Σrᵢ over these, such as the mean
        among those who say their number; its derivatives by the weights are (a − Rb)/Σw·b.

        Parameters
        ----------
        values : sequence of numbers
            One for each of the answers in `among`, from −1e100 to 1e100.
        among : sequence of int, optional
            Different codes of answers; by default all k.
        """
        k = self.design.k
        codes = tuple(range(k)) if among is None else tuple(among)
        integers = [as_integer(code) for code in codes]
        if not 0 < len(set(codes)) == len(codes) or any(code is None or not 0 <= code < k for code in integers):
            raise ValueError(f"among must be different codes from 0 to {k - 1}, got {among!r}")
        given = np.array([as_float(value) for value in as_list(values) or ()])
        if given.shape != (len(codes),) or not (np.abs(given) <= LARGEST_NUMBER).all():
            raise ValueError(f"values must be {len(codes)} numbers of at most {LARGEST_NUMBER}, got {values!r}")
        self._require_prevalences()
        numerator, within = np.zeros((2, k))
        numerator[list(codes)], within[list(codes)] = given, 1.0
        terms = np.column_stack([numerator, within])
        return WeightedMean(
            float(given.min()),
            float(given.max()),
            read_only(_guesses(self.design) @ terms),
            read_only(self.point @ terms),
            read_only(terms.T @ self.covariance @ terms),
            read_only(terms.T @ self.scatter @ terms),
            self.n,
            self.effective_n,
            self.most,
            self.degrees_of_freedom,
        )

    def limits(self, confidence_level: float = 0.95) -> tuple[Floats, Floats]:
        """Return point ± t times the standard error, not cut: for numbers of people, and to be combined."""
        half = t_quantile(self.degrees_of_freedom, confidence_level) * self.standard_error
        return self.point - half, self.point + half

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> Interval:
        """Return a confidence interval for each prevalence, cut to [0, 1].

        Parameters
        ----------
        confidence_level : float, optional
            Of each option's interval by itself.
        method : str, optional
            ``"agresti_coull"``, the default: that of `WeightedMean`, of 1 for who has the answer and 0 for who has not.
            ``"wald"``: point ± t times the standard error, for comparison.

        Raises
        ------
        ValueError
            If there is no interval by this method, or the estimate is one of numbers of people.
        """
        chosen = METHODS[0] if method is None else method
        if chosen not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        self._require_prevalences()
        if chosen == "wald":
            return cut_interval(*self.limits(confidence_level), confidence_level, chosen)
        intervals = [self.mean(indicator.tolist()).interval(confidence_level) for indicator in np.eye(self.design.k)]
        low, high, outside = (
            np.array([getattr(one, name) for one in intervals]) for name in ("low", "high", "outside")
        )
        return Interval(low, high, confidence_level, chosen, outside)

    def _require_prevalences(self) -> None:
        if not abs(self.point.sum() - 1) < 1e-6:
            raise ValueError("intervals and means are of prevalences; numbers of people have limits")


def estimate_weighted(
    reports: Counts,
    counts: Counts,
    design: Design,
    weights: Sequence[float] | Floats | None = None,
    **drawn: Unpack[SampleDesign],
) -> WeightedEstimate:
    """Estimate the weighted prevalences π̂ = Σwr/Σw, and their variance by linearization.

    With u = (r − π̂)/Σw (0 for people who skipped the question) and, where weights were raked, the residuals of u in its
    regression on the margins' categories in its place, the variance is Σ_h n_h/(n_h−1) Σ_c (z_hc − z̄_h)(z_hc − z̄_h)ᵀ
    over the clusters' totals z_hc = Σwu in stratum h: as of clusters drawn with replacement.

    Parameters
    ----------
    reports : sequence of integers
        The report's code in each row, 255 where the question was skipped.
    counts : sequence of integers
        How many respondents each row stands for; all of them in one stratum and one cluster.
    design : Design
        The design, the same for all of these reports.
    weights : sequence of floats, optional
        Of one respondent of each row, raked ones too; by default 1.
    **drawn : SampleDesign
        How respondents were chosen, and what their weights were raked to.

    Returns
    -------
    WeightedEstimate
        With `point`, `standard_error`, `interval`, `design_effects` and `mean`.

    Raises
    ------
    ValueError
        If an argument is not as described, nobody answered, or naming the stratum that has a single cluster.

    Examples
    --------
    >>> from surveys.estimation import estimate_weighted
    >>> from surveys.privacy import forced_response
    >>> estimate = estimate_weighted([0, 1, 0, 1], [30, 20, 25, 25], forced_response(), [1, 1, 2, 2])
    >>> estimate.point.round(3).tolist()
    [0.567, 0.433]
    """
    sample = sample_of(reports, counts, _guesses(design), weights, **drawn)
    return _estimate(sample, design, sample.mean, sample.linear, 1 / sample.population)


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

    Returns
    -------
    WeightedEstimate
        In numbers of people.

    Raises
    ------
    ValueError
        As `estimate_weighted`.

    Examples
    --------
    >>> from surveys.estimation import estimate_weighted_total
    >>> from surveys.privacy import forced_response
    >>> estimate = estimate_weighted_total([0, 1], [60, 40], forced_response(), [10, 10])
    >>> estimate.point.round(1).tolist()
    [700.0, 300.0]
    """
    sample = sample_of(reports, counts, _guesses(design), weights, **drawn)
    return _estimate(sample, design, sample.total, sample.guesses, 1.0)


def _guesses(design: Design) -> Floats:
    """Return the row of unbiased guesses that each report stands for."""
    return np.array(require_design(design).left_inverse, dtype=np.float64).T


def _estimate(sample: WeightedSample, design: Design, point: Floats, linear: Floats, scale: float) -> WeightedEstimate:
    """Return the estimate whose derivative by the weight of a respondent is `linear`, and by its guesses `scale`."""
    covariance, freedom = sample.covariance(linear, scale)
    return WeightedEstimate(
        design,
        read_only(point),
        read_only(covariance),
        int(sample.answers.sum()),
        sample.effective_n,
        sample.most,
        read_only(sample.scatter * (sample.population * scale) ** 2),
        freedom,
        sample.population,
    )
