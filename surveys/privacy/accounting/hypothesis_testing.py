"""What (ε, δ) means to somebody who tests between two possible data sets.

The test sees the mechanism's output and decides; it errs with the false positive rate FPR and the false negative rate
FNR. Whatever the test, FPR + e^ε·FNR ≥ 1 − δ and e^ε·FPR + FNR ≥ 1 − δ. All bounds are rounded to the safe side.

References
----------
Wasserman & Zhou (2010), A statistical framework for differential privacy. Kairouz, Oh & Viswanath (2015), The
composition theorem for differential privacy, Theorem 2.1.
"""

from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import expm1, lower, many_digits, nonnegative, share, upper


def tradeoff(
    false_positive_rate: float | Fraction, epsilon: float | Fraction, delta: float | Fraction = Fraction(0)
) -> float:
    """Return the smallest FNR that any test with this FPR can have: max(0, 1−δ−e^ε·FPR, e^−ε(1−δ−FPR)).

    Parameters
    ----------
    false_positive_rate : float or Fraction
        FPR, from 0 to 1.
    epsilon : float or Fraction
        ε in nats; may be infinite.
    delta : float or Fraction, optional
        δ, from 0 to 1.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import tradeoff
    >>> round(tradeoff(0.1, 1), 3)
    0.728
    """
    with many_digits():
        fpr, loss, rest = _rate(false_positive_rate), nonnegative(epsilon, "epsilon"), 1 - share(delta, "delta")
        shrink = (-loss).exp()
        # 1−δ−e^ε·FPR is e^ε(e^−ε(1−δ)−FPR), which matters only where it is above 0; e^ε then is at most 1/FPR.
        steep = (shrink * rest - fpr) / shrink if shrink * rest > fpr else Decimal(0)
        return max(lower(steep if fpr else rest), lower(shrink * (rest - fpr)))


def best_advantage(epsilon: float | Fraction, delta: float | Fraction = Fraction(0)) -> float:
    """Return the largest TPR − FPR that any test can have: (e^ε − 1 + 2δ)/(e^ε + 1).

    Parameters
    ----------
    epsilon : float or Fraction
        ε in nats; may be infinite.
    delta : float or Fraction, optional
        δ, from 0 to 1.

    Returns
    -------
    float
        From 0 to 1, rounded up.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import best_advantage
    >>> round(best_advantage(1), 3)
    0.462
    """
    with many_digits():
        loss, gap = nonnegative(epsilon, "epsilon"), share(delta, "delta")
        shrink = (-loss).exp()
        return min(1.0, upper((-expm1(-loss) + 2 * gap * shrink) / (1 + shrink)))


def posterior_bound(prior: float | Fraction, epsilon: float | Fraction) -> float:
    """Return the largest probability of a true answer that anybody who gave it this prior can reach.

    That is e^ε·π/(1 − π + e^ε·π), under ε without any δ: with a δ > 0 somebody may, with that probability, be sure.

    Parameters
    ----------
    prior : float or Fraction
        π, from 0 to 1.
    epsilon : float or Fraction
        ε in nats; may be infinite.

    Returns
    -------
    float
        From 0 to 1, rounded up.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import posterior_bound
    >>> round(posterior_bound(0.1, 1), 3)
    0.232
    """
    with many_digits():
        believed, loss = share(prior, "prior"), nonnegative(epsilon, "epsilon")
        if not believed:
            return 0.0
        return min(1.0, upper(believed / (believed + (1 - believed) * (-loss).exp())))


def _rate(false_positive_rate: float | Fraction) -> Decimal:
    return share(false_positive_rate, "false_positive_rate")
