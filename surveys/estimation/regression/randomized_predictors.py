"""Logistic regression of a randomized answer on predictors that were randomized too."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.latent import LatentGround, LatentModel, look_at_latent
from surveys.estimation.regression.penalized import LinearPredictor, Penalized, penalize
from surveys.estimation.regression.profiles import CoefficientValues, limits, line_of
from surveys.estimation.regression.reported_patterns import (
    Patterns,
    answers_of,
    given_columns,
    outcome_of,
    patterns_of,
)
from surveys.estimation.regression.rows import basis_of, frequency_weights
from surveys.estimation.regression.scoring import ascend_together
from surveys.estimation.regression.starts import FLAT, Summits, explore_together, spread
from surveys.estimation.regression.steps import CERTAIN
from surveys.estimation.regression.testing import Heights, split
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

MOST_WALKS = 4
"""As often a limit is sought again where another maximum turned out higher; then it is infinite, which claims least."""

SAME = 1e-9
"""Two places whose log-likelihoods differ by less are one."""

ETAS = np.array([-CERTAIN, -2.0, 0.0, 2.0, CERTAIN])
"""The linear predictors that some rows are given, to see how likely that is."""

MOST_PLACES = 512
"""So many of the places where some rows have these are looked at."""

CLOSE = 1e-6
"""A log-likelihood this much too high at a limit is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomizedPredictorsFit(BoundedFit):
    """A logistic regression fitted together with the distribution of its unseen true predictors.

    Each covariance is the coefficients' part of the inverse of the whole information, that of the true answers' shares
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
        In each stratum, the shares of the combinations of the predictors' true answers.
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
    penalized : Penalized or None
        The penalized likelihood, where the fit is its maximum.
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
    penalized: Penalized[LatentGround] | None = None

    def _heights_without(self, columns: list[int]) -> Heights:
        others, _ = split(self.patterns.rows, columns)
        known = self.patterns.known - sum(column < self.patterns.known for column in columns)
        return find_stratum_maxima(self.patterns, others, known).summits.heights

    def profile_interval(
        self, column: SupportsIndex, confidence_level: float = 0.95, farthest: float = np.inf
    ) -> ScalarInterval:
        """Return the outermost values of one coefficient that a likelihood-ratio test does not reject.

        A limit is infinite where the likelihood does not stay low enough, or where it lies beyond `farthest`. Both are
        NaN if this coefficient cannot be estimated.
        """
        if self.penalized is not None:
            return self.penalized_interval(column, confidence_level, farthest)
        number = whole_number(column, "column", largest=self.coefficients.size - 1)
        if np.isnan(self.coefficients[number]):
            return ScalarInterval(np.nan, np.nan, confidence_level, "profile")
        reference = self.log_likelihood if self.converged else self.log_likelihood_bound
        level = reference - normal_quantile(confidence_level) ** 2 / 2
        rows = self.patterns.rows
        line = line_of(rows, np.ones(len(rows)), number)
        model, _ = model_of(self.patterns, rows, self.patterns.known)
        profile = LatentProfile(replace(model, rows=line.others), line)
        profile.look(line.place_of(rows @ np.nan_to_num(self.coefficients)))
        low, high = profile.limits(level)
        low, high = low if low >= -farthest else -np.inf, high if high <= farthest else np.inf
        return ScalarInterval(low, high, confidence_level, "profile")


@dataclass(frozen=True, slots=True, eq=False)
class LatentProfile:
    """How high the likelihood is where one coefficient has some value, as far as it is known.

    Attributes
    ----------
    others : LatentModel
        The likelihood of the other coefficients where this one is 0.
    line : Line
        The values of the coefficient.
    highest : dict
        For each value looked at, the highest place found, the log-likelihood there, and from which value it was
        reached, NaN if from none.
    """

    others: LatentModel
    line: CoefficientValues
    highest: dict[float, tuple[Floats, float, float]] = field(default_factory=dict)

    def look(self, known: tuple[float, Floats]) -> None:
        """Look at values from one end to the other and back, beginning with a maximum and all that is at the ends."""
        value, place = known
        self.keep(value, place, self.model(value).at(place).log_likelihood, np.nan)
        values = self.line.values(self.line.certain()).tolist()
        self.explore([values[0], values[-1]])
        self.sweep(values)

    def sweep(self, values: list[float]) -> None:
        """Climb at all values, each from where the climbs at its neighbours ended, as long as any leads higher."""
        rising = sorted({*values, *self.highest})
        neighbours = [*itertools.pairwise(rising), *itertools.pairwise(rising[::-1])]
        changed = set(self.highest)
        while changed:
            ways = [(value, before) for before, value in neighbours if before in changed]
            heights = {value: place[1] for value, place in self.highest.items()}
            self.climb(ways)
            changed = {value for value, _ in ways if self.highest[value][1] > heights.get(value, -np.inf) + SAME}

    def explore(self, values: list[float]) -> None:
        """Climb from all starts at these values."""
        models = [self.model(value) for value in values]
        explored = explore_together(models, self.line.others.shape[1], look_at_latent)
        for value, summits in zip(values, explored, strict=True):
            self.keep(value, [*summits.infinity, summits.best.parameters][0], summits.bound, np.nan)
        starts = [
            (value, start)
            for value, model in zip(values, models, strict=True)
            for start in model.hills(self.places(model))
        ]
        self.ascend([(value, start, np.nan) for value, start in starts])

    def ascend(self, starts: list[tuple[float, Floats, float]]) -> None:
        """Climb at each of some values from a place that was reached from another value, and keep where that ends."""
        models = [self.model(value) for value, _, _ in starts]
        summits = ascend_together(models, [start for _, start, _ in starts], look_at_latent)
        for (value, _, before), summit in zip(starts, summits, strict=True):
            self.keep(value, summit.parameters, summit.ground.log_likelihood, before)

    def places(self, model: LatentModel) -> Floats:
        """Return where some true answers are certain, nearly so, or as likely as not."""
        n, q = model.rows.shape
        drawn = (spread(MOST_PLACES, 2 * q) * ([n] * q + [len(ETAS)] * q)).astype(np.int64)
        rows, etas = np.hsplit(np.unique(drawn, axis=0), 2)
        independent = np.abs(np.linalg.det(model.rows[rows])) > FLAT
        wanted = (ETAS[etas] - model.shift[rows])[independent]
        return np.linalg.solve(model.rows[rows[independent]], wanted[:, :, np.newaxis])[:, :, 0]

    def climb(self, ways: list[tuple[float, float]]) -> None:
        """Climb, for each pair, at the first value from the highest of the places the second's is carried to.

        Where that one was itself reached from the first value, the way back is only gone if it begins higher.
        """
        carried = [
            (way, self.model(way[0]), place)
            for way in ways
            for place in self.line.carried(self.highest[way[1]][0], way[1], way[0])
        ]
        grounds = look_at_latent([model for _, model, _ in carried], [place for *_, place in carried])
        best: dict[tuple[float, float], tuple[float, Floats]] = {}
        for (way, _, place), ground in zip(carried, grounds, strict=True):
            if way not in best or ground.log_likelihood > best[way][0]:
                best[way] = ground.log_likelihood, place
        self.ascend(
            [
                (value, place, before)
                for (value, before), (height, place) in best.items()
                if self.highest[before][2] != value or height > self.highest[value][1]
            ]
        )

    def keep(self, value: float, place: Floats, height: float, reached_from: float) -> None:
        """Keep the place unless a clearly higher one is known."""
        highest = self.highest[value][1] if value in self.highest else -np.inf
        if height > highest - SAME:
            self.highest[value] = place, max(height, highest), reached_from

    def height(self, value: float) -> float:
        """Return the highest log-likelihood that ways from the nearest values on both sides lead to."""
        self.climb([(value, other) for other in sorted(self.highest, key=lambda other: abs(other - value))[:2]])
        return self.highest[value][1]

    def model(self, value: float) -> LatentModel:
        """Return the likelihood of the other coefficients beside this value."""
        return replace(self.others, shift=value / self.line.unit * self.line.residual)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the outermost values where the profile is as high as the level.

        What they come to is explored from all starts: another maximum may be higher there. Then they are sought again.
        """
        for _ in range(MOST_WALKS):
            known = {value: height for value, (_, height, _) in self.highest.items()}
            ends = limits(known | {-np.inf: -np.inf, np.inf: -np.inf}, level, self.height)
            finite = [end for end in ends if np.isfinite(end)]
            if finite:
                self.explore(finite)
            if all(self.highest[end][1] <= level + CLOSE for end in finite):
                return ends
            self.sweep([])
        return -np.inf, np.inf


