"""Logistic regression of a randomized yes/no answer on known predictors."""

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.outcome import LogisticGround, LogisticModel, Outcomes
from surveys.estimation.regression.penalized import LinearPredictor, Penalized, channel, penalize
from surveys.estimation.regression.profiles import CoefficientValues, limits, line_of
from surveys.estimation.regression.rows import (
    Basis,
    Lines,
    basis_of,
    codes,
    frequency_weights,
    predictors,
    report_lines,
)
from surveys.estimation.regression.scoring import ascend
from surveys.estimation.regression.starts import (
    MOST_ROWS,
    SAME,
    Summits,
    corners,
    judging_rows,
    maximum,
    starting_points,
    summits,
)
from surveys.estimation.regression.steps import CERTAIN, best_in_planes, certain, highest_step
from surveys.estimation.regression.testing import Heights, split
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.rationals import whole_number

ALONG = np.array([0.1, 0.25, 0.5, 0.75, 1.0, 2.0])
"""Where the way from a summit to a start, and as far again, is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit(BoundedFit):
    """A fitted logistic regression.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of a Yes *truth*: a local maximum, the highest found. Where `separated`, a place on the way to
        infinity.
    log_likelihood : float
        Of the reports, there.
    log_likelihood_bound : float
        The highest found anywhere, infinity included: above `log_likelihood` where `higher_at_infinity`.
    fitted : array of n floats
        Each row's probability of a Yes truth.
    converged : bool
        Whether the coefficients are a maximum. If not, every standard error is NaN: then the fit is `separated` or, in
        rare small samples, the ascent was given up.
    separated : bool
        Whether no finite maximum was found: some true answers are fitted as certainties.
    information : Information
        What the covariances are computed from.
    x, outcomes
        The different rows with a weight that is not 0.
    penalized : Penalized or None
        The penalized likelihood, where the fit is its maximum.
    """

    coefficients: Floats
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    x: Floats
    outcomes: Outcomes
    penalized: Penalized[LogisticGround] | None = None

    def _heights_without(self, columns: list[int]) -> Heights:
        maxima, _ = find_maxima(split(self.x, columns)[0], self.outcomes)
        return maxima.heights

    def profile_interval(self, column: SupportsIndex, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the outermost values of one coefficient that a likelihood-ratio test does not reject.

        A value is compared with the finite maximum, or with the least upper bound where there is none, by the highest
        likelihood that any other coefficients give it, at infinity too. A limit is infinite where the likelihood does
        not stay low enough, as when a few randomized answers cannot tell a strong effect from a certainty: then every
        value so far out may be rejected and infinity not. Of a penalized fit both limits are finite.
        """
        if self.penalized is not None:
            return self.penalized_interval(column, confidence_level)
        number = whole_number(column, "column", largest=self.x.shape[1] - 1)
        reference = self.log_likelihood if self.converged else self.log_likelihood_bound
        profile = LogisticProfile(line_of(self.x, self.outcomes.weights, number), self.outcomes)
        known = profile.look()
        if self.converged:
            known[float(self.coefficients[number])] = reference
        level = reference - normal_quantile(confidence_level) ** 2 / 2
        low, high = limits(known, level, profile.height)
        return ScalarInterval(low, high, confidence_level, "profile")


