"""The tails of the binomial distribution."""

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.validation import Floats


def at_most(counts: npt.NDArray[np.int64], n: int | npt.NDArray[np.int64], probability: float | Floats) -> Floats:
    """Return Pr(X ≤ count) for binomial X: 0 for a count below 0, and 1 from n on.

    It is 1 − I_p(x + 1, n − x), with I the regularized incomplete beta function. (`scipy.special.bdtr` is inaccurate
    from n = 10^7 on, and reads n as an integer of 32 bits.)
    """
    others = np.maximum(n - counts, 1)
    tail: Floats = scipy.special.betaincc(np.maximum(counts, 0) + 1, others, probability)
    return np.where(counts < 0, 0.0, np.where(counts >= n, 1.0, tail))
