"""Designs in which each report's probability depends on one prevalence only.

With λ = Pπ and P = b·I + a·1ᵀ, report j has λ_j = a_j + b·π_j: an interval for one λ_j is, by the same straight
line, an interval for π_j. Every two-answer design with two reports is of this kind, and so is k-ary with any spinner.
"""

from dataclasses import dataclass

import numpy as np

from surveys.estimation.validation import Floats
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class AffineMap:
    """λ_j = offset_j + slope·π_j; the slope is the same for all j, as columns sum to 1."""

    offset: Floats
    slope: float

    def to_prevalence(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Map limits for the report probabilities to limits for the prevalences; they may leave [0, 1]."""
        first, second = (low - self.offset) / self.slope, (high - self.offset) / self.slope
        return (first, second) if self.slope > 0 else (second, first)

    def edges(self) -> tuple[Floats, Floats]:
        """Return the smallest and the largest that each report's probability can be."""
        other = np.clip(self.offset + self.slope, 0.0, 1.0)  # rounding must not lead beyond a probability
        return np.minimum(self.offset, other), np.maximum(self.offset, other)

    def of_merged(self) -> "AffineMap":
        """Return the map of the first 1, 2, …, k − 1 reports taken as one: their number is binomial as well."""
        return AffineMap(np.cumsum(self.offset)[:-1], self.slope)


def affine_map(design: Design) -> AffineMap | None:
    """Return the straight lines from prevalences to report probabilities, None where there are none."""
    if design.m != design.k:
        return None
    offsets = []
    for code, row in enumerate(design.matrix):
        others = row[:code] + row[code + 1 :]
        if any(entry != others[0] for entry in others):
            return None
        offsets.append(others[0])
    # The slope is not 0: a design with equal columns cannot be constructed.
    return AffineMap(np.array([float(offset) for offset in offsets]), float(design.matrix[0][0] - offsets[0]))


def require_affine_map(design: Design) -> AffineMap:
    """Return the straight lines from prevalences to report probabilities, or refuse the design."""
    line = affine_map(design)
    if line is None:
        raise ValueError(
            f"no interval for one option of the design {design.name}: "
            "the probability of a report depends on more than one prevalence"
        )
    return line