def fit_logistic(
    reports: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    design_or_slope_offset: Lines,
    *,
    weights: npt.ArrayLike | None = None,
    penalized: bool = False,
) -> LogisticFit:
    """Fit Pr(truth Yes) = σ(xβ) to randomized reports, Pr(report Yes) = offset + slope·σ(xβ), by maximum likelihood.

    The likelihood is not concave. The coefficients are a local maximum, the highest found from several fixed starts;
    with more than 2,000 rows the starts are first followed on 2,000 of them. A step function of the predictors, which
    fits every true answer as a certainty, may be likelier still in small samples: `higher_at_infinity` then says so,
    and `log_likelihood_bound` by how much, but it is no estimate that has a standard error. The best step is found
    exactly for an intercept and one predictor; for more predictors a better one may be missed.

    Parameters
    ----------
    reports : sequence of n codes 0 and 1
        What was reported.
    X : array of n × p finite floats
        The predictors, with a column of ones for the intercept.
    design_or_slope_offset : Design, sequence of n Designs, or pair (slope, offset)
        How true answers became reports: one design of two answers for all, one a report, or the straight line as two
        numbers or two arrays of n. A direct answer has slope 1 and offset 0; the slope may be negative.
    weights : sequence of n floats, optional
        How often each row counts: a weight of 3 is the row three times, and 0 leaves it out.
    penalized : bool, optional
        Whether to maximize the likelihood with Jeffreys' penalty, which has a finite maximum where the likelihood has
        none: for fits that are not `usable`. Its OPG and its sandwich are far too small near certainties.

    Returns
    -------
    LogisticFit
        With `coefficients`, `standard_errors`, `interval`, `profile_interval` and `likelihood_ratio_test`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above, or the column of X that depends on those before it.

    References
    ----------
    van den Hout, van der Heijden & Gilchrist (2007), The logistic regression model with response variables subject to
    randomized response.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic
    >>> from surveys.privacy import forced_response
    >>> reports, groups, counts = [0, 1, 0, 1], [0, 0, 1, 1], [300, 200, 240, 260]
    >>> fit = fit_logistic(reports, [[1, group] for group in groups], forced_response(), weights=counts)
    >>> fit.coefficients.round(3).tolist()
    [-0.847, 1.008]
    >>> fit.standard_errors().round(3).tolist()
    [0.209, 0.275]
    """
    y = codes(reports, 2, "reports")
    x = predictors(X, y.size, "reports")
    if_no, if_yes = report_lines(design_or_slope_offset, y.size)
    counted = frequency_weights(weights, y.size)
    rows, outcomes = distinct(
        x, Outcomes(np.where(y == 1, if_no, 1 - if_no), np.where(y == 1, if_yes, 1 - if_yes), counted)
    )
    maxima, basis = find_maxima(rows, outcomes)
    carried = None
    if penalized:
        model = LogisticModel(basis.rows, np.zeros(len(rows)), outcomes)
        predictor = LinearPredictor(basis.rows, outcomes.weights, *channel(outcomes.if_no, outcomes.if_yes))
        carried = penalize(model, (predictor,), maxima.best.parameters, basis.to_coefficients)
    summit = carried.summit if carried else maxima.best
    here = summit.ground
    coefficients = basis.to_coefficients @ summit.parameters
    information = (
        Information((carried or here).observed(), here.definite(), here.opg(), basis.to_coefficients)
        if summit.converged
        else no_information(x.shape[1])
    )
    return LogisticFit(
        coefficients=read_only(coefficients),
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=maxima.bound,
        fitted=read_only(scipy.special.expit(x @ coefficients)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        x=rows,
        outcomes=outcomes,
        penalized=carried,
    )


def distinct(x: Floats, outcomes: Outcomes) -> tuple[Floats, Outcomes]:
    """Return each different row that counts, with the weight of all its like: no order of rows changes a fit."""
    columns = np.vstack([outcomes.if_no, outcomes.if_yes, x.T])
    # One number a row is sorted in a tenth of the time; where different rows come to the same one, rows are sorted.
    mixed = sum(np.cos(number) * column for number, column in enumerate(columns))
    order = np.argsort(mixed)
    alike = mixed[order[1:]] == mixed[order[:-1]]
    if (columns[:, order[1:][alike]] != columns[:, order[:-1][alike]]).any():
        order = np.lexsort(columns)
        alike = (columns[:, order[1:]] == columns[:, order[:-1]]).all(axis=0)
    first = np.flatnonzero(np.append(True, ~alike))
    weights = np.add.reduceat(outcomes.weights[order], first)
    counted = weights > 0
    rows = columns.take(order[first[counted]], axis=1)
    return rows[2:].T, Outcomes(rows[0], rows[1], weights[counted])


def find_maxima(x: Floats, outcomes: Outcomes) -> tuple[Summits[LogisticGround], Basis]:
    """Return the maxima over the coefficients of X, of which there may be none, and the basis they are in."""
    basis = basis_of(x, outcomes.weights)
    model = LogisticModel(basis.rows, np.zeros(len(x)), outcomes)
    hill = only_hill(model.of(judging_rows(model.n)), x.shape[1]) if model.n > MOST_ROWS else None
    if hill is not None and (summit := ascend(model, hill)).converged:
        return summits([summit]), basis
    return maximum(model, x.shape[1]), basis


def only_hill(model: LogisticModel, p: int) -> Floats | None:
    """Return where the climb from nowhere ends, if nothing is to be found elsewhere.

    So it is if the likelihood never rises on the straight ways from there to the other starts and to the softened form
    of the step that climbs from there lead to, and that step is lower by more than another may be higher by chance.
    """
    nowhere, *starts = starting_points(model, p)
    summit = ascend(model, nowhere)
    place, height = summit.parameters, summit.ground.log_likelihood
    step, softened = model.step([place])
    if not summit.converged or height - model.at(step).log_likelihood < model.unit * np.sqrt(model.n):
        return None
    ways = np.array([*starts, softened]) - place
    places = place + np.multiply.outer(ALONG, ways)
    heights = model.heights(places.reshape(-1, p)).reshape(len(ALONG), -1)
    return None if (np.diff(heights, axis=0) > SAME * abs(height)).any() else place


@dataclass(eq=False)
class LogisticProfile:
    """How high the likelihood is where one coefficient has some value.

    Beside a large value the likelihood of the others has as many hills as there are rows. The highest of the places
    where some linear predictors are 0, of those that fit certainties, and of those that the climbs at the nearest
    values ended at are climbed from.

    Attributes
    ----------
    line : Line
        The values of the coefficient.
    outcomes : Outcomes
        The reports.
    highest : dict
        For each value looked at, the highest place known and the log-likelihood there.
    """

    line: CoefficientValues
    outcomes: Outcomes
    highest: dict[float, tuple[Floats, float]] = field(default_factory=dict)

    @cached_property
    def judged(self) -> npt.NDArray[np.int64]:
        """Which rows the places are judged on."""
        n = len(self.line.residual)
        return np.arange(n) if n <= MOST_ROWS else judging_rows(n)

    @cached_property
    def corners(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """Which rows' linear predictors are to be 0, and what turns their shifts into the place."""
        return corners(self.line.others[self.judged])

    @cached_property
    def away(self) -> Floats:
        """The likeliest step of the others alone."""
        return best_step(self.line.others[self.judged], self.outcomes.gains()[self.judged], np.zeros(len(self.judged)))

    def look(self) -> dict[float, float]:
        """Return how high the profile is at values from one end to the other, and at infinity on both sides."""
        values = self.line.values().tolist()
        for value in values:
            self.height(value)
        # Hills that begin farther up are met on the way back.
        for before, value in itertools.pairwise(values[::-1]):
            self.climb(value, self.model(value).hills(self.carried(value, [before]), 1))
        return {value: self.highest[value][1] for value in values} | {side * np.inf: self.end(side) for side in (-1, 1)}

    def height(self, value: float) -> float:
        """Return the highest log-likelihood over the other coefficients, at infinity too."""
        judged = self.model(value).of(self.judged)
        nearest = sorted(self.highest, key=lambda other: abs(other - value))[:2]
        places = np.concatenate([self.places_beside(judged), self.carried(value, nearest)])
        self.climb(value, judged.hills(places))
        return self.highest[value][1]

    def climb(self, value: float, starts: Floats) -> None:
        """Climb from each start, and keep the highest place."""
        summits = [ascend(self.model(value), start) for start in starts]
        reached = [(summit.parameters, summit.ground.log_likelihood) for summit in summits]
        known = [self.highest[value]] if value in self.highest else []
        self.highest[value] = max([*known, *reached], key=lambda place: place[1])

    def carried(self, value: float, others: list[float]) -> Floats:
        """Return where the places found at other values may go at this one."""
        places = [place for other in others for place in self.line.carried(self.highest[other][0], other, value)]
        return np.array(places).reshape(len(places), self.line.others.shape[1])

    def places_beside(self, model: LogisticModel) -> Floats:
        """Return where some linear predictors are 0, and the two likeliest certainties: with the value, and without."""
        step = best_step(model.rows, model.outcomes.gains(), model.shift)
        away = certain(model.rows, self.away, CERTAIN + float(np.abs(model.shift).max()))
        rows, inverses = self.corners
        zeros = -np.matmul(inverses, model.shift[rows][:, :, np.newaxis])[:, :, 0]
        return np.concatenate([[np.zeros(step.size), step, away], zeros])

    def model(self, value: float) -> LogisticModel:
        """Return the likelihood of the other coefficients beside this value."""
        return LogisticModel(self.line.others, value / self.line.unit * self.line.residual, self.outcomes)

    def end(self, side: int) -> float:
        """Return what the likelihood comes to as the value goes to infinity on one side: the best step found."""
        column, gains = side * self.line.residual, self.outcomes.gains()
        others, some = self.line.others[self.judged], column[self.judged]
        step = best_in_planes(others, gains[self.judged], best_step(others, gains[self.judged], some), some)
        rows = np.column_stack([self.line.others, column])
        there = certain(rows, np.append(highest_step(self.line.others, gains, [step], column), 1.0))
        return LogisticModel(rows, np.zeros(len(column)), self.outcomes).at(there).log_likelihood


def best_step(rows: Floats, gains: Floats, shift: Floats) -> Floats:
    """Return the likeliest step beside a shift that climbs from nowhere and along each parameter lead to."""
    axes = np.eye(rows.shape[1])
    # On a line every climb ends at the same step.
    starts = [np.zeros(len(axes)), *axes, *-axes] if len(axes) > 1 else [np.zeros(len(axes))]
    return highest_step(rows, gains, starts, shift)
