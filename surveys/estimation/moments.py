"""The moments of observed proportions, and of what is linear in them."""

import numpy as np

from surveys.estimation.validation import Floats


def multinomial_covariance(weights: Floats, shares: Floats) -> Floats:
    """Return L(diag λ̂ − λ̂λ̂ᵀ)Lᵀ: the covariance of Lx for one report x, if the proportions are its probabilities."""
    multinomial = np.diag(shares) - np.outer(shares, shares)
    covariance: Floats = weights @ multinomial @ weights.T
    return covariance
