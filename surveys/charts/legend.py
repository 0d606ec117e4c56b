"""What the marks of a chart mean, in words: the page and the file say the same."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """A mark as it is drawn and what it means.

    Attributes
    ----------
    mark : str
        interval, point, bar, whisker, raw, truth, reference, curve, region, line (across) or mark (upright).
    label : str
        What it means.
    dash : int
        How a curve or the border of an area is dashed.
    filled : bool
        Whether a curve is filled down to the axis.
    """

    mark: str
    label: str
    dash: int = 0
    filled: bool = False
