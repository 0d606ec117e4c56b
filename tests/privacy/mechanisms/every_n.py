"""Whether a mechanism does at every n what it does at few, and draws each part of its chance anew.

*What never changes.* Draws at one n that are all the same, though the formula says that they would not be.

*What comes twice.* Of a mechanism that skips its noise at some n, or has one noise for several numbers, the same
outputs come again far more often than the formula says. How many of the later draws are among the first ones is
binomial, whatever the first were; so no outputs need to be enumerated.

*What rises together.* From one draw to the next, two numbers with noise of their own rise or fall independently of each
other, so that they do the same half of the times in which neither stays.

All three are exact at any number of draws.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from unittest import mock

from scipy import stats

from surveys.privacy.mechanisms.cauchy import CauchyNoise
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import Counted, Randbelow
from surveys.privacy.mechanisms.permute_and_flip import PermuteAndFlip
from tests.privacy.chance import FALSE_ALARM_RATE, seeded
from tests.privacy.mechanisms.evidence import Mechanism
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.planted import Lying

FIRST, DRAWS = 16, 96

Numbers = Sequence[int | Fraction]
Lie = Callable[[Mechanism, DataSet], Mechanism]
"""What is drawn from in place of a mechanism."""

_SOURCES = [
    (CauchyNoise, "draw_nearest"),
    (DiscreteGaussian, "sample"),
    (DiscreteLaplace, "sample"),
    (ExponentialMechanism, "choose"),
    (PermuteAndFlip, "choose"),
]
"""What all chance of mechanisms comes from; each takes its randbelow last."""


def even(counted: Counted, length: int, n: int) -> DataSet:
    """Return n responses of which each code has as many as possible, or each bit half."""
    if counted is Counted.BITS:
        return DataSet((n // 2,) * length, n)
    return DataSet(tuple(n // length + (code < n % length) for code in range(length)), n)


def nearly_fair(mechanism: Mechanism, data: DataSet) -> tuple[Mechanism, DataSet]:
    """Return a choice with an ε of 1/(8n), so that no candidate is much likelier than another whatever the data are."""
    return replace(mechanism, epsilon=Fraction(1, 8 * data.n)), data


def undecided(mechanism: Mechanism, counted: Counted, length: int, n: int, refusal: object) -> DataSet:
    """Return data of which one code, or bit, is a little ahead, so that a test is passed about as often as not."""
    half, tables = n // 2, []
    for lead in range(min(half, 8) + 1):
        if counted is Counted.BITS:
            tables += [(half + sign * lead,) + (half,) * (length - 1) for sign in (1, -1)]
        else:
            two = n - half + lead, half - lead
            tables += [(0,) * code + two + (0,) * (length - code - 2) for code in range(length - 1)]

    def balance(counts: tuple[int, ...]) -> tuple[float, float]:
        refused = mechanism.probability(refusal, counts)
        return round(abs(refused - 0.5), 6), refused

    return DataSet(min(tables, key=balance), n)


def p_value_at(mechanism: Mechanism, data: DataSet, numbers: Callable[[object], Numbers]) -> float:
    """The p-value of all that is looked at, with Bonferroni's correction.

    Parameters
    ----------
    numbers : callable
        Those of an output that have noise of their own, up to constants.
    """
    randbelow = seeded(20_360 + data.n)
    drawn = [mechanism.release(data.counts, randbelow) for _ in range(DRAWS)]
    first = set(drawn[:FIRST])
    expected = min(1.0, math.fsum(mechanism.probability(output, data.counts) for output in first))
    repeated = sum(output in first for output in drawn[FIRST:])
    p_values = [_two_sided(repeated, DRAWS - FIRST, expected)]
    noisy = [numbers(output) for output in drawn]
    rises = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(noisy[::2], noisy[1::2], strict=True)]
    for one, other in combinations(range(len(noisy[0])), 2):
        moved = [rise[one] * rise[other] for rise in rises if rise[one] * rise[other]]
        if moved:
            p_values.append(_two_sided(sum(product > 0 for product in moved), len(moved), 0.5))
    return len(p_values) * min(p_values)


def p_value_of_no_chance(mechanism: Mechanism, data: DataSet) -> float:
    """How likely it is that so many draws in a row are the same: 1 if they differ, or as the formula has nearly one."""
    randbelow = seeded(20_361 + data.n)
    first = mechanism.release(data.counts, randbelow)
    for again in range(1, DRAWS):
        if mechanism.release(data.counts, randbelow) != first:
            return 1.0
        if again == 1:
            expected = mechanism.probability(first, data.counts)
        if expected**again < FALSE_ALARM_RATE**2:
            return float(expected**again)
    return float(expected ** (DRAWS - 1))


def _two_sided(seen: int, of: int, probability: float) -> float:
    tails = stats.binom.sf(seen - 1, of, probability), stats.binom.cdf(seen, of, probability)
    return 2 * float(min(tails))


def bare(mechanism: Mechanism, data: DataSet) -> Mechanism:
    """Publish what is likeliest, without any chance."""
    randbelow = seeded(1)
    drawn = {mechanism.release(data.counts, randbelow) for _ in range(20)}
    likeliest = max(drawn, key=lambda output: mechanism.probability(output, data.counts))
    return Lying(mechanism, draws_as=lambda _counts, _randbelow: likeliest)


def shared(mechanism: Mechanism, _data: DataSet, key: Callable[[int], int] = lambda _place: 0) -> Mechanism:
    """Use one noise for all numbers of a release, or for those with the same key; choose with the same seed."""

    def release(counts: Sequence[int], randbelow: Randbelow) -> object:
        with _watched(randbelow(2**32), key):
            return mechanism.release(counts, randbelow)

    return Lying(mechanism, draws_as=release)


def draws_of(mechanism: Mechanism, data: DataSet) -> int:
    """How many draws of one kind there are in a release, at most of several."""
    most, randbelow = 0, seeded(1)
    for _ in range(10):
        with _watched() as drawn:
            mechanism.release(data.counts, randbelow)
        most = max(most, *drawn.values())
    return most


@contextmanager
def _watched(seed: int | None = None, key: Callable[[int], int] = lambda _place: 0) -> Iterator[Counter[str]]:
    """Count the draws of each kind; with a seed, those of the same key have the same chance."""
    drawn: Counter[str] = Counter()
    kept: dict[tuple[str, int], int] = {}
    inside = False

    def in_place_of(draw: Callable[..., int], kind: str) -> Callable[..., int]:
        def again(*given: object) -> int:
            nonlocal inside
            if inside:  # a proposal of another draw
                return draw(*given)
            inside, place = True, (kind, key(drawn[kind]))
            drawn[kind] += 1
            try:
                if seed is None:
                    return draw(*given)
                if "sample" not in kind:
                    return draw(*given[:-1], seeded(seed))
                if place not in kept:
                    kept[place] = draw(*given)
                return kept[place]
            finally:
                inside = False

        return again

    with ExitStack() as stack:
        for owner, name in _SOURCES:
            draw = in_place_of(getattr(owner, name), f"{owner.__name__}.{name}")
            stack.enter_context(mock.patch.object(owner, name, draw))
        yield drawn
