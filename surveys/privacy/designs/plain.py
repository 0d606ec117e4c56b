"""No randomization: every report is the true answer."""

from fractions import Fraction

from surveys.privacy.designs.design import Design
from surveys.privacy.designs.family import DesignFamily
from surveys.privacy.designs.k_ary import LARGEST_K
from surveys.privacy.rationals import whole_number


def direct(k: int = 2) -> Design:
    """Return the design where everybody is asked without protection: the identity matrix, epsilon is infinite.

    Parameters
    ----------
    k : int, optional
        The number of answers, from 2 to 1000.

    Returns
    -------
    Design
        For k answers.

    Raises
    ------
    ValueError
        If k is no such integer.

    Examples
    --------
    >>> from surveys.privacy import direct
    >>> direct().matrix == ((1, 0), (0, 1))
    True
    """
    k = whole_number(k, "k", 2, LARGEST_K)
    return Design("plain", tuple(tuple(Fraction(report == truth) for truth in range(k)) for report in range(k)))


PLAIN = DesignFamily("plain", direct, {}, for_any_k=True)
