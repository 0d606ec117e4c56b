"""The prevalences in the simplex under which the observed report counts are most likely."""

import numpy as np
import scipy

from surveys.estimation.affine import AffineMap, affine_map
from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design

_GAP = 1e-13
"""How far below its maximum, at most, the mean log-likelihood is left."""


def most_likely(shares: Floats, design: Design, moment: Floats) -> Floats:
    """Return the constrained maximum likelihood estimate.

    With as many reports as true answers, a moment estimate that is a distribution reproduces the shares: it is the
    answer. Elsewhere two answers are clipped, k-ary designs have an exact solution, and any other design is solved by
    Newton's method.

    Parameters
    ----------
    shares : array of m floats
        Observed proportions of the reports.
    design : Design
        The design in use.
    moment : array of k floats
        The moment estimate from the same shares.
    """
    if design.m == design.k:
        if moment.min() >= 0:
            return moment.copy()
        if design.k == 2:
            return moment.clip(0.0, 1.0)
        line = affine_map(design)
        if line is not None and line.slope > 0:
            return _on_lines(shares, line)
    return simplex_maximum(shares, np.array(design.matrix, dtype=np.float64))


def _on_lines(shares: Floats, line: AffineMap) -> Floats:
    """Solve λ_j = a_j + b·π_j with b > 0 exactly.

    The options that stay above 0 are the s with the largest shares relative to chance alone, share_j/a_j; on
    these λ_j is proportional to the share, elsewhere it is a_j, which is more. This is the largest s that leaves every
    λ_j on it at a_j or more. For a uniform spinner it is the top-s solution.
    """
    relative = np.where(shares > 0, np.inf, 0.0)
    np.divide(shares, line.offset, out=relative, where=line.offset > 0)
    order = np.argsort(-relative)
    kept_shares = np.cumsum(shares[order])
    kept_probability = line.slope + np.cumsum(line.offset[order])  # 1 less the offsets of all others
    last = np.flatnonzero(relative[order] * kept_probability >= kept_shares)[-1]
    prevalence: Floats = np.maximum(shares * kept_probability[last] / kept_shares[last] - line.offset, 0.0)
    prevalence /= prevalence.sum()
    return prevalence


def simplex_maximum(shares: Floats, matrix: Floats, *, max_steps: int = 100) -> Floats:
    """Return the distribution π with the largest mean log-likelihood Σ λ̂_j·log (Pπ)_j.

    Each step maximises the function's second-order expansion over the whole simplex, boundary included, which is one
    non-negative least squares problem, and is halved until it rises enough; a step of EM before it makes it robust.
    Near the maximum the number of right digits doubles each time, also where prevalences are 0, where EM alone needs
    millions of steps. The function is concave, so the largest entry of its gradient, less 1, bounds what is still to
    gain: it stops when that is nothing but rounding.

    Parameters
    ----------
    shares : array of m floats
        Observed proportions of the reports.
    matrix : array of m × k floats
        The probability of each report under each true answer.
    max_steps : int
        After which it stops in any case.

    References
    ----------
    Wang (2007), On fast computation of the non-parametric maximum likelihood estimate of a mixing distribution.
    """
    seen = shares > 0  # a report that nobody sent has no term in the likelihood
    shares, matrix = shares[seen], matrix[seen]
    prevalence: Floats = np.full(matrix.shape[1], 1 / matrix.shape[1])
    for _ in range(max_steps):
        gradient = matrix.T @ (shares / (matrix @ prevalence))
        if gradient.max() - 1 <= _GAP:
            break
        prevalence = _newton_step(shares, matrix, prevalence * gradient)
    return prevalence


def _newton_step(shares: Floats, matrix: Floats, prevalence: Floats) -> Floats:
    """Return a distribution with a larger likelihood: the one at the top of the expansion here, or on the way to it."""
    reported = matrix @ prevalence
    # Minimise ‖Ax − 2√λ̂‖² over distributions x, with A = diag(√λ̂/λ)P: Dax (1990) turns the sum of 1 into one more row.
    scaled = (np.sqrt(shares) / reported)[:, np.newaxis] * matrix - 2 * np.sqrt(shares)[:, np.newaxis]
    rows = np.vstack([scaled, np.ones(matrix.shape[1])])
    top, _ = scipy.optimize.nnls(rows, np.append(np.zeros(shares.size), 1.0), maxiter=30 * matrix.shape[1])
    step = top / top.sum() - prevalence
    change = (matrix @ step) / reported
    size = 1.0
    # Wait for a third of what the slope promises; the last digit of a sum is rounding, not a fall.
    while size > 1e-12 and not log_gain(shares, size * change) >= size * (shares @ change) / 3 - 1e-15:
        size /= 2
    moved: Floats = prevalence + size * step
    return moved


def log_gain(shares: Floats, change: Floats) -> float:
    """Return how much the mean log-likelihood rises when the report probabilities change by these shares of them."""
    if not change.min() > -1:
        return -np.inf
    return float(shares @ np.log1p(change))
