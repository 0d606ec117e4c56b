"""The likelihood of list reports when the sensitive item and the count of innocuous ones follow regressions.

A respondent has the sensitive item, Z = 1, with probability g = σ(η), and given Z = z so many of the J innocuous items:
Y is binomial with the probability μ_z = σ(ζ_z), or beta-binomial around it (Prentice 1986),

    h_z(y) = C(J, y)·Π_{i<y}(μ_z + iθ)·Π_{i<J−y}(1 − μ_z + iθ)/Π_{i<J}(1 + iθ),

which is the binomial at θ = 0. A report that comes with probability K(y, z) from somebody of that type (P's entry for
the count y, in the treatment arm y + z) has L = Σ g_z·h_z(y)·K(y, z). Type by type, the derivatives of log g_z·h_z(y)
are those of known Y and Z; the score is their mean over the types given the report, and the observed information their
information's mean less the variance of that score (Louis 1982).

References
----------
Imai (2011), Multivariate regression analysis for the item count technique.
Blair & Imai (2012), Statistical analysis of list experiments.
Prentice (1986), Binary regression using an extended beta-binomial distribution.
Louis (1982), Finding the observed information matrix when using the EM algorithm.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.outcome import Outcomes, not_impossible
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.validation import Floats

LEAST_RATE = 1e-100
"""No innocuous item is less probable than this, nor its absence: of smaller numbers the squares' quotients overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class ListMixture:
    """The data; the parameters are the coefficients of η, then those of ζ (or of ζ₀ and ζ₁), then θ if it is free.

    Attributes
    ----------
    likelihoods : array of n × 2 × (J + 1) floats
        K: how probable the row's report is from each type, Z = z in row z.
    sensitive_rows : array of n × p floats
        Predictors of the sensitive item.
    count_rows : array of n × q floats
        Predictors of the count of innocuous items.
    weights : array of n floats
        How often the row counts.
    by_item : bool
        Whether counts have coefficients of their own where the sensitive item holds.
    dispersed : bool
        Whether θ is free, else 0.
    """

    likelihoods: Floats
    sensitive_rows: Floats
    count_rows: Floats
    weights: Floats
    by_item: bool
    dispersed: bool

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.weights)

    @property
    def unit(self) -> float:
        """The rows' mean weight."""
        return float(self.weights.mean())

    @property
    def sizes(self) -> list[int]:
        """How many parameters each linear predictor has; θ is one of its own."""
        return [block.shape[1] for block in self.blocks()]

    def blocks(self) -> list[Floats]:
        """Return the rows of each linear predictor."""
        counts = [self.count_rows] * (2 if self.by_item else 1)
        return [self.sensitive_rows, *counts, *([np.ones((self.n, 1))] if self.dispersed else [])]

    def of(self, rows: npt.NDArray[np.int64]) -> "ListMixture":
        """Return the mixture of these rows."""
        return replace(
            self,
            likelihoods=self.likelihoods[rows],
            sensitive_rows=self.sensitive_rows[rows],
            count_rows=self.count_rows[rows],
            weights=self.weights[rows],
        )

    def at(self, parameters: Floats) -> "ListGround":
        """Return what the log-likelihood looks like at these parameters."""
        parts = np.split(parameters, np.cumsum(self.sizes)[:-1])
        eta = self.sensitive_rows @ parts[0]
        zeta = np.stack([self.count_rows @ part for part in (parts[1], parts[2 if self.by_item else 1])], axis=1)
        return list_ground(self, eta, zeta, float(parts[-1][0]) if self.dispersed else 0.0)

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function of the sensitive item found from these directions, and a softened one.

        Counts stay as in the first of them.
        """
        p, others = self.sizes[0], starts[0][self.sizes[0] :]
        by_item = self.at(starts[0]).by_item
        place = highest_step(
            self.sensitive_rows,
            Outcomes(by_item[:, 0], by_item[:, 1], self.weights).gains(),
            [start[:p] for start in starts],
        )
        sharp, soft = certain(self.sensitive_rows, place), soften_place(self.sensitive_rows, place, self.weights)
        return np.append(sharp, others), np.append(soft, others)

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor."""
        parts = np.split(step, np.cumsum(self.sizes)[:-1])
        return float(max(np.abs(rows @ part).max() for rows, part in zip(self.blocks(), parts, strict=True)))


