"""Designs that ask two groups with different chances, to learn one more thing than the prevalence.

In all three the probability of Yes is a straight line in the chance p that a group's respondents are given. Two groups
with different p are two points on it, and the line is read off at its ends, p = 0 and p = 1.
"""

from surveys.estimation.two_groups.cheating_detection import CheatingDetectionEstimate, estimate_cheating_detection
from surveys.estimation.two_groups.lie_detector import LieDetectorEstimate, estimate_lie_detector
from surveys.estimation.two_groups.unrelated_unknown import UnrelatedUnknownEstimate, estimate_unrelated_unknown

__all__ = [
    "CheatingDetectionEstimate",
    "LieDetectorEstimate",
    "UnrelatedUnknownEstimate",
    "estimate_cheating_detection",
    "estimate_lie_detector",
    "estimate_unrelated_unknown",
]
