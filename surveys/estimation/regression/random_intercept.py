"""The log-likelihood of several randomized reports of each respondent, who all share one normal random intercept.

With η = xβ for each report and u standard normal for each respondent, a report has the probability P(η + σu), as of a
single randomized answer (`outcome.py`), and the reports of one respondent together ∫ Π P(η + σu) φ(u) du. Negative σ
are allowed and mean the same, so that no variance, at σ = 0, is a place like any other.

The integral is a sum over equally spaced u (the trapezoidal rule). For an analytic function under a normal density its
error falls faster than any power of the spacing, and with equally many points it is smaller than that of
Gauss–Hermite. The nodes are the same for all respondents: the likelihood of randomized reports is flat, often has two
hills in u, and an adaptive rule around one of them would miss the other. The spacing follows from the narrowest that a
respondent's likelihood can be.

With s and h the score and the observed information of one report at a node, and z = (x, u) its derivatives by β and σ,
means and variances over the nodes given the reports make up the score E[Σ s z] of a respondent, and the observed
information E[Σ h z zᵀ] − Var[Σ s z] (Louis 1982).

References
----------
Louis (1982), Finding the observed information matrix when using the EM algorithm.
Trefethen & Weideman (2014), The exponentially convergent trapezoidal rule.
Fox, Veen & Klotzke (2019), Generalized linear mixed models for randomized responses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from surveys.estimation.regression.outcome import not_impossible, over
from surveys.estimation.validation import Floats

FARTHEST_NODE = 9.0
"""Beyond so many standard deviations a normal distribution has less than 1e-18 of its mass."""
SPACING = 0.6
"""Of nodes, in the standard deviations of the narrowest likelihood there can be."""
FEWEST = 4
"""The spacing is for so many reports at least: fewer are no easier to integrate, as 1/(1 + e^−η) has its poles."""
LARGEST = 32.0
"""Beyond, of what divides the answers of different people less than 1 in 300 also divides those of one: the likelihood
is taken to be level there, so that a climb ends."""
BLOCK = 2_000_000
"""As many numbers are held at a time for each parameter."""


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedReports:
    """Reports of the same respondents.

    Attributes
    ----------
    rows : array of c × p floats
        The predictors of each of c different reports.
    if_no, if_yes : arrays of c floats
        How probable the report is under either truth.
    given : sparse array of n × c integers
        How often each respondent gave each report.
    most : int
        The largest number of reports that somebody gave.
    weights : array of n floats
        How often each respondent counts.
    """

    rows: Floats
    if_no: Floats
    if_yes: Floats
    given: scipy.sparse.csr_array
    most: int
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RandomInterceptModel:
    """The log-likelihood; its parameters are those of the predictors, and then σ unless that is `fixed`."""

    data: RepeatedReports
    fixed: float | None = None

    @property
    def unit(self) -> float:
        """The respondents' mean weight."""
        return float(self.data.weights.mean())

    def at(self, parameters: Floats) -> "RandomInterceptGround":
        """Return what the log-likelihood looks like at these parameters."""
        p = self.data.rows.shape[1]
        sigma = float(parameters[p]) if self.fixed is None else self.fixed
        inside = float(np.clip(sigma, -LARGEST, LARGEST))
        return RandomInterceptGround(self.data, parameters[:p], inside, parameters.size, level=inside != sigma)

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor, and of it one standard deviation up, that a step makes."""
        p = self.data.rows.shape[1]
        return float(np.abs(self.data.rows @ step[:p]).max() + np.abs(step[p:]).sum())


def nodes_of(sigma: float, reports: int) -> tuple[Floats, Floats]:
    """Return where the intercept is looked at, in standard deviations, and how much each place weighs.

    A report's log-likelihood bends by at most ¼ in η, so that of all of a respondent's by at most 1 + ¼·reports·σ² in
    u: nothing is narrower than the root of its inverse.
    """
    spacing = SPACING / np.sqrt(1 + max(reports, FEWEST) * sigma**2 / 4)
    count = int(np.ceil(FARTHEST_NODE / spacing))
    nodes = spacing * np.arange(-count, count + 1)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


@dataclass(frozen=True, eq=False)
class RandomInterceptGround:
    """The log-likelihood at some parameters of the predictors and a σ, of which `size` are free; `level`: along σ."""

    data: RepeatedReports
    place: Floats
    sigma: float
    size: int
    level: bool

    @cached_property
    def _slopes(self) -> Floats:
        """How much each node's linear predictors move with σ."""
        return self._nodes[0] * (not self.level)

    @cached_property
    def _nodes(self) -> tuple[Floats, Floats]:
        return nodes_of(self.sigma, self.data.most)

    @cached_property
    def _truths(self) -> tuple[Floats, Floats, Floats]:
        """Return of each report at each node the probabilities of a Yes and a No truth, and of the report."""
        eta = (self.data.rows @ self.place)[:, np.newaxis] + self.sigma * self._nodes[0]
        yes, no = scipy.special.expit(eta), scipy.special.expit(-eta)
        return yes, no, not_impossible(no * self.data.if_no[:, np.newaxis] + yes * self.data.if_yes[:, np.newaxis])

    @cached_property
    def _posterior(self) -> tuple[Floats, Floats]:
        """Return how probable each node is given a respondent's reports, and the log-likelihood of these."""
        _, _, likelihood = self._truths
        heights = self.data.given @ np.log(likelihood)
        # The highest is taken out first: a product of many small numbers may be too small for any float.
        highest = heights.max(axis=1)
        masses = np.exp(heights - highest[:, np.newaxis]) * self._nodes[1]
        totals = masses.sum(axis=1)
        return masses / totals[:, np.newaxis], highest + np.log(totals)

    @cached_property
    def log_likelihood(self) -> float:
        """The weighted sum over respondents."""
        return float(self.data.weights @ self._posterior[1])

    @cached_property
    def _scores(self) -> Floats:
        """The score of each report at each node by η."""
        yes, no, likelihood = self._truths
        return (self.data.if_yes - self.data.if_no)[:, np.newaxis] * yes * (no / likelihood)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """The score of each respondent, and the weighted sum of the second moments of the scores over the nodes."""
        scores, seconds = [], np.zeros((self.size, self.size))
        for part in self._parts():
            posterior = self._posterior[0][part]
            by_node = self._by_node(part)
            scores.append(np.einsum("jnk,nk->nj", by_node, posterior))
            weighted = by_node * (posterior * self.data.weights[part, np.newaxis])
            seconds += np.tensordot(weighted, by_node, axes=([1, 2], [1, 2]))
        return np.concatenate(scores), seconds

    def _parts(self) -> Iterator[slice]:
        """Part the respondents so that what is held of them at a time has a bound."""
        n, nodes = self._posterior[0].shape
        most = max(1, BLOCK // nodes)
        return (slice(start, start + most) for start in range(0, n, most))

    def _by_node(self, part: slice) -> Floats:
        """Return the scores by each free parameter, of each of some respondents at each node."""
        given = self.data.given[part]
        by_predictors = [given @ (self._scores * column[:, np.newaxis]) for column in self.data.rows.T]
        return np.array([*by_predictors, self._slopes * (given @ self._scores)][: self.size])

    def score(self) -> Floats:
        """Return the gradient."""
        gradient: Floats = self.data.weights @ self._moments[0]
        return gradient

    def observed(self) -> Floats:
        """Return the observed information."""
        yes, no, likelihood = self._truths
        # σ(1−σ) − τ(1−τ) of each report, as in `outcome.py`.
        both = (self.data.if_no * self.data.if_yes)[:, np.newaxis]
        bends = yes * (no / likelihood) * (likelihood - both / likelihood)
        return self._complete(bends) - self._moments[1] + self.opg()

    def definite(self) -> Floats:
        """Return the expected information there would be if every respondent's intercept were known."""
        yes, no, likelihood = self._truths
        if_no, if_yes = self.data.if_no[:, np.newaxis], self.data.if_yes[:, np.newaxis]
        other = no * (1 - if_no) + yes * (1 - if_yes)
        return self._complete(over(((if_yes - if_no) * yes * no) ** 2, likelihood * other))

    def opg(self) -> Floats:
        """Return the sum of the outer products of the respondents' scores."""
        scores = self._moments[0]
        return (scores * self.data.weights[:, np.newaxis]).T @ scores

    def _complete(self, bends: Floats) -> Floats:
        """Return the sum of each report's bend z zᵀ, over the nodes as they are given the reports."""
        posterior = self.data.given.T @ (self._posterior[0] * self.data.weights[:, np.newaxis])
        weighted, slopes = posterior * bends, self._slopes
        rows = self.data.rows
        p = rows.shape[1]
        whole = np.empty((p + 1, p + 1))
        whole[:p, :p] = rows.T @ (rows * weighted.sum(axis=1)[:, np.newaxis])
        whole[:p, p] = whole[p, :p] = rows.T @ (weighted @ slopes)
        whole[p, p] = weighted.sum(axis=0) @ slopes**2
        return whole[: self.size, : self.size]