@dataclass(frozen=True, eq=False)
class ListGround:
    """The log-likelihood at one place.

    Attributes
    ----------
    data : ListMixture
        What it is of.
    sensitive : array of n × 2 floats
        1 − g and g.
    counts : array of n × 2 × (J + 1) floats
        h.
    derivatives : CountDerivatives
        Of log h.
    by_item : array of n × 2 floats
        Σ_y h_z(y)·K(y, z), how probable the report is given Z.
    possible : bool
        Whether θ leaves all h positive.
    """

    data: ListMixture
    sensitive: Floats
    counts: Floats
    derivatives: "CountDerivatives"
    by_item: Floats
    possible: bool

    @cached_property
    def likelihood(self) -> Floats:
        """L, one a row."""
        return not_impossible((self.sensitive * self.by_item).sum(axis=1))

    @property
    def log_likelihood(self) -> float:
        """The weighted sum of log L."""
        return float(self.data.weights @ np.log(self.likelihood)) if self.possible else -np.inf

    def score(self) -> Floats:
        """Return the gradient."""
        means = self.row_means
        parts = [(self.data.weights * mean) @ rows for mean, rows in zip(means.T, self.data.blocks(), strict=True)]
        return np.concatenate(parts)

    def observed(self) -> Floats:
        """Return the observed information."""
        posterior, scores = self.posterior, self.type_scores
        means = self.row_means
        outer = _outer(posterior, scores)
        bends = np.einsum("nzy,nefzy->nef", posterior, self.type_bends())
        return self._to_coefficients(bends - outer + means[:, :, np.newaxis] * means[:, np.newaxis, :])

    def definite(self) -> Floats:
        """Return the expected information were Y and Z known."""
        scores = self.type_scores
        types = self.sensitive[:, :, np.newaxis] * self.counts
        return self._to_coefficients(_outer(types, scores))

    def opg(self) -> Floats:
        """Return the sum of the outer products of the rows' scores."""
        means = self.row_means
        return self._to_coefficients(means[:, :, np.newaxis] * means[:, np.newaxis, :])

    @cached_property
    def posterior(self) -> Floats:
        """The probability of each type given the row's report."""
        joint = self.sensitive[:, :, np.newaxis] * self.counts * self.data.likelihoods
        posterior: Floats = joint / self.likelihood[:, np.newaxis, np.newaxis]
        return posterior

    @cached_property
    def row_means(self) -> Floats:
        """The derivatives of log L by each linear predictor, n × predictors."""
        means: Floats = np.einsum("nzy,nezy->ne", self.posterior, self.type_scores)
        return means

    @cached_property
    def type_scores(self) -> Floats:
        """The derivatives of log g_z·h_z(y) by each linear predictor, n × predictors × 2 × (J + 1)."""
        of_counts = self._by_predictor(self.derivatives.by_zeta)
        known = np.broadcast_to(
            (np.array([0.0, 1.0]) - self.sensitive[:, [1]])[:, np.newaxis, :, np.newaxis],
            (len(of_counts), 1, *of_counts.shape[2:]),
        )
        parts = [known, of_counts]
        if self.data.dispersed:
            parts.append(self.derivatives.by_theta[:, np.newaxis])
        return np.concatenate(parts, axis=1)

    def type_bends(self) -> Floats:
        """Return the negative second derivatives of log g_z·h_z(y), n × predictors × predictors × 2 × (J + 1)."""
        counted = -self._by_predictor(self.derivatives.by_zeta_twice)
        predictors = 1 + counted.shape[1] + self.data.dispersed
        bends = np.zeros((self.data.n, predictors, predictors, *counted.shape[2:]))
        bends[:, 0, 0] = self.sensitive.prod(axis=1)[:, np.newaxis, np.newaxis]
        for predictor in range(counted.shape[1]):
            bends[:, 1 + predictor, 1 + predictor] = counted[:, predictor]
        if self.data.dispersed:
            bends[:, -1, -1] = -self.derivatives.by_theta_twice
            bends[:, 1:-1, -1] = bends[:, -1, 1:-1] = -self._by_predictor(self.derivatives.by_both)
        return bends

    def _by_predictor(self, by_zeta: Floats) -> Floats:
        """Return derivatives by ζ_z as those by the one ζ, or by ζ₀ and ζ₁, n × predictors × 2 × (J + 1)."""
        if not self.data.by_item:
            return by_zeta[:, np.newaxis]
        apart: Floats = np.eye(2)[np.newaxis, :, :, np.newaxis] * by_zeta[:, np.newaxis]
        return apart

    def _to_coefficients(self, information: Floats) -> Floats:
        """Return what informations of the linear predictors, n × predictors × predictors, are for the coefficients."""
        blocks, weighted = self.data.blocks(), self.data.weights[:, np.newaxis, np.newaxis] * information
        everything = np.concatenate(blocks, axis=1)
        # One column a coefficient: by which linear predictor its information is weighted.
        of = np.repeat(np.arange(len(blocks)), self.data.sizes)
        rows = [(everything * weighted[:, e, of]).T @ block for e, block in enumerate(blocks)]
        return np.concatenate(rows, axis=1)


