"""What several guarantees come to together."""

from collections.abc import Iterable
from fractions import Fraction

from surveys.privacy.loss import PrivacyLoss


def compose(losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
    """Return the loss of all of them by basic composition: epsilons and deltas add up, exactly."""
    total_epsilon, total_delta = Fraction(0), Fraction(0)
    for loss in losses:
        total_epsilon += loss.epsilon
        total_delta += loss.delta
    return PrivacyLoss(total_epsilon, min(total_delta, Fraction(1)))
