"""How often the interval of the answer that seems the most frequent holds its share, and a set holds the most frequent.

Samples are drawn through a coin and an even spinner. ``python -m tests.estimation.coverage_tables`` writes the tables
into docs/coverage.md; test_largest.py, run by ``make studies``, finds them again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.mapped import mapped_interval
from surveys.privacy.designs import Design, direct, k_ary

SAMPLES = 2_000
LEVEL = 0.95
BEFORE, USED = "one answer", "all answers"
OVERLAP, WALD, SCORE = "intervals overlap", "Wald", "score"
SHARES: dict[str, tuple[float, ...]] = {
    "3 equal": (1 / 3,) * 3,
    "5 equal": (0.2,) * 5,
    "10 equal": (0.1,) * 10,
    "5, two ahead": (0.3, 0.28, 0.18, 0.14, 0.1),
    "5, one far ahead": (0.6, 0.1, 0.1, 0.1, 0.1),
}
SIZES = (100, 400, 2_000)


@dataclass(frozen=True)
class Chosen:
    """What happens in one setting: of the interval of the largest estimate, and of the set of answers."""

    shares: str
    design: str
    n: int
    held: dict[str, float]
    width: dict[str, float]
    in_set: dict[str, float]  # how often the most frequent answer is in it
    size: dict[str, float]  # how many answers it has on average


def settings() -> Iterator[tuple[str, Design, int]]:
    for name, shares in SHARES.items():
        for design in (direct(len(shares)), k_ary(len(shares), "1/2")):
            for n in SIZES:
                yield name, design, n


def simulate(name: str, design: Design, n: int, samples: int = SAMPLES) -> Chosen:
    """Draw samples and look at the largest estimate of each; of equal ones at the first."""
    shares = np.array(SHARES[name])
    generator = np.random.default_rng([97, len(shares), n, design.name == "k_ary", round(1_000 * shares[0])])
    counts = generator.multinomial(n, np.array(design.matrix, dtype=float) @ shares, size=samples)
    k, line, each = len(shares), require_affine_map(design), np.arange(samples)
    largest = counts.argmax(axis=1)
    held, width, limits = {}, {}, {}
    for method, number in ((BEFORE, 1), (USED, k)):
        of_each = AffineMap(np.broadcast_to(line.offset, counts.shape), line.slope)
        interval = mapped_interval(counts, n, of_each, LEVEL, "wilson", number=number)
        low, high = (ends[each, largest] for ends in (interval.low, interval.high))
        held[method] = float(((low <= shares[largest]) & (shares[largest] <= high)).mean())
        width[method] = float((high - low).mean())
        limits[method] = interval.low, interval.high
    sets = {
        OVERLAP: limits[USED][1] >= limits[USED][0].max(axis=1, keepdims=True),
        WALD: _by_test(counts, n, wald=True),
        SCORE: _by_test(counts, n, wald=False),
    }
    return Chosen(
        name,
        "direct" if design.name == direct(k).name else "coin and spinner",
        n,
        held,
        width,
        {method: float(of[:, 0].mean()) for method, of in sets.items()},
        {method: float(of.sum(axis=1).mean()) for method, of in sets.items()},
    )


def _by_test(counts: np.ndarray, n: int, *, wald: bool) -> np.ndarray:
    """Return which answers no other one exceeds significantly, one row a sample."""
    k = counts.shape[1]
    more = counts[:, :, np.newaxis] - counts[:, np.newaxis, :]
    variance = (counts[:, :, np.newaxis] + counts[:, np.newaxis, :]).astype(float)
    if wald:
        variance = (variance - more**2 / n) * n / (n - 1)
    reach = -special.ndtri((1 - LEVEL) / (k - 1)) * np.sqrt(np.maximum(variance, 0.0))
    significant: np.ndarray = more > reach
    return ~significant.any(axis=1)


def everywhere() -> list[Chosen]:
    return [simulate(*setting) for setting in settings()]


def interval_table(found: list[Chosen]) -> str:
    lines = ["| answers | design | n | one answer | all answers |", "|---|---|---|---|---|"]
    for one in found:
        cells = " | ".join(f"{one.held[method]:.3f} · {one.width[method]:.3f}" for method in (BEFORE, USED))
        lines.append(f"| {one.shares} | {one.design} | {one.n} | {cells} |")
    return "\n".join(lines)


def set_table(found: list[Chosen]) -> str:
    lines = ["| answers | design | n | intervals overlap | Wald | score |", "|---|---|---|---|---|---|"]
    for one in found:
        cells = " | ".join(f"{one.in_set[method]:.3f} · {one.size[method]:.2f}" for method in (OVERLAP, WALD, SCORE))
        lines.append(f"| {one.shares} | {one.design} | {one.n} | {cells} |")
    return "\n".join(lines)
