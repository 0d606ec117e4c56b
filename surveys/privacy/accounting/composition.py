"""What several guarantees come to together, and what one guarantee says about several responses."""

import math
from collections.abc import Iterable
from fractions import Fraction

from surveys.privacy.decimals import HUGE, decimal, expm1, many_digits, upper
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import probability, whole_number


def compose(losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
    """Return the loss of all of them by basic composition: epsilons and deltas add up, exactly.

    Parameters
    ----------
    losses : iterable of PrivacyLoss
        Of each mechanism, for the same responses.

    Returns
    -------
    PrivacyLoss
        Exact.

    Examples
    --------
    >>> from surveys.privacy import PrivacyLoss, compose
    >>> total = compose([PrivacyLoss("1/4"), PrivacyLoss("1/2", "1/1000000")])
    >>> [str(total.epsilon), str(total.delta)]
    ['3/4', '1/1000000']
    """
    total_epsilon, total_delta = Fraction(0), Fraction(0)
    for loss in losses:
        total_epsilon += loss.epsilon
        total_delta += loss.delta
    return PrivacyLoss(total_epsilon, min(total_delta, Fraction(1)))


def compose_advanced(loss: PrivacyLoss, count: int, slack: object) -> PrivacyLoss:
    """Return the loss of `count` mechanisms that each have this one, by advanced composition.

    ε' = ε√(2k ln(1/δ')) + kε(e^ε − 1)/(e^ε + 1) at kδ + δ'. For few mechanisms or a large ε that is more than
    `compose` gives; both are true.

    Parameters
    ----------
    loss : PrivacyLoss
        Of each mechanism; the next may be chosen after seeing the results so far.
    count : int
        k, at least 1.
    slack : exact probability
        δ', above 0: what is added to delta for a smaller epsilon.

    Returns
    -------
    PrivacyLoss
        Its epsilon is a float's exact value, rounded up.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Dwork, Rothblum & Vadhan (2010), Boosting and differential privacy; the second term as in Kairouz, Oh &
    Viswanath (2015), The composition theorem for differential privacy, Theorem 3.4.

    Examples
    --------
    >>> from surveys.privacy import PrivacyLoss, compose_advanced
    >>> round(float(compose_advanced(PrivacyLoss("1/10"), 100, "1/100000").epsilon), 3)
    5.298
    """
    count, slack = whole_number(count, "count", 1), probability(slack, "slack")
    if not slack > 0:
        raise ValueError(f"slack must be above 0, got {slack}")
    with many_digits():
        epsilon = decimal(loss.epsilon)
        # (e^ε − 1)/(e^ε + 1) in exp(−ε), which cannot overflow.
        drift = -expm1(-epsilon) / (1 + (-epsilon).exp())
        total = upper(epsilon * (-2 * count * decimal(slack).ln()).sqrt() + count * epsilon * drift)
    if total == math.inf:
        raise ValueError("loss must have an epsilon that floats can hold when composed; compose adds any up")
    return PrivacyLoss(Fraction(total), min(count * loss.delta + slack, Fraction(1)))


def group_privacy(loss: PrivacyLoss, size: int) -> PrivacyLoss:
    """Return the loss for several responses, of one person or of more, that all change: gε, at δ(e^(gε) − 1)/(e^ε − 1).

    Parameters
    ----------
    loss : PrivacyLoss
        For one response.
    size : int
        g, the number of responses in the group, at least 1.

    Returns
    -------
    PrivacyLoss
        For the group.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Vadhan (2017), The complexity of differential privacy, the proof of Lemma 2.2, whose geometric sum this is.

    Examples
    --------
    >>> from surveys.privacy import PrivacyLoss, group_privacy
    >>> str(group_privacy(PrivacyLoss("1/2"), 3).epsilon)
    '3/2'
    """
    size = whole_number(size, "size", 1)
    if size == 1 or not loss.delta:
        return PrivacyLoss(size * loss.epsilon, loss.delta)
    if not loss.epsilon:
        return PrivacyLoss(Fraction(0), min(size * loss.delta, Fraction(1)))
    if size * loss.epsilon > HUGE:
        return PrivacyLoss(size * loss.epsilon, Fraction(1))
    with many_digits():
        epsilon = decimal(loss.epsilon)
        bound = decimal(loss.delta) * expm1(size * epsilon) / expm1(epsilon)
    return PrivacyLoss(size * loss.epsilon, Fraction(min(upper(bound), 1.0)))
