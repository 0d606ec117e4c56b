"""How often some interval misses when an open survey's figures are looked at again and again, exactly.

Between two looks as many more are counted as pages count, and as many wait; the probability of each number of
Yes is carried from look to look, without those of which an interval has missed. ``python -m
tests.estimation.coverage_tables`` writes the table into docs/coverage.md.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.mapped import mapped_interval
from surveys.privacy.designs import Design, direct, forced_response

RESPONSES, MINIMUM = 400, 10
OFTEN = (1, 5, 10, 20, RESPONSES)
"""How often somebody looks, at equal distances; the last after each response."""
CASES = (
    ("direct", direct(), 0.1),
    ("direct", direct(), 0.3),
    ("5% forced each way", forced_response("9/10", "1/2"), 0.1),
    ("two fair coins", forced_response(), 0.1),
    ("two fair coins", forced_response(), 0.3),
)


def batch_of(minimum_n: int, counted: int) -> int:
    """Return how many more are counted at least, and left waiting, as `folding.smallest_batch` has it."""
    return max(minimum_n, counted // 100)


def counted_at(looks: int, responses: int = RESPONSES, minimum_n: int = MINIMUM) -> list[int]:
    """Return how many are in the figures at each look while a survey is open: those that were seen before only once."""
    counted = [0]
    for look in range(1, looks + 1):
        waiting = responses * look // looks - counted[-1]
        batch = batch_of(minimum_n, counted[-1])
        if waiting >= 2 * batch:
            counted.append(counted[-1] + waiting - batch)
    return counted[1:]


def held_by(design: Design, n: int, share: float, method: str = "wilson") -> np.ndarray:
    """Return whether the interval that pages show holds the share, for each number of Yes of n reports."""
    line = require_affine_map(design)
    of_yes = AffineMap(line.offset[1:2], line.slope)
    interval = mapped_interval(np.arange(n + 1), n, of_yes, 0.95, method)
    held: np.ndarray = (interval.low <= share) & (share <= interval.high)
    return held


def missed_once(
    design: Design,
    share: float,
    counted: Sequence[int],
    held: Callable[[Design, int, float], np.ndarray] = held_by,
) -> float:
    """Return how probably at least one of the intervals at these numbers of reports misses the share."""
    line = require_affine_map(design)
    reported = float(line.offset[1] + line.slope * share)
    chances, before = np.ones(1), 0
    for n in counted:
        more = n - before
        chances = np.convolve(chances, stats.binom.pmf(np.arange(more + 1), more, reported)) * held(design, n, share)
        before = n
    return 1 - float(chances.sum())


def table() -> str:
    """Return the table of docs/coverage.md."""
    opened = [counted_at(looks) for looks in OFTEN]
    heads = [f"{len(counted)} look{'s' if len(counted) > 1 else ''}" for counted in opened]
    rows = [
        f"| design | share | {' | '.join(heads)} | once closed |",
        "|---" * (3 + len(OFTEN)) + "|",
    ]
    for name, design, share in CASES:
        cells = [f"{missed_once(design, share, counted):.3f}" for counted in (*opened, [RESPONSES])]
        rows.append(f"| {name} | {share} | {' | '.join(cells)} |")
    return "\n".join(rows)
