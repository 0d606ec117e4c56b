"""The likelihood along a straight line of report probabilities, where it has one maximum."""

import math
from collections.abc import Sequence

_LAST_STEP = 1e-14


def log_likelihood(counts: Sequence[int], probabilities: Sequence[float]) -> float:
    """Return Σ n_j·ln λ_j: minus infinity where something was seen that cannot happen."""
    total = 0.0
    for count, probability in zip(counts, probabilities, strict=True):
        if count:
            if not probability > 0:
                return -math.inf
            total += count * math.log(probability)
    return total


def along(start: Sequence[float], end: Sequence[float], position: float) -> list[float]:
    """Return the point that lies at this position, from 0 to 1, between the two."""
    return [(1 - position) * a + position * b for a, b in zip(start, end, strict=True)]


def best_position(
    counts: Sequence[int], start: Sequence[float], end: Sequence[float], *, max_steps: int = 100
) -> float:
    """Return where between two vectors of report probabilities the counts are most likely.

    The log-likelihood is concave along the line, so its slope falls and the sign of the slope says on which side
    the maximum lies.

    Parameters
    ----------
    counts : sequence of integers
        How often each report was received; several questions or groups may follow each other.
    start, end : sequences of floats
        The probabilities of the reports at positions 0 and 1.
    max_steps : int
        After which it stops in any case.
    """
    terms = [(n, a, b) for n, a, b in zip(counts, start, end, strict=True) if n and a != b]
    if _slope(terms, 0.0)[0] <= 0:
        return 0.0
    if _slope(terms, 1.0)[0] >= 0:
        return 1.0
    low, high, position = 0.0, 1.0, 0.5
    for _ in range(max_steps):
        slope, curvature = _slope(terms, position)
        if slope > 0:
            low = position
        else:
            high = position
        following = position + slope / curvature
        if not low < following < high:  # Newton's step leaves what is left to search: halve that
            following = (low + high) / 2
        step, position = abs(following - position), following
        if step <= _LAST_STEP:
            break
    return position


def _slope(terms: Sequence[tuple[int, float, float]], position: float) -> tuple[float, float]:
    """Return the derivative of the log-likelihood, and minus the second one.

    Where something that was seen is impossible, the slope is infinite, towards where it is possible.
    """
    slope = curvature = 0.0
    for count, a, b in terms:
        probability = (1 - position) * a + position * b
        if not probability > 0:
            return math.copysign(math.inf, b - a), math.inf
        relative = (b - a) / probability
        slope += count * relative
        curvature += count * relative**2
    return slope, curvature