def _outer(weights: Floats, scores: Floats) -> Floats:
    """Return the sum over types of weighted outer products of scores, n × predictors × predictors."""
    flat = scores.reshape(*scores.shape[:2], -1)
    product: Floats = (flat * weights.reshape(len(weights), 1, -1)) @ flat.transpose(0, 2, 1)
    return product


@dataclass(frozen=True, slots=True, eq=False)
class CountDerivatives:
    """The derivatives of log h_z(y) by ζ_z and θ, all n × 2 × (J + 1)."""

    by_zeta: Floats
    by_zeta_twice: Floats
    by_theta: Floats
    by_theta_twice: Floats
    by_both: Floats


def list_ground(data: ListMixture, eta: Floats, zeta: Floats, theta: float) -> ListGround:
    """Return the log-likelihood at η, ζ₀ and ζ₁, and θ."""
    items = data.likelihoods.shape[2] - 1
    yes, no = (np.maximum(scipy.special.expit(side), LEAST_RATE) for side in (zeta, -zeta))
    counts, derivatives, possible = count_probabilities(items, yes, no, theta)
    sensitive = np.stack([scipy.special.expit(-eta), scipy.special.expit(eta)], axis=1)
    by_item = (counts * data.likelihoods).sum(axis=2)
    return ListGround(data, sensitive, counts, derivatives, by_item, possible)


def count_probabilities(items: int, yes: Floats, no: Floats, theta: float) -> tuple[Floats, CountDerivatives, bool]:
    """Return h, the derivatives of its logarithm, and whether θ is one for which h is positive.

    Parameters
    ----------
    items : int
        J.
    yes, no : arrays of n × 2 floats
        μ and 1 − μ.
    theta : float
        θ; for counts that vary less than binomial ones it is below 0.
    """
    moves = np.arange(items) * theta
    rising, falling, every = yes[:, :, np.newaxis] + moves, no[:, :, np.newaxis] + moves, 1 + moves
    if not min(rising.min(), falling.min(), every.min()) > 0:
        nothing = np.full((*yes.shape, items + 1), np.nan)
        return nothing, CountDerivatives(*[nothing] * 5), False

    def sums(of_rising: Floats, of_falling: Floats) -> Floats:
        """Return Σ_{i<y} of the one plus Σ_{i<J−y} of the other, for y from 0 to J."""
        zero = np.zeros((*yes.shape, 1))
        up = np.concatenate([zero, np.cumsum(of_rising, axis=2)], axis=2)
        down = np.concatenate([zero, np.cumsum(of_falling, axis=2)], axis=2)[:, :, ::-1]
        total: Floats = up + down
        return total

    i = np.arange(items)
    logs = sums(np.log(rising), np.log(falling)) - np.log(every).sum()
    counts = np.exp(logs) * scipy.special.comb(items, np.arange(items + 1))
    by_mu, by_mu_twice = sums(1 / rising, -1 / falling), sums(-1 / rising**2, -1 / falling**2)
    slope, change = (yes * no)[:, :, np.newaxis], (yes * no * (no - yes))[:, :, np.newaxis]
    return (
        counts,
        CountDerivatives(
            by_zeta=slope * by_mu,
            by_zeta_twice=slope**2 * by_mu_twice + change * by_mu,
            by_theta=sums(i / rising, i / falling) - (i / every).sum(),
            by_theta_twice=sums(-(i**2) / rising**2, -(i**2) / falling**2) + (i**2 / every**2).sum(),
            by_both=slope * sums(-i / rising**2, i / falling**2),
        ),
        True,
    )
