"""Standard errors of what is computed from several estimates."""

import numpy as np

from surveys.estimation.validation import Floats


def delta_error(gradient: Floats, covariance: Floats) -> float:
    """Return √(gᵀΣg), the standard error by the delta method; NaN where the covariance is."""
    variance = gradient @ covariance @ gradient
    return float(np.sqrt(np.maximum(variance, 0.0)))  # rounding must not leave a negative variance
