"""What a central release reveals about the true answers behind the reports of one given design."""

import math
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.decimals import HUGE, decimal, expm1, log1p, many_digits, upper
from surveys.privacy.designs import Design
from surveys.privacy.loss import PrivacyLoss


def design_then_central(design: Design, central: PrivacyLoss) -> PrivacyLoss:
    """Return what a release reveals about the true answer behind one report of this very design.

    With s and t the probabilities of a set S of reports under two true answers, it takes the largest
    e^f = (1 + (e^b − 1)s)/(1 + (e^b − 1)t) and δ' = δ·max(s − e^f·t) over all pairs of true answers and all sets.
    The same set is the largest in both, so δ' = δ(e^f − 1)/(e^b − 1), in which nothing cancels. That is never above
    `local_then_central` of the design's epsilon, and some release attains it: `local_central.py` derives both.

    Parameters
    ----------
    design : Design
        Any design, with an infinite epsilon too.
    central : PrivacyLoss
        Of all releases from these reports together.

    Returns
    -------
    PrivacyLoss
        Floats' exact values, rounded up.

    Examples
    --------
    >>> from surveys.privacy import PrivacyLoss, design_then_central, triangular
    >>> loss = design_then_central(triangular("1/4"), PrivacyLoss(1))
    >>> round(float(loss.epsilon), 4)
    0.828
    """
    if central.epsilon > HUGE:
        return _of_the_reports(design, central)
    # Only sets that some best test uses can be the largest; s is its 1 − FNR and t its FPR. The exact s − t is kept.
    corners = {
        (1 - fnr - fpr, fpr)
        for truth in range(design.k)
        for other in range(design.k)
        if truth != other
        for fpr, fnr in error_region(design, truth, other).vertices
    }
    with many_digits():
        gain = expm1(decimal(central.epsilon))
        # (e^f − 1)/(e^b − 1), which is s − t where e^b is 1.
        kept: Decimal = max(decimal(advantage) / (1 + gain * decimal(t)) for advantage, t in corners)
        epsilon = Fraction(upper(log1p(gain * kept)))
        delta = Fraction(upper(decimal(central.delta) * kept))
    return PrivacyLoss(min(epsilon, central.epsilon), min(delta, central.delta))


def _of_the_reports(design: Design, central: PrivacyLoss) -> PrivacyLoss:
    """Return the smaller of the two losses."""
    if design.epsilon == math.inf:
        return central
    return PrivacyLoss(min(Fraction(design.epsilon), central.epsilon), central.delta)
