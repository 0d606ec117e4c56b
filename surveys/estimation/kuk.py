"""The variance of Kuk's estimate, which more than one card a respondent makes smaller."""

import numpy as np

from surveys.estimation.moments import moment_covariance
from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design


def kuk_covariance(shares: Floats, n: int, design: Design) -> Floats:
    """Return the estimated covariance of the estimated prevalences of No and Yes.

    With φ the share of red among all rn cards, c and d its slope and offset, and π̂ = (φ − d)/c, the variance is
    V = φ(1−φ)/((rn−1)c²) + (1 − 1/r)·π̂(1−π̂)/(n−1). The second term is there because the cards of one respondent
    come from the same deck. Where so few reds came up (or so many) that π̂ is outside [0, 1], that term is negative and
    V no variance, in places below 0: there it is the multinomial one of all designs, which is unbiased. NaN for a
    single response.

    The field uses this formula, and so does RRreg. It is too small by an error of the order 1/n²: with r = 3, decks of
    .8 and .3, a prevalence of .3 and n = 6 the variance is .0783 and the mean of V .0712. Wald intervals are from the
    covariance of all designs instead.

    Parameters
    ----------
    shares : array of r + 1 floats
        Observed proportions of 0, 1, …, r reds.
    n : int
        The number of responses.
    design : Design
        Kuk's, with r draws.

    References
    ----------
    Kuk (1990), Asking sensitive questions indirectly; Heck & Moshagen (2018), RRreg.
    """
    draws = design.m - 1
    reds = np.arange(design.m) / draws
    red_if_no, red_if_yes = reds @ np.array(design.matrix, dtype=np.float64)
    slope = red_if_yes - red_if_no
    red = float(reds @ shares)
    yes = (red - red_if_no) / slope
    if n > 1 and (draws == 1 or 0 <= yes <= 1):
        of_cards = red * (1 - red) / ((draws * n - 1) * slope**2)
        variance = of_cards + (1 - 1 / draws) * yes * (1 - yes) / (n - 1)
        return np.array([[variance, -variance], [-variance, variance]])
    return moment_covariance(np.array(design.left_inverse, dtype=np.float64), shares, n)
