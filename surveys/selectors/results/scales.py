"""A scale: its mean, and the shares at its top."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation import estimate_scale
from surveys.models.definition import Item
from surveys.models.kinds import LeaveOut
from surveys.selectors.results.estimated import Estimated, estimated
from surveys.selectors.results.intervals import Wanted


@dataclass(frozen=True, slots=True)
class TopShare:
    """The share of those at so many points at the top."""

    boxes: int
    share: Estimated


@dataclass(frozen=True, slots=True)
class ScaleResult:
    """What is said of a scale besides its distribution, among those who say where they stand."""

    points: int
    ends: tuple[str, str]  # what the first and the last point are called
    among_those_who_say: bool
    mean: Estimated  # with the points 1, 2, … taken as numbers the same distance apart
    tops: tuple[TopShare, ...]


def scale_result(item: Item, counts: npt.NDArray[np.int64], wanted: Wanted) -> ScaleResult:
    """Return the mean of a scale and the shares of its top point and of its top two."""
    points = item.design.k - (item.leave_out == LeaveOut.PROTECTED)
    scale = estimate_scale(counts, item.design, points)
    return ScaleResult(
        points=points,
        ends=(item.labels[0], item.labels[points - 1]),
        among_those_who_say=scale.stated,
        mean=estimated(scale.mean, wanted),
        tops=tuple(TopShare(boxes, estimated(scale.top(boxes), wanted)) for boxes in (1, 2) if boxes < points),
    )
