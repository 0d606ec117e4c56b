"""How a privacy loss is written: exactly where a ledger charges it, upwards where it was computed."""

from django import template

from surveys.common import numbers
from surveys.privacy.loss import PrivacyLoss
from surveys.selectors.releases.ledger_truth import ForTheTruth

register = template.Library()
register.filter("amount", numbers.charge)


@register.filter
def loss(value: PrivacyLoss | ForTheTruth) -> str:
    """Write ε, and δ where there is one."""
    return numbers.loss_words(value.epsilon, value.delta)
