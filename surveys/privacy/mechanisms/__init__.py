"""Central mechanisms: one file each, exact draws, no float ever added to data."""

from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.most_common import most_common_utilities

__all__ = ["DiscreteLaplace", "ExponentialMechanism", "most_common_utilities"]
