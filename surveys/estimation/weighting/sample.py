"""The rows of a survey of strata, clusters and weights, and how much what is linear in them varies.

References
----------
Binder (1983), On the variances of asymptotically normal estimators from complex surveys.
Deville & Särndal (1992), Calibration estimators in survey sampling: residuals stand for the variables.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.patterns import MISSING
from surveys.estimation.validation import Counts, Floats, as_float, as_list, integer_array, level, report_counts
from surveys.estimation.weighting.raking import Margin, effective_n, require_margins, require_weights


class SampleDesign(TypedDict, total=False):
    """How respondents were chosen, and what their weights were raked to.

    Attributes
    ----------
    strata, clusters : sequence of integers
        Each row's stratum and cluster; clusters of different strata are different ones. By default, all is one stratum,
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


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSample:
    """Checked rows.

    Attributes
    ----------
    guesses : array of rows × q floats
        What each row's report stands for, unbiased; 0 where the question was skipped.
    answered : array of bools
        Whether it was answered.
    weights, counts, strata, clusters, margins, fractions
        As of `SampleDesign` and `sample_of`; without `fractions` the array is empty.
    """

    guesses: Floats
    answered: npt.NDArray[np.bool_]
    weights: Floats
    counts: npt.NDArray[np.int64]
    strata: npt.NDArray[np.int64]
    clusters: npt.NDArray[np.int64] | None
    margins: tuple[Margin, ...]
    fractions: Floats

    @property
    def answers(self) -> npt.NDArray[np.int64]:
        """How many of each row answered."""
        return self.counts * self.answered

    @property
    def population(self) -> float:
        """The sum of the weights of those who answered."""
        return float(self.answers @ self.weights)

    @property
    def total(self) -> Floats:
        """Σwr."""
        sums: Floats = self.counts * self.weights @ self.guesses
        return sums

    @property
    def mean(self) -> Floats:
        """Σwr/Σw, of those who answered."""
        return self.total / self.population

    @property
    def linear(self) -> Floats:
        """The derivatives of `mean` by the weights: u = (r − Σwr/Σw)/Σw, 0 for who left the question out."""
        return np.where(self.answered[:, np.newaxis], self.guesses - self.mean, 0.0) / self.population

    @property
    def scatter(self) -> Floats:
        """The weighted covariance of the guesses of those who answered."""
        centred = self.guesses - self.mean
        covariance: Floats = (centred.T * (self.answers * self.weights)) @ centred / self.population
        return covariance

    @property
    def effective_n(self) -> float:
        """Kish's effective number of those who answered, for the weights alone."""
        return effective_n(self.weights, self.answers)

    @property
    def most(self) -> float:
        """As how many respondents of equal weight they may count at most: Kish's number, more as less is sampled."""
        sampled = 1 - float(self.fractions.max(initial=0.0))
        return self.effective_n / sampled if sampled else math.inf

    def covariance(self, linear: Floats, scale: float) -> tuple[Floats, int]:
        """Return the covariance of what has these derivatives, and its degrees of freedom.

        Parameters
        ----------
        linear : array of rows × q floats
            The derivatives by a respondent's weight.
        scale : float
            Those by a respondent's guesses, for strata of which a fraction is given.
        """
        if self.margins:
            linear = linear - self._explained(linear)
        size = linear.shape[1]
        covariance: Floats = np.zeros((size, size))
        freedom = 0
        for stratum in np.unique(self.strata[self.counts > 0]):
            inside = (self.strata == stratum) & (self.counts > 0)
            totals, times = self._cluster_totals(linear, inside)
            fraction = float(self.fractions[stratum]) if self.fractions.size else 0.0
            number = int(times.sum())
            # Without any sampling each respondent's coins are a draw of their own.
            freedom += (number if fraction < 1 else int(self.answers[inside].sum())) - 1
            if fraction < 1:
                if number < 2:
                    raise ValueError(f"strata: stratum {stratum} has a single cluster, join it to another")
                centred = totals - times @ totals / number
                covariance += (1 - fraction) * number / (number - 1) * (centred.T * times) @ centred
            if fraction > 0:
                covariance += fraction * self._coin_covariance(inside, scale)
        return covariance, freedom

    def _cluster_totals(self, linear: Floats, inside: npt.NDArray[np.bool_]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return the totals of the clusters of a stratum, and how many clusters have each."""
        weighted = self.weights[inside, np.newaxis] * linear[inside]
        if self.clusters is None:
            return weighted, self.counts[inside]
        clusters, place = np.unique(self.clusters[inside], return_inverse=True)
        totals = np.zeros((clusters.size, linear.shape[1]))
        np.add.at(totals, place, self.counts[inside, np.newaxis] * weighted)
        return totals, np.ones(clusters.size, dtype=np.int64)

    def _coin_covariance(self, inside: npt.NDArray[np.bool_], scale: float) -> Floats:
        """Return the estimated covariance of Σwr·scale over the coins alone: Σw²(rrᵀ − diag r)·scale²."""
        guesses = self.guesses[inside]
        factors = self.counts[inside] * (scale * self.weights[inside]) ** 2
        covariance: Floats = (guesses.T * factors) @ guesses - np.diag(factors @ guesses)
        return covariance

    def _explained(self, linear: Floats) -> Floats:
        """Return what the margins' categories explain of the linearized variable, by least squares weighted by w.

        So its residuals are the derivatives of the raked estimate by the weights before raking, as the factors of
        raking are exponentials of sums over the categories, whose derivatives are the factors themselves.
        """
        indicators = np.hstack([np.eye(margin.targets.size)[margin.categories] for margin in self.margins])
        roots = np.sqrt(self.counts * self.weights)[:, np.newaxis]
        fitted: Floats = indicators @ np.linalg.lstsq(roots * indicators, roots * linear, rcond=None)[0]
        return fitted


def sample_of(
    reports: Counts,
    counts: Counts,
    values: Floats,
    weights: Sequence[float] | Floats | None,
    *,
    strata: Counts | None = None,
    clusters: Counts | None = None,
    margins: Sequence[Margin] = (),
    fractions: Sequence[float] | Floats | None = None,
) -> WeightedSample:
    """Check rows whose reports stand for these m × q values, as `estimate_weighted` takes them."""
    rows = len(as_list(counts) or ())
    received = report_counts(counts, rows)
    codes = _codes(reports, rows, "reports")
    answered = codes != MISSING
    if not (codes[answered] < len(values)).all():
        raise ValueError(
            f"reports must be codes from 0 to {len(values) - 1}, or {MISSING}, got {codes[answered].max()}"
        )
    if not received[answered].any():
        raise ValueError("reports must hold at least one answer")
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
    return WeightedSample(
        np.where(answered[:, np.newaxis], values[np.where(answered, codes, 0)], 0.0),
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


def t_quantile(degrees_of_freedom: float, confidence_level: float) -> float:
    """Return how many standard errors an interval reaches to either side."""
    return float(scipy.special.stdtrit(degrees_of_freedom, 0.5 + level(confidence_level) / 2))
