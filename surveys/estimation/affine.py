"""Designs in which each report's probability depends on one prevalence only.

With λ = Pπ and P = b·I + a·1ᵀ, report j has λ_j = a_j + b·π_j: an interval for one λ_j is, by the same straight
line, an interval for π_j. Every two-answer design is of this kind, and so is k-ary with any spinner.
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
        ends = (np.stack([low, high]) - self.offset) / self.slope
        return ends.min(axis=0), ends.max(axis=0)


def affine_map(design: Design) -> AffineMap | None:
    """Return the straight lines from prevalences to report probabilities, None where there are none."""
    if design.m != design.k:
        return None
    offsets = []
    for code, row in enumerate(design.matrix):
        others = {entry for truth, entry in enumerate(row) if truth != code}
        if len(others) > 1:
            return None
        offsets.append(others.pop())
    # The slope is not 0: a design with equal columns cannot be constructed.
    return AffineMap(np.array([float(offset) for offset in offsets]), float(design.matrix[0][0] - offsets[0]))


def require_affine_map(design: Design) -> AffineMap:
    """Return the straight lines from prevalences to report probabilities, or refuse the design."""
    found = affine_map(design)
    if found is None:
        raise ValueError(
            f"no interval for one option of the design {design.name}: "
            "the probability of a report depends on more than one prevalence"
        )
    return found
