"""From numbers to geometry: one small SVG a row, all lengths in percent of its width."""

from dataclasses import dataclass

TICKS = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """An interval on a track from 0 to 100 with its estimate and the raw share, ready for SVG attributes."""

    low: str
    high: str
    width: str
    point: str
    raw: str


def interval_row(*, low: float, high: float, point: float, raw: float) -> IntervalRow:
    """Return the geometry of one row.

    Parameters
    ----------
    low, high : float
        The interval's limits, 0 ≤ low ≤ high ≤ 1.
    point, raw : float
        The estimate and the share with chance added, between 0 and 1.

    Raises
    ------
    ValueError
        If a number is not between 0 and 1, NaN included, or the limits are the wrong way round.
    """
    for name, value in (("low", low), ("high", high), ("point", point), ("raw", raw)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    if not low <= high:
        raise ValueError(f"low must be at most high, got {low!r} and {high!r}")
    return IntervalRow(
        low=_percent(low), high=_percent(high), width=_percent(high - low), point=_percent(point), raw=_percent(raw)
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
