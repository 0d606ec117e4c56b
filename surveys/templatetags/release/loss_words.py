"""How a privacy loss is written: exactly where a ledger charges it, upwards where it was computed."""

import math
from decimal import Decimal
from fractions import Fraction

from django import template
from django.utils.formats import get_format

from surveys.models.units import PICO
from surveys.privacy.loss import PrivacyLoss
from surveys.selectors.releases.ledger_truth import ForTheTruth
from surveys.selectors.releases.rounding import rounded_up
from surveys.services.releasing import written

register = template.Library()

_DIGITS = 4


@register.filter
def loss(value: PrivacyLoss | ForTheTruth) -> str:
    """Write ε, and δ where there is one; no line breaks within either."""
    epsilon = f"ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{amount(value.epsilon)}"
    return f"{epsilon}, δ\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{amount(value.delta)}" if value.delta else epsilon


@register.filter
def amount(value: Fraction | float) -> str:
    """Write an ε or a δ: what a ledger holds without rounding, all else with four digits, upwards."""
    if value == math.inf:
        return "∞"
    if isinstance(value, Fraction) and (value * PICO).denominator == 1:
        return written(value)
    digits = f"{Decimal(repr(rounded_up(float(value), _DIGITS))):f}"
    return digits.removesuffix(".0").replace(".", str(get_format("DECIMAL_SEPARATOR")))
