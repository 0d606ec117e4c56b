"""Logistic regression of a randomized answer on predictors that were randomized too."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals import ScalarInterval, normal_quantile
from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.latent import LatentGround, LatentModel
from surveys.estimation.regression.reported_patterns import (
    Patterns,
    answers_of,
    given_columns,
    outcome_of,
    patterns_of,
)
from surveys.estimation.regression.rows import basis_of, frequency_weights
from surveys.estimation.regression.scoring import ascend
from surveys.estimation.regression.starts import Summits, explored
from surveys.estimation.regression.testing import (
    LikelihoodRatioTest,
    column_numbers,
    likelihood_ratio,
    profile_limit,
    split,
)
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

MOST_WALKS = 4
"""As often a limit is sought again where another maximum turned out higher; then it is infinite, which claims least."""

CLOSE = 1e-6
"""A log-likelihood this much too high at a limit is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomizedPredictorsFit(BoundedFit):
    """A logistic regression fitted together with the distribution of its unseen true predictors.

    Each covariance is the coefficients' part of the inverse of the whole information, that of the truths' shares
    included. A share estimated as 0 is taken to be known, its truth impossible.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of the true answers: intercept, the columns of x, then for each randomized predictor its codes
        but the first. A local maximum, the highest found; where `separated`, a place on the way to infinity. NaN where
        nobody seems to have the truth in question, so that there is nothing to estimate.
    n : float
        The number of respondents: the sum of the weights.
    log_likelihood : float
        Of the reports of outcome and predictors, given x.
    log_likelihood_bound : float
        The highest found anywhere, infinity included: above `log_likelihood` where `higher_at_infinity`.
    strata : array of S × (p_x) floats
        The distinct rows of x.
    truths : array of S × k1 × k2 × … floats
        In each stratum, the shares of the combinations of the predictors' truths.
    fitted : array of S × k1 × k2 × … floats
        The probability of a Yes truth of the outcome, given the true predictors.
    converged : bool
        Whether the coefficients are a maximum. If not, every standard error is NaN.
    separated : bool
        Whether no finite maximum was found: some true outcomes are fitted as certainties.
    information : Information
        What the covariances are computed from.
    patterns : Patterns
        The different reports, and how often they came.
    """

    coefficients: Floats
    n: float
    log_likelihood: float
    log_likelihood_bound: float
    strata: Floats
    truths: Floats
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    patterns: Patterns

    def likelihood_ratio_test(self, columns: SupportsIndex | Sequence[SupportsIndex]) -> LikelihoodRatioTest:
        """Test whether one or several coefficients are all 0, by fitting without them."""
        rows = self.patterns.rows
        numbers = column_numbers(columns, rows.shape[1])
        others, _ = split(rows, numbers)
        known = self.patterns.known - sum(number < self.patterns.known for number in numbers)
        nested = highest(self.patterns, others, known)
        return likelihood_ratio(self.heights, nested.summits.heights, len(numbers))

    def profile_interval(
        self, column: SupportsIndex, confidence_level: float = 0.95, farthest: float = np.inf
    ) -> ScalarInterval:
        """Return all values of one coefficient that a likelihood-ratio test does not reject.

        A limit is infinite where the likelihood levels off before it is low enough, or where it is not low enough yet
        at `farthest`. Both are NaN if the fit has not converged, or this coefficient cannot be estimated.
        """
        number = whole_number(column, "column", largest=self.coefficients.size - 1)
        error = float(self.standard_errors()[number])
        low, high = (
            self._limit(number, side * error, confidence_level, side * farthest) if np.isfinite(error) else np.nan
            for side in (-1, 1)
        )
        return ScalarInterval(low, high, confidence_level, "profile")

    def _limit(self, number: int, stride: float, confidence_level: float, farthest: float) -> float:
        """Walk away from the estimate, each ascent starting where the nearest one ended.

        What the walk comes to is explored from all starts: another maximum may be higher there. Then it goes on.
        """
        others, own = split(self.patterns.rows, [number])
        known = self.patterns.known - (number < self.patterns.known)
        allowed = normal_quantile(confidence_level) ** 2 / 2
        limit, side = float(self.coefficients[number]), float(np.sign(stride))
        _, to_coefficients = model_of(self.patterns, others, known)
        kept = np.nan_to_num(np.delete(self.coefficients, number))
        start = np.asarray(np.linalg.solve(to_coefficients, kept), dtype=np.float64)
        # Where an ascent ended, and how far below the maximum.
        ended: dict[float, tuple[Floats, float]] = {limit: (start, 0.0)}

        def drop(value: float) -> float:
            if value not in ended:
                model, _ = model_of(self.patterns, others, known, value * own[:, 0])
                summit = ascend(model, ended[min(ended, key=lambda place: abs(place - value))][0])
                ended[value] = summit.parameters, self.log_likelihood - summit.ground.log_likelihood
            return ended[value][1]

        for _ in range(MOST_WALKS):
            beyond = np.isfinite(farthest) and (side * limit >= side * farthest or drop(farthest) < allowed)
            limit = side * np.inf if beyond else profile_limit(drop, limit, stride, allowed)
            if np.isinf(limit):
                return limit
            best = highest(self.patterns, others, known, limit * own[:, 0]).summits.best
            dropped = self.log_likelihood - best.ground.log_likelihood
            if dropped >= allowed - CLOSE:
                return limit
            ended.clear()
            ended[limit] = best.parameters, dropped
        return side * np.inf


