"""Which of several answers may be the most frequent.

The answer whose estimate is largest was chosen for that: the interval that it would have had if it were fixed before
misses its prevalence more often than it says, and mostly by being too high. `PrevalenceEstimate.interval` with
``simultaneous=True`` holds for whichever is chosen. Nor need the answer that seems the most frequent be it. A set of
answers can hold the most frequent one with the probability wanted, however close the prevalences are.

References
----------
Gupta & Nagel (1967), On selection and ranking procedures and order statistics from the multinomial distribution.
Hsu (1984), Constrained simultaneous confidence intervals for multiple comparisons with the best.
"""

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.validation import level


def may_be_largest(estimate: PrevalenceEstimate, confidence_level: float = 0.95) -> npt.NDArray[np.bool_]:
    """Return which answers may be the most frequent: a set that holds the most frequent one with this probability.

    Of k answers, b is not in the set if another one i is more frequent by a one-sided test at the level
    (1 − confidence_level)/(k − 1). With w the difference of the rows i and b of the design's left inverse, the test is
    the score test of equal prevalences, z = √n·wλ̂/√(Σw²λ̂). For a coin and an even spinner, and for direct answers, it
    is McNemar's, z = (n_i − n_b)/√(n_i + n_b). No other answer is more frequent than the most frequent one. So by
    Bonferroni's inequality this one is excluded with probability 1 − confidence_level at most, for large samples.

    Parameters
    ----------
    estimate : PrevalenceEstimate
        Of k prevalences.
    confidence_level : float, optional
        Of the set holding the most frequent answer.

    Returns
    -------
    array of k booleans
        Never all False: the answer with the largest moment estimate is in the set.

    Raises
    ------
    ValueError
        If the confidence level is not between 0 and 1.

    References
    ----------
    Gupta & Nagel (1967), On selection and ranking procedures and order statistics from the multinomial distribution.
    Hsu (1984), Constrained simultaneous confidence intervals for multiple comparisons with the best.

    Examples
    --------
    >>> from surveys.estimation import estimate_prevalence, may_be_largest
    >>> from surveys.privacy import k_ary
    >>> may_be_largest(estimate_prevalence([150, 130, 80], k_ary(3, "1/2"))).tolist()
    [True, True, False]
    """
    rows = np.array(estimate.design.left_inverse, dtype=np.float64)
    tail = (1 - level(confidence_level)) / (len(rows) - 1)
    # One more of i than of b, for each report: of all pairs, which are few.
    more = rows[:, np.newaxis, :] - rows[np.newaxis, :, :]
    difference, second_moment = more @ estimate.observed, more**2 @ estimate.observed
    significant = difference > -scipy.special.ndtri(tail) * np.sqrt(second_moment / estimate.n)
    in_set: npt.NDArray[np.bool_] = ~significant.any(axis=0)
    return in_set
