"""The moments of observed proportions, and of what is linear in them."""

import numpy as np

from surveys.estimation.validation import Floats


def multinomial_covariance(weights: Floats, shares: Floats) -> Floats:
    """Return L(diag λ̂ − λ̂λ̂ᵀ)Lᵀ: the covariance of Lx for one report x, if the proportions are its probabilities."""
    multinomial = np.diag(shares) - np.outer(shares, shares)
    covariance: Floats = weights @ multinomial @ weights.T
    return covariance


def moment_covariance(weights: Floats, shares: Floats, n: int) -> Floats:
    """Return the unbiased estimate of the covariance of the moment estimate; NaN for a single response."""
    if n == 1:
        return np.full((weights.shape[0], weights.shape[0]), np.nan)
    return multinomial_covariance(weights, shares) / (n - 1)
