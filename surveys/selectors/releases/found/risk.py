"""How the risk of being wrong is shared: half of it is for the noise, half for the chance in the reports."""

from typing import Any

from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.selectors.releases.terms import CONFIDENCE_LEVEL


def of_noise(mechanism: CentralMechanism[Any], n: int) -> float:
    """Return the mechanism's own error bound at half the risk."""
    return mechanism.error_bound(n, 1 - of_reports()).at_most


def of_reports() -> float:
    """Return the half of the risk that is for the reports."""
    return (1 - CONFIDENCE_LEVEL) / 2
