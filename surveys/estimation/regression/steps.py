"""Step functions: what a likelihood comes to at infinity, where every true answer is fitted as a certainty.

Far out in a direction w, the truth of a row is Yes where rows·w > 0 and No elsewhere. Which true answers are certain
changes along a line only where one row's sign does, so that sorting those places gives the best step on a line exactly.
With an intercept and one predictor, the lines tried are all there are; with more predictors the best halfspace is a
hard problem, and the best of some climbs, one coordinate after the other, has to do.
"""

from itertools import combinations

import numpy as np

from surveys.estimation.validation import Floats

CERTAIN = 30.0
"""Every linear predictor of a step is at least as far from 0 as this, if rounding allows."""
UNCERTAIN, FEW = 2.0, 0.1
"""This share of a softened step's linear predictors are no farther from 0 than this."""
ROUNDING = 1e-12
MOST_EDGES = 256
"""Edges through so many rows are tried, spread over whatever order they have."""
ON_EDGE = 1e-9
"""A linear predictor this far from 0 is next to it."""
NEAREST = 1e-8
"""The least share of the largest linear predictor that the smallest is taken to be."""


def highest_step(rows: Floats, gains: Floats, starts: list[Floats], shift: Floats | float = 0.0) -> Floats:
    """Return the direction of the likeliest step that climbs from some directions lead to.

    Parameters
    ----------
    rows : array of n × p floats
        The predictors.
    gains : array of n floats
        By how much a row's log-likelihood is higher if its truth is Yes.
    starts : list of arrays of p floats
        Directions to begin with.
    shift : array of n floats, optional
        What is added to every linear predictor: then it is places on these lines, and no directions, that are sought.
    """
    if not rows.shape[1]:
        return np.empty(0)
    climbs = [climb(rows, gains, start, shift=shift) for start in starts]
    return climbs[first_of_highest(np.array([height for _, height in climbs]))][0]


def first_of_highest(heights: Floats) -> int:
    """Return where the highest is; of those that differ by their rounding the first, whatever the rows' order."""
    return int(np.argmax(heights >= heights.max() - ROUNDING * np.abs(heights[np.isfinite(heights)]).max()))


def certain(rows: Floats, place: Floats, wanted: float = CERTAIN) -> Floats:
    """Return the place moved so far out that every true answer is a certainty."""
    distances = np.abs(rows @ place)
    return scale_place(place, wanted, float(distances.min()), float(distances.max()))


def soften_place(rows: Floats, place: Floats, weights: Floats) -> Floats:
    """Return the place moved so near that a few true answers are uncertain, where a steep finite maximum may begin."""
    distances = np.abs(rows @ place)
    order = np.argsort(distances)
    nearest = order[np.argmax(np.cumsum(weights[order]) > FEW * weights.sum())]
    return scale_place(place, UNCERTAIN, float(distances[nearest]), float(distances.max()))


def scale_place(place: Floats, wanted: float, distance: float, largest: float) -> Floats:
    """Return the place scaled so that a distance is what is wanted, if rounding allows and there is any."""
    return place * (wanted / max(distance, NEAREST * largest)) if largest > 0 else place


def climb(
    rows: Floats, gains: Floats, place: Floats, sweeps: int = 5, shift: Floats | float = 0.0
) -> tuple[Floats, float]:
    """Change each coordinate in turn for the better, so many times at most, and return the place and its height."""
    height = -np.inf
    for _ in range(sweeps):
        before = height
        for coordinate in range(rows.shape[1]):
            place, height = best_along(rows, gains, place, coordinate, shift)
        if height <= before:
            break
    return place, height


def best_along(
    rows: Floats, gains: Floats, place: Floats, coordinate: int, shift: Floats | float = 0.0
) -> tuple[Floats, float]:
    """Return the place with the one coordinate that makes the best step, and the gains of its rows that are Yes."""
    eta, slopes = shift + rows @ place, rows[:, coordinate]
    turning = slopes != 0
    if not turning.any():
        return place, float(gains[eta > 0].sum())
    turns = -eta[turning] / slopes[turning]
    order = np.argsort(turns)
    turns = turns[order]
    # At the far left a row is Yes if its predictor falls; on the way each row turns once.
    leftmost = gains[np.where(turning, slopes < 0, eta > 0)].sum()
    heights = leftmost + np.append(0.0, np.cumsum((np.sign(slopes) * gains)[turning][order]))
    # Rows that turn at the same place but for rounding cannot be parted there.
    heights[1:-1][np.diff(turns) <= ROUNDING * np.abs(turns[1:])] = -np.inf
    outside = 1 + turns[-1] - turns[0]
    between = np.concatenate([[turns[0] - outside], (turns[1:] + turns[:-1]) / 2, [turns[-1] + outside]])
    best = first_of_highest(heights)
    changed = place.copy()
    changed[coordinate] += between[best]
    return changed, float(heights[best])


def best_in_planes(rows: Floats, gains: Floats, place: Floats, shift: Floats) -> Floats:
    """Change each two coordinates in turn for the better: with two, nothing is missed."""
    for pair in combinations(range(place.size), 2):
        place = best_in_plane(rows, gains, place, list(pair), shift)
    return place


def best_in_plane(rows: Floats, gains: Floats, place: Floats, pair: list[int], shift: Floats) -> Floats:
    """Return the place with the two coordinates that make the best step.

    The edge of the best step can be moved until a row all but lies on it, on one side or the other. The edges through a
    row are a line, along which the other rows turn. Of more than `MOST_EDGES` rows so many are tried.
    """
    eta, slopes = shift + rows @ place, rows[:, pair]
    sizes = (slopes**2).sum(axis=1)
    edges = np.flatnonzero(sizes > ROUNDING * sizes.max())
    best, height = np.zeros(2), float(gains[eta > 0].sum())
    for row in edges[np.unique(np.linspace(0, edges.size - 1, MOST_EDGES).astype(int))]:
        along = slopes[row, ::-1] * np.array([-1.0, 1.0])
        for side in (-ON_EDGE, ON_EDGE):
            foot = (side - eta[row]) / sizes[row] * slopes[row]
            # Rounding must not turn the row that is all but on the edge.
            line = np.where(np.abs(slopes @ along) > ROUNDING * sizes, slopes @ along, 0.0)[:, np.newaxis]
            turn, _ = best_along(line, gains, np.zeros(1), 0, eta + slopes @ foot)
            gain = float(gains[eta + slopes @ (foot + turn * along) > 0].sum())
            if gain > height + ROUNDING * abs(height):
                best, height = foot + turn * along, gain
    changed = place.copy()
    changed[pair] += best
    return changed
