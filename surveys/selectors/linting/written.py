"""How numbers stand in findings."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _


def nats(epsilon: float) -> str:
    """Write an ε with two decimals, upwards, and without any where it is whole."""
    if epsilon == math.inf:
        return "∞"
    rounded = Decimal(epsilon).quantize(Decimal("0.01"), ROUND_CEILING)
    return number_format(rounded, 0 if rounded == rounded.to_integral_value() else 2)


def whole(number: int) -> str:
    """Write a whole number as people of this language read it."""
    return number_format(number, force_grouping=True)


def listed(parts: Sequence[str]) -> str:
    """Join as a list."""
    return str(get_text_list(list(parts), _("and")))