def fit_logistic_randomized_predictors(
    y: npt.ArrayLike,
    design: Design,
    predictors: Sequence[npt.ArrayLike],
    designs: Sequence[Design],
    x: npt.ArrayLike | None = None,
    *,
    option: int = 1,
    weights: npt.ArrayLike | None = None,
    penalized: bool = False,
) -> RandomizedPredictorsFit:
    """Fit Pr(truth = option) = σ(b₀ + x·b_x + Σ_j b_{j,z_j}) where the answers z_j were randomized as well.

    Only reports of the outcome and of the predictors are seen, drawn independently given the true answers. The
    distribution of the true predictors is free within each distinct row of x, and estimated too. A regression on the
    reports, as if they were true answers, would draw every b towards 0. The likelihood is not concave: the coefficients
    are a local maximum, the highest found from several fixed starts.

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
    penalized : bool, optional
        Whether to maximize the likelihood with Jeffreys' penalty, as of `fit_logistic`. Its information is that of the
        randomized outcome if true predictors were known, with the shares that their reports alone make likeliest.

    Returns
    -------
    RandomizedPredictorsFit
        With `coefficients`, `standard_errors`, `interval` and `profile_interval`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above; or where there are too many combinations of true answers to tell
        apart, or a column of x depends on those before it (X is x behind a column of ones).

    References
    ----------
    Carroll, Ruppert, Stefanski & Crainiceanu (2006), Measurement Error in Nonlinear Models.
    van den Hout, van der Heijden & Gilchrist (2007), The logistic regression model with response variables subject to
    randomized response.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic_randomized_predictors
    >>> from surveys.privacy import forced_response
    >>> coins, counts = forced_response(), [340, 260, 260, 340]
    >>> fit = fit_logistic_randomized_predictors([0, 0, 1, 1], coins, [[0, 1, 0, 1]], [coins], weights=counts)
    >>> fit.coefficients.round(2).tolist()
    [-1.19, 2.38]
    """
    matrix, reported = outcome_of(y, design, option)
    n = reported.size
    answers = answers_of(predictors, designs, n)
    patterns = patterns_of((matrix, reported), answers, designs, given_columns(x, n), frequency_weights(weights, n))
    maxima = find_stratum_maxima(patterns, patterns.rows, patterns.known)
    idle = maxima.summits.best.ground.idle()
    carried = None
    if penalized:
        model, to_coefficients = model_of(patterns, patterns.rows, patterns.known)
        predictor = LinearPredictor(model.rows, people_of(patterns), *matrix.T)
        carried = penalize(model, (predictor,), maxima.summits.best.parameters, to_coefficients, idle)
    summit = carried.summit if carried else maxima.summits.best
    here = summit.ground
    silent = np.abs(maxima.to_coefficients @ idle).max(axis=1, initial=0.0) > 1e-8
    coefficients = np.where(silent, np.nan, maxima.to_coefficients @ summit.parameters)
    information = no_information(coefficients.size)
    if summit.converged:
        information = Information(
            (carried or here).observed(),
            here.expected(),
            here.opg(),
            np.where(silent[:, np.newaxis], np.nan, maxima.to_coefficients),
            here.spread(),
        )
    shape = (-1, *patterns.shape)
    return RandomizedPredictorsFit(
        coefficients=read_only(coefficients),
        n=float(patterns.counts.sum()),
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=maxima.summits.bound,
        strata=patterns.strata,
        truths=read_only(here.shares.reshape(shape)),
        fitted=read_only(here.yes.reshape(shape)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        patterns=patterns,
        penalized=carried,
    )


def people_of(patterns: Patterns) -> Floats:
    """Return how many people of each stratum seem to have each true answer: half a person more, so that none has 0."""
    people: Floats = patterns.counts.sum(axis=1, keepdims=True) * patterns.start + 0.5
    return people.ravel()


@dataclass(frozen=True, slots=True, eq=False)
class FoundMaxima:
    """Maxima, and what turns their parameters into coefficients."""

    summits: Summits[LatentGround]
    to_coefficients: Floats


def find_stratum_maxima(patterns: Patterns, rows: Floats, known: int) -> FoundMaxima:
    """Return the maxima over the coefficients of rows, one row a stratum and truth.

    Parameters
    ----------
    patterns : Patterns
        The reports.
    rows : array of S·T × p floats
        The predictors.
    known : int
        How many of these columns are the intercept and those of x.
    """
    model, to_coefficients = model_of(patterns, rows, known)
    return FoundMaxima(explore_together([model], rows.shape[1], look_at_latent)[0], to_coefficients)


def model_of(patterns: Patterns, rows: Floats, known: int) -> tuple[LatentModel, Floats]:
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
        shift=np.zeros(strata * truths),
        unit=patterns.unit,
        start=patterns.start,
    )
    return model, scipy.linalg.block_diag(basis.to_coefficients, np.eye(rows.shape[1] - known))
