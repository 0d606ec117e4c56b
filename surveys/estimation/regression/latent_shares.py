"""The shares of unseen true answers under which the reports of several strata are likeliest, all strata at once.

For one stratum with observed proportions p_r of its reports and the likelihood M_rz of report r under truth z, the
shares γ maximise Σ_r p_r·log (Mγ)_r − Σ_z γ_z over γ ≥ 0. That is the log-likelihood with the condition Σγ = 1 built
in: multiplying γ by a factor shows that the sum is 1 at the maximum. The function is concave.

References
----------
Bertsekas (1982), Projected Newton methods for optimization problems with simple constraints.
"""

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Floats

MAX_STEPS = 100
MAX_HALVINGS = 40
NEGLIGIBLE = 1e-22
"""A step whose slope promised less gain in the mean log-likelihood is the last: the next would be rounding only."""
NEAR = 1e-6
"""A share below this that should fall is put to 0 at once."""
RIDGE = 1e-11
"""What is added to a Hessian's diagonal, as a share of its largest entry: unseen reports may leave it singular."""
SEEN = 1e-3
"""A start that makes reports less probable than this, next to their likeliest truth, is mixed with the uniform one."""
LEAST_LEFT = 1e-3
"""No step makes a report that came less probable than this share of what it was."""


def likeliest_shares(likelihoods: Floats, proportions: Floats, start: Floats) -> Floats:
    """Return the shares of T true answers in each of S strata, by Newton's method projected on shares of at least 0.

    Shares that are 0 at the maximum are exactly 0, and found after finitely many steps; near it the number of right
    digits of the others doubles with each step.

    Parameters
    ----------
    likelihoods : array of S × R × T floats
        M.
    proportions : array of S × R floats
        p, summing to 1 in each stratum.
    start : array of S × T floats
        Where to begin; it decides how long this takes, not what comes out.
    """
    if start.shape[1] == 1:
        return np.ones_like(start)
    rows = _scaled_rows(likelihoods)
    shares = _possible_start(rows, proportions, start)
    for _ in range(MAX_STEPS):
        reported = np.where(proportions > 0, _times(rows, shares), 1.0)
        relative = rows / reported[:, :, np.newaxis]
        gradient = _times(relative.transpose(0, 2, 1), proportions) - 1
        falling = (shares <= NEAR) & (gradient < 0)
        step = np.where(falling, -shares, _newton_step(relative, proportions, gradient, ~falling))
        change = _halved(relative, proportions, shares, step, gradient)
        shares = shares + change
        if (gradient * change).sum(axis=1).max() <= NEGLIGIBLE:
            break
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """Return each stratum's matrix times its vector."""
    product: Floats = np.matmul(matrices, vectors[:, :, np.newaxis])[:, :, 0]
    return product


def _scaled_rows(likelihoods: Floats) -> Floats:
    """Return each report's likelihoods relative to the largest, which no maximum depends on.

    A report that no truth can lead to says nothing about the true answers.
    """
    largest = likelihoods.max(axis=2, keepdims=True)
    scaled: Floats = np.divide(likelihoods, largest, out=np.ones_like(likelihoods), where=largest > 0)
    return scaled


def _possible_start(rows: Floats, proportions: Floats, start: Floats) -> Floats:
    """Return the start, or half-way to the uniform one where a report that came would be nearly impossible."""
    least = np.where(proportions > 0, _times(rows, start), 1.0).min(axis=1, keepdims=True)
    return np.where(least < SEEN, (start + 1 / start.shape[1]) / 2, start)


def _newton_step(relative: Floats, proportions: Floats, gradient: Floats, free: npt.NDArray[np.bool_]) -> Floats:
    """Return Newton's step of the free shares; the others stay."""
    bends = np.matmul(relative.transpose(0, 2, 1) * proportions[:, np.newaxis, :], relative)
    bends *= free[:, :, np.newaxis] & free[:, np.newaxis, :]
    diagonal = np.einsum("stt->st", bends)
    diagonal += np.where(free, RIDGE * diagonal.max(axis=1, keepdims=True), 1.0)
    step: Floats = np.linalg.solve(bends, np.where(free, gradient, 0.0)[:, :, np.newaxis])[:, :, 0]
    return step


def _halved(relative: Floats, proportions: Floats, shares: Floats, step: Floats, gradient: Floats) -> Floats:
    """Return each stratum's longest change, of the step, its half, its quarter, …, cut at 0, that gains enough."""
    size = np.ones((len(shares), 1))
    for _ in range(MAX_HALVINGS):
        change = np.maximum(shares + size * step, 0.0) - shares
        grown = np.where(proportions > 0, _times(relative, change), 0.0)
        logs = (proportions * np.log1p(np.maximum(grown, LEAST_LEFT - 1))).sum(axis=1)
        # Wait for a tenth of what the slope promises; the last digit of a sum is rounding, not a fall.
        enough = logs - change.sum(axis=1) >= (gradient * change).sum(axis=1) / 10 - 1e-15
        enough &= grown.min(axis=1) > LEAST_LEFT - 1
        if enough.all():
            break
        size = np.where(enough[:, np.newaxis], size, size / 2)
    return np.where(enough[:, np.newaxis], change, 0.0)
