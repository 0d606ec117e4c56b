"""Surveys whose outcome and predictors are both randomized, and their likelihood written out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.randomized_predictors import (
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
)
from surveys.privacy.designs import Design, forced_response, k_ary
from tests.estimation.regression.data import Floats, sigmoid

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Survey:
    """Truths and reports of n respondents in a few groups."""

    y: Codes
    design: Design
    predictors: list[Codes]
    designs: list[Design]
    x: Floats
    true_y: Codes
    true_predictors: list[Codes]

    def fit(self, **options: object) -> RandomizedPredictorsFit:
        return fit_logistic_randomized_predictors(self.y, self.design, self.predictors, self.designs, self.x, **options)


def reported(design: Design, truths: Codes, rng: np.random.Generator) -> Codes:
    ends = np.array(design.matrix, dtype=float).cumsum(axis=0)[:, truths].T
    ends[:, -1] = 1.0
    return (rng.random(truths.size)[:, np.newaxis] > ends).sum(axis=1)


def survey(seed: int, n: int, answers: tuple[int, ...] = (2,), groups: int = 1, truthful: str = "3/4") -> Survey:
    """Groups with different shares of true predictors; every answer but the first has an effect of 1."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, size=n)
    x = (group[:, np.newaxis] == np.arange(1, groups)).astype(float)
    predictors = []
    for k in answers:
        shares = rng.dirichlet(np.full(k, 20.0), size=groups)
        predictors.append((rng.random(n)[:, np.newaxis] > shares.cumsum(axis=1)[group][:, :-1]).sum(axis=1))
    eta = -0.5 + 0.3 * x.sum(axis=1) + sum((truth > 0).astype(float) for truth in predictors)
    y = (rng.random(n) < sigmoid(eta)).astype(np.int64)
    designs = [forced_response(truthful) if k == 2 else k_ary(k, truthful) for k in answers]
    design = forced_response(truthful)
    reports = [reported(question, truth, rng) for question, truth in zip(designs, predictors, strict=True)]
    return Survey(reported(design, y, rng), design, reports, designs, x, y, predictors)


def rows_log_likelihood(fit: RandomizedPredictorsFit, parameters: Floats) -> Floats:
    """log L of each stratum and report, at the coefficients and, for each stratum, log θ_t/θ_0 of the other truths."""
    patterns = fit.patterns
    strata, truths = patterns.start.shape
    p = patterns.rows.shape[1]
    yes = sigmoid(patterns.rows @ parameters[:p]).reshape(strata, truths)
    logits = np.column_stack([np.zeros(strata), parameters[p:].reshape(strata, truths - 1)])
    shares = np.exp(logits - scipy.special.logsumexp(logits, axis=1, keepdims=True))
    reports = patterns.reports
    value = np.empty(patterns.counts.shape)
    for stratum in range(strata):
        for number in range(value.shape[1]):
            value[stratum, number] = sum(
                shares[stratum, truth]
                * reports.predictors[number, truth]
                * (reports.if_yes[number] * yes[stratum, truth] + reports.if_no[number] * (1 - yes[stratum, truth]))
                for truth in range(truths)
            )
    return np.log(value)


def written_out(fit: RandomizedPredictorsFit, parameters: Floats) -> float:
    return float((fit.patterns.counts * rows_log_likelihood(fit, parameters)).sum())


def parameters_of(fit: RandomizedPredictorsFit) -> Floats:
    logs = np.log(fit.truths.reshape(len(fit.truths), -1))
    return np.append(fit.coefficients, (logs[:, 1:] - logs[:, :1]).ravel())
