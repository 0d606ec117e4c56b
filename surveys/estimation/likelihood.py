"""The prevalences in the simplex under which the observed report counts are most likely."""

import numpy as np

from surveys.estimation.affine import AffineMap, affine_map
from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design


def most_likely(shares: Floats, design: Design, moment: Floats) -> Floats:
    """Return the constrained maximum likelihood estimate.

    Where the moment estimate is a distribution, it is the answer. Elsewhere two answers are clipped, k-ary
    designs have an exact solution, and any other design is solved by EM.

    Parameters
    ----------
    shares : array of m floats
        Observed proportions of the reports.
    design : Design
        The design in use.
    moment : array of k floats
        The moment estimate from the same shares.
    """
    if moment.min() >= 0:
        return moment.copy()
    if design.k == 2:
        return moment.clip(0.0, 1.0)
    line = affine_map(design)
    if line is not None and line.slope > 0:
        return _on_lines(shares, line)
    return expectation_maximization(shares, np.array(design.matrix, dtype=np.float64))


def _on_lines(shares: Floats, line: AffineMap) -> Floats:
    """Solve λ_j = a_j + b·π_j with b > 0 exactly.

    The options that stay above 0 are the s with the largest shares relative to chance alone, share_j/a_j; on
    these λ_j is proportional to the share, elsewhere it is a_j. This is the largest s that leaves every λ_j on it
    at a_j or more. For a uniform spinner it is the top-s solution.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.nan_to_num(shares / line.offset, nan=0.0, posinf=np.inf)
    order = np.argsort(-relative, kind="stable")
    kept_shares = np.cumsum(shares[order])
    kept_probability = line.slope + np.cumsum(line.offset[order])  # 1 less the offsets of all others
    size = int(np.flatnonzero(relative[order] * kept_probability >= kept_shares).max(initial=0)) + 1
    kept = order[:size]
    prevalence = np.zeros_like(shares)
    reported = shares[kept] * kept_probability[size - 1] / kept_shares[size - 1]
    prevalence[kept] = np.maximum(reported - line.offset[kept], 0.0)
    prevalence /= prevalence.sum()
    return prevalence


def expectation_maximization(
    shares: Floats, matrix: Floats, *, tolerance: float = 1e-10, max_iterations: int = 20_000
) -> Floats:
    """Iterate π ← π∘Pᵀ(λ̂/(Pπ)) from the uniform distribution.

    It stops when the mean log-likelihood is provably within the tolerance of its maximum: the function is
    concave, so the largest entry of its gradient, less 1, bounds what is still to gain.
    """
    prevalence: Floats = np.full(matrix.shape[1], 1 / matrix.shape[1])
    seen = shares > 0  # a report that nobody sent has no term in the likelihood
    shares, matrix = shares[seen], matrix[seen]
    for _ in range(max_iterations):
        gradient = matrix.T @ (shares / (matrix @ prevalence))
        if gradient.max() - 1 <= tolerance:
            break
        prevalence *= gradient  # keeps the sum at 1
    return prevalence
