"""A scale of points 1, 2, …: its mean, and the share at its top, among those who say where they stand."""

from dataclasses import dataclass

from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import Counts, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True, eq=False)
class ScaleEstimate:
    """What reports of points on a scale say.

    Attributes
    ----------
    prevalence : PrevalenceEstimate
        Code i is the point i + 1; one code more, where the design has it, prefers not to say.
    points : int
        How many points the scale has.
    """

    prevalence: PrevalenceEstimate
    points: int

    @property
    def stated(self) -> bool:
        """Whether not saying is one of the answers, so that the mean and the shares are those of the others."""
        return self.prevalence.design.k > self.points

    @property
    def mean(self) -> MeanWithin:
        """The mean of the points, as if they were numbers the same distance apart."""
        return mean_within(self.prevalence, range(1, self.points + 1), range(self.points))

    def top(self, boxes: int) -> MeanWithin:
        """Return the share of those at one of so many points at the top of the scale, from 1 to all but one."""
        boxes = whole_number(boxes, "boxes", 1, self.points - 1)
        values = [float(point >= self.points - boxes) for point in range(self.points)]
        return mean_within(self.prevalence, values, range(self.points))


def estimate_scale(counts: Counts, design: Design, points: int) -> ScaleEstimate:
    """Estimate a scale from randomized reports of its points.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        A design with one true answer a point, and perhaps one more for not saying.
    points : int
        How many points the scale has, at least 2.

    Returns
    -------
    ScaleEstimate
        With `mean` and `top`, each with `point`, `standard_error` and `interval`.

    Raises
    ------
    ValueError
        If the design is not for so many points, or the counts are wrong.

    Examples
    --------
    >>> from surveys.estimation import estimate_scale
    >>> from surveys.privacy import k_ary
    >>> round(estimate_scale([10, 20, 30, 25, 15], k_ary(5), 5).mean.point, 2)
    3.3
    """
    points = whole_number(points, "points", 2)
    if require_design(design).k not in {points, points + 1}:
        raise ValueError(f"design must be for {points} points, or one answer more, it is for {design.k}")
    return ScaleEstimate(estimate_prevalence(counts, design), points)
