"""Designs that ask two groups with different probabilities, to learn one more thing than the prevalence.

In all three the probability of Yes mixes two shares, with weights that a group's probabilities give. Where there is one
chance p, that is a straight line in p: two groups are two points on it, and the line is read off at its ends.
"""

from collections.abc import Mapping

from surveys.estimation.two_groups import cheating_detection, lie_detector, unrelated_unknown
from surveys.estimation.two_groups.cheating_detection import CheatingDetectionEstimate, estimate_cheating_detection
from surveys.estimation.two_groups.estimate import TwoGroupEstimate, fit
from surveys.estimation.two_groups.lie_detector import LieDetectorEstimate, estimate_lie_detector
from surveys.estimation.two_groups.line import EndWeights, LineModel, identified, mixed_groups
from surveys.estimation.two_groups.unrelated_unknown import UnrelatedUnknownEstimate, estimate_unrelated_unknown
from surveys.estimation.validation import Counts

MODELS: Mapping[str, LineModel] = {
    "unrelated_unknown": unrelated_unknown.MODEL,
    "cheating_detection": cheating_detection.MODEL,
    "lie_detector": lie_detector.MODEL,
}

BESIDES: Mapping[str, str] = {
    "unrelated_unknown": "innocuous_rate",
    "cheating_detection": "always_no",
    "lie_detector": "truthful_share",
}
"""The name of the parameter that each model estimates besides the prevalence, and a plan has to assume."""

__all__ = [
    "BESIDES",
    "MODELS",
    "CheatingDetectionEstimate",
    "LieDetectorEstimate",
    "TwoGroupEstimate",
    "UnrelatedUnknownEstimate",
    "estimate_cheating_detection",
    "estimate_lie_detector",
    "estimate_two_groups",
    "estimate_unrelated_unknown",
    "identified",
]


def estimate_two_groups(
    name: str, counts1: Counts, counts2: Counts, weights1: EndWeights, weights2: EndWeights
) -> TwoGroupEstimate:
    """Return the estimate of a model by its name, from the weights with which the groups mix its two shares.

    Parameters
    ----------
    name : str
        Of `MODELS`.
    counts1, counts2 : pair of integers
        How many of each group reported No, and Yes.
    weights1, weights2 : pairs of Fraction
        In the Yes-rate of each group the weights of the two ends of the model's line; at one probability p, 1−p and p.

    Raises
    ------
    ValueError
        If there is no such model, or the weights are multiples of each other: then the groups tell one thing only.
    """
    if name not in MODELS:
        raise ValueError(f"name must be one of {', '.join(MODELS)}, got {name!r}")
    return TwoGroupEstimate(*fit(mixed_groups(counts1, counts2, weights1, weights2), MODELS[name]))
