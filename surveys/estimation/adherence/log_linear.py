"""The log-likelihood of the reports to several items, some respondents sending a fixed pattern whatever is true.

A share θ sends the fixed pattern. The others have true answers y with probabilities τ(y) from a log-linear model, and
report through their designs. So pattern r has the probability

    q_r = θ·f_r + (1−θ)·Σ_y P_ry·τ_y,      θ = σ(ζ),      τ_y = t_b·exp(d_y·β)/Σ_{y′ in b} exp(d_y′·β) for y in block b,

f_r being 1 for the fixed pattern and P the Kronecker product of the items' designs. All true answers are one block, t =
1; with two blocks whose totals are given, the share of an answer is held at a value. With T_y = n_r(1−θ)P_ryτ_y/q_r
summed over r, the posterior number of respondents with true answers y, m_b the mean of d in its block and V_b its
covariance there,

- the score is Σ_y T_y(d_y − m) by β and Σ_r n_r·θ(1−θ)(f_r − s_r)/q_r by ζ, s_r = Σ_y P_ryτ_y,
- the observed information is Σ_r n_r g_r g_rᵀ, g the derivatives of log q, less Σ_y T_y((d_y − m)(d_y − m)ᵀ − V),
  (1−2θ) times the score by ζ, and −θ times the score by β between them.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.outcome import not_impossible
from surveys.estimation.regression.scoring import Summit, ascend
from surveys.estimation.validation import Floats

_LEAST_SHARE = 1e-300
"""Where a climb starts, no true answers are rarer than this: cut off any higher, they would be of another model."""
_DEPENDENT = 1e-9
"""Directions that move nothing by more than this share of the largest movement are none."""


@dataclass(frozen=True, slots=True, eq=False)
class ReportCells:
    """R patterns of reports, in all arms.

    Attributes
    ----------
    counts, sizes : arrays of R floats
        How often each came, and how many responses its arm has.
    fixed : array of R floats
        1 for the pattern that some send whatever is true, in each arm, and 0 for the others.
    matrix : array of R × T floats
        How probable each is under each combination of true answers.
    """

    counts: Floats
    sizes: Floats
    fixed: Floats
    matrix: Floats


@dataclass(frozen=True, slots=True, eq=False)
class FixedReportModel:
    """The log-likelihood; the parameters are β and, unless θ is given, ζ.

    Attributes
    ----------
    cells : ReportCells
        What was reported.
    effects : array of T × q floats
        d, centred in each block.
    blocks : array of T integers
        Which block each combination of true answers belongs to.
    totals : array of floats
        The share of each block.
    share : float or None
        θ, where it is given.
    """

    cells: ReportCells
    effects: Floats
    blocks: npt.NDArray[np.int64]
    totals: Floats
    share: float | None = None

    @property
    def unit(self) -> float:
        """A response counts for one."""
        return 1.0

    def at(self, parameters: Floats) -> "FixedReportGround":
        """Return what it looks like there."""
        q = self.effects.shape[1]
        share = float(scipy.special.expit(parameters[q])) if self.share is None else self.share
        eta = self.effects @ parameters[:q]
        heights = np.full(self.totals.size, -np.inf)
        np.maximum.at(heights, self.blocks, eta)
        sizes = np.exp(eta - heights[self.blocks])
        within = sizes / np.bincount(self.blocks, sizes)[self.blocks]
        truths = self.totals[self.blocks] * within
        followed = self.cells.matrix @ truths
        likelihood = not_impossible(share * self.cells.fixed + (1 - share) * followed)
        return FixedReportGround(self, share, within, truths, followed, likelihood)

    def movement(self, step: Floats) -> float:
        """Return the largest change of a log-linear predictor, or of ζ."""
        q = self.effects.shape[1]
        return float(np.abs(np.append(self.effects @ step[:q], step[q:])).max(initial=0.0))

    def start(self, truths: Floats, share: float) -> Floats:
        """Return the parameters that come nearest to these shares."""
        logs = np.log(np.maximum(truths, _LEAST_SHARE))
        centred = logs - block_means(logs, self.blocks)[self.blocks]
        beta: Floats = np.asarray(self.effects.T @ centred)  # the effects are orthonormal
        return beta if self.share is not None else np.append(beta, scipy.special.logit(share))

    def highest(self, starts: list[Floats]) -> "FixedReportGround":
        """Return the highest place that climbs from some starts lead to.

        A share that goes to 0 takes its parameter towards infinity; the climb ends where nothing is gained any more.
        """
        summits: list[Summit[FixedReportGround]] = [ascend(self, start) for start in starts]
        return max((summit.ground for summit in summits), key=lambda ground: ground.log_likelihood)


@dataclass(frozen=True, slots=True, eq=False)
class FixedReportGround:
    """The log-likelihood where θ, τ in its block, τ, s and q are these."""

    model: FixedReportModel
    share: float
    within: Floats
    truths: Floats
    followed: Floats
    likelihood: Floats

    @property
    def log_likelihood(self) -> float:
        """The sum of n·log q."""
        return float(self.model.cells.counts @ np.log(self.likelihood))

    def score(self) -> Floats:
        """Return the gradient."""
        return self.model.cells.counts @ self.slopes()

    def observed(self) -> Floats:
        """Return the observed information."""
        model, counts, slopes = self.model, self.model.cells.counts, self.slopes()
        centred = self._centred()
        posterior = (1 - self.share) * self.truths * (model.cells.matrix.T @ (counts / self.likelihood))
        # What each block's posterior number is spread like by the model.
        spread = np.bincount(model.blocks, posterior)[model.blocks] * self.within
        bends = (slopes.T * counts) @ slopes
        q = model.effects.shape[1]
        bends[:q, :q] -= (centred.T * (posterior - spread)) @ centred
        if model.share is None:
            score = counts @ slopes
            bends[q, q] -= (1 - 2 * self.share) * score[q]
            bends[:q, q] += self.share * score[:q]
            bends[q, :q] += self.share * score[:q]
        return bends

    def definite(self) -> Floats:
        """Return the expected information."""
        slopes = self.slopes()
        return np.asarray((slopes.T * (self.model.cells.sizes * self.likelihood)) @ slopes)

    def _centred(self) -> Floats:
        """Return d − m."""
        effects, blocks = self.model.effects, self.model.blocks
        means = np.zeros((self.model.totals.size, effects.shape[1]))
        np.add.at(means, blocks, self.within[:, np.newaxis] * effects)
        return effects - means[blocks]

    def slopes(self) -> Floats:
        """Return the derivatives of log q, one row a pattern."""
        model = self.model
        moved = (1 - self.share) * (model.cells.matrix @ (self.truths[:, np.newaxis] * self._centred()))
        if model.share is None:
            moved = np.column_stack([moved, self.share * (1 - self.share) * (model.cells.fixed - self.followed)])
        return np.asarray(moved / self.likelihood[:, np.newaxis])


def block_means(values: Floats, blocks: npt.NDArray[np.int64]) -> Floats:
    """Return the mean of each block."""
    return np.asarray(np.bincount(blocks, values) / np.bincount(blocks))


def model_of(cells: ReportCells, effects: Floats, blocks: npt.NDArray[np.int64], totals: Floats) -> FixedReportModel:
    """Return the model whose effects are an orthonormal basis of what these do in each block."""
    centred = np.column_stack([column - block_means(column, blocks)[blocks] for column in effects.T])
    axes, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return FixedReportModel(cells, axes[:, sizes > _DEPENDENT * sizes.max()], blocks, totals)


def is_identified(model: FixedReportModel) -> bool:
    """Tell whether the reports determine the parameters, near a place where nothing is 0 and nothing is equal."""
    q = model.effects.shape[1]
    place = np.append(np.sin(np.arange(1.0, q + 1)), -0.7)
    ground = replace(model, share=None).at(place)
    sizes = np.linalg.svd(ground.slopes() * ground.likelihood[:, np.newaxis], compute_uv=False)
    return bool(sizes.size == q + 1 and sizes[-1] > _DEPENDENT * sizes[0])
