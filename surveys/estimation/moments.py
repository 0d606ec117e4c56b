"""How much estimates vary: what is linear in observed proportions, and by the delta method what is not."""

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


def delta_error(gradient: Floats, covariance: Floats) -> float:
    """Return √(gᵀΣg), the standard error by the delta method; NaN where the covariance is."""
    variance = gradient @ covariance @ gradient
    return float(np.sqrt(np.maximum(variance, 0.0)))  # rounding must not leave a negative variance
