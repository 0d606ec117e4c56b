"""Tools of the statistical tests: seeded and enumerated sources of chance, and one goodness-of-fit test."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction

import numpy as np
from scipy import stats

FALSE_ALARM_RATE = 1e-6


def seeded(seed: int) -> Callable[[int], int]:
    """A source of uniform integers that can be repeated."""
    generator = np.random.default_rng(seed)

    def randbelow(bound: int) -> int:
        if bound < 2**63:
            return int(generator.integers(bound))
        bits = bound.bit_length()
        while (drawn := int.from_bytes(generator.bytes(bits // 8 + 1)) >> (8 - bits % 8)) >= bound:
            pass
        return drawn

    return randbelow


class _UndecidedError(Exception):
    def __init__(self, bound: int) -> None:
        self.bound = bound


def exact_outcomes(
    draw: Callable[[Callable[[int], int]], Hashable], depth: int
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """Follow every possible draw of a sampler.

    Returns the exact probability of each outcome reached within so many draws, and of none reached.
    """
    reached: dict[Hashable, Fraction] = {}
    undecided = Fraction(0)
    open_paths: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while open_paths:
        path, probability = open_paths.pop()
        remaining = iter(path)

        def randbelow(bound: int, remaining: Iterable[int] = remaining) -> int:
            for value in remaining:
                return value
            raise _UndecidedError(bound)

        try:
            outcome = draw(randbelow)
        except _UndecidedError as more:
            if len(path) == depth:
                undecided += probability
            else:
                open_paths += [((*path, value), probability / more.bound) for value in range(more.bound)]
        else:
            reached[outcome] = reached.get(outcome, Fraction(0)) + probability
    return reached, undecided


def p_value_of_fit(sample: Iterable[int], probability: Callable[[int], float], smallest_expected: float = 10) -> float:
    """The p-value of a χ² test of integers against a distribution; rare integers are pooled."""
    observed = Counter(sample)
    total = observed.total()
    cells = [x for x in range(min(observed), max(observed) + 1) if total * probability(x) >= smallest_expected]
    expected = [total * probability(x) for x in cells]
    seen = [observed[x] for x in cells]
    rest = total - sum(expected)
    if rest > 1e-9 * total:
        expected.append(rest)
        seen.append(total - sum(seen))
    elif sum(seen) < total:
        return 0.0
    statistic = sum((o - e) ** 2 / e for o, e in zip(seen, expected, strict=True))
    return float(stats.chi2.sf(statistic, len(expected) - 1))
