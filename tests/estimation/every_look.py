"""How often some confidence sequence misses when an open survey is watched, and how much wider it is.

Shares are exact, as in looks.py. Means and other designs are simulated: what is drawn is how many of each report come
between two looks, and whether the truth is kept at a look is asked of its likelihood alone. ``python -m
tests.estimation.coverage_tables`` writes both tables into docs/coverage.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
from scipy import special

from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.estimation.intervals.general import likely_loss
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.privacy.designs import Design, from_matrix, grid_of, k_ary, kuk, number_window
from tests.estimation.looks import CASES, RESPONSES, counted_at, held_by, missed_once

CLASSES = 20_000
EVERY_BATCH, TEN = counted_at(RESPONSES), counted_at(10)
ONE_LOOK = "likelihood_ratio"
_AT_ONCE, _HALVINGS = 2_000, 25  # beside a maximum what is lost changes by the square of this


def exact_table() -> str:
    """Return the table of shares."""
    rows = [
        "| design | share | usual, 39 looks | 10 looks | 39 looks | 400 looks | wider at 100 | wider at 400 |",
        "|---" * 8 + "|",
    ]
    held = partial(held_by, method=SEQUENCE)
    for name, design, share in CASES:
        today = missed_once(design, share, EVERY_BATCH)
        missed = [missed_once(design, share, counted, held) for counted in (TEN, EVERY_BATCH, range(1, RESPONSES + 1))]
        wider = []
        for n in (100, RESPONSES):
            yes = round(n * float(_matrix(design)[1] @ [1 - share, share]))
            estimate = estimate_prevalence([n - yes, yes], design)
            usual, every = (estimate.interval(0.95, method) for method in ("wilson", SEQUENCE))
            wider.append(float((every.high[1] - every.low[1]) / (usual.high[1] - usual.low[1])))
        cells = [f"{value:.3f}" for value in (today, *missed)] + [f"{ratio:.2f}" for ratio in wider]
        rows.append(f"| {name} | {share} | {' | '.join(cells)} |")
    return "\n".join(rows)


@dataclass(frozen=True, eq=False)
class Watched:
    """A mean, or a share of another design: its reports, and what they count for in a bet on the truth.

    The log-likelihood is Σ n_j·ln(1 + θw_j), at its largest between the two ends of θ; the truth is at `true`.
    """

    name: str
    reports: np.ndarray  # how probable each is
    weights: np.ndarray
    ends: tuple[float, float]
    true: float
    intervals: tuple[ScalarInterval, ScalarInterval] = field(repr=False)  # for one look and for all, from 400 people

    def lost(self, counts: np.ndarray) -> np.ndarray:
        """Return how far below its maximum the log-likelihood of the truth is, for each row of counts."""
        low, high = (np.full(len(counts), end) for end in self.ends)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            rises = (counts * self.weights / (1 + middle[:, np.newaxis] * self.weights)).sum(axis=1) > 0
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        # What nobody sent has no term, also where its probability is 0.
        lost: np.ndarray = special.xlog1py(counts, low[:, np.newaxis] * self.weights).sum(axis=1)
        return lost - counts @ np.log1p(self.true * self.weights)

    def missed(self, counted: Sequence[int], classes: int = CLASSES) -> dict[str, float]:
        """Return by method the share of simulated classes that some interval at these numbers of reports misses."""
        steps, generator = np.diff([0, *counted]), np.random.default_rng(94)
        losses = {method: [likely_loss(n, 0.95, method) for n in counted] for method in (ONE_LOOK, SEQUENCE)}
        missed = dict.fromkeys(losses, 0)
        for _ in range(0, classes, _AT_ONCE):
            drawn = np.stack([generator.multinomial(step, self.reports, _AT_ONCE) for step in steps])
            lost = np.array([self.lost(at_look) for at_look in drawn.cumsum(axis=0)])
            for method, most in losses.items():
                missed[method] += int((lost > np.array(most)[:, np.newaxis]).any(axis=0).sum())
        return {method: number / classes for method, number in missed.items()}


@cache
def watched() -> tuple[Watched, ...]:
    """Return what is simulated."""
    scale, shares = k_ary(5, "1/2"), np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    mixing = from_matrix([["3/5", "1/5", "1/10"], ["1/5", "3/5", "3/10"], ["1/5", "1/5", "3/5"]])
    grid = grid_of(number_window(11, "1/2", window=3), 0, 10)
    assert grid
    numbers = np.full(len(grid.truths), 1 / len(grid.truths))
    cards = kuk("7/10", "3/10", 2)
    no, yes = np.array(cards.matrix, dtype=float).T
    points = _matrix(scale) @ shares
    of_three = _matrix(mixing) @ [0.1, 0.5, 0.4]
    values = _matrix(grid.design) @ numbers
    red = 0.9 * no + 0.1 * yes
    return (
        _bet(
            "mean of a scale of five points, coin and spinner",
            points,
            np.arange(1, 6) @ np.array(scale.left_inverse, dtype=float),
            _both(estimate_scale(_expected(points), scale, 5).mean.interval),
        ),
        _bet(
            "mean of a number through a window",
            values,
            np.array(grid.values, dtype=float),
            _both(estimate_grid_mean(_expected(values), grid).interval),
        ),
        _bet(
            "first of three answers, general matrix",
            of_three,
            np.array(mixing.left_inverse[0], dtype=float),
            _first(estimate_prevalence(_expected(of_three), mixing)),
        ),
        Watched(
            "Kuk, decks of 7/10 and 3/10 red, two cards",
            red,
            yes / no - 1,
            (0.0, 1.0),
            0.1,
            _first(estimate_prevalence(_expected(red), cards)),
        ),
    )


def simulated_table() -> str:
    """Return the table of means and other designs."""
    rows = ["| figure | usual, 39 looks | 39 looks | wider at 400 |", "|---|---|---|---|"]
    for one in watched():
        missed = [f"{share:.3f}" for share in one.missed(EVERY_BATCH).values()]
        usual, every = (interval.high - interval.low for interval in one.intervals)
        rows.append(f"| {one.name} | {' | '.join(missed)} | {every / usual:.2f} |")
    return "\n".join(rows)


def _matrix(design: Design) -> np.ndarray:
    return np.array(design.matrix, dtype=float)


def _expected(reports: np.ndarray) -> list[int]:
    """Return the counts of 400 people that are nearest to what is expected."""
    ends: list[int] = np.rint(RESPONSES * np.cumsum(reports)).astype(int).tolist()
    return np.diff([0, *ends]).tolist()


def _bet(
    name: str, reports: np.ndarray, values: np.ndarray, intervals: tuple[ScalarInterval, ScalarInterval]
) -> Watched:
    """Return the bet that the reports' values have the mean that they truly have: θ is 0 where that is so."""
    weights = values - float(reports @ values)
    return Watched(name, reports, weights, (-1 / float(weights.max()), -1 / float(weights.min())), 0.0, intervals)


def _both(interval: Callable[[float, str], ScalarInterval]) -> tuple[ScalarInterval, ScalarInterval]:
    return interval(0.95, ONE_LOOK), interval(0.95, SEQUENCE)


def _first(estimate: PrevalenceEstimate) -> tuple[ScalarInterval, ScalarInterval]:
    both = [estimate.interval(0.95, method) for method in (ONE_LOOK, SEQUENCE)]
    first, second = (ScalarInterval(float(one.low[0]), float(one.high[0]), 0.95, one.method) for one in both)
    return first, second
