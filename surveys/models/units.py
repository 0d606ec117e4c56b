"""The units in which budgets and their times are kept: integers, so that no rounding lends anything."""

from datetime import datetime

from django.utils import timezone

MICRO = 1_000_000
"""Millionths of ε."""

PICO = 1_000_000_000_000
"""Trillionths of δ."""


def this_second() -> datetime:
    """Return the time in whole seconds: parts of them, stored with releases, would tell how long draws take."""
    return timezone.now().replace(microsecond=0)
