"""Where the letter of a curve or an area goes: as far from all other lines as can be."""

import math
from collections.abc import Sequence
from itertools import pairwise

# Percent from the left and from the top.
Place = tuple[float, float]

# A letter at the very edge would be cut.
_LEAST, _MOST = 6.0, 94.0
# So many places of a line are tried, and so many rows and columns of an area.
_TRIED = 24
_ROWS = 12
# Farther than this, nothing is gained by more distance.
_FAR = 20.0


def on_line(line: Sequence[Place], others: Sequence[Sequence[Place]], uprights: Sequence[float] = ()) -> Place:
    """Return the place on a line that no other line comes near; of several, the highest and most central.

    `uprights` are marks from the top to the bottom, so many percent from the left.
    """
    left, right = max(_LEAST, min(x for x, _ in line)), min(_MOST, max(x for x, _ in line))
    if not left < right:
        # An upright line, or one at the very edge.
        return _kept(line[len(line) // 2])
    tried = [
        (x, height)
        for number in range(_TRIED + 1)
        for x in [left + (right - left) * number / _TRIED]
        for height in _heights(line, x)[:1]
    ]

    def clearance(place: Place) -> tuple[float, float]:
        x, y = place
        if any(abs(x - upright) < _LEAST for upright in uprights):
            return -1.0, -y
        gap = min((abs(y - height) for other in others for height in _heights(other, x)), default=0.0)
        return round(min(gap, _FAR)), -(max(y, _LEAST) + abs(x - 50) / 4)

    return _kept(max(tried, key=clearance))


def in_area(corners: Sequence[Place], others: Sequence[Sequence[Place]], lines: Sequence[Sequence[Place]]) -> Place:
    """Return the place in an area that no line comes near; if it can be, in none of the other areas."""
    steps = [_LEAST + (_MOST - _LEAST) * number / _ROWS for number in range(_ROWS + 1)]
    inside = [(x, y) for x in steps for y in steps if _holds(corners, (x, y))]
    alone = [place for place in inside if not any(_holds(other, place) for other in others)]
    borders = [place for line in (corners, *others, *lines) for place in _between(line)]
    if not inside:
        # Too thin to hold a letter.
        return _kept(corners[0])
    return _kept(max(alone or inside, key=lambda place: min(math.dist(place, border) for border in borders)))


def _holds(corners: Sequence[Place], place: Place) -> bool:
    x, y = place
    return sum(height < y for height in _heights(corners, x)) % 2 == 1


def _kept(place: Place) -> Place:
    x, y = (round(min(_MOST, max(_LEAST, value)), 2) for value in place)
    return x, y


def _heights(line: Sequence[Place], x: float) -> list[float]:
    """Return how high a line is at x: once for each of its parts that crosses it."""
    return [
        y1 + (y2 - y1) * (x - x1) / (x2 - x1)
        for (x1, y1), (x2, y2) in pairwise(line)
        # Of two parts that meet at x, one crosses it.
        if min(x1, x2) <= x < max(x1, x2)
    ]


def _between(line: Sequence[Place]) -> list[Place]:
    """Return places all along a line, some eight percent apart at most."""
    found = []
    for (x1, y1), (x2, y2) in pairwise(line):
        parts = max(1, round(math.dist((x1, y1), (x2, y2)) / 8))
        found += [(x1 + (x2 - x1) * part / parts, y1 + (y2 - y1) * part / parts) for part in range(parts)]
    return [*found[:: max(1, len(found) // 60)], line[-1]]
