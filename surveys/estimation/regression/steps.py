"""Step functions: what a likelihood comes to at infinity, where every truth is fitted as a certainty.

Far out in a direction w, the truth of a row is Yes where rows·w > 0 and No elsewhere. Which truths are certain changes
along a line only where one row's sign does, so that sorting those places gives the best step on a line exactly. With an
intercept and one predictor, the lines tried are all there are; with more predictors the best halfspace is a hard
problem, and the best of some climbs by one coordinate after the other has to do.
"""

import numpy as np

from surveys.estimation.validation import Floats

SWEEPS = 5
"""Times that each coordinate is changed in turn, at most."""
CLIMBS = 4
"""From so many of the starts, the highest after a first change."""
CERTAIN = 15.0
"""Every linear predictor of a step is at least as far from 0 as this, if rounding allows."""


def highest_step(rows: Floats, gains: Floats, starts: list[Floats]) -> Floats:
    """Return parameters so far out that every truth is nearly a certainty, and the likelihood as high as can be found.

    Parameters
    ----------
    rows : array of n × p floats
        The predictors.
    gains : array of n floats
        By how much a row's log-likelihood is higher if its truth is Yes.
    starts : list of arrays of p floats
        Directions to begin with.
    """
    if not rows.shape[1]:
        return np.empty(0)
    first = [best_along(rows, gains, start, 0) for start in starts]
    first.sort(key=lambda found: -found[1])
    place, _ = max((climb(rows, gains, place) for place, _ in first[:CLIMBS]), key=lambda found: found[1])
    distances = np.abs(rows @ place)
    return place * (CERTAIN / max(distances.min(), 1e-8 * distances.max()))


def climb(rows: Floats, gains: Floats, place: Floats) -> tuple[Floats, float]:
    """Change one coordinate after the other for the better, and return the last place and its height."""
    height = -np.inf
    for _ in range(SWEEPS):
        before = height
        for coordinate in range(rows.shape[1]):
            place, height = best_along(rows, gains, place, coordinate)
        if height <= before:
            break
    return place, height


def best_along(rows: Floats, gains: Floats, place: Floats, coordinate: int) -> tuple[Floats, float]:
    """Return the place with the one coordinate that makes the best step, and the gains of its rows that are Yes."""
    eta, slopes = rows @ place, rows[:, coordinate]
    turning = slopes != 0
    turns = -eta[turning] / slopes[turning]
    order = np.argsort(turns)
    turns = turns[order]
    # At the far left a row is Yes if its predictor falls; on the way each row turns once.
    leftmost = gains[np.where(turning, slopes < 0, eta > 0)].sum()
    heights = leftmost + np.append(0.0, np.cumsum((np.sign(slopes) * gains)[turning][order]))
    # Rows that turn at the same place cannot be parted there.
    heights[1:-1][turns[1:] == turns[:-1]] = -np.inf
    outside = 1 + turns[-1] - turns[0]
    between = np.concatenate([[turns[0] - outside], (turns[1:] + turns[:-1]) / 2, [turns[-1] + outside]])
    best = int(np.argmax(heights))
    changed = place.copy()
    changed[coordinate] += between[best]
    return changed, float(heights[best])
