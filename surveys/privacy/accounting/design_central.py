"""What a central release tells about the truths behind the reports of one given design."""

from decimal import Decimal
from fractions import Fraction

from surveys.privacy.accounting.decimals import HUGE, decimal, expm1, log1p, many_digits, upper
from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.designs import Design
from surveys.privacy.loss import PrivacyLoss


def design_then_central(design: Design, central: PrivacyLoss) -> PrivacyLoss:
    """Return what a release tells about the truth behind one report of this very design.

    With s and t the probabilities of a set S of reports under two truths, it takes the largest
    e^f = (1 + (e^b − 1)s)/(1 + (e^b − 1)t) and δ' = δ·max(s − e^f·t) over all pairs of truths and all sets. That is
    never above `local_then_central` of the design's epsilon, and some release attains it: `local_central` derives both.

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
    """
    if central.epsilon > HUGE:
        return _of_the_reports(design, central)
    # Only sets that some best test uses can be the largest; s is its 1 − FNR and t its FPR.
    corners = {
        (1 - fnr, fpr)
        for truth in range(design.k)
        for other in range(design.k)
        if truth != other
        for fpr, fnr in error_region(design, truth, other).vertices
    }
    with many_digits():
        gain, delta = expm1(decimal(central.epsilon)), decimal(central.delta)
        sets = [(decimal(s), decimal(t)) for s, t in corners]
        odds_less_1: Decimal = max(gain * (s - t) / (1 + gain * t) for s, t in sets)
        epsilon = Fraction(upper(log1p(odds_less_1)))
        left = Fraction(upper(delta * max(s - t - odds_less_1 * t for s, t in sets)))
    return PrivacyLoss(min(epsilon, central.epsilon), min(left, central.delta))


def _of_the_reports(design: Design, central: PrivacyLoss) -> PrivacyLoss:
    """Return the smaller of the two losses; e to a design's epsilon is its largest odds, exactly."""
    odds = max(design.odds)
    if isinstance(odds, float):
        return central
    with many_digits():
        return PrivacyLoss(min(Fraction(upper(decimal(odds).ln())), central.epsilon), central.delta)