def fit_logistic_randomized_predictors(
    y: npt.ArrayLike,
    design: Design,
    predictors: Sequence[npt.ArrayLike],
    designs: Sequence[Design],
    x: npt.ArrayLike | None = None,
    *,
    option: int = 1,
    weights: npt.ArrayLike | None = None,
) -> RandomizedPredictorsFit:
    """Fit Pr(truth = option) = σ(b₀ + x·b_x + Σ_j b_{j,z_j}) where the answers z_j were randomized as well.

    Only reports of the outcome and of the predictors are seen, drawn independently given the truths. The distribution
    of the true predictors is free within each distinct row of x, and estimated too. A regression on the reports, as if
    they were truths, would draw every b towards 0. The likelihood is not concave: the coefficients are a local maximum,
    the highest found from several fixed starts.

    Parameters
    ----------
    y : sequence of n codes
        The reports of the outcome.
    design : Design
        Its design. With more than two answers, the probability of the report `option` must depend only on whether it is
        the truth, as with a spinner.
    predictors : sequence of arrays of n codes
        The reports of the randomized predictors.
    designs : sequence of Designs
        Theirs, in the same order.
    x : array of n × p floats, optional
        Known predictors, *without* a column of ones, such as indicators of groups; few distinct rows.
    option : int
        The answer whose probability is modelled.
    weights : sequence of n floats, optional
        How often each row counts: a weight of 3 is the row three times, and 0 leaves it out.

    Raises
    ------
    ValueError
        Naming the argument that is not as above; or where there are too many combinations of truths to tell apart, or
        a column of x depends on those before it (X is x behind a column of ones).

    References
    ----------
    Carroll, Ruppert, Stefanski & Crainiceanu (2006), Measurement Error in Nonlinear Models.
    van den Hout, van der Heijden & Gilchrist (2007), The logistic regression model with response variables subject to
    randomized response.
    """
    matrix, reported = outcome_of(y, design, option)
    n = reported.size
    answers = answers_of(predictors, designs, n)
    patterns = patterns_of((matrix, reported), answers, designs, given_columns(x, n), frequency_weights(weights, n))
    found = highest(patterns, patterns.rows, patterns.known)
    summit, here = found.summits.best, found.summits.best.ground
    idle = here.idle()
    silent = np.abs(found.to_coefficients @ idle).max(axis=1, initial=0.0) > 1e-8
    coefficients = np.where(silent, np.nan, found.to_coefficients @ summit.parameters)
    information = no_information(coefficients.size)
    if summit.converged:
        information = Information(
            here.observed(),
            here.expected(),
            here.opg(),
            np.where(silent[:, np.newaxis], np.nan, found.to_coefficients),
            here.spread(),
        )
    shape = (-1, *patterns.shape)
    return RandomizedPredictorsFit(
        coefficients=read_only(coefficients),
        n=float(patterns.counts.sum()),
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=found.summits.bound,
        strata=patterns.strata,
        truths=read_only(here.shares.reshape(shape)),
        fitted=read_only(here.yes.reshape(shape)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        patterns=patterns,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Maxima, and what turns their parameters into coefficients."""

    summits: Summits[LatentGround]
    to_coefficients: Floats


def highest(patterns: Patterns, rows: Floats, known: int, shift: Floats | None = None) -> Found:
    """Return the maxima over the coefficients of rows, one row a stratum and truth.

    Parameters
    ----------
    patterns : Patterns
        The reports.
    rows : array of S·T × p floats
        The predictors.
    known : int
        How many of these columns are the intercept and those of x.
    shift : array of S·T floats, optional
        What is added to every linear predictor.
    """
    model, to_coefficients = model_of(patterns, rows, known, shift)
    return Found(explored(model, rows.shape[1]), to_coefficients)


def model_of(patterns: Patterns, rows: Floats, known: int, shift: Floats | None = None) -> tuple[LatentModel, Floats]:
    """Return the model over an orthogonal basis of the known columns, and what turns its parameters into coefficients.

    The arguments are those of `highest`.
    """
    strata, truths = patterns.start.shape
    basis = basis_of(rows[::truths, :known], patterns.counts.sum(axis=1))
    model = LatentModel(
        counts=patterns.counts,
        reports=patterns.reports,
        every=patterns.every,
        rows=np.hstack([np.repeat(basis.rows, truths, axis=0), rows[:, known:]]),
        shift=np.zeros(strata * truths) if shift is None else shift,
        unit=patterns.unit,
        start=patterns.start,
    )
    return model, scipy.linalg.block_diag(basis.to_coefficients, np.eye(rows.shape[1] - known))
